// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;

/** What a hostile guest does that programs do: each method is one {@link HostileAction}. */
final class HostileProgram {

    private static long sum(long... elements) {
        long sum = 0;
        for (int i = 0; i < elements.length; i += 3) {
            sum += elements[i + 1] & 0xffff_ffffL;
        }
        return sum;
    }

    private static @Nullable MockQueuePair pairToPost(HostileGuest guest, Draws draws, boolean datagrams) {
        MockQueuePair pair = HostileGuest.any(guest.pairs, draws);
        return pair != null && (pair.type == QpType.RC) != datagrams && pair.freeSends() > 0 ? pair : null;
    }

    private static @Nullable MockRegion remote(HostileGuest guest, Draws draws) {
        return HostileGuest.any(guest.world.guest(draws.below(HostileWorld.GUESTS)).regions, draws);
    }

    static void ring(MockQueuePair pair, Draws draws) {
        if (!draws.oneIn(4)) {
            pair.ring();
        }
    }

    static void post(HostileGuest guest, Draws draws) {
        MockQueuePair pair = pairToPost(guest, draws, false);
        MockRegion remote = remote(guest, draws);
        if (pair != null && remote != null) {
            post(guest, pair, remote, draws);
        }
    }

    /** Posts a request for memory of a peer. */
    static void post(HostileGuest guest, MockQueuePair pair, MockRegion remote, Draws draws) {
        long[] elements = guest.elements(draws);
        pair.put(
                (int) draws.sometimes(draws.below(5)),
                draws.any(),
                draws.below(32),
                draws.sometimes(HostileGuest.place(remote, sum(elements), draws)),
                (int) draws.sometimes(remote.rkey()),
                (int) draws.any(),
                elements);
        ring(pair, draws);
    }

    static void postAtomic(HostileGuest guest, Draws draws) {
        MockQueuePair pair = pairToPost(guest, draws, false);
        MockRegion remote = remote(guest, draws);
        MockRegion local = HostileGuest.any(guest.regions, draws);
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

    static void postDatagram(HostileGuest guest, Draws draws) {
        MockQueuePair pair = pairToPost(guest, draws, true);
        if (pair == null) {
            return;
        }
        HostileGuest other = guest.world.guest(draws.below(HostileWorld.GUESTS));
        MockQueuePair to = HostileGuest.any(other.pairs, draws);
        pair.putDatagram(
                (int) draws.sometimes(WrOpcode.SEND + draws.below(2)),
                draws.any(),
                draws.below(32),
                (int) draws.any(),
                draws.sometimes(other.driver.gidLow),
                (int) draws.sometimes(to == null ? 1 : to.qpn),
                (int) draws.sometimes(HostileGuest.QKEY),
                guest.elements(draws));
        ring(pair, draws);
    }

    /** Fast registration and what takes it back. */
    static void postRegion(HostileGuest guest, Draws draws) {
        MockQueuePair pair = pairToPost(guest, draws, false);
        if (pair == null) {
            return;
        }
        MockRegion region = HostileGuest.any(guest.regions, draws);
        int key = (int) draws.sometimes(guest.fastKey != 0 || region == null ? guest.fastKey : region.rkey());
        switch (draws.below(3)) {
            case 0 ->
                pair.putFastRegistration(
                        draws.any(),
                        draws.any() & -MockMemory.PAGE,
                        draws.sometimes(guest.fastDirectory),
                        (int) draws.sometimes(HostileGuest.FAST_PAGES),
                        (int) draws.sometimes(draws.below(HostileGuest.FAST_PAGES * MockMemory.PAGE)),
                        draws.below(64),
                        key);
            case 1 -> pair.putInvalidate(WrOpcode.LOCAL_INV, draws.any(), key);
            default -> pair.putInvalidate(WrOpcode.SEND_WITH_INV, draws.any(), key, guest.elements(draws));
        }
        ring(pair, draws);
    }

    static void receive(HostileGuest guest, Draws draws) {
        MockQueuePair pair = HostileGuest.any(guest.pairs, draws);
        if (pair != null && !pair.sharesReceives) {
            pair.receive(draws.any(), guest.elements(draws));
        }
    }

    static void sharedReceive(HostileGuest guest, Draws draws) {
        MockSharedReceiveQueue queue = HostileGuest.any(guest.shared, draws);
        if (queue != null) {
            long[] elements = guest.elements(draws);
            queue.put(draws.any(), (int) draws.sometimes(elements.length / 3), elements);
        }
    }

    static void poll(HostileGuest guest, Draws draws) {
        MockCompletionQueue queue = HostileGuest.any(guest.queues, draws);
        for (int i = 0; queue != null && i < 64 && queue.waiting() > 0; i++) {
            Completion completion = queue.poll();
            DeviceFault.unless(
                    completion.status() >= WcStatus.SUCCESS && completion.status() <= WcStatus.GENERAL_ERR,
                    "no such status: " + completion);
            guest.world.saw("completion " + completion.opcode() + " " + completion.status());
        }
        guest.driver.notified();
        for (int event : guest.driver.events()) {
            guest.world.saw("event " + (event >>> 16));
        }
    }

    static void arm(HostileGuest guest, Draws draws) {
        MockCompletionQueue queue = HostileGuest.any(guest.queues, draws);
        if (queue != null) {
            if (draws.oneIn(2)) {
                queue.armSolicited();
            } else {
                queue.arm();
            }
        }
    }

    private HostileProgram() {}
}
