// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.Cqne;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.Eqe;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpAttrMask;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.RingState;

/** The notification rings, and what interrupts lead to. */
class InterruptTest {

    /** 1536 events and 3072 handles fit, but the arithmetic of powers of two makes rings of 512 and 1024. */
    @Test
    void theDriversArithmeticMakesSmallerRings() {
        assertThat(walk(Eqe.SIZE)).isEqualTo(512);
        assertThat(walk(Cqne.SIZE)).isEqualTo(1024);
    }

    /** Puts elements one by one, as a device with the same arithmetic, and says after how many the slots repeat. */
    private static int walk(int elementSize) {
        try (Arena arena = Arena.ofShared()) {
            NotificationRing ring = new NotificationRing(arena.allocate(4 * 4096L, 4096), elementSize);
            int slots = 3 * 4096 / elementSize;
            List<Long> read = new ArrayList<>();
            int tail = 0;
            for (int i = 0; i < 5_000; i++) {
                tail = RingState.next(tail, slots);
                RingState.publishProdTail(ring.memory(), RingState.RX_OFFSET, tail);
                ring.drain((memory, at) -> read.add(at));
            }
            assertThat(read).hasSize(5_000).allMatch(at -> at >= PageDirectory.PAGE_SIZE && at < 4 * 4096);
            return read.subList(1, read.size()).indexOf(read.get(0)) + 1;
        }
    }

    @Test
    void aCorruptRingIsNotRead() {
        try (Arena arena = Arena.ofShared()) {
            NotificationRing ring = new NotificationRing(arena.allocate(4 * 4096L, 4096), Cqne.SIZE);
            MemorySegment memory = ring.memory();
            List<Long> read = new ArrayList<>();
            for (int bad : new int[] {-1, 6144, Integer.MIN_VALUE}) {
                RingState.publishProdTail(memory, RingState.RX_OFFSET, bad);
                ring.drain((m, at) -> read.add(at));
            }
            assertThat(read).isEmpty();
            // an index that a sound device never has, though it is none of those that are out of range: bounded all the
            // same
            RingState.publishProdTail(memory, RingState.RX_OFFSET, 0x1000);
            ring.drain((m, at) -> read.add(at));
            assertThat(read).hasSizeLessThanOrEqualTo(3072);
        }
    }

    @Test
    void completionsGoToTheQueueThatWasArmedThroughManyTurnsOfTheRing() {
        try (DriverFixture fixture = new DriverFixture()) {
            UserContext context = fixture.driver.openContext(fixture.events);
            int domain = fixture.driver.createProtectionDomain(context.handle());
            int[] told = new int[2];
            MemorySegment ring = fixture.pages(3);
            int queue = fixture.driver
                    .createCompletionQueue(context.handle(), 64, ring, 0, () -> told[0]++)
                    .handle();
            fixture.driver.createCompletionQueue(context.handle(), 64, fixture.pages(2), 0, () -> told[1]++);
            MemorySegment rings = fixture.pages(3);
            CreatedQueuePair pair = fixture.driver.createQueuePair(DriverFixture.request(domain, queue), rings, 1);
            toError(fixture, pair);
            int rounds = 3_000;
            for (int i = 1; i <= rounds; i++) {
                fixture.bars.writeUar(context.uarPage(), Doorbell.CQ_OFFSET, Doorbell.CQ_ARM | queue);
                // a receive in ERR is flushed at once, which is a completion
                RingState.publishProdTail(rings, RingState.RX_OFFSET, i & 63);
                fixture.bars.writeUar(context.uarPage(), Doorbell.QP_OFFSET, Doorbell.QP_RECV | pair.handle());
                RingState.publishConsHead(ring, RingState.RX_OFFSET, RingState.prodTail(ring, RingState.RX_OFFSET));
                assertThat(told[0]).as("notifications after %d completions", i).isEqualTo(i);
            }
            assertThat(told[1]).as("the queue that nothing happened to").isZero();
        }
    }

    private static void toError(DriverFixture fixture, CreatedQueuePair pair) {
        MemorySegment attributes = MemorySegment.ofArray(new byte[QpAttr.SIZE]);
        QpAttr.qpState(attributes, 0, QpState.INIT);
        QpAttr.portNum(attributes, 0, 1);
        fixture.driver.modifyQueuePair(
                pair.handle(),
                QpAttrMask.STATE | QpAttrMask.PORT | QpAttrMask.PKEY_INDEX | QpAttrMask.ACCESS_FLAGS,
                attributes);
        QpAttr.qpState(attributes, 0, QpState.ERR);
        fixture.driver.modifyQueuePair(pair.handle(), QpAttrMask.STATE, attributes);
    }

    @Test
    void anOverrunIsToldToTheContextThatOwnsTheQueue() {
        try (DriverFixture fixture = new DriverFixture()) {
            DriverFixture.Events others = new DriverFixture.Events();
            fixture.driver.openContext(others);
            UserContext context = fixture.driver.openContext(fixture.events);
            int domain = fixture.driver.createProtectionDomain(context.handle());
            int queue = fixture.driver
                    .createCompletionQueue(context.handle(), 1, fixture.pages(2), 0, null)
                    .handle();
            MemorySegment rings = fixture.pages(3);
            CreatedQueuePair pair = fixture.driver.createQueuePair(DriverFixture.request(domain, queue), rings, 1);
            toError(fixture, pair);
            RingState.publishProdTail(rings, RingState.RX_OFFSET, 2);
            fixture.bars.writeUar(context.uarPage(), Doorbell.QP_OFFSET, Doorbell.QP_RECV | pair.handle());

            assertThat(fixture.events.told).contains("CQ " + queue + ": 0");
            assertThat(others.told).isEmpty();
        }
    }
}
