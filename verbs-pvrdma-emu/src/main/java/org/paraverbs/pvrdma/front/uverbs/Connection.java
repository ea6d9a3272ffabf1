// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** A connection to the emulator's socket. The agent's. */
final class Connection {
    /** What a client may leave unread: thousands of events, as the kernel would keep them for it. */
    private static final int MOST_UNSENT = 1 << 18;

    private final SocketChannel channel;
    private final SelectionKey key;
    private final ByteBuffer in =
            ByteBuffer.allocate(Protocol.Request.SIZE + Protocol.MAX_PAYLOAD).order(ByteOrder.nativeOrder());
    private final MemorySegment inSegment = MemorySegment.ofArray(in.array());
    final Outgoing out = new Outgoing(MOST_UNSENT);

    /** Whose it is, once it has said so. */
    @Nullable
    Client client;

    Connection(SocketChannel channel, SelectionKey key) {
        this.channel = channel;
        this.key = key;
    }

    /**
     * Reads what has come.
     *
     * @throws EOFException if the client has closed the connection, or has ended
     */
    void read() throws IOException {
        if (channel.read(in) < 0) {
            throw new EOFException();
        }
    }

    /** What has come, from its beginning. */
    MemorySegment received() {
        return inSegment.asSlice(0, in.position());
    }

    /** Forgets what has been dealt with. */
    void consume(int bytes) {
        in.flip().position(bytes);
        in.compact();
    }

    /** Sends what waits, as far as that is possible, and has the rest sent when it is. */
    void flush() throws IOException {
        out.send(channel);
        int wanted = out.isEmpty() ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE;
        if (key.interestOps() != wanted) {
            key.interestOps(wanted);
        }
    }

    /** For what is written by whoever runs the device. */
    SocketChannel channel() {
        return channel;
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
