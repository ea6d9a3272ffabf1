// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CommandHeader;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.DestroyBind;
import org.paraverbs.pvrdma.abi.DestroyPd;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.DeviceVersion;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.ModifyQp;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.QueryPkey;
import org.paraverbs.pvrdma.abi.QueryPort;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.ResponseHeader;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;

/** A guest that does what a driver and its programs do, and what they must not. Each method is one {@link HostileAction}. */
final class HostileGuest implements AutoCloseable {
    private static final int QKEY = 0x42;
    private static final int REGION = 8000;
    private static final int MOST_OBJECTS = 10;
    private static final int FAST_PAGES = 3;
    private static final int CANARY = 0x5a;
    private static final int CANARY_BEFORE = 1000;

    final HostileWorld world;
    final MockDriver driver;
    private final MemorySegment canary;

    private final List<Integer> domains = new ArrayList<>();
    private final List<MockCompletionQueue> queues = new ArrayList<>();
    private final List<MockSharedReceiveQueue> shared = new ArrayList<>();
    private final List<MockRegion> regions = new ArrayList<>();
    private final List<MockQueuePair> pairs = new ArrayList<>();
    private final Set<MockQueuePair> corrupted = new HashSet<>();

    /** Whether it has asked for what lets its device write anywhere in its memory, on purpose or by mistake. */
    private boolean writesAnywhere;

    private boolean standsStill;

    /** Whether the command under way is not what a driver sends. */
    private boolean wild;

    private int fastKey;
    private long fastDirectory;
    private @Nullable Arena shortLived;
    private @Nullable Scribbler scribbler;

    /**
     * A guest whose driver has taken its device into use.
     *
     * @param older by how many versions the driver is older than the device, if there are so many
     */
    HostileGuest(HostileWorld world, int host, DeviceConfiguration configuration, int older) {
        this.world = world;
        driver = new MockDriver(world.fabric, host, configuration);
        driver.driverVersion = Math.max(DeviceVersion.ROCEV1_VERSION, configuration.version() - older);
        DeviceFault.unless(driver.probeAgain() == 0, "cannot be activated: " + driver.lastRefusal());
        DeviceFault.unless(driver.bind(0, MockDriver.GID_HIGH, driver.gidLow) == 0, "cannot bind its GID");
        driver.onCommand = this::onCommand;
        // its edges belong to no region and have no DMA address
        canary = driver.arena.allocate(3L * MockMemory.PAGE, MockMemory.PAGE);
        canary.fill((byte) CANARY);
        begin();
    }

    /** What there is after each start. */
    private void begin() {
        domains.add(driver.createUserPd());
        queues.add(driver.createCq(64));
        regions.add(driver.register(domains.get(0), canary.asSlice(CANARY_BEFORE, REGION), MockQueuePair.ALL_ACCESS));
    }

    private int onCommand(int code, int error) {
        int inResponse = error == 0 && code == CommandCode.MODIFY_QP ? ResponseHeader.err(driver.response(), 0) : 0;
        String refusal = "";
        if (error != 0 || inResponse != 0) {
            refusal = String.valueOf(driver.lastRefusal()).replaceAll("[0-9]+", "N");
        }
        String name = code >= 0 && code < CommandCode.MAX ? CommandCode.name(code) : "unknown";
        boolean creates = code == CommandCode.CREATE_MR
                || code == CommandCode.CREATE_CQ
                || code == CommandCode.CREATE_QP
                || code == CommandCode.CREATE_SRQ;
        writesAnywhere |= creates && error == 0 && wild;
        world.saw("command " + name + " " + error + " " + inResponse + " " + refusal);
        return error;
    }

    private static <T> @Nullable T any(List<T> list, Draws draws) {
        return list.isEmpty() ? null : list.get(draws.below(list.size()));
    }

    // --- a driver

    void createPd(Draws draws) {
        if (domains.size() < MOST_OBJECTS) {
            domains.add(draws.oneIn(2) ? driver.createPd() : driver.createUserPd());
        }
    }

    private int domain(Draws draws) {
        return domains.isEmpty() ? draws.below(4) : domains.get(draws.below(domains.size()));
    }

    void createCq(Draws draws) {
        if (queues.size() < MOST_OBJECTS) {
            queues.add(driver.createCq(1 << draws.below(9)));
        }
    }

    void resizeCq(Draws draws) {
        MockCompletionQueue queue = any(queues, draws);
        if (queue != null) {
            queue.resize((int) draws.sometimes(1L << draws.below(8)));
        }
    }

    void createSrq(Draws draws) {
        if (shared.size() < MOST_OBJECTS) {
            shared.add(driver.createSrq(domain(draws), 1 << draws.below(6), 1 + draws.below(3)));
        }
    }

    @SuppressWarnings("MustBeClosedChecker") // free() and close() do
    void createMr(Draws draws) {
        if (regions.size() >= 2 * MOST_OBJECTS) {
            return;
        }
        int pd = domain(draws);
        int length = 1 + draws.below(REGION);
        int access = draws.oneIn(3) ? draws.below(64) : MockQueuePair.ALL_ACCESS;
        driver.memory.scattered = draws.oneIn(2);
        try {
            if (draws.oneIn(4)) {
                if (shortLived == null) {
                    shortLived = Arena.ofShared();
                }
                regions.add(driver.withMemory(
                        shortLived, () -> driver.createMr(pd, length, draws.below(MockMemory.PAGE), access)));
            } else {
                regions.add(driver.createMr(pd, length, draws.below(MockMemory.PAGE), access));
            }
        } finally {
            driver.memory.scattered = false;
        }
    }

    void createQp(Draws draws) {
        MockCompletionQueue sends = any(queues, draws);
        MockCompletionQueue receives = any(queues, draws);
        if (sends == null || receives == null || pairs.size() >= MOST_OBJECTS) {
            return;
        }
        MockQueuePair pair = driver.createQp(
                draws.oneIn(4) ? QpType.UD : QpType.RC,
                domain(draws),
                sends,
                receives,
                draws.oneIn(4) ? any(shared, draws) : null,
                1 << draws.below(5),
                1 + draws.below(3));
        pair.timeout = draws.below(12);
        pair.retryCount = draws.below(8);
        pair.rnrRetry = draws.below(8);
        pair.minRnrTimer = draws.below(32);
        pair.maxReads = draws.below(17);
        pair.maxReadsAsTarget = draws.below(17);
        pair.sendPsn = (int) draws.sometimes(100);
        pairs.add(pair);
    }

    /** The kernel's queue pair for general services; and, where there is fast registration, its region. */
    void createGsi(Draws draws) {
        MockCompletionQueue queue = any(queues, draws);
        if (queue == null || pairs.size() >= MOST_OBJECTS) {
            return;
        }
        int pd = driver.createPd();
        domains.add(pd);
        if (draws.oneIn(2)) {
            pairs.add(driver.createQp(QpType.GSI, pd, queue, queue, null, 8, 2));
            return;
        }
        pairs.add(driver.createQp(QpType.RC, pd, queue, queue, null, 8, 2));
        MockMemory.Pages pages = driver.memory.pages(FAST_PAGES);
        writesAnywhere = true;
        fastDirectory = driver.memory.directory(pages.addresses());
        fastKey = CreateMr.Response.rkey(
                driver.succeed(CommandCode.CREATE_MR, s -> {
                    CreateMr.pdHandle(s, 0, pd);
                    CreateMr.flags(s, 0, CreateMr.FLAG_FRMR);
                    CreateMr.nchunks(s, 0, FAST_PAGES);
                }),
                0);
    }

    void destroyPd(Draws draws) {
        if (!domains.isEmpty()) {
            Integer handle = domains.get(draws.below(domains.size()));
            if (driver.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, handle)) == 0) {
                domains.removeIf(handle::equals);
            }
        }
    }

    void destroyCq(Draws draws) {
        MockCompletionQueue queue = any(queues, draws);
        if (queue != null && queue.destroy() == 0) {
            queues.remove(queue);
        }
    }

    void destroySrq(Draws draws) {
        MockSharedReceiveQueue queue = any(shared, draws);
        if (queue != null && queue.destroy() == 0) {
            shared.remove(queue);
        }
    }

    void destroyMr(Draws draws) {
        MockRegion region = any(regions, draws);
        if (region != null && driver.destroyMr(region.handle()) == 0) {
            regions.remove(region);
        }
    }

    /** Nothing of a queue pair that is gone may come afterwards. */
    void destroyQp(Draws draws) {
        MockQueuePair pair = any(pairs, draws);
        if (pair == null) {
            return;
        }
        stopScribbling();
        if (pair.destroy() == 0) {
            pairs.remove(pair);
            pair.ring();
        }
    }

    void connect(Draws draws) {
        MockQueuePair pair = any(pairs, draws);
        if (pair == null) {
            return;
        }
        HostileGuest other = world.guest(draws.below(HostileWorld.GUESTS));
        MockQueuePair peer = any(other.pairs, draws);
        pair.toState(0);
        if (pair.type != QpType.RC) {
            pair.ready((int) draws.sometimes(QKEY), pair.type == QpType.GSI);
            return;
        }
        if (peer == null || draws.oneIn(8)) {
            peer = world.bystanders.leftQp; // which does not name us
        }
        pair.toInit();
        pair.toReadyToReceive(
                MockDriver.GID_HIGH, draws.sometimes(peer.driver.gidLow), (int) draws.sometimes(peer.qpn));
        pair.toReadyToSend();
        if (peer != pair && peer.type == QpType.RC && other.pairs.contains(peer) && !draws.oneIn(4)) {
            peer.toState(0);
            peer.toInit();
            peer.toReadyToReceive(MockDriver.GID_HIGH, driver.gidLow, pair.qpn);
            peer.toReadyToSend();
            for (int i = draws.below(4); i > 0 && !peer.sharesReceives; i--) {
                peer.receive(draws.any(), other.elements(draws));
            }
            pair.post(WrOpcode.SEND, draws.any(), 0, 0, elements(draws));
        }
    }

    void modify(Draws draws) {
        MockQueuePair pair = any(pairs, draws);
        if (pair == null) {
            return;
        }
        if (!draws.oneIn(3)) {
            pair.toState(draws.below(9));
            return;
        }
        int mask = (int) draws.any();
        pair.modify(mask, s -> {
            QpAttr.qpState(s, ModifyQp.ATTRS_OFFSET, draws.below(8));
            for (int i = draws.below(6); i > 0; i--) {
                s.set(ValueLayout.JAVA_INT, ModifyQp.ATTRS_OFFSET + 4L * draws.below(QpAttr.SIZE / 4), (int)
                        draws.any());
            }
        });
    }

    void bind(Draws draws) {
        int index = (int) draws.sometimes(draws.below(2));
        if (draws.oneIn(4)) {
            driver.command(CommandCode.DESTROY_BIND, s -> {
                DestroyBind.index(s, 0, index);
                DestroyBind.destGidHigh(s, 0, MockDriver.GID_HIGH);
                DestroyBind.destGidLow(s, 0, driver.gidLow);
            });
        } else if (draws.oneIn(8)) {
            driver.bind(index, MockDriver.GID_HIGH, world.bystanders.left.gidLow); // an address that is taken
        } else {
            driver.bind(index, MockDriver.GID_HIGH, driver.gidLow);
        }
    }

    void query(Draws draws) {
        switch (draws.below(4)) {
            case 0 -> driver.command(CommandCode.QUERY_PORT, s -> QueryPort.portNum(s, 0, (byte) draws.sometimes(1)));
            case 1 ->
                driver.command(CommandCode.QUERY_PKEY, s -> {
                    QueryPkey.portNum(s, 0, (byte) draws.sometimes(1));
                    QueryPkey.index(s, 0, (byte) draws.sometimes(0));
                });
            case 2 -> {
                MockQueuePair pair = any(pairs, draws);
                if (pair != null) {
                    world.saw("queue pair " + pair.type + " in state " + pair.state());
                }
            }
            default -> {
                MockSharedReceiveQueue queue = any(shared, draws);
                if (queue != null) {
                    queue.query();
                    queue.arm(draws.below(40));
                }
            }
        }
    }

    void reset(Draws draws) {
        if (draws.oneIn(4)) {
            restart();
        }
    }

    private void restart() {
        stopScribbling();
        domains.clear();
        queues.clear();
        shared.clear();
        regions.clear();
        pairs.clear();
        corrupted.clear();
        writesAnywhere = false;
        fastKey = 0;
        driver.device.writeRegister(Registers.CTL, DeviceCtl.RESET);
        for (DeviceStatistics.Use use : driver.device.statistics().use()) {
            DeviceFault.unless(use.used() == 0, "a reset leaves " + use + " behind");
        }
        driver.spoiler = slot -> wild = false;
        DeviceFault.unless(driver.probeAgain() == 0, "cannot be activated again: " + driver.lastRefusal());
        goOn();
        DeviceFault.unless(driver.bind(0, MockDriver.GID_HIGH, driver.gidLow) == 0, "cannot bind its GID again");
        begin();
    }

    // --- a program

    private long[] elements(Draws draws) {
        long[] elements = new long[3 * draws.below(4)];
        for (int i = 0; i < elements.length; i += 3) {
            MockRegion region = any(regions, draws);
            long length = draws.sometimes(draws.below(2000));
            elements[i] = draws.sometimes(region == null ? 0 : place(region, length, draws));
            elements[i + 1] = length;
            elements[i + 2] = draws.sometimes(region == null ? 0 : region.lkey());
        }
        return elements;
    }

    /** Somewhere in a region, often where the bytes end with it or a little beyond. */
    private static long place(MockRegion region, long length, Draws draws) {
        return draws.oneIn(3)
                ? region.start() + region.length() - length + draws.below(10)
                : region.start() + draws.below(region.length());
    }

    private static long sum(long... elements) {
        long sum = 0;
        for (int i = 0; i < elements.length; i += 3) {
            sum += elements[i + 1] & 0xffff_ffffL;
        }
        return sum;
    }

    private @Nullable MockQueuePair pairToPost(Draws draws, boolean datagrams) {
        MockQueuePair pair = any(pairs, draws);
        return pair != null && (pair.type == QpType.RC) != datagrams && pair.freeSends() > 0 ? pair : null;
    }

    private @Nullable MockRegion remote(Draws draws) {
        return any(world.guest(draws.below(HostileWorld.GUESTS)).regions, draws);
    }

    private static void ring(MockQueuePair pair, Draws draws) {
        if (!draws.oneIn(4)) {
            pair.ring();
        }
    }

    void post(Draws draws) {
        MockQueuePair pair = pairToPost(draws, false);
        MockRegion remote = remote(draws);
        if (pair == null || remote == null) {
            return;
        }
        long[] elements = elements(draws);
        pair.put(
                (int) draws.sometimes(draws.below(5)),
                draws.any(),
                draws.below(32),
                draws.sometimes(place(remote, sum(elements), draws)),
                (int) draws.sometimes(remote.rkey()),
                (int) draws.any(),
                elements);
        ring(pair, draws);
    }

    void postAtomic(Draws draws) {
        MockQueuePair pair = pairToPost(draws, false);
        MockRegion remote = remote(draws);
        MockRegion local = any(regions, draws);
        if (pair == null || remote == null || local == null) {
            return;
        }
        pair.putAtomic(
                WrOpcode.ATOMIC_CMP_AND_SWP + draws.below(2),
                draws.any(),
                draws.sometimes(remote.start() + draws.below(remote.length()) & -8),
                (int) draws.sometimes(remote.rkey()),
                draws.any(),
                draws.any(),
                local.start() + draws.below(local.length()),
                (int) draws.sometimes(8),
                local.lkey());
        ring(pair, draws);
    }

    void postDatagram(Draws draws) {
        MockQueuePair pair = pairToPost(draws, true);
        if (pair == null) {
            return;
        }
        HostileGuest other = world.guest(draws.below(HostileWorld.GUESTS));
        MockQueuePair to = any(other.pairs, draws);
        pair.putDatagram(
                (int) draws.sometimes(WrOpcode.SEND + draws.below(2)),
                draws.any(),
                draws.below(32),
                (int) draws.any(),
                draws.sometimes(other.driver.gidLow),
                (int) draws.sometimes(to == null ? 1 : to.qpn),
                (int) draws.sometimes(QKEY),
                elements(draws));
        ring(pair, draws);
    }

    /** Fast registration and what takes it back. */
    void postRegion(Draws draws) {
        MockQueuePair pair = pairToPost(draws, false);
        if (pair == null) {
            return;
        }
        MockRegion region = any(regions, draws);
        int key = (int) draws.sometimes(fastKey != 0 || region == null ? fastKey : region.rkey());
        switch (draws.below(3)) {
            case 0 ->
                pair.putFastRegistration(
                        draws.any(),
                        draws.any() & -MockMemory.PAGE,
                        draws.sometimes(fastDirectory),
                        (int) draws.sometimes(FAST_PAGES),
                        (int) draws.sometimes(draws.below(FAST_PAGES * MockMemory.PAGE)),
                        draws.below(64),
                        key);
            case 1 -> pair.putInvalidate(WrOpcode.LOCAL_INV, draws.any(), key);
            default -> pair.putInvalidate(WrOpcode.SEND_WITH_INV, draws.any(), key, elements(draws));
        }
        ring(pair, draws);
    }

    void receive(Draws draws) {
        MockQueuePair pair = any(pairs, draws);
        if (pair != null && !pair.sharesReceives) {
            pair.receive(draws.any(), elements(draws));
        }
    }

    void sharedReceive(Draws draws) {
        MockSharedReceiveQueue queue = any(shared, draws);
        if (queue != null) {
            long[] elements = elements(draws);
            queue.put(draws.any(), (int) draws.sometimes(elements.length / 3), elements);
        }
    }

    void poll(Draws draws) {
        MockCompletionQueue queue = any(queues, draws);
        for (int i = 0; queue != null && i < 64 && queue.waiting() > 0; i++) {
            Completion completion = queue.poll();
            DeviceFault.unless(
                    completion.status() >= WcStatus.SUCCESS && completion.status() <= WcStatus.GENERAL_ERR,
                    "no such status: " + completion);
            world.saw("completion " + completion.opcode() + " " + completion.status());
        }
        driver.notified();
        for (int event : driver.events()) {
            world.saw("event " + (event >>> 16));
        }
    }

    void arm(Draws draws) {
        MockCompletionQueue queue = any(queues, draws);
        if (queue != null) {
            if (draws.oneIn(2)) {
                queue.armSolicited();
            } else {
                queue.arm();
            }
        }
    }

    // --- nobody

    /** The next command has a field that is wrong. */
    void spoil(Draws draws) {
        long offset = 4L * draws.below(CommandCode.MAX_COMMAND_SIZE / 4);
        int value = (int) draws.any();
        boolean replaces = draws.oneIn(2);
        driver.spoiler = slot -> {
            int was = slot.get(ValueLayout.JAVA_INT, offset);
            slot.set(ValueLayout.JAVA_INT, offset, replaces ? value : was + value % 8);
            wild = true;
            driver.spoiler = nothing -> wild = false;
        };
    }

    /** A command of small numbers, of which many mean something. */
    void command(Draws draws) {
        int code = draws.below(CommandCode.MAX + 3);
        driver.spoiler = slot -> {
            wild = true;
            driver.spoiler = nothing -> wild = false;
        };
        driver.command(code, s -> {
            for (int i = CommandHeader.SIZE; i < CommandCode.MAX_COMMAND_SIZE; i += 4) {
                if (draws.oneIn(4)) {
                    s.set(ValueLayout.JAVA_INT, i, (int) draws.any());
                } else {
                    s.set(ValueLayout.JAVA_INT, i, draws.below(4));
                }
            }
        });
    }

    void register(Draws draws) {
        int offset = draws.oneIn(8) ? (int) draws.any() : 4 * draws.below(10);
        if (draws.oneIn(3)) {
            driver.device.readRegister(offset);
        } else if (offset != Registers.CTL) { // RESET has an action of its own
            driver.device.writeRegister(offset, (int) draws.any());
        } else {
            driver.device.writeRegister(offset, draws.oneIn(2) ? DeviceCtl.ACTIVATE : (int) draws.any() | 4);
        }
        driver.device.writeRegister(Registers.IMR, draws.below(4) == 3 ? draws.below(8) : 0);
    }

    void doorbell(Draws draws) {
        driver.device.writeUar((int) draws.sometimes(draws.below(4)), 4 * draws.below(5), (int) draws.any());
        int offset = 4 * draws.below(3);
        int value = ((int) draws.any() & (7 << 29)) | draws.below(16);
        driver.device.writeUar(0, offset, value);
        driver.device.writeUar(driver.userPage(), offset, value);
    }

    void corruptIndex(Draws draws) {
        int value = draws.oneIn(2) ? (int) draws.any() : draws.below(64);
        MockQueuePair pair = any(pairs, draws);
        if (pair != null) {
            corruptIndex(pair, draws.below(4), value);
        }
        if (draws.oneIn(4)) {
            MockCompletionQueue queue = any(queues, draws);
            if (queue != null) {
                queue.header().set(ValueLayout.JAVA_INT, RingState.RX_OFFSET + RingState.CONS_HEAD_OFFSET, value);
            }
            MockSharedReceiveQueue receives = any(shared, draws);
            if (receives != null) {
                receives.header().set(ValueLayout.JAVA_INT, 4L * draws.below(4), value);
            }
        }
    }

    /** Indices in the order of the header: of the send ring tail and head, of the receive ring tail and head. */
    private void corruptIndex(MockQueuePair pair, int which, int value) {
        pair.ring(); // from here on the device has seen what was posted
        boolean first = corrupted.add(pair);
        boolean impossible = which == 0 && first && pair.isImpossibleSendTail(value);
        boolean looks = pair.type == QpType.RC && !standsStill && fastKey == 0 && pair.state() == QpState.RTS;
        driver.events();
        pair.header().set(ValueLayout.JAVA_INT, 4L * which, value);
        pair.ring();
        DeviceFault.unless(
                !impossible
                        || !looks
                        || (pair.state() == QpState.ERR
                                && driver.events().contains(MockDriver.event(EventType.QP_FATAL, pair.handle))),
                "a queue pair goes on with the impossible index " + value + " in its send ring");
    }

    /** What is written next, or lies where it will be, has a field that is wrong. */
    void corruptRequest(Draws draws) {
        MockQueuePair pair = any(pairs, draws);
        if (pair != null) {
            MemorySegment place = draws.oneIn(2) ? pair.nextSend() : pair.anySend(draws.below(64));
            place.set(ValueLayout.JAVA_INT, 4L * draws.below((int) place.byteSize() / 4), (int) draws.any());
            ring(pair, draws);
        }
    }

    void corruptDirectory(Draws draws) {
        MemorySegment segment = driver.memory.anyDirectory(draws.below(64));
        if (segment != null && segment.scope().isAlive()) {
            segment.set(ValueLayout.JAVA_LONG, 8L * draws.below(8), draws.any());
        }
    }

    void unmap(Draws draws) {
        MockRegion region = any(regions, draws);
        MockQueuePair pair = any(pairs, draws);
        if (pair != null && draws.oneIn(4)) {
            driver.memory.unmap(pair.ringAddress());
        } else if (region != null) {
            driver.memory.unmap(region.pages().addresses()[0]);
        }
    }

    /** The memory of regions goes away without a word. */
    void free(Draws draws) {
        if (shortLived != null) {
            shortLived.close();
            shortLived = null;
        }
    }

    /** Another thread writes into a ring while the device reads it, until a later step. */
    void scribble(Draws draws) {
        stopScribbling();
        MockQueuePair pair = any(pairs, draws);
        if (pair != null && draws.oneIn(3)) {
            scribbler = new Scribbler(pair, draws.any());
        }
    }

    private void stopScribbling() {
        if (scribbler != null) {
            scribbler.close();
            scribbler = null;
        }
    }

    // --- host and time

    void time(Draws draws) {
        world.leap(draws.below(64));
    }

    void host(Draws draws) {
        PvrdmaDevice device = driver.device;
        switch (draws.below(12)) {
            case 1 -> device.takePortDown();
            case 2 -> {
                device.quiesce();
                standsStill = true;
            }
            case 3 ->
                device.moderate(
                        InterruptVector.ASYNC + draws.below(2),
                        new InterruptModeration(1 + draws.below(4), 1 + draws.below(1 << 20)));
            default -> goOn(); // mostly on, so that things get far
        }
    }

    private void goOn() {
        standsStill = false;
        driver.device.takePortUp();
        driver.device.writeRegister(Registers.CTL, DeviceCtl.UNQUIESCE);
    }

    // --- what must hold

    void assertSound() {
        requireNoInternalErrors(driver);
        for (long i = 0; i < canary.byteSize(); i++) {
            if (i < CANARY_BEFORE || i >= CANARY_BEFORE + REGION) {
                DeviceFault.unless(
                        canary.get(ValueLayout.JAVA_BYTE, i) == CANARY, "byte " + i + " beside a region was written");
            }
        }
        for (MockRegion region : regions) {
            if (!writesAnywhere && region.pages().segments()[0].scope().isAlive()) {
                region.requireEdgesZero();
            }
        }
    }

    static void requireNoInternalErrors(MockDriver driver) {
        DeviceFault.unless(
                driver.device.statistics().internalErrors() == 0, "the device had an error of its own, see the log");
    }

    void finish() {
        restart();
        free(Draws.of(List.of()));
    }

    /** Two guests that have begun anew understand each other, if their devices do. */
    static void assertTraffic(HostileGuest one, HostileGuest two) {
        MockQueuePair left = one.fresh();
        MockQueuePair right = two.fresh();
        left.connect(right);
        right.connect(left);
        MockRegion from = one.regions.get(0).fill(7);
        left.write(1, from, 0, two.regions.get(0), 0, 5000);
        Completion completion = one.queues.get(0).poll();
        DeviceFault.unless(
                completion != null && completion.status() == WcStatus.SUCCESS,
                "after all a WRITE ends with " + completion);
        for (int i = 0; i < 5000; i++) {
            DeviceFault.unless(
                    two.regions.get(0).get(i) == MockRegion.pattern(7, i), "after all byte " + i + " is wrong");
        }
    }

    private MockQueuePair fresh() {
        return driver.createQp(domains.get(0), queues.get(0), queues.get(0), 4, 1);
    }

    @Override
    public void close() {
        stopScribbling();
        driver.close();
        if (shortLived != null) {
            shortLived.close();
        }
    }
}
