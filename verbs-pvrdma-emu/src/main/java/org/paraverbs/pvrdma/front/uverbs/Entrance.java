// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Errno;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket that clients come by: who is let in, and what of the bytes that they send is a message. Of the agent's thread.
 */
final class Entrance {
    private static final Logger LOG = LoggerFactory.getLogger(Entrance.class);

    private static final int MOST_CONNECTIONS = 8192;

    /** Those who are here already are served between so many who come. */
    private static final int MOST_AT_ONCE = 64;

    private static final int TICKET_BYTES = 16;

    private final ServerSocketChannel listener;
    private final Selector selector;
    private final Telling telling;
    private final Requests requests;
    private final BiConsumer<Connection, @Nullable Throwable> dropper;
    private final SecureRandom random = new SecureRandom();
    private final SelectionKey doorbell;

    /** In the order in which they came. */
    private final List<Connection> connections = new ArrayList<>();

    /** How many there are; any thread may ask. */
    private volatile int count;

    /** Those that have been greeted and have not shown yet that they are who they say. */
    private final List<Client> waiting = new ArrayList<>();

    /** Carries out what clients ask for. */
    interface Requests {
        void carryOut(Client client, MemorySegment in, int bytes) throws IOException;
    }

    /**
     * An entrance.
     *
     * @param dropper ends a connection, for a reason, or for none that is worth a word
     */
    Entrance(
            ServerSocketChannel listener,
            Selector selector,
            Telling telling,
            Requests requests,
            BiConsumer<Connection, @Nullable Throwable> dropper) {
        this.listener = listener;
        this.selector = selector;
        this.doorbell = listener.keyFor(selector);
        this.telling = telling;
        this.requests = requests;
        this.dropper = dropper;
    }

    /** The connections that there are now. */
    List<Connection> connections() {
        return List.copyOf(connections);
    }

    /** How many connections there are. Any thread. */
    int count() {
        return count;
    }

    /** A client has shown that it is who it says. */
    void admitted(Client client) {
        waiting.remove(client);
    }

    /**
     * Closes a connection of nobody.
     *
     * @param connection one that has not said who it is
     */
    void leave(Connection connection) {
        connections.remove(connection);
        connection.close();
        count = connections.size();
        doorbell.interestOps(SelectionKey.OP_ACCEPT); // there is room again
    }

    /**
     * Closes the connections of a client.
     *
     * @return false if they were closed already
     */
    boolean leave(Client client) {
        if (!connections.contains(client.commands)) {
            return false;
        }
        waiting.remove(client);
        leave(client.commands);
        client.others().forEach(this::leave);
        return true;
    }

    /** Lets nobody in any more. */
    void close() {
        try {
            listener.close();
            selector.close();
        } catch (IOException e) {
            LOG.debug("Closing the socket", e);
        }
    }

    /** Deals with what the selector has found. */
    void serve(SelectionKey key) {
        if (key.attachment() instanceof Connection connection) {
            serve(connection, key);
        } else {
            accept();
        }
    }

    private void accept() {
        try {
            for (int i = 0; i < MOST_AT_ONCE; i++) {
                SocketChannel channel = listener.accept();
                if (channel == null) {
                    return;
                }
                channel.configureBlocking(false);
                SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
                Connection connection = new Connection(channel, key);
                key.attach(connection);
                if (connections.size() >= MOST_CONNECTIONS && !makeRoom()) {
                    LOG.warn("A connection is refused: {} clients are being served", connections.size() / 2);
                    channel.close();
                    continue;
                }
                connections.add(connection);
                count = connections.size();
            }
        } catch (IOException e) {
            LOG.warn("Connections wait until another is closed, as none can be accepted: {}", e.toString());
            if (!connections.isEmpty()) {
                doorbell.interestOps(0); // or it would ring all the time
            }
        }
    }

    /** Who has come first and not yet shown who he is has to go, when others cannot come in. */
    private boolean makeRoom() {
        for (Connection connection : connections) {
            Client client = connection.client;
            if (client == null || !client.isAttached()) {
                dropper.accept(connection, new IOException("it says nothing, and others wait"));
                return true;
            }
        }
        return false;
    }

    private void serve(Connection connection, SelectionKey key) {
        try {
            if (key.isWritable()) {
                connection.flush();
            }
            if (key.isReadable()) {
                connection.read();
                while (connection.isOpen() && serveOne(connection)) {}
            }
        } catch (EOFException | SocketException e) {
            dropper.accept(connection, null); // it has ended, perhaps without reading all that it was sent
        } catch (IOException | RuntimeException | InternalError e) {
            dropper.accept(connection, e);
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
        if (!connection.equals(client.commands)) {
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
        requests.carryOut(client, in, bytes);
        connection.consume(Protocol.Request.SIZE + bytes);
        return true;
    }

    private void greet(Connection connection, MemorySegment in) throws IOException {
        if (in.get(Protocol.INT, Protocol.Hello.MAGIC_AT) != Protocol.MAGIC) {
            throw new IOException("not the library of the emulator");
        }
        int version = in.get(Protocol.INT, Protocol.Hello.VERSION_AT);
        int role = in.get(Protocol.INT, Protocol.Hello.ROLE_AT);
        if (role != Protocol.Hello.COMMANDS) {
            byte[] shown = in.asSlice(Protocol.Hello.TICKET_AT, TICKET_BYTES).toArray(ValueLayout.JAVA_BYTE);
            for (Client client : waiting) {
                if (client.hasTicket(shown)) {
                    if (role == Protocol.Hello.EVENTS) {
                        client.events(connection);
                    } else {
                        client.copies(connection);
                    }
                    connection.client = client;
                    telling.tell(client, Protocol.Event.FENCE, 0, 0, 0); // for the client to go on
                    return;
                }
            }
            throw new IOException("a further connection without a ticket");
        }
        byte[] ticket = new byte[TICKET_BYTES];
        random.nextBytes(ticket);
        int error = 0;
        boolean copies = false;
        if (version != Protocol.VERSION) {
            LOG.warn("A library of version {} is refused, this is version {}", version, Protocol.VERSION);
            error = Errno.EOPNOTSUPP.number();
        } else {
            int pid = in.get(Protocol.INT, Protocol.Hello.PID_AT);
            int memfd = in.get(Protocol.INT, Protocol.Hello.MEMFD_AT);
            boolean wanted = (in.get(Protocol.INT, Protocol.Hello.FLAGS_AT) & Protocol.Hello.WANTS_COPIES) != 0;
            try {
                Client client = new Client(pid, memfd, wanted, ticket, connection);
                copies = client.copies();
                connection.client = client;
                waiting.add(client);
            } catch (IOException | RuntimeException e) {
                LOG.warn("Process {} is refused, as its memory cannot be reached: {}", pid, e.toString());
                error = Errno.EPERM.number();
            }
        }
        ByteBuffer out = connection.out.room(Protocol.Welcome.SIZE);
        out.putInt(error).putInt((int) ProcessHandle.current().pid()).put(ticket);
        out.putInt(copies ? 1 : 0).putInt(0);
        telling.toSend(connection);
    }
}
