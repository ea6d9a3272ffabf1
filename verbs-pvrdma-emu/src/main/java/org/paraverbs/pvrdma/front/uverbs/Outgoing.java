// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;

/** What a client has yet to be sent over one of its connections. The agent's. */
final class Outgoing {
    private static final int FIRST_BYTES = 1 << 12;

    private final int limit;
    private ByteBuffer waiting = ByteBuffer.allocate(FIRST_BYTES).order(ByteOrder.nativeOrder());

    /**
     * A stream with nothing in it.
     *
     * @param limit bytes that may wait for a client that does not read
     */
    Outgoing(int limit) {
        this.limit = limit;
    }

    /**
     * Room for so many bytes, at the buffer's position.
     *
     * @throws IOException if the client has left too much unread
     */
    ByteBuffer room(int bytes) throws IOException {
        if (waiting.remaining() < bytes) {
            if (waiting.position() + bytes > limit) {
                throw new IOException(
                        "the client does not read what it is sent: " + waiting.position() + " bytes wait");
            }
            ByteBuffer larger = ByteBuffer.allocate(Math.min(limit, waiting.capacity() * 2 + bytes))
                    .order(ByteOrder.nativeOrder());
            larger.put(waiting.flip());
            waiting = larger;
        }
        return waiting;
    }

    void event(int kind, int channel, long element, int type) throws IOException {
        room(Protocol.Event.SIZE)
                .putInt(kind)
                .putInt(channel)
                .putLong(element)
                .putInt(type)
                .putInt(0);
    }

    boolean isEmpty() {
        return waiting.position() == 0;
    }

    /** Sends what the connection takes without waiting. */
    void send(SocketChannel to) throws IOException {
        if (!isEmpty()) {
            waiting.flip();
            try {
                to.write(waiting);
            } finally {
                waiting.compact();
            }
        }
    }
}
