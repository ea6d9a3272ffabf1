// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.DestroyBind;
import org.paraverbs.pvrdma.abi.DestroyPd;
import org.paraverbs.pvrdma.abi.ModifyQp;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.QueryPkey;
import org.paraverbs.pvrdma.abi.QueryPort;

/** What a hostile guest does that drivers do: each method is one {@link HostileAction}. */
final class HostileDriver {
    private static final int MOST_OBJECTS = 10;

    static void createPd(HostileGuest guest, Draws draws) {
        if (guest.domains.size() < MOST_OBJECTS) {
            guest.domains.add(draws.oneIn(2) ? guest.driver.createPd() : guest.driver.createUserPd());
        }
    }

    static void createCq(HostileGuest guest, Draws draws) {
        if (guest.queues.size() < MOST_OBJECTS) {
            guest.queues.add(guest.driver.createCq(1 << draws.below(9)));
        }
    }

    static void resizeCq(HostileGuest guest, Draws draws) {
        MockCompletionQueue queue = HostileGuest.any(guest.queues, draws);
        if (queue != null) {
            queue.resize((int) draws.sometimes(1L << draws.below(8)));
        }
    }

    static void createSrq(HostileGuest guest, Draws draws) {
        if (guest.shared.size() < MOST_OBJECTS) {
            guest.shared.add(guest.driver.createSrq(guest.domain(draws), 1 << draws.below(6), 1 + draws.below(3)));
        }
    }

    @SuppressWarnings("MustBeClosedChecker") // free() and close() do
    static void createMr(HostileGuest guest, Draws draws) {
        if (guest.regions.size() >= 2 * MOST_OBJECTS) {
            return;
        }
        int pd = guest.domain(draws);
        int length = 1 + draws.below(HostileGuest.REGION);
        int access = draws.oneIn(3) ? draws.below(64) : MockQueuePair.ALL_ACCESS;
        guest.driver.memory.scattered = draws.oneIn(2);
        try {
            if (draws.oneIn(4)) {
                if (guest.shortLived == null) {
                    guest.shortLived = Arena.ofShared();
                }
                guest.regions.add(guest.driver.withMemory(
                        guest.shortLived,
                        () -> guest.driver.createMr(pd, length, draws.below(MockMemory.PAGE), access)));
            } else {
                guest.regions.add(guest.driver.createMr(pd, length, draws.below(MockMemory.PAGE), access));
            }
        } finally {
            guest.driver.memory.scattered = false;
        }
    }

    static void createQp(HostileGuest guest, Draws draws) {
        MockCompletionQueue sends = HostileGuest.any(guest.queues, draws);
        MockCompletionQueue receives = HostileGuest.any(guest.queues, draws);
        if (sends == null || receives == null || guest.pairs.size() >= MOST_OBJECTS) {
            return;
        }
        MockQueuePair pair = guest.driver.createQp(
                draws.oneIn(4) ? QpType.UD : QpType.RC,
                guest.domain(draws),
                sends,
                receives,
                draws.oneIn(4) ? HostileGuest.any(guest.shared, draws) : null,
                1 << draws.below(5),
                1 + draws.below(3));
        pair.timeout = draws.below(12);
        pair.retryCount = draws.below(8);
        pair.rnrRetry = draws.below(8);
        pair.minRnrTimer = draws.below(32);
        pair.maxReads = draws.below(17);
        pair.maxReadsAsTarget = draws.below(17);
        pair.sendPsn = (int) draws.sometimes(100);
        guest.pairs.add(pair);
    }

    /** The kernel's queue pair for general services; and, where there is fast registration, its region. */
    static void createGsi(HostileGuest guest, Draws draws) {
        MockCompletionQueue queue = HostileGuest.any(guest.queues, draws);
        if (queue == null || guest.pairs.size() >= MOST_OBJECTS) {
            return;
        }
        int pd = guest.driver.createPd();
        guest.domains.add(pd);
        if (draws.oneIn(2)) {
            guest.pairs.add(guest.driver.createQp(QpType.GSI, pd, queue, queue, null, 8, 2));
            return;
        }
        guest.pairs.add(guest.driver.createQp(QpType.RC, pd, queue, queue, null, 8, 2));
        MockMemory.Pages pages = guest.driver.memory.pages(HostileGuest.FAST_PAGES);
        guest.lostTrack = true;
        guest.fastDirectory = guest.driver.memory.directory(pages.addresses());
        guest.fastKey = CreateMr.Response.rkey(
                guest.driver.succeed(CommandCode.CREATE_MR, s -> {
                    CreateMr.pdHandle(s, 0, pd);
                    CreateMr.flags(s, 0, CreateMr.FLAG_FRMR);
                    CreateMr.nchunks(s, 0, HostileGuest.FAST_PAGES);
                }),
                0);
    }

    static void destroyPd(HostileGuest guest, Draws draws) {
        if (!guest.domains.isEmpty()) {
            Integer handle = guest.domains.get(draws.below(guest.domains.size()));
            if (guest.driver.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, handle)) == 0) {
                guest.domains.removeIf(handle::equals);
            }
        }
    }

    static void destroyCq(HostileGuest guest, Draws draws) {
        MockCompletionQueue queue = HostileGuest.any(guest.queues, draws);
        if (queue != null && queue.destroy() == 0) {
            guest.queues.remove(queue);
        }
    }

    static void destroySrq(HostileGuest guest, Draws draws) {
        MockSharedReceiveQueue queue = HostileGuest.any(guest.shared, draws);
        if (queue != null && queue.destroy() == 0) {
            guest.shared.remove(queue);
        }
    }

    static void destroyMr(HostileGuest guest, Draws draws) {
        MockRegion region = HostileGuest.any(guest.regions, draws);
        if (region != null && guest.driver.destroyMr(region.handle()) == 0) {
            guest.regions.remove(region);
        }
    }

    /** Nothing of a queue pair that is gone may come afterwards. */
    static void destroyQp(HostileGuest guest, Draws draws) {
        MockQueuePair pair = HostileGuest.any(guest.pairs, draws);
        if (pair == null) {
            return;
        }
        guest.stopScribbling();
        if (pair.destroy() == 0) {
            guest.pairs.remove(pair);
            pair.ring();
        }
    }

    static void connect(HostileGuest guest, Draws draws) {
        MockQueuePair pair = HostileGuest.any(guest.pairs, draws);
        if (pair == null) {
            return;
        }
        HostileGuest other = guest.world.guest(draws.below(HostileWorld.GUESTS));
        MockQueuePair peer = HostileGuest.any(other.pairs, draws);
        pair.toState(0);
        if (pair.type != QpType.RC) {
            pair.ready((int) draws.sometimes(HostileGuest.QKEY), pair.type == QpType.GSI);
            return;
        }
        if (peer == null || draws.oneIn(8)) {
            peer = guest.world.bystanders.leftQp; // which does not name us
        }
        pair.toInit();
        pair.toReadyToReceive(
                MockDriver.GID_HIGH, draws.sometimes(peer.driver.gidLow), (int) draws.sometimes(peer.qpn));
        pair.toReadyToSend();
        if (peer != pair && peer.type == QpType.RC && other.pairs.contains(peer) && !draws.oneIn(4)) {
            peer.toState(0);
            peer.toInit();
            peer.toReadyToReceive(MockDriver.GID_HIGH, guest.driver.gidLow, pair.qpn);
            peer.toReadyToSend();
            for (int i = draws.below(4); i > 0 && !peer.sharesReceives; i--) {
                peer.receive(draws.any(), other.elements(draws));
            }
            MockRegion remote = HostileGuest.any(other.regions, draws);
            for (int i = draws.below(5); i > 0 && remote != null && pair.freeSends() > 0; i--) {
                HostileProgram.post(guest, pair, remote, draws);
            }
        }
    }

    static void modify(HostileGuest guest, Draws draws) {
        MockQueuePair pair = HostileGuest.any(guest.pairs, draws);
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

    static void bind(HostileGuest guest, Draws draws) {
        int index = (int) draws.sometimes(draws.below(2));
        if (draws.oneIn(4)) {
            guest.driver.command(CommandCode.DESTROY_BIND, s -> {
                DestroyBind.index(s, 0, index);
                DestroyBind.destGidHigh(s, 0, MockDriver.GID_HIGH);
                DestroyBind.destGidLow(s, 0, guest.driver.gidLow);
            });
        } else if (draws.oneIn(8)) {
            guest.driver.bind(
                    index, MockDriver.GID_HIGH, guest.world.bystanders.left.gidLow); // an address that is taken
        } else {
            guest.driver.bind(index, MockDriver.GID_HIGH, guest.driver.gidLow);
        }
    }

    static void query(HostileGuest guest, Draws draws) {
        switch (draws.below(4)) {
            case 0 ->
                guest.driver.command(CommandCode.QUERY_PORT, s -> QueryPort.portNum(s, 0, (byte) draws.sometimes(1)));
            case 1 ->
                guest.driver.command(CommandCode.QUERY_PKEY, s -> {
                    QueryPkey.portNum(s, 0, (byte) draws.sometimes(1));
                    QueryPkey.index(s, 0, (byte) draws.sometimes(0));
                });
            case 2 -> {
                MockQueuePair pair = HostileGuest.any(guest.pairs, draws);
                if (pair != null) {
                    guest.world.saw("queue pair " + pair.type + " in state " + pair.state());
                }
            }
            default -> {
                MockSharedReceiveQueue queue = HostileGuest.any(guest.shared, draws);
                if (queue != null) {
                    queue.query();
                    queue.arm(draws.below(40));
                }
            }
        }
    }

    static void reset(HostileGuest guest, Draws draws) {
        if (draws.oneIn(4)) {
            guest.restart();
        }
    }

    private HostileDriver() {}
}
