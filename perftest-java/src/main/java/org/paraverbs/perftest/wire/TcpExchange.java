// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.wire;

import java.io.IOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.paraverbs.perftest.time.Clock;

/**
 * An exchange over one TCP connection, as the C programs use it: port 18515, IPv4, one connection per test.
 *
 * <p>The socket is non-blocking, so that {@link #peerHasLeft} can look without waiting; {@link #read} and
 * {@link #write} wait in a selector. TCP_NODELAY keeps each message in one segment, which the C side's single
 * {@code read} depends on.
 */
public final class TcpExchange implements Exchange {
    /** The port perftest listens on unless {@code -p} says otherwise. */
    public static final int DEFAULT_PORT = 18515;

    /** A write of some hundred bytes that does not fit the socket's buffer for this long has no reader. */
    private static final long WRITE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    /** The largest message is 320 bytes; what exceeds this is not read until it is asked for. */
    private static final int INBOUND_CAPACITY = 4096;

    private final boolean client;
    private final Clock clock;
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final ByteBuffer inbound = ByteBuffer.allocate(INBOUND_CAPACITY).flip();
    private boolean ended;

    private TcpExchange(boolean client, SocketChannel channel, Clock clock) throws IOException {
        this.client = client;
        this.clock = clock;
        this.channel = channel;
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        // A peer whose machine has gone sends nothing at all, and a server may wait for the end of a run without limit.
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        channel.configureBlocking(false);
        selector = Selector.open();
        key = channel.register(selector, 0);
    }

    /**
     * A listening socket for one test.
     */
    public static final class Listener implements AutoCloseable {
        private final ServerSocketChannel server;
        private final int port;

        private Listener(ServerSocketChannel server, int port) {
            this.server = server;
            this.port = port;
        }

        /**
         * Tells the port, which differs from the one asked for if that was 0.
         *
         * @return the port that this listener listens on
         */
        public int port() {
            return port;
        }

        /**
         * Waits for one client, then stops listening: a server serves one test.
         *
         * @param clock what time limits are measured with
         * @return the connection
         */
        public TcpExchange accept(Clock clock) {
            try (server) {
                return new TcpExchange(false, server.accept(), clock);
            } catch (IOException e) {
                throw new PeerException("cannot accept a connection on port " + port + ": " + e.getMessage(), e);
            }
        }

        @Override
        public void close() {
            try {
                server.close();
            } catch (IOException e) {
                throw new PeerException("cannot close the listening socket on port " + port, e);
            }
        }
    }

    /**
     * Opens the server's listening socket. IPv4 like the C programs of 4.5, whose clients look for nothing else.
     *
     * @param port 1..65535, or 0 for any free port
     * @return the listener
     * @throws PeerException if the port cannot be had
     */
    public static Listener listen(int port) {
        ServerSocketChannel server = null;
        try {
            server = ServerSocketChannel.open(StandardProtocolFamily.INET);
            server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            server.bind(new InetSocketAddress(port), 1);
            return new Listener(server, ((InetSocketAddress) server.getLocalAddress()).getPort());
        } catch (IOException e) {
            closeQuietly(server, e);
            String hint = e instanceof BindException ? "; is another server running? -p chooses another port" : "";
            throw new PeerException("cannot listen on port " + port + ": " + e.getMessage() + hint, e);
        }
    }

    /**
     * Connects to a server. There is no retry, as in the C programs: start the server first.
     *
     * @param host a name or an address
     * @param port 1..65535
     * @param clock what time limits are measured with
     * @return the connection
     * @throws PeerException if no address of the host answers
     */
    public static TcpExchange connect(String host, int port, Clock clock) {
        IOException failure = null;
        for (InetAddress address : addresses(host)) {
            SocketChannel channel = null;
            try {
                channel = SocketChannel.open(new InetSocketAddress(address, port));
                return new TcpExchange(true, channel, clock);
            } catch (IOException e) {
                closeQuietly(channel, e);
                failure = e;
            }
        }
        String reason = failure == null ? "no address" : String.valueOf(failure.getMessage());
        throw new PeerException(
                "Couldn't connect to " + host + ":" + port + " (" + reason + "); is the server running there?",
                failure);
    }

    /** IPv4 first: a 4.5 server listens on nothing else. */
    private static List<InetAddress> addresses(String host) {
        try {
            var result = new ArrayList<InetAddress>();
            InetAddress[] all = InetAddress.getAllByName(host);
            for (InetAddress address : all) {
                if (address instanceof Inet4Address) {
                    result.add(address);
                }
            }
            for (InetAddress address : all) {
                if (!(address instanceof Inet4Address)) {
                    result.add(address);
                }
            }
            return result;
        } catch (UnknownHostException e) {
            throw new PeerException("the host name " + host + " is unknown", e);
        }
    }

    private static void closeQuietly(@Nullable Channel channel, IOException main) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                main.addSuppressed(e);
            }
        }
    }

    @Override
    public boolean isClient() {
        return client;
    }

    @Override
    public void write(byte[] message) {
        ByteBuffer source = ByteBuffer.wrap(message);
        long deadlineNs = clock.nowNs() + WRITE_TIMEOUT_NS;
        try {
            while (source.hasRemaining()) {
                if (channel.write(source) == 0) {
                    long leftNs = deadlineNs - clock.nowNs();
                    if (leftNs <= 0) {
                        throw new PeerException("the peer does not read what it is sent");
                    }
                    awaitReady(SelectionKey.OP_WRITE, leftNs);
                }
            }
        } catch (IOException e) {
            throw new PeerException("the peer has closed the connection (" + e.getMessage() + ")", e);
        }
    }

    @Override
    public byte[] read(int length, long timeoutNs, String what) {
        if (!await(length, timeoutNs)) {
            String came = " (" + inbound.remaining() + " of " + length + " bytes came); ";
            throw new PeerException(
                    ended
                            ? "the peer closed the connection before its " + what + came + "its own messages say why"
                            : "the peer did not send its " + what + " within "
                                    + TimeUnit.NANOSECONDS.toSeconds(timeoutNs) + " s" + came
                                    + "is it a perftest program of the same kind, with the same options?");
        }
        var result = new byte[length];
        inbound.get(result);
        return result;
    }

    @Override
    public boolean await(int length, long timeoutNs) {
        long startNs = clock.nowNs();
        while (inbound.remaining() < length) {
            if (fill()) {
                continue;
            }
            long leftNs = timeoutNs == UNBOUNDED ? UNBOUNDED : timeoutNs - (clock.nowNs() - startNs);
            if (ended || leftNs <= 0) {
                return false;
            }
            try {
                awaitReady(SelectionKey.OP_READ, leftNs);
            } catch (IOException e) {
                throw new PeerException("the connection failed while waiting for the peer", e);
            }
        }
        return true;
    }

    /** Reads what is there, without waiting; false if nothing was. */
    private boolean fill() {
        if (ended) {
            return false;
        }
        inbound.compact();
        try {
            int count = inbound.hasRemaining() ? channel.read(inbound) : 0;
            ended = count < 0;
            return count > 0;
        } catch (IOException reset) {
            // A reset is how a killed peer looks. What it sent before is still in the buffer.
            ended = true;
            return false;
        } finally {
            inbound.flip();
        }
    }

    private void awaitReady(int operation, long leftNs) throws IOException {
        key.interestOps(operation);
        selector.select(leftNs == UNBOUNDED ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNs)));
        selector.selectedKeys().clear();
        if (Thread.currentThread().isInterrupted()) {
            throw new PeerException("interrupted while waiting for the peer");
        }
    }

    @Override
    public boolean peerHasLeft() {
        fill();
        return ended;
    }

    @Override
    public void close() {
        try (selector) {
            channel.close();
        } catch (IOException e) {
            throw new PeerException("cannot close the connection", e);
        }
    }
}
