// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.guest.kernel.Bars;
import org.paraverbs.pvrdma.guest.kernel.PvrdmaDriver;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that serves client processes: doorbells, commands, events. What a client does wrong ends that client's connection.
 */
final class Agent implements Commands.AgentSide {
    private static final Logger LOG = LoggerFactory.getLogger(Agent.class);

    /** Turns without work between two looks at the sockets, which are a system call. */
    private static final int TURNS_BETWEEN_LOOKS = 128;

    /** The same while there is work. */
    private static final int WORKING_TURNS_BETWEEN_LOOKS = 16;

    /** Turns without work after which to sleep: about a millisecond of spinning, or less of yielding to those that wait for a core. */
    private static final int SPINS = 20_000;

    private static final int YIELDS = 100;

    /** More than so many exceptions that must not be, and there is no hope. */
    private static final int MOST_FAULTS = 100;

    private final PvrdmaDriver driver;
    private final Bars bars;
    private final Selector selector;
    private final Commands commands;
    private final Telling telling;
    private final Entrance entrance;
    private final int cores = Runtime.getRuntime().availableProcessors();
    private final Consumer<SelectionKey> reader;

    private volatile boolean stopped;

    private Client[] attached = {};

    /** Turns without work, and turns since the last look at the sockets. */
    private int idle;

    private int turns;

    /** How many are attached, or being freed. */
    private volatile int clients;

    Agent(PvrdmaDriver driver, Bars bars, ServerSocketChannel listener, Selector selector) {
        this.driver = driver;
        this.bars = bars;
        this.selector = selector;
        this.commands = new Commands(driver, this);
        this.telling = new Telling(selector::wakeup, this::drop);
        this.entrance = new Entrance(listener, selector, telling, this::carryOut, this::drop);
        this.reader = entrance::serve;
    }

    int clients() {
        return clients;
    }

    int connections() {
        return entrance.count();
    }

    void stop() {
        stopped = true;
        selector.wakeup();
    }

    // --- turns

    void run() {
        int faults = 0;
        try {
            while (!stopped) {
                try {
                    turn();
                } catch (RuntimeException e) {
                    if (++faults > MOST_FAULTS) {
                        throw e;
                    }
                    LOG.error("A fault of the emulator: it goes on without what it was doing", e);
                }
            }
        } catch (IOException e) {
            LOG.error("The emulator ends: its sockets cannot be used any more", e);
        } finally {
            close();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // a program that waits for us may need this core
    private void turn() throws IOException {
        boolean worked = serveBells();
        worked |= telling.tellNews(attached);
        idle = worked ? 0 : idle + 1;
        if (++turns >= (worked ? WORKING_TURNS_BETWEEN_LOOKS : TURNS_BETWEEN_LOOKS)) {
            turns = 0;
            if (selector.selectNow(reader) > 0) {
                idle = 0;
            }
            telling.sendAll();
        }
        boolean crowded = attached.length >= cores;
        if (idle >= (crowded ? YIELDS : SPINS) || attached.length == 0) {
            sleep();
            idle = 0;
        } else if (idle > 0) {
            if (crowded) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /** Sleeps until a client says something, or the device has news. */
    private void sleep() throws IOException {
        telling.asleep(true);
        markAsleep(true);
        // who rings or tells something from here on finds us asleep; what came before is found here
        if (telling.hasNews() || isAnyPending()) {
            selector.selectNow(reader);
        } else {
            selector.select(reader);
        }
        telling.asleep(false);
        markAsleep(false);
        telling.sendAll();
    }

    private void markAsleep(boolean value) {
        for (Client client : attached) {
            try {
                client.shared().asleep(value);
            } catch (InternalError e) {
                drop(client, e);
            }
        }
    }

    private boolean isAnyPending() {
        for (Client client : attached) {
            try {
                if (client.shared().isPendingAfterAll()) {
                    return true;
                }
            } catch (InternalError e) {
                drop(client, e);
            }
        }
        return false;
    }

    private boolean serveBells() {
        boolean worked = false;
        for (Client client : attached) {
            try {
                if (client.shared().isPending()) {
                    worked = true;
                    ClientContext context = client.context();
                    client.shared().take(context == null ? Agent::nobody : context);
                }
                if (client.memory().isGone()) {
                    drop(client, null); // it ends, or does not copy any more
                }
            } catch (RuntimeException | InternalError e) {
                drop(client, e); // InternalError: it has cut the shared file short
            }
        }
        return worked;
    }

    private static void nobody(int bell, int handle) {}

    private void carryOut(Client client, MemorySegment in, int bytes) throws IOException {
        int type = in.get(Protocol.INT, Protocol.Request.TYPE_AT);
        long argument = in.get(Protocol.LONG, Protocol.Request.ARGUMENTS_AT);
        if (type == Protocol.Request.ATTACH) {
            client.attach(argument);
            entrance.admitted(client);
            attach(client);
            reply(client, 0, null);
            return;
        }
        if (type != Protocol.Request.COMMAND || !client.isAttached() || bytes < Uverbs.HEADER_SIZE) {
            throw new IOException(client + " sends a request of type " + type + ", of " + bytes + " bytes");
        }
        MemorySegment payload = in.asSlice(Protocol.Request.SIZE, bytes);
        Commands.Call call = new Commands.Call(
                client,
                payload,
                argument,
                in.get(Protocol.LONG, Protocol.Request.ARGUMENTS_AT + 8L),
                in.get(Protocol.LONG, Protocol.Request.ARGUMENTS_AT + 16L));
        int error = 0;
        try {
            commands.execute(call);
        } catch (VerbsException e) {
            LOG.debug("{}: {}", client, e.getMessage());
            error = e.errno();
        } catch (IOException e) {
            LOG.debug("{}: uverbs command {}", client, call.number, e);
            error = Errno.EFAULT.number();
        }
        reply(client, error, call);
    }

    private void reply(Client client, int error, Commands.@Nullable Call call) throws IOException {
        long fence = 0;
        if (error == 0 && call != null && call.fenced) {
            fence = client.nextFence();
            telling.tell(client, Protocol.Event.FENCE, 0, fence, 0);
        }
        int length = error == 0 && call != null ? call.length : 0;
        ByteBuffer out = client.commands.out.room(Protocol.Reply.SIZE + length);
        out.putInt(error)
                .putInt(length)
                .putLong(call == null ? 0 : call.completionsTold)
                .putLong(call == null ? 0 : call.eventsTold)
                .putLong(fence);
        if (length > 0) {
            out.put(call.out.asSlice(0, length).asByteBuffer());
        }
        telling.toSend(client.commands);
    }

    // --- clients that come and go

    private void attach(Client client) {
        Client[] more = Arrays.copyOf(attached, attached.length + 1);
        more[attached.length] = client;
        attached = more;
        clients = more.length;
        crowd();
    }

    /** Programs that poll and this thread want a core each. */
    private void crowd() {
        for (Client client : attached) {
            try {
                client.shared().crowded(attached.length >= cores);
            } catch (InternalError e) {
                LOG.debug("{}: shared file cut short", client, e); // it is found out at the next look at its doorbells
            }
        }
    }

    private void drop(Connection connection, @Nullable Throwable reason) {
        Client client = connection.client;
        if (client == null) {
            if (reason != null) {
                LOG.warn("A connection is closed: {}", reason.toString());
            }
            entrance.leave(connection);
        } else {
            drop(client, reason);
        }
    }

    /** Frees all that a client holds, as when a process ends. */
    private void drop(Client client, @Nullable Throwable reason) {
        if (!entrance.leave(client)) {
            return; // gone already
        }
        if (reason != null) {
            LOG.warn("{} is dropped: {}", client, reason.toString());
        }
        attached =
                Arrays.stream(attached).filter(other -> !other.equals(client)).toArray(Client[]::new);
        ClientContext context = client.context();
        if (context != null) {
            free(client, () -> driver.closeContext(context.handle()));
            context.completionQueues.values().forEach(this::destroyed);
        }
        free(client, client::close);
        crowd();
        clients = attached.length;
    }

    /** What cannot be freed must not keep the rest from being freed. */
    private static void free(Client client, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            LOG.error("A fault of the emulator: not all of {} could be freed", client, e);
        }
    }

    private void close() {
        for (Connection connection : entrance.connections()) {
            drop(connection, null);
        }
        entrance.close();
    }

    // --- for commands

    @Override
    public ClientContext open(Client client) {
        if (client.context() != null) {
            throw new VerbsException(
                    "uverbs GET_CONTEXT",
                    client.toString(),
                    Errno.EINVAL,
                    "it has a context already: open the device again");
        }
        ClientContext context = new ClientContext(
                client, driver, bars, telling::onNews, telling::onCompletion, telling.completionQueues());
        client.context(context);
        return context;
    }

    @Override
    public CompletionNotice notice() {
        return new CompletionNotice(telling::onCompletion);
    }

    @Override
    public void created(RingObject completionQueue) {
        telling.completionQueues()[completionQueue.handle] = completionQueue;
    }

    @Override
    public void settle() {
        telling.settle(attached);
    }

    @Override
    public void destroyed(RingObject completionQueue) {
        telling.completionQueues()[completionQueue.handle] = null;
    }
}
