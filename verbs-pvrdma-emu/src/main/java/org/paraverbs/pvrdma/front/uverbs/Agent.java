// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.guest.kernel.Bars;
import org.paraverbs.pvrdma.guest.kernel.PvrdmaDriver;
import org.paraverbs.pvrdma.link.MailSet;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that serves client processes: doorbells, commands, events. What a client does wrong ends that client's connection.
 */
final class Agent implements Commands.AgentSide {
    private static final Logger LOG = LoggerFactory.getLogger(Agent.class);

    private static final int MOST_CONNECTIONS = 8192;
    private static final int TICKET_BYTES = 16;

    /** Turns without work between two looks at the sockets, which are a system call. */
    private static final int TURNS_BETWEEN_LOOKS = 128;

    /** The same while there is work. */
    private static final int WORKING_TURNS_BETWEEN_LOOKS = 16;

    /** Turns without work after which to sleep: about a millisecond of spinning, or less of yielding to those that wait for a core. */
    private static final int SPINS = 20_000;

    private static final int YIELDS = 100;

    private final PvrdmaDriver driver;
    private final Bars bars;
    private final ServerSocketChannel listener;
    private final Selector selector;
    private final Commands commands;
    private final SecureRandom random = new SecureRandom();
    private final int cores = Runtime.getRuntime().availableProcessors();
    private final Consumer<SelectionKey> reader = this::serve;

    /** Completion queues that the driver was notified of, by handle; any thread puts them there. */
    private final MailSet completed = new MailSet(Protocol.BELL_HANDLES);

    private final MailSet.Reader teller = this::tellCompletion;
    private final @Nullable RingObject[] completionQueues = new RingObject[Protocol.BELL_HANDLES];

    /** Whether some context has news; set last and cleared first. */
    private volatile boolean news;

    private volatile boolean asleep;
    private volatile boolean stopped;

    /** Connections that something was put in the way of. */
    private final List<Connection> unsent = new ArrayList<>();

    private final List<Connection> connections = new ArrayList<>();
    private final List<Client> waiting = new ArrayList<>();
    private Client[] attached = {};

    /** How many are attached, or being freed. */
    private volatile int clients;

    Agent(PvrdmaDriver driver, Bars bars, ServerSocketChannel listener, Selector selector) {
        this.driver = driver;
        this.bars = bars;
        this.listener = listener;
        this.selector = selector;
        this.commands = new Commands(driver, this);
    }

    int clients() {
        return clients;
    }

    void stop() {
        stopped = true;
        selector.wakeup();
    }

    // --- turns

    @SuppressWarnings("ThreadPriorityCheck") // a program that waits for us may need this core
    void run() {
        try {
            int idle = 0;
            int turns = 0;
            while (!stopped) {
                boolean worked = serveBells();
                worked |= tellNews();
                idle = worked ? 0 : idle + 1;
                if (++turns >= (worked ? WORKING_TURNS_BETWEEN_LOOKS : TURNS_BETWEEN_LOOKS)) {
                    turns = 0;
                    if (selector.selectNow(reader) > 0) {
                        idle = 0;
                    }
                    sendAll();
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
        } catch (IOException e) {
            LOG.error("The emulator ends: its sockets cannot be used any more", e);
        } finally {
            close();
        }
    }

    /** Sleeps until a client says something, or the device has news. */
    private void sleep() throws IOException {
        asleep = true;
        markAsleep(true);
        // who rings or tells something from here on finds us asleep; what came before is found here
        if (news || !completed.isEmpty() || isAnyPending()) {
            selector.selectNow(reader);
        } else {
            selector.select(reader);
        }
        asleep = false;
        markAsleep(false);
        sendAll();
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
            } catch (RuntimeException | InternalError e) {
                drop(client, e); // InternalError: it has cut the shared file short
            }
        }
        return worked;
    }

    private static void nobody(int bell, int handle) {}

    // --- events

    /** A completion queue has news; on whatever thread runs the device. */
    private void onCompletion(int handle) {
        completed.put(handle);
        if (asleep) {
            selector.wakeup();
        }
    }

    private void onNews() {
        news = true;
        if (asleep) {
            selector.wakeup();
        }
    }

    private boolean tellNews() {
        boolean any = !completed.isEmpty();
        if (any) {
            completed.takeAll(teller);
        }
        if (news) {
            any = true;
            news = false;
            for (Client client : attached) {
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

    private void tell(Client client, int kind, int channel, long element, int type) {
        Connection events = client.events();
        if (events == null) {
            return;
        }
        try {
            events.out.event(kind, channel, element, type);
            unsent.add(events);
        } catch (IOException e) {
            drop(client, e);
        }
    }

    private void sendAll() {
        for (int i = 0; i < unsent.size(); i++) {
            Connection connection = unsent.get(i);
            try {
                connection.flush();
            } catch (IOException | RuntimeException e) {
                drop(connection, e);
            }
        }
        unsent.clear();
    }

    // --- connections

    private void serve(SelectionKey key) {
        if (key.attachment() instanceof Connection connection) {
            serve(connection, key);
        } else {
            accept();
        }
    }

    private void accept() {
        try {
            for (SocketChannel channel = listener.accept(); channel != null; channel = listener.accept()) {
                if (connections.size() >= MOST_CONNECTIONS) {
                    LOG.warn("A connection is refused: there are {} already", connections.size());
                    channel.close();
                    continue;
                }
                channel.configureBlocking(false);
                SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
                Connection connection = new Connection(channel, key);
                key.attach(connection);
                connections.add(connection);
            }
        } catch (IOException e) {
            LOG.warn("A connection could not be accepted", e);
        }
    }

    private void serve(Connection connection, SelectionKey key) {
        try {
            if (key.isWritable()) {
                connection.flush();
            }
            if (key.isReadable()) {
                connection.read();
                while (serveOne(connection)) {}
            }
        } catch (EOFException | SocketException e) {
            drop(connection, null); // it has ended, perhaps without reading all that it was sent
        } catch (IOException | RuntimeException | InternalError e) {
            drop(connection, e);
        }
    }

    /** Deals with one message, if it is complete. */
    private boolean serveOne(Connection connection) throws IOException {
        MemorySegment in = connection.received();
        Client client = connection.client;
        if (client == null) {
            if (in.byteSize() < Protocol.Hello.SIZE) {
                return false;
            }
            greet(connection, in);
            connection.consume(Protocol.Hello.SIZE);
            return true;
        }
        if (connection.equals(client.events())) {
            connection.consume((int) in.byteSize()); // it only wakes us
            return false;
        }
        if (in.byteSize() < Protocol.Request.SIZE) {
            return false;
        }
        int bytes = in.get(Protocol.INT, Protocol.Request.BYTES_AT);
        if (bytes < 0 || bytes > Protocol.MAX_PAYLOAD) {
            throw new IOException("a request of " + Integer.toUnsignedString(bytes) + " bytes");
        }
        if (in.byteSize() < Protocol.Request.SIZE + bytes) {
            return false;
        }
        carryOut(client, in, bytes);
        connection.consume(Protocol.Request.SIZE + bytes);
        return true;
    }

    private void greet(Connection connection, MemorySegment in) throws IOException {
        if (in.get(Protocol.INT, Protocol.Hello.MAGIC_AT) != Protocol.MAGIC) {
            throw new IOException("not the library of the emulator");
        }
        int version = in.get(Protocol.INT, Protocol.Hello.VERSION_AT);
        int role = in.get(Protocol.INT, Protocol.Hello.ROLE_AT);
        if (role == Protocol.Hello.EVENTS) {
            byte[] shown =
                    in.asSlice(Protocol.Hello.TICKET_AT, TICKET_BYTES).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
            for (Client client : waiting) {
                if (client.hasTicket(shown)) {
                    client.events(connection);
                    connection.client = client;
                    tell(client, Protocol.Event.FENCE, 0, 0, 0); // for the client to go on
                    return;
                }
            }
            throw new IOException("an event connection without a ticket");
        }
        byte[] ticket = new byte[TICKET_BYTES];
        random.nextBytes(ticket);
        int error = 0;
        if (version != Protocol.VERSION) {
            LOG.warn("A library of version {} is refused, this is version {}", version, Protocol.VERSION);
            error = Errno.EOPNOTSUPP.number();
        } else {
            int pid = in.get(Protocol.INT, Protocol.Hello.PID_AT);
            try {
                Client client = new Client(pid, in.get(Protocol.INT, Protocol.Hello.MEMFD_AT), ticket, connection);
                connection.client = client;
                waiting.add(client);
            } catch (IOException | RuntimeException e) {
                LOG.warn("Process {} is refused, as its memory cannot be reached: {}", pid, e.toString());
                error = Errno.EPERM.number();
            }
        }
        ByteBuffer out = connection.out.room(Protocol.Welcome.SIZE);
        out.putInt(error).putInt((int) ProcessHandle.current().pid()).put(ticket);
        unsent.add(connection);
    }

    private void carryOut(Client client, MemorySegment in, int bytes) throws IOException {
        int type = in.get(Protocol.INT, Protocol.Request.TYPE_AT);
        long argument = in.get(Protocol.LONG, Protocol.Request.ARGUMENTS_AT);
        if (type == Protocol.Request.ATTACH) {
            client.attach(argument);
            waiting.remove(client);
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
            tell(client, Protocol.Event.FENCE, 0, fence, 0);
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
        unsent.add(client.commands);
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
            connections.remove(connection);
            connection.close();
        } else {
            drop(client, reason);
        }
    }

    /** Frees all that a client holds, as when a process ends. */
    private void drop(Client client, @Nullable Throwable reason) {
        Connection events = client.events();
        if (!connections.remove(client.commands)) {
            return; // gone already
        }
        if (reason != null) {
            LOG.warn("{} is dropped: {}", client, reason.toString());
        }
        client.commands.close();
        if (events != null) {
            connections.remove(events);
            events.close();
        }
        waiting.remove(client);
        attached =
                Arrays.stream(attached).filter(other -> !other.equals(client)).toArray(Client[]::new);
        ClientContext context = client.context();
        if (context != null) {
            try {
                driver.closeContext(context.handle());
            } catch (RuntimeException e) {
                LOG.error("{}: its context could not be closed", client, e);
            }
            context.completionQueues.values().forEach(this::destroyed);
        }
        client.close();
        crowd();
        clients = attached.length;
    }

    private void close() {
        for (Connection connection : List.copyOf(connections)) {
            drop(connection, null);
        }
        try {
            listener.close();
            selector.close();
        } catch (IOException e) {
            LOG.debug("Closing the socket", e);
        }
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
        ClientContext context =
                new ClientContext(client, driver, bars, this::onNews, this::onCompletion, completionQueues);
        client.context(context);
        return context;
    }

    @Override
    public CompletionNotice notice() {
        return new CompletionNotice(this::onCompletion);
    }

    @Override
    public void created(RingObject completionQueue) {
        completionQueues[completionQueue.handle] = completionQueue;
    }

    @Override
    public void settle() {
        completed.takeAll(teller);
        news = true;
        tellNews();
    }

    @Override
    public void destroyed(RingObject completionQueue) {
        completionQueues[completionQueue.handle] = null;
    }
}
