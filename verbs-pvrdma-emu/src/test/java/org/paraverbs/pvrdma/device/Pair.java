// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.function.Consumer;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.pvrdma.link.VirtualClock;

/** Two devices in one network and virtual time, with a connected queue pair and a region on each. */
final class Pair implements AutoCloseable {
    static final int DEPTH = 16;
    static final int SGE = 4;
    static final int REGION = 20_000;

    final VirtualClock clock = new VirtualClock();
    final Fabric fabric = new Fabric(clock);
    final MockDriver left;
    final MockDriver right;
    final int leftPd;
    final int rightPd;
    final MockCompletionQueue leftCq;
    final MockCompletionQueue rightCq;
    final MockQueuePair leftQp;
    final MockQueuePair rightQp;
    final MockRegion leftMr;
    final MockRegion rightMr;

    Pair() {
        this(DeviceConfiguration.defaults(), false, pair -> {});
    }

    /** Queue pairs with other attributes than the usual ones. */
    Pair(Consumer<Pair> beforeConnecting) {
        this(DeviceConfiguration.defaults(), false, beforeConnecting);
    }

    Pair(DeviceConfiguration configuration, boolean scattered, Consumer<Pair> beforeConnecting) {
        left = MockDriver.booted(fabric, 1, configuration);
        right = MockDriver.booted(fabric, 2, configuration);
        left.memory.scattered = scattered;
        right.memory.scattered = scattered;
        leftPd = left.createUserPd();
        rightPd = right.createUserPd();
        leftCq = left.createCq(64);
        rightCq = right.createCq(64);
        leftQp = left.createQp(leftPd, leftCq, leftCq, DEPTH, SGE);
        rightQp = right.createQp(rightPd, rightCq, rightCq, DEPTH, SGE);
        leftMr = left.createMr(leftPd, REGION, 123, MockQueuePair.ALL_ACCESS);
        rightMr = right.createMr(rightPd, REGION, 77, MockQueuePair.ALL_ACCESS);
        beforeConnecting.accept(this);
        leftQp.connect(rightQp);
        rightQp.connect(leftQp);
    }

    /** Moves the time and does what falls due. */
    void advanceNs(long ns) {
        clock.advanceTo(clock.nanoTime() + ns);
        fabric.runDue(1000);
    }

    @Override
    public void close() {
        left.close();
        right.close();
    }
}
