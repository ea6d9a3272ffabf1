// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Memory that a thread of the client copies for us, where we may not read and write it ourselves. A client that does not answer is
 * waited for once, for a second or so, and not asked again: it counts as ended, and the agent drops it.
 */
final class CopiedMemory extends ClientMemory {
    private static final int SPINS = 2000;
    private static final int YIELDS = 2000;

    /** With pauses of some 100 microseconds, after which the system is asked for a longer time than that. */
    private static final int PAUSES = 10_000;

    private static final long PAUSE_NS = 50_000;

    private final SharedFile shared;
    private final ByteBuffer wake = ByteBuffer.allocateDirect(1);
    private volatile @Nullable SocketChannel client;
    private volatile boolean gone;

    CopiedMemory(int pid, SharedFile shared) {
        super(pid);
        this.shared = shared;
    }

    /** The connection by which the client is woken. */
    void connected(SocketChannel channel) {
        client = channel;
    }

    boolean isConnected() {
        return client != null;
    }

    @Override
    boolean read(long address, ByteBuffer into) {
        return transfer(address, into, false);
    }

    @Override
    boolean write(long address, ByteBuffer from) {
        return transfer(address, from, true);
    }

    private synchronized boolean transfer(long address, ByteBuffer buffer, boolean writing) {
        long start = address - buffer.position();
        while (buffer.hasRemaining()) {
            int bytes = Math.min(buffer.remaining(), Protocol.COPY_BYTES);
            long at = start + buffer.position();
            if (writing) {
                shared.copyData().put(buffer.slice(buffer.position(), bytes));
            }
            if (gone || !ask(at, bytes, writing)) {
                return false;
            }
            if (writing) {
                buffer.position(buffer.position() + bytes);
            } else {
                buffer.put(shared.copyData().limit(bytes));
            }
        }
        return true;
    }

    private boolean ask(long address, int bytes, boolean writing) {
        int number = shared.askForCopy(address, bytes, writing);
        SocketChannel channel = client;
        try {
            if (channel == null || channel.write(wake.clear()) != 1) {
                gone = true;
                return false;
            }
        } catch (IOException e) {
            gone = true;
            return false;
        }
        for (int i = 0; !shared.isCopied(number); i++) {
            if (i > PAUSES + YIELDS + SPINS || !channel.isOpen()) {
                gone = true;
                return false;
            }
            pause(i);
        }
        return shared.copyResult() == 0;
    }

    @SuppressWarnings("ThreadPriorityCheck") // the client may need this core
    private static void pause(int i) {
        if (i < SPINS) {
            Thread.onSpinWait();
        } else if (i < SPINS + YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    @Override
    boolean isGone() {
        return gone;
    }

    @Override
    public void close() {
        gone = true;
    }
}
