// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.guest.kernel.Bars;
import org.paraverbs.pvrdma.guest.kernel.EventListener;
import org.paraverbs.pvrdma.guest.kernel.PvrdmaDriver;
import org.paraverbs.pvrdma.guest.kernel.UserContext;

/**
 * An open device of a client: its context at the driver, and what it owns. The driver does not ask whose an object is, so this
 * does. The agent's, but for the news of events.
 */
final class ClientContext implements EventListener, SharedFile.Reader {
    /** Kinds of objects that events are about. */
    enum About {
        QUEUE_PAIR,
        COMPLETION_QUEUE,
        SHARED_RECEIVE_QUEUE,
        PORT
    }

    /**
     * An asynchronous event.
     *
     * @param type of {@link org.paraverbs.pvrdma.abi.EventType}, whose numbers are the verbs interface's
     * @param number the handle of the object, or the port
     */
    record News(About about, int type, int number) {}

    /** Events that may wait for the agent; beyond them they are lost. */
    private static final int MOST_NEWS = 4096;

    final Client client;
    private final Bars bars;
    private final Runnable onNews;
    private final IntConsumer onCompletion;
    private final @Nullable RingObject[] queuesByHandle;
    private final UserContext user;
    final Set<Integer> domains = new HashSet<>();
    final Set<Integer> regions = new HashSet<>();
    final Map<Integer, RingObject> completionQueues = new HashMap<>();
    final Map<Integer, RingObject> queuePairs = new HashMap<>();
    final Map<Integer, RingObject> sharedReceiveQueues = new HashMap<>();

    /** The keys of the queue pairs, for doorbells. */
    private final BitSet ownQueuePairs = new BitSet();

    private final Queue<News> news = new ConcurrentLinkedQueue<>();
    private final AtomicInteger newsCount = new AtomicInteger();

    /** Events were lost; what they were does not matter. */
    private volatile boolean newsLost;

    /**
     * Opens a context.
     *
     * @param queuesByHandle the completion queues of all clients
     */
    ClientContext(
            Client client,
            PvrdmaDriver driver,
            Bars bars,
            Runnable onNews,
            IntConsumer onCompletion,
            @Nullable RingObject[] queuesByHandle) {
        this.client = client;
        this.bars = bars;
        this.onNews = onNews;
        this.onCompletion = onCompletion;
        this.queuesByHandle = queuesByHandle;
        this.user = driver.openContext(this);
    }

    int handle() {
        return user.handle();
    }

    // --- objects

    void addCompletionQueue(RingObject queue) {
        completionQueues.put(queue.handle, queue);
    }

    void removeCompletionQueue(RingObject queue) {
        completionQueues.remove(queue.handle);
    }

    void addQueuePair(RingObject pair) {
        queuePairs.put(pair.handle, pair);
        ownQueuePairs.set(pair.handle);
    }

    void removeQueuePair(RingObject pair) {
        queuePairs.remove(pair.handle);
        ownQueuePairs.clear(pair.handle);
    }

    // --- doorbells

    @Override
    public void rung(int bell, int handle) {
        switch (bell) {
            case Protocol.BELL_SEND -> {
                if (ownQueuePairs.get(handle)) {
                    bars.writeUar(user.uarPage(), Doorbell.QP_OFFSET, handle | Doorbell.QP_SEND);
                }
            }
            case Protocol.BELL_RECEIVE -> {
                if (ownQueuePairs.get(handle)) {
                    bars.writeUar(user.uarPage(), Doorbell.QP_OFFSET, handle | Doorbell.QP_RECV);
                }
            }
            case Protocol.BELL_ARM -> arm(handle);
            case Protocol.BELL_ARM_SOLICITED -> armSolicited(handle);
            default -> {}
        }
    }

    /**
     * A program arms, polls once more, and sleeps. What was completed after it had armed and before we noticed would have used up
     * the arming on a device, so it is told here.
     */
    private void arm(int handle) {
        RingObject queue = queuesByHandle[handle];
        if (queue == null || !queue.owner.equals(this)) {
            return;
        }
        if (!isLate(queue)) {
            bars.writeUar(user.uarPage(), Doorbell.CQ_OFFSET, handle | Doorbell.CQ_ARM);
        }
        if (isLate(queue)) { // again: the timer's thread may have completed something before the queue was armed
            onCompletion.accept(handle);
        }
    }

    /**
     * Of a completion that came in between nobody knows any more whether it was solicited, so here the program waits until it has
     * armed, before it polls once more. If it has lost its patience it may be told once too often.
     */
    private void armSolicited(int handle) {
        RingObject queue = queuesByHandle[handle];
        boolean own = queue != null && queue.owner.equals(this);
        if (own) {
            bars.writeUar(user.uarPage(), Doorbell.CQ_OFFSET, handle | Doorbell.CQ_ARM_SOL);
        }
        if (!client.shared().confirmArmed(handle) && own && isLate(queue)) {
            onCompletion.accept(handle);
        }
    }

    private boolean isLate(RingObject queue) {
        return client.shared().armedTail(queue.handle) != RingState.prodTail(queue.rings.memory, RingState.RX_OFFSET);
    }

    // --- events, told by whoever runs the device

    private void tell(About about, int type, int number) {
        if (newsCount.incrementAndGet() > MOST_NEWS) {
            newsCount.decrementAndGet();
            newsLost = true;
        } else {
            news.add(new News(about, type, number));
        }
        onNews.run();
    }

    @Override
    public void onQueuePairEvent(int type, int handle) {
        tell(About.QUEUE_PAIR, type, handle);
    }

    @Override
    public void onCompletionQueueEvent(int type, int handle) {
        tell(About.COMPLETION_QUEUE, type, handle);
    }

    @Override
    public void onSharedReceiveQueueEvent(int type, int handle) {
        tell(About.SHARED_RECEIVE_QUEUE, type, handle);
    }

    @Override
    public void onPortEvent(int type, int port) {
        tell(About.PORT, type, port);
    }

    boolean hasNews() {
        return newsCount.get() != 0;
    }

    /** Takes the next event, or gives null. */
    News takeNews() {
        News next = news.poll();
        if (next != null) {
            newsCount.decrementAndGet();
        }
        return next;
    }

    boolean takeNewsLost() {
        boolean lost = newsLost;
        newsLost = false;
        return lost;
    }
}
