// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.wire;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Two ends of an exchange inside one process, for a server and a client that are threads of one program.
 *
 * @param client the end that writes first
 * @param server the other end
 */
public record ExchangePair(Exchange client, Exchange server) {

    /**
     * Creates a connected pair.
     *
     * @return the pair
     */
    public static ExchangePair create() {
        var toServer = new Pipe();
        var toClient = new Pipe();
        return new ExchangePair(new End(true, toClient, toServer), new End(false, toServer, toClient));
    }

    /** One direction. All state is guarded by the lock. */
    private static final class Pipe {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final ArrayDeque<byte[]> messages = new ArrayDeque<>();
        private int bytes;
        private boolean closed;
    }

    private static final class End implements Exchange {
        private final boolean client;
        private final Pipe inbound;
        private final Pipe outbound;

        private End(boolean client, Pipe inbound, Pipe outbound) {
            this.client = client;
            this.inbound = inbound;
            this.outbound = outbound;
        }

        @Override
        public boolean isClient() {
            return client;
        }

        @Override
        public void write(byte[] message) {
            outbound.lock.lock();
            try {
                if (outbound.closed) {
                    throw new PeerException("the other side of the loopback has left");
                }
                outbound.messages.add(message.clone());
                outbound.bytes += message.length;
                outbound.changed.signalAll();
            } finally {
                outbound.lock.unlock();
            }
        }

        @Override
        public byte[] read(int length, long timeoutNs, String what) {
            inbound.lock.lock();
            try {
                if (!await(length, timeoutNs)) {
                    throw new PeerException(
                            inbound.closed
                                    ? "the other side of the loopback left before its " + what
                                    : "the other side of the loopback did not send its " + what + " within "
                                            + TimeUnit.NANOSECONDS.toSeconds(timeoutNs) + " s");
                }
                return take(length);
            } finally {
                inbound.lock.unlock();
            }
        }

        private byte[] take(int length) {
            var result = new byte[length];
            int filled = 0;
            while (filled < length) {
                byte[] head = inbound.messages.remove();
                int taken = Math.min(head.length, length - filled);
                System.arraycopy(head, 0, result, filled, taken);
                filled += taken;
                if (taken < head.length) {
                    inbound.messages.addFirst(Arrays.copyOfRange(head, taken, head.length));
                }
            }
            inbound.bytes -= length;
            return result;
        }

        @Override
        public boolean await(int length, long timeoutNs) {
            long leftNs = timeoutNs;
            inbound.lock.lock();
            try {
                while (inbound.bytes < length) {
                    if (inbound.closed || leftNs <= 0) {
                        return false;
                    }
                    if (timeoutNs == UNBOUNDED) {
                        inbound.changed.await();
                    } else {
                        leftNs = inbound.changed.awaitNanos(leftNs);
                    }
                }
                return true;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new PeerException("interrupted while waiting for the other side of the loopback", e);
            } finally {
                inbound.lock.unlock();
            }
        }

        @Override
        public boolean peerHasLeft() {
            inbound.lock.lock();
            try {
                return inbound.closed;
            } finally {
                inbound.lock.unlock();
            }
        }

        @Override
        public void close() {
            // Closing one end ends both directions: what was written before stays readable, as with TCP.
            end(inbound);
            end(outbound);
        }

        private static void end(Pipe pipe) {
            pipe.lock.lock();
            try {
                pipe.closed = true;
                pipe.changed.signalAll();
            } finally {
                pipe.lock.unlock();
            }
        }
    }
}
