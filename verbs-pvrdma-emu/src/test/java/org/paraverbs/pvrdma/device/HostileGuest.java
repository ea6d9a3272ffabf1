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
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.DeviceVersion;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.ResponseHeader;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;

/** A guest that does what a driver and its programs do, and what they must not: what it has, and what must hold of it. */
final class HostileGuest implements AutoCloseable {
    /** The Q_Key of its datagram queue pairs. */
    static final int QKEY = 0x42;

    /** Bytes of the region that it begins with, and of the largest that it creates. */
    static final int REGION = 8000;

    /** Pages of what is registered by work requests. */
    static final int FAST_PAGES = 3;

    private static final int CANARY = 0x5a;
    private static final int CANARY_BEFORE = 1000;

    final HostileWorld world;
    final MockDriver driver;
    private final MemorySegment canary;

    final List<Integer> domains = new ArrayList<>();
    final List<MockCompletionQueue> queues = new ArrayList<>();
    final List<MockSharedReceiveQueue> shared = new ArrayList<>();
    final List<MockRegion> regions = new ArrayList<>();
    final List<MockQueuePair> pairs = new ArrayList<>();
    final Set<MockQueuePair> corrupted = new HashSet<>();

    /** Whether what it has may be other than it believes, or its device may write anywhere in its memory. */
    boolean lostTrack;

    boolean standsStill;

    /** Whether the command under way is not what a driver sends. */
    boolean wild;

    int fastKey;
    long fastDirectory;

    @Nullable
    Arena shortLived;

    @Nullable
    Scribbler scribbler;

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
        lostTrack |= error == 0 && wild;
        world.saw("command " + name + " " + error + " " + inResponse + " " + refusal);
        return error;
    }

    static <T> @Nullable T any(List<T> list, Draws draws) {
        return list.isEmpty() ? null : list.get(draws.below(list.size()));
    }

    int domain(Draws draws) {
        return domains.isEmpty() ? draws.below(4) : domains.get(draws.below(domains.size()));
    }

    long[] elements(Draws draws) {
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
    static long place(MockRegion region, long length, Draws draws) {
        return draws.oneIn(3)
                ? region.start() + region.length() - length + draws.below(10)
                : region.start() + draws.below(region.length());
    }

    void restart() {
        stopScribbling();
        domains.clear();
        queues.clear();
        shared.clear();
        regions.clear();
        pairs.clear();
        corrupted.clear();
        lostTrack = false;
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

    void stopScribbling() {
        if (scribbler != null) {
            scribbler.close();
            scribbler = null;
        }
    }

    /** The memory of regions goes away without a word. */
    void free(Draws draws) {
        if (shortLived != null) {
            shortLived.close();
            shortLived = null;
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

    void goOn() {
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
            if (!lostTrack && region.pages().segments()[0].scope().isAlive()) {
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
