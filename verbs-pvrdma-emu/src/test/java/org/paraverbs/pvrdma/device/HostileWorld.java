// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.DeviceVersion;
import org.paraverbs.pvrdma.abi.GidType;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.pvrdma.link.VirtualClock;

/**
 * Hostile guests and two that go about their business, on one network in virtual time. After each step the device must not have
 * broken: what it never may do comes as a {@link DeviceFault}, and whatever else it throws is one, too.
 */
final class HostileWorld implements AutoCloseable {
    static final int GUESTS = 2;

    private static final int FORM_BITS = 6;

    /** Forms are below this. */
    static final int FORMS = 1 << (GUESTS * FORM_BITS);

    /** Steps between two looks at what must always hold. */
    private static final int LOOK_EVERY = 32;

    private static final int MOST_RUNS = 10_000;
    private static final int WIDEST_LEAP = 34;

    /** An action that fails, for the test of those who look for faults. */
    static volatile @Nullable HostileAction plantedFault;

    final VirtualClock clock = new VirtualClock();
    final Fabric fabric = new Fabric(clock);
    final Bystanders bystanders = new Bystanders(fabric);
    private final List<HostileGuest> guests = new ArrayList<>();
    private final Set<String> seen = new TreeSet<>();
    private int steps;

    /**
     * A world.
     *
     * @param form which devices the guests have: their versions and what they can do
     */
    HostileWorld(int form) {
        for (int i = 0; i < GUESTS; i++) {
            int ofGuest = form >>> (FORM_BITS * i);
            guests.add(new HostileGuest(this, i + 1, configuration(ofGuest), ofGuest >>> 4 & 3));
        }
    }

    private static DeviceConfiguration configuration(int form) {
        int version = DeviceVersion.QPHANDLE_VERSION - (form & 3);
        DeviceConfiguration.Builder builder = DeviceConfiguration.builder()
                .version(version)
                .maxQp(12)
                .maxCq(10)
                .maxSrq(4)
                .maxMr(24)
                .maxPd(6)
                .fastRegistration((form & 4) == 0)
                .atomics((form & 8) == 0);
        if (version == DeviceVersion.ROCEV1_VERSION) {
            builder.gidType(GidType.ROCE_V1);
        }
        if ((form & 12) == 12) {
            builder.cqSize(0);
        }
        return builder.build();
    }

    /** Takes a step, and gives it with the numbers that were drawn for it. */
    HostileStep take(HostileAction action, int guest, Draws draws) {
        DeviceFault.unless(!action.equals(plantedFault), "planted");
        try {
            action.by(guests.get(guest), draws);
        } catch (DeviceFault fault) {
            throw fault;
        } catch (AssertionError refused) {
            // what a driver that behaves may expect
        } catch (IndexOutOfBoundsException lost) {
            if (!guests.get(guest).lostTrack || !isOfTheDriver(lost)) {
                throw lost;
            }
            // its own memory was smaller than a field that was wrong had made it believe
        }
        if (++steps % LOOK_EVERY == 0) {
            look();
        }
        return new HostileStep(action, guest, draws.numbers());
    }

    private static boolean isOfTheDriver(Throwable thrown) {
        StackTraceElement[] trace = thrown.getStackTrace();
        return trace.length > 0 && trace[0].getClassName().startsWith(MockMemory.class.getName());
    }

    void take(HostileStep step) {
        take(step.action(), Math.floorMod(step.guest(), GUESTS), Draws.of(step.numbers()));
    }

    HostileGuest guest(int index) {
        return guests.get(index);
    }

    /** Notes something that the device has shown: what leads to new ones is worth keeping. */
    void saw(String what) {
        seen.add(what);
    }

    Set<String> seen() {
        return seen;
    }

    void leap(int exponent) {
        clock.advanceTo(clock.nanoTime() + (1L << exponent % WIDEST_LEAP));
        DeviceFault.unless(fabric.runDue(MOST_RUNS) < MOST_RUNS, "what falls due does not come to an end");
    }

    private void look() {
        for (HostileGuest guest : guests) {
            guest.assertSound();
        }
        bystanders.exchange();
    }

    /** The end: everything is still in order, and a reset leaves nothing behind. */
    void finish() {
        look();
        for (HostileGuest guest : guests) {
            guest.finish();
        }
        HostileGuest.assertTraffic(guests.get(0), guests.get(1));
        look();
    }

    @Override
    public void close() {
        guests.forEach(HostileGuest::close);
        bystanders.close();
    }
}
