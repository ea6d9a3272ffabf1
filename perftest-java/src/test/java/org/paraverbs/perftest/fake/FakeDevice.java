// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.fake;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.GidType;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.PortAttributes;
import org.paraverbs.verbs.PortState;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.Transition;

/**
 * A device of one page of code that does what perftest needs, remembers what it was asked, and fails when told to. All
 * fake devices of a JVM reach each other by queue pair number.
 */
public final class FakeDevice implements Device {
    static final AtomicInteger NUMBERS = new AtomicInteger(0x10);
    static final Map<Integer, FakeQueuePair> QUEUE_PAIRS = new ConcurrentHashMap<>();
    static final Map<Integer, FakeMemoryRegion> REGIONS = new ConcurrentHashMap<>();

    private final String name;

    /** What the queue pairs were created with, and how they were moved. */
    public final List<QueuePairSpec> specs = new CopyOnWriteArrayList<>();

    public final List<Transition> transitions = new CopyOnWriteArrayList<>();
    public final AtomicInteger openContexts = new AtomicInteger();

    public volatile PortState portState = PortState.ACTIVE;
    public volatile Mtu activeMtu = Mtu.MTU_4096;
    public volatile LinkLayer linkLayer = LinkLayer.ETHERNET;
    public volatile int maxInlineSize;
    public volatile List<GidEntry> gids = List.of(
            new GidEntry(0, 1, new Gid(0xfe80_0000_0000_0000L, 0x50), GidType.ROCE_V2),
            new GidEntry(1, 1, new Gid(0, 0xffff_c0a8_0701L), GidType.ROCE_V2));

    /** Sends from this one on fail with the status below. */
    public volatile long failFromSend = Long.MAX_VALUE;

    public volatile CompletionStatus failure = CompletionStatus.RETRY_EXCEEDED;

    /** Sends from this one on never complete, as if the network had gone. */
    public volatile long silentFromSend = Long.MAX_VALUE;

    public FakeDevice(String name) {
        this.name = name;
    }

    PortAttributes port(int port) {
        int lid = linkLayer == LinkLayer.ETHERNET ? 0 : 0x1f;
        return new PortAttributes(
                port, portState, Mtu.MTU_4096, activeMtu, 16, 1, 0, 1L << 31, lid, 0, 1, 1, 5, linkLayer);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String providerName() {
        return "fake";
    }

    @Override
    public long guid() {
        return 0;
    }

    @Override
    public boolean emulated() {
        return true;
    }

    @Override
    public Context open() {
        openContexts.incrementAndGet();
        return new FakeContext(this);
    }
}
