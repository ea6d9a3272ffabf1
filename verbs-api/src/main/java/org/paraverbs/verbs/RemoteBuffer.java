// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.nio.ByteBuffer;

/**
 * A peer's memory region as this side addresses it; what {@link MemoryRegion#remote()} gives and the peer needs.
 *
 * @param address the peer's address of the first byte
 * @param length the number of bytes
 * @param rkey the remote key
 */
public record RemoteBuffer(long address, long length, int rkey) {

    /** The size of {@link #toBytes()}. */
    public static final int BYTES = 20;

    /** Checks the length. */
    public RemoteBuffer {
        if (length < 0) {
            throw new IllegalArgumentException("a remote buffer cannot have " + length + " bytes");
        }
    }

    /** A stable form: address, length, key, in network order, in a new array of {@link #BYTES} bytes. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(address)
                .putLong(length)
                .putInt(rkey)
                .array();
    }

    /**
     * Reads what {@link #toBytes()} wrote.
     *
     * @param bytes {@link #BYTES} bytes
     * @return the buffer
     * @throws IllegalArgumentException if they are not as many, or not of that form
     */
    public static RemoteBuffer of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a remote buffer has " + BYTES + " bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new RemoteBuffer(buffer.getLong(), buffer.getLong(), buffer.getInt());
    }
}
