// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.Mtu;

/**
 * The conversation of two perftest programs, step by step. Each step is a swap: the client writes its message and reads
 * the server's of the same size, the server the other way round.
 *
 * <p>Which steps a test has, and in which order, is the test's affair; this class knows each step's messages, and how
 * long it may take: while both sides set up, a silent peer is given up after a minute; while one of them measures, the
 * other waits for as long as that takes.
 */
public final class Handshake {
    /** Enough for a peer in an emulated machine to create thousands of queue pairs; the C programs never give up. */
    private static final long SET_UP_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    /** A message of 320 bytes comes in one piece, so its last 8 bytes are not long after its first 312. */
    private static final long REST_OF_MESSAGE_NS = TimeUnit.MILLISECONDS.toNanos(300);

    private static final int INT_BYTES = 4;
    private static final int LARGEST_PAGE = 1 << 30;
    private static final int LARGEST_CACHE_LINE = 1 << 16;
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final Exchange exchange;

    /**
     * Creates a conversation over an exchange, which stays the caller's to close.
     *
     * @param exchange a connected exchange
     */
    public Handshake(Exchange exchange) {
        this.exchange = exchange;
    }

    /**
     * What both sides have agreed on before they exchange keys.
     *
     * @param version the peer's version
     * @param pageSize the larger of both page sizes, in bytes; fixes the buffers' layout
     * @param cacheLine the larger of both cache line sizes, in bytes; fixes the buffers' layout
     * @param mtu the smaller of both path MTUs
     */
    public record Agreement(ProgramVersion version, int pageSize, int cacheLine, Mtu mtu) {}

    /**
     * The first four steps of every test, and the fifth for a peer that insists on it.
     *
     * @param pageSize this machine's page size in bytes
     * @param cacheLine this machine's L1 data cache line size in bytes
     * @param mtu this side's path MTU
     * @param parameters what a peer that compares parameters is told
     * @return what both sides will use
     */
    public Agreement begin(int pageSize, int cacheLine, Mtu mtu, Negotiation parameters) {
        var version = ProgramVersion.decode(swap(ProgramVersion.OURS.encode(), "program version"));
        int agreedPage = Math.max(pageSize, swapSize(pageSize, "page size", LARGEST_PAGE));
        int agreedLine = Math.max(cacheLine, swapSize(cacheLine, "cache line size", LARGEST_CACHE_LINE));
        Mtu agreedMtu = PathMtu.agree(mtu, swap(PathMtu.encode(mtu), "path MTU"));
        if (version.negotiatesWithEveryone()) {
            negotiate(parameters);
        }
        return new Agreement(version, agreedPage, agreedLine, agreedMtu);
    }

    private int swapSize(int own, String what, int largest) {
        byte[] message = ByteBuffer.allocate(INT_BYTES).putInt(own).array();
        int remote = ByteBuffer.wrap(swap(message, what)).getInt();
        // The value decides how much memory this side allocates, so it is not taken on trust.
        if (remote <= 0 || remote > largest) {
            throw new PeerException("the peer's " + what + " of " + remote + " bytes is not in 1.." + largest);
        }
        return remote;
    }

    private void negotiate(Negotiation parameters) {
        if (exchange.isClient()) {
            exchange.write(parameters.encode(Negotiation.BYTES));
            parameters.requireEqual(exchange.read(Negotiation.BYTES, SET_UP_TIMEOUT_NS, "test parameters"));
            return;
        }
        byte[] message = exchange.read(Negotiation.SHORT_BYTES, SET_UP_TIMEOUT_NS, "test parameters");
        int rest = Negotiation.BYTES - Negotiation.SHORT_BYTES;
        boolean isLong = exchange.await(rest, REST_OF_MESSAGE_NS);
        exchange.write(parameters.encode(isLong ? Negotiation.BYTES : Negotiation.SHORT_BYTES));
        if (isLong) {
            exchange.read(rest, SET_UP_TIMEOUT_NS, "test parameters");
        }
        parameters.requireEqual(message);
    }

    /**
     * Tells the peer of one queue pair and hears of its counterpart.
     *
     * @param own this side's queue pair
     * @return the peer's
     */
    public KeyMessage swapKeys(KeyMessage own) {
        return keys(own, SET_UP_TIMEOUT_NS);
    }

    /**
     * Waits until the peer is here too. The C programs repeat the keys of the first queue pair for this.
     *
     * @param own this side's first queue pair
     */
    public void barrier(KeyMessage own) {
        keys(own, SET_UP_TIMEOUT_NS);
    }

    /**
     * As {@link #barrier}, where the peer may be measuring until it comes.
     *
     * @param own this side's first queue pair
     */
    public void barrierAfterRun(KeyMessage own) {
        keys(own, Exchange.UNBOUNDED);
    }

    private KeyMessage keys(KeyMessage own, long timeoutNs) {
        byte[] message = own.encode();
        return KeyMessage.decode(swap(message, timeoutNs, "queue pair description"));
    }

    /**
     * Refuses two GIDs of different address families, which cannot reach each other.
     *
     * @param own this side's first queue pair
     * @param remote the peer's
     */
    public static void requireSameGidFamily(KeyMessage own, KeyMessage remote) {
        Gid ownGid = own.gid();
        Gid remoteGid = remote.gid();
        if (ownGid != null && remoteGid != null && ownGid.isIpv4Mapped() != remoteGid.isIpv4Mapped()) {
            throw new PeerException("Found Incompatibility issue with GID types: this side's is "
                    + describe(ownGid) + ", the peer's is " + describe(remoteGid)
                    + "; choose GIDs of one address family with -x on both sides");
        }
    }

    private static String describe(Gid gid) {
        return gid + (gid.isIpv4Mapped() ? " (IPv4)" : " (IPv6)");
    }

    /**
     * Exchanges results.
     *
     * @param own this side's
     * @return the peer's; arbitrary numbers if it measured nothing
     */
    public BandwidthReport swapReports(BandwidthReport own) {
        return reports(own, SET_UP_TIMEOUT_NS);
    }

    /**
     * As {@link #swapReports}, where the peer may be measuring until it comes.
     *
     * @param own this side's
     * @return the peer's
     */
    public BandwidthReport swapReportsAfterRun(BandwidthReport own) {
        return reports(own, Exchange.UNBOUNDED);
    }

    private BandwidthReport reports(BandwidthReport own, long timeoutNs) {
        var fields = new byte[BandwidthReport.FIELDS][];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = swap(own.encode(i), timeoutNs, "result");
        }
        return BandwidthReport.decode(fields);
    }

    /**
     * The last step. Both sides write a farewell that neither reads, so that a peer that has gone already is no error.
     *
     * @param own this side's first queue pair
     */
    public void end(KeyMessage own) {
        barrierAfterRun(own);
        try {
            exchange.write(DONE);
        } catch (PeerException _) {
            // Versions from 6.17 on neither send nor expect it, and may have closed the connection.
        }
    }

    private byte[] swap(byte[] own, String what) {
        return swap(own, SET_UP_TIMEOUT_NS, what);
    }

    private byte[] swap(byte[] own, long timeoutNs, String what) {
        if (exchange.isClient()) {
            exchange.write(own);
            return exchange.read(own.length, timeoutNs, what);
        }
        byte[] remote = exchange.read(own.length, timeoutNs, what);
        exchange.write(own);
        return remote;
    }
}
