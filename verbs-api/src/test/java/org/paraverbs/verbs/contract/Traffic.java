// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.verbs.Access.LOCAL_WRITE;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.ReceiveQueue;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.WorkCompletion;

/**
 * Messages over many connections from four threads to four others. A message holds the number of its connection, its own
 * number within it, bytes that follow from both, and a checksum of it all. Sender and receiver of a connection are
 * different threads, and no two connections of one sending thread that follow each other have the same receiving thread.
 */
final class Traffic {
    private static final int THREADS = 4;
    private static final int DEPTH = 16;
    private static final int HEADER = 24;
    private static final int LARGEST = 512;

    private final boolean sleeping;
    private final int messages;
    private final List<Sender> senders = new ArrayList<>();
    private final List<Receiver> receivers = new ArrayList<>();

    Traffic(Context from, Context to, int connections, int messages, boolean sleeping, boolean sharing) {
        this.sleeping = sleeping;
        this.messages = messages;
        int perThread = (connections + THREADS - 1) / THREADS;
        for (int i = 0; i < THREADS; i++) {
            senders.add(new Sender(from, perThread));
            receivers.add(new Receiver(to, perThread, sharing));
        }
        for (int connection = 0; connection < connections; connection++) {
            QueuePair source = senders.get(connection / perThread).add(connection);
            QueuePair target = receivers.get(connection % THREADS).add(connection);
            Endpoint theirs = target.endpoint();
            target.connect(source.endpoint());
            source.connect(theirs);
        }
    }

    void run() throws InterruptedException {
        List<Background> threads = new ArrayList<>();
        for (Receiver receiver : receivers) {
            receiver.postAll();
            threads.add(Background.start(receiver));
        }
        for (Sender sender : senders) {
            threads.add(Background.start(sender));
        }
        for (Background thread : threads) {
            thread.answerWhenever();
        }
    }

    private static int length(int connection, int number) {
        return HEADER + Math.floorMod(connection * 31 + number * 7, LARGEST - HEADER);
    }

    private static void write(MemorySegment message, int connection, int number) {
        message.set(JAVA_LONG, 0, connection);
        message.set(JAVA_LONG, 8, number);
        for (long i = HEADER; i < message.byteSize(); i++) {
            message.set(JAVA_BYTE, i, (byte) (connection + number + i));
        }
        message.set(JAVA_INT, 16, checksum(message));
    }

    private static int checksum(MemorySegment message) {
        CRC32C checksum = new CRC32C();
        checksum.update(message.asSlice(0, 16).asByteBuffer());
        checksum.update(message.asSlice(HEADER).asByteBuffer());
        return (int) checksum.getValue();
    }

    /** A thread with a completion queue of its own, of which it takes completions until it has seen all. */
    private abstract class Worker implements Callable<Long> {
        final ProtectionDomain domain;
        final CompletionQueue completions;
        final MemoryRegion memory;
        private final @Nullable CompletionChannel channel;
        private final Map<Integer, Connection> byQpn = new HashMap<>();
        private final List<Connection> all = new ArrayList<>();
        private final int slots;

        Worker(Context context, int connections) {
            domain = context.allocateProtectionDomain();
            channel = sleeping ? context.createCompletionChannel() : null;
            slots = connections * DEPTH;
            completions = context.createCompletionQueue(slots, channel, 0);
            memory = domain.allocate((long) slots * LARGEST, LOCAL_WRITE);
        }

        final QueuePair add(int number, QueuePairSpec spec) {
            QueuePair qp = domain.createQueuePair(spec.withDepth(DEPTH));
            Connection connection = new Connection(number, qp, all.size() * DEPTH);
            byQpn.put(qp.qpn(), connection);
            all.add(connection);
            return qp;
        }

        final List<Connection> connections() {
            return all;
        }

        final MemorySegment slot(int slot, int length) {
            return memory.memory().asSlice((long) slot * LARGEST, length);
        }

        /** Takes what has completed, or waits for something to complete. */
        final long take() throws InterruptedException {
            long taken = drain();
            if (taken > 0) {
                return taken;
            }
            if (channel == null) {
                Waiting.pause();
                return 0;
            }
            completions.requestNotification(false);
            taken = drain();
            if (taken == 0) {
                assertThat(channel.await(Waiting.DEADLINE))
                        .as("a notification before the deadline")
                        .isSameAs(completions);
            }
            return taken;
        }

        private long drain() {
            long taken = 0;
            WorkCompletion completion = completions.poll();
            while (completion != null) {
                completion.requireSuccess();
                taken++;
                Connection connection = byQpn.get(completion.qpn());
                assertThat(connection).as("the connection of %s", completion).isNotNull();
                completed(connection, completion);
                completion = completions.poll();
            }
            return taken;
        }

        abstract void completed(Connection connection, WorkCompletion completion);
    }

    private final class Sender extends Worker {
        Sender(Context context, int connections) {
            super(context, connections);
        }

        QueuePair add(int number) {
            return add(number, QueuePairSpec.reliable(completions));
        }

        @Override
        public Long call() throws InterruptedException {
            long outstanding = 0;
            long left = (long) messages * connections().size();
            long lastProgress = System.nanoTime();
            while (left > 0 || outstanding > 0) {
                long posted = 0;
                for (Connection connection : connections()) {
                    posted += fill(connection);
                }
                left -= posted;
                outstanding += posted;
                long taken = take();
                outstanding -= taken;
                if (posted + taken > 0) {
                    lastProgress = System.nanoTime();
                }
                Waiting.checkDeadline(lastProgress, "completions of SENDs, " + outstanding + " are outstanding");
            }
            return left;
        }

        /** Posts as many messages as the connection has slots for. */
        private int fill(Connection connection) {
            int count = Math.min(DEPTH - (connection.begun - connection.done), messages - connection.begun);
            for (int i = 0; i < count; i++) {
                int slot = connection.firstSlot + connection.begun % DEPTH;
                int length = length(connection.number, connection.begun);
                write(slot(slot, length), connection.number, connection.begun);
                connection
                        .qp
                        .sendQueue()
                        .send(connection.begun)
                        .local(memory, (long) slot * LARGEST, length)
                        .signaled();
                connection.begun++;
            }
            if (count > 0) {
                connection.qp.sendQueue().post();
            }
            return count;
        }

        @Override
        void completed(Connection connection, WorkCompletion completion) {
            if (completion.id() != connection.done) {
                throw new AssertionError("SEND " + connection.done + " of connection " + connection.number
                        + " should have completed, not " + completion);
            }
            connection.done++;
        }
    }

    private final class Receiver extends Worker {
        private final @Nullable SharedReceiveQueue shared;
        private final int room;

        Receiver(Context context, int connections, boolean sharing) {
            super(context, connections);
            room = connections * DEPTH;
            // fewer than all connections could have outstanding, so that they compete for them
            shared = sharing ? domain.createSharedReceiveQueue(Math.max(DEPTH, room / 4), 1) : null;
        }

        QueuePair add(int number) {
            QueuePairSpec spec = QueuePairSpec.reliable(completions);
            return add(number, shared == null ? spec : spec.withSharedReceiveQueue(shared));
        }

        void postAll() {
            if (shared != null) {
                for (int slot = 0; slot < Math.max(DEPTH, room / 4); slot++) {
                    post(shared.receiveQueue(), slot);
                }
                return;
            }
            for (Connection connection : connections()) {
                for (int i = 0; i < DEPTH; i++) {
                    post(connection.qp.receiveQueue(), connection.firstSlot + i);
                }
            }
        }

        private void post(ReceiveQueue receives, int slot) {
            receives.receive(slot).local(memory, (long) slot * LARGEST, LARGEST);
            receives.post();
        }

        @Override
        public Long call() throws InterruptedException {
            long left = (long) messages * connections().size();
            long lastProgress = System.nanoTime();
            while (left > 0) {
                long taken = take();
                left -= taken;
                if (taken > 0) {
                    lastProgress = System.nanoTime();
                }
                Waiting.checkDeadline(lastProgress, left + " messages");
            }
            Waiting.assertSilent(completions);
            return left;
        }

        @Override
        void completed(Connection connection, WorkCompletion completion) {
            int slot = (int) completion.id();
            int expected = length(connection.number, connection.done);
            MemorySegment message = slot(slot, Math.clamp(completion.byteLength(), HEADER, LARGEST));
            if (completion.byteLength() != expected
                    || message.get(JAVA_LONG, 0) != connection.number
                    || message.get(JAVA_LONG, 8) != connection.done
                    || message.get(JAVA_INT, 16) != checksum(message)) {
                throw new AssertionError("message " + connection.done + " of connection " + connection.number
                        + " of " + expected + " bytes should have come, not message " + message.get(JAVA_LONG, 8)
                        + " of connection " + message.get(JAVA_LONG, 0) + " of " + completion.byteLength()
                        + " bytes, checksum "
                        + (message.get(JAVA_INT, 16) == checksum(message) ? "right" : "wrong"));
            }
            connection.done++;
            post(shared == null ? connection.qp.receiveQueue() : shared.receiveQueue(), slot);
        }
    }

    /** One side of a connection, used by one thread. */
    private static final class Connection {
        final int number;
        final QueuePair qp;
        final int firstSlot;
        int begun;
        int done;

        Connection(int number, QueuePair qp, int firstSlot) {
            this.number = number;
            this.qp = qp;
            this.firstSlot = firstSlot;
        }
    }
}
