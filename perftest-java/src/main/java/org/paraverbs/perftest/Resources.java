// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.paraverbs.perftest.wire.KeyMessage;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AckTimeout;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.RnrTimer;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.VerbsException;

/**
 * The verbs objects of one side, as the C programs create them: one memory region, a completion queue per direction, N
 * queue pairs. They belong to the context, which closes them.
 */
final class Resources {
    /** READs and atomics outstanding: the tests that need more come later. */
    private static final int OUTSTANDING_READS = 1;

    private static final int PSN_BOUND = 1 << 24;
    private static final int MOST_RETRIES = 7;
    private static final int RNR_RETRIES_WITHOUT_END = 7;

    /** What C asks of a device that it knows, in a SEND latency test; it knows those of one vendor above all. */
    private static final int KNOWN_DEVICE_INLINE = 236;

    private static final int KNOWN_VENDOR = 0x02c9;

    private final Settings settings;
    private final LocalPort port;
    private final Buffers buffers;
    private final MemoryRegion region;
    private final @Nullable CompletionChannel channel;
    private final CompletionQueue sendCompletions;
    private final CompletionQueue receiveCompletions;
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final List<KeyMessage> keys = new ArrayList<>();
    private final int inlineSize;

    /**
     * Creates the objects, with the queue pairs in INIT.
     *
     * @param random gives the packet sequence numbers
     */
    Resources(Settings settings, LocalPort port, Buffers buffers, RandomGenerator random, Notes notes) {
        this.settings = settings;
        this.port = port;
        this.buffers = buffers;
        Settings.Load load = settings.load();
        boolean twoSided = settings.program().operation().isTwoSided();
        Context context = port.context();
        ProtectionDomain domain = context.allocateProtectionDomain();
        region = domain.allocate(buffers.total(), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        channel = load.events() ? channel(context) : null;
        sendCompletions = completionQueue(load.txDepth());
        receiveCompletions = twoSided ? completionQueue(load.rxDepth()) : sendCompletions;
        int inline = wantedInline(notes);
        for (int i = 0; i < load.queuePairs(); i++) {
            QueuePair queuePair = queuePair(domain, inline, notes);
            inline = Math.min(inline, queuePair.capacity().maxInlineSize());
            queuePair.modify(new Transition.Init(
                    port.attributes().port(), 0, settings.program().operation().queuePairAccess()));
            queuePairs.add(queuePair);
            keys.add(new KeyMessage(
                    port.attributes().lid(),
                    OUTSTANDING_READS,
                    queuePair.qpn(),
                    random.nextInt(PSN_BOUND),
                    region.rkey(),
                    region.address() + buffers.receiveOffset(i),
                    port.gidOrNull(),
                    0));
        }
        inlineSize = inline;
        if (load.inlineSize() > inline) {
            notes.add("the device sends at most " + inline + " bytes inline: -I " + load.inlineSize()
                    + " is cut to that");
        }
    }

    private static CompletionChannel channel(Context context) {
        if (!context.supports(Feature.COMPLETION_CHANNEL)) {
            throw new PerftestException(context.device().name() + " has no completion events: leave -e out");
        }
        return context.createCompletionChannel();
    }

    private CompletionQueue completionQueue(int depth) {
        int entries = Math.multiplyExact(depth, settings.load().queuePairs());
        return channel == null
                ? port.context().createCompletionQueue(entries)
                : port.context().createCompletionQueue(entries, channel);
    }

    private int wantedInline(Notes notes) {
        int wanted = settings.load().inlineSize();
        Context context = port.context();
        if (wanted == Settings.Load.DEFAULT_INLINE) {
            boolean known = context.attributes().vendorId() == KNOWN_VENDOR;
            return settings.program().isBandwidth() || !known ? 0 : KNOWN_DEVICE_INLINE;
        }
        if (wanted > 0 && !context.supports(Feature.INLINE)) {
            notes.add(context.device().name() + " has no inline data: -I is without effect");
            return 0;
        }
        return wanted;
    }

    private QueuePair queuePair(ProtectionDomain domain, int inline, Notes notes) {
        QueuePairSpec spec = QueuePairSpec.reliable(sendCompletions, receiveCompletions)
                .withDepth(settings.load().txDepth(), settings.load().rxDepth())
                .withInline(inline);
        try {
            return domain.createQueuePair(spec);
        } catch (VerbsException e) {
            if (inline == 0) {
                throw e;
            }
            // No verb tells the limit, so trying is the way to find it (perftest's own users: "Unable to create QP").
            notes.add("the device refuses " + inline + " bytes of inline data; going on without");
            return domain.createQueuePair(spec.withInline(0));
        }
    }

    /** Moves a queue pair to RTR, and to RTS if this side sends through it. */
    void connect(int index, KeyMessage remote, Mtu mtu, boolean sends) {
        QueuePair queuePair = queuePairs.get(index);
        Settings.Path path = settings.path();
        Gid gid = remote.gid();
        Route route = Route.to(port.attributes().port(), Math.max(0, port.gidIndex()), gid == null ? Gid.EMPTY : gid)
                .withDestinationLid(remote.lid())
                .withServiceLevel(path.serviceLevel());
        queuePair.modify(new Transition.ReadyToReceive(
                route, remote.qpn(), remote.psn(), mtu, OUTSTANDING_READS, RnrTimer.DEFAULT));
        if (sends) {
            // 0..255 fit; a peer that claims more is taken at one, which is all that these tests need.
            int maxReads = remote.outstandingReads() > 255 ? OUTSTANDING_READS : remote.outstandingReads();
            queuePair.modify(new Transition.ReadyToSend(
                    keys.get(index).psn(),
                    new AckTimeout(path.ackTimeout()),
                    MOST_RETRIES,
                    RNR_RETRIES_WITHOUT_END,
                    maxReads));
        }
    }

    /** The part of the peer's region that belongs to one queue pair. */
    RemoteBuffer remoteBuffer(KeyMessage remote) {
        return new RemoteBuffer(remote.address(), buffers.slot(), remote.rkey());
    }

    Buffers buffers() {
        return buffers;
    }

    MemoryRegion region() {
        return region;
    }

    @Nullable
    CompletionChannel channel() {
        return channel;
    }

    CompletionQueue sendCompletions() {
        return sendCompletions;
    }

    CompletionQueue receiveCompletions() {
        return receiveCompletions;
    }

    List<QueuePair> queuePairs() {
        return queuePairs;
    }

    /** What the peer is told of each queue pair. */
    List<KeyMessage> keys() {
        return keys;
    }

    int inlineSize() {
        return inlineSize;
    }
}
