// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.WorkCompletion;

/**
 * A connection that one thread makes, uses and destroys while any thread polls its completions. A message holds the number of its
 * connection, its own number, bytes that follow from both, and a checksum.
 *
 * <p>Ids are numbers that no other request of the test has. A thread that takes a completion holds the lock of the completion queue, and
 * then this connection's.
 */
final class ChangingConnection {
    static final int DEPTH = 16;
    static final int LARGEST = 256;

    private static final int HEADER = 24;
    private static final AtomicLong NUMBERS = new AtomicLong();

    private enum State {
        WORKING,
        BROKEN,
        CLOSING,
        GONE
    }

    private final ChangingTraffic traffic;
    private final ChangingTraffic.Polled sendQueue;
    private final ChangingTraffic.Polled receiveQueue;
    private final MemoryRegion source;
    private final MemoryRegion target;
    private final QueuePair sender;
    private final QueuePair receiver;

    // Guarded by this.
    private long number;
    private State state = State.WORKING;
    private int begun;
    private int sent;
    private int arrived;
    private int receivesBegun;
    private int receivesDone;

    ChangingConnection(ChangingTraffic traffic, Random random) {
        this.traffic = traffic;
        traffic.created.increment();
        sendQueue = traffic.sends.get(random.nextInt(traffic.sends.size()));
        receiveQueue = traffic.receives.get(random.nextInt(traffic.receives.size()));
        source = traffic.leftDomain.allocate(DEPTH * LARGEST, Access.LOCAL_WRITE);
        target = traffic.rightDomain.allocate(DEPTH * LARGEST, Access.LOCAL_WRITE);
        sender = traffic.leftDomain.createQueuePair(
                QueuePairSpec.reliable(sendQueue.queue).withDepth(DEPTH));
        QueuePairSpec receiving = QueuePairSpec.reliable(receiveQueue.queue).withDepth(DEPTH);
        receiver = traffic.rightDomain.createQueuePair(
                receiveQueue.shared == null ? receiving : receiving.withSharedReceiveQueue(receiveQueue.shared.queue));
        connect();
        enter(sendQueue, sender);
        enter(receiveQueue, receiver);
    }

    private void enter(ChangingTraffic.Polled queue, QueuePair pair) {
        ChangingConnection former = queue.byQpn.put(pair.qpn(), this);
        if (former != null && former.isAlive()) {
            throw new AssertionError("two queue pairs have the number 0x" + Integer.toHexString(pair.qpn()));
        }
    }

    private synchronized boolean isAlive() {
        return state == State.WORKING || state == State.BROKEN;
    }

    private synchronized void connect() {
        number = NUMBERS.incrementAndGet();
        begun = sent = arrived = receivesBegun = receivesDone = 0;
        state = State.WORKING;
        Endpoint theirs = receiver.endpoint();
        receiver.connect(sender.endpoint());
        if (receiveQueue.shared == null) {
            for (int i = 0; i < DEPTH; i++) {
                receive();
            }
        }
        sender.connect(theirs);
    }

    private void receive() {
        receiver.receiveQueue()
                .receive(id(receivesBegun))
                .local(target, (long) (receivesBegun % DEPTH) * LARGEST, LARGEST);
        receiver.receiveQueue().post();
        receivesBegun++;
    }

    private long id(int index) {
        return number << Integer.SIZE | index;
    }

    /** Posts some messages, or as many as there is room for. */
    synchronized void send(int most) {
        int count = Math.min(most, DEPTH - (begun - sent));
        for (int i = 0; i < count; i++) {
            long offset = (long) (begun % DEPTH) * LARGEST;
            int length = length(begun);
            write(source.memory().asSlice(offset, length), begun);
            sender.sendQueue().send(id(begun)).local(source, offset, length).signaled();
            begun++;
        }
        if (count > 0) {
            sender.sendQueue().post();
        }
    }

    private int length(int index) {
        return HEADER + (int) Math.floorMod(number * 31 + index * 7L, (long) LARGEST - HEADER);
    }

    private void write(MemorySegment message, int index) {
        message.set(JAVA_LONG, 0, number);
        message.set(JAVA_LONG, 8, index);
        for (long i = HEADER; i < message.byteSize(); i++) {
            message.set(JAVA_BYTE, i, (byte) (number + index + i));
        }
        message.set(JAVA_LONG, 16, checksum(message));
    }

    private static long checksum(MemorySegment message) {
        CRC32C checksum = new CRC32C();
        checksum.update(message.asSlice(0, 16).asByteBuffer());
        checksum.update(message.asSlice(HEADER).asByteBuffer());
        return checksum.getValue();
    }

    /** A completion of one of the two queue pairs; the thread holds the queue's lock. */
    synchronized void completed(ChangingTraffic.Polled queue, WorkCompletion completion) {
        if (state == State.GONE) {
            throw new AssertionError("a completion of a queue pair that has been destroyed: " + completion);
        }
        if (queue.equals(sendQueue)) {
            sendCompleted(completion);
        } else {
            receiveCompleted(completion);
        }
    }

    private void requireStatus(WorkCompletion completion) {
        boolean wrong = state == State.BROKEN
                ? !completion.isSuccess() && completion.status() != CompletionStatus.WORK_REQUEST_FLUSHED
                : state == State.WORKING && !completion.isSuccess();
        if (wrong) {
            throw new AssertionError("in state " + state + ": " + completion);
        }
    }

    private void sendCompleted(WorkCompletion completion) {
        requireStatus(completion);
        if (completion.id() != id(sent) || sent >= begun) {
            throw new AssertionError("send " + sent + " of " + begun + " of connection " + number
                    + " should have completed, not " + Long.toHexString(completion.id()) + ", " + completion);
        }
        sent++;
        if (!completion.isSuccess()) {
            traffic.flushed.increment();
        }
    }

    private void receiveCompleted(WorkCompletion completion) {
        requireStatus(completion);
        SharedReceives shared = receiveQueue.shared;
        long id = completion.id();
        MemorySegment message;
        if (shared != null) {
            message = shared.completed(id, completion.isSuccess() ? completion.byteLength() : 0);
        } else {
            if (id != id(receivesDone) || receivesDone >= receivesBegun) {
                throw new AssertionError("receive " + receivesDone + " of " + receivesBegun + " of connection " + number
                        + " should have completed, not " + Long.toHexString(id) + ", " + completion);
            }
            long offset = (long) (receivesDone % DEPTH) * LARGEST;
            message = target.memory().asSlice(offset, completion.isSuccess() ? completion.byteLength() : 0);
            receivesDone++;
        }
        if (!completion.isSuccess()) {
            traffic.flushed.increment();
            return;
        }
        check(message);
        arrived++;
        traffic.received.increment();
        if (shared == null && state == State.WORKING) {
            receive();
        }
    }

    private void check(MemorySegment message) {
        if (arrived >= begun
                || message.byteSize() != length(arrived)
                || message.get(JAVA_LONG, 0) != number
                || message.get(JAVA_LONG, 8) != arrived
                || message.get(JAVA_LONG, 16) != checksum(message)) {
            throw new AssertionError("message " + arrived + " of " + begun + " of connection " + number
                    + " should have come, not " + message.byteSize() + " bytes of message " + message.get(JAVA_LONG, 8)
                    + " of connection " + message.get(JAVA_LONG, 0));
        }
    }

    /** Waits until all that was sent has arrived, and the sender knows. */
    void finish() {
        traffic.await("the messages of a connection", () -> {
            synchronized (this) {
                return sent == begun && arrived == begun;
            }
        });
    }

    /** Stops the sender, then the receiver; what they had posted completes, once each. */
    void breakDown() {
        synchronized (this) {
            state = State.BROKEN;
        }
        sender.modify(new Transition.ToError());
        traffic.await("the flushed sends", () -> {
            synchronized (this) {
                return sent == begun;
            }
        });
        receiver.modify(new Transition.ToError());
        traffic.await("the flushed receives", () -> {
            synchronized (this) {
                return receivesDone == receivesBegun;
            }
        });
    }

    /** Connects the two anew, after {@link #breakDown}; what has completed for a shared receive queue goes unseen. */
    void reset() {
        sender.modify(new Transition.ToReset());
        synchronized (receiveQueue) {
            receiver.modify(new Transition.ToReset());
            synchronized (this) {
                connect();
            }
        }
    }

    /** Destroys both queue pairs, whatever is under way; afterwards no completion of theirs may come. */
    void destroy(boolean senderFirst) {
        synchronized (this) {
            state = State.CLOSING;
        }
        (senderFirst ? sender : receiver).close();
        (senderFirst ? receiver : sender).close();
        // who polls now began after the closing
        synchronized (sendQueue) {
            synchronized (receiveQueue) {
                synchronized (this) {
                    state = State.GONE;
                }
            }
        }
        source.close();
        target.close();
    }
}
