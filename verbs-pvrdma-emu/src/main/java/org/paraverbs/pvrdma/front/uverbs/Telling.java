// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.link.MailSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What clients are told: completions and asynchronous events, and whatever else was put in the way of a connection. Of the agent's thread, but
 * for {@link #onCompletion} and {@link #onNews}.
 */
final class Telling {
    private static final Logger LOG = LoggerFactory.getLogger(Telling.class);

    /** Completion queues that the driver was notified of, by handle; any thread puts them there. */
    private final MailSet completed = new MailSet(Protocol.BELL_HANDLES);

    private final MailSet.Reader teller = this::tellCompletion;
    private final @Nullable RingObject[] completionQueues = new RingObject[Protocol.BELL_HANDLES];
    private final Runnable waker;
    private final BiConsumer<Connection, Throwable> dropper;

    /** Connections that something was put in the way of. */
    private final List<Connection> unsent = new ArrayList<>();

    /** Whether some context has news; set last and cleared first. */
    private volatile boolean news;

    private volatile boolean asleep;

    /**
     * Tells nobody yet.
     *
     * @param waker wakes the agent's thread; any thread
     * @param dropper ends a connection, for a reason
     */
    Telling(Runnable waker, BiConsumer<Connection, Throwable> dropper) {
        this.waker = waker;
        this.dropper = dropper;
    }

    /** The completion queues of all clients, by handle. */
    @Nullable
    RingObject[] completionQueues() {
        return completionQueues;
    }

    /** Whether the agent's thread sleeps, so that whoever has something to tell has to wake it. */
    void asleep(boolean value) {
        asleep = value;
    }

    /** Whether there is something to tell. */
    boolean hasNews() {
        return news || !completed.isEmpty();
    }

    /** Tells what there is, whether or not anybody has said that there is something. */
    void settle(Client[] clients) {
        completed.takeAll(teller);
        news = true;
        tellNews(clients);
    }

    /** A completion queue has news; on whatever thread runs the device. */
    void onCompletion(int handle) {
        completed.put(handle);
        if (asleep) {
            waker.run();
        }
    }

    /** Some context has news; on whatever thread runs the device. */
    void onNews() {
        news = true;
        if (asleep) {
            waker.run();
        }
    }

    /**
     * Tells everybody what there is to tell.
     *
     * @return whether there was anything
     */
    boolean tellNews(Client[] clients) {
        boolean any = !completed.isEmpty();
        if (any) {
            completed.takeAll(teller);
        }
        if (news) {
            any = true;
            news = false;
            for (Client client : clients) {
                tellNews(client);
            }
        }
        if (any) {
            sendAll();
        }
        return any;
    }

    private void tellCompletion(int handle) {
        RingObject queue = completionQueues[handle];
        if (queue != null && queue.channel != RingObject.NO_CHANNEL) {
            queue.completionsTold++;
            tell(queue.owner.client, Protocol.Event.COMPLETION, queue.channel, queue.userHandle, 0);
        }
    }

    private void tellNews(Client client) {
        ClientContext context = client.context();
        if (context == null) {
            return;
        }
        for (ClientContext.News event = context.takeNews(); event != null; event = context.takeNews()) {
            if (event.about() == ClientContext.About.PORT) {
                tell(client, Protocol.Event.ASYNC, 0, event.number(), event.type());
                continue;
            }
            RingObject object = switch (event.about()) {
                case QUEUE_PAIR -> context.queuePairs.get(event.number());
                case COMPLETION_QUEUE -> context.completionQueues.get(event.number());
                default -> context.sharedReceiveQueues.get(event.number());
            };
            if (object != null) {
                object.eventsTold++;
                tell(client, Protocol.Event.ASYNC, 0, object.userHandle, event.type());
            }
        }
        if (context.takeNewsLost()) {
            LOG.warn("{}: asynchronous events were lost, more than it could be told of at once", client);
        }
    }

    /** Puts an event in the way of a client. */
    void tell(Client client, int kind, int channel, long element, int type) {
        Connection events = client.events();
        if (events == null) {
            return;
        }
        try {
            events.out.event(kind, channel, element, type);
            unsent.add(events);
        } catch (IOException e) {
            dropper.accept(events, e);
        }
    }

    /** Something was put in the way of a connection. */
    void toSend(Connection connection) {
        unsent.add(connection);
    }

    /** Sends what was put in the way of connections, as far as they take it. */
    void sendAll() {
        for (int i = 0; i < unsent.size(); i++) {
            Connection connection = unsent.get(i);
            try {
                connection.flush();
            } catch (IOException | RuntimeException e) {
                dropper.accept(connection, e);
            }
        }
        unsent.clear();
    }
}
