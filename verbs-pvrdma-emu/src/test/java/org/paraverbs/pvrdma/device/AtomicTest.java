// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.SharedRegion;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WcOpcode;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.contract.Covers;

/** Compare-and-swap and fetch-and-add, and the depth that they share with READs. */
class AtomicTest {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    /** Where a word of the right region is aligned. */
    private static final long AT = 8 - 77 % 8;

    private Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
    }

    private void rebuild(Pair other) {
        pair.close();
        pair = other;
    }

    private void assertCompleted(long wrId, int opcode) {
        assertThat(pair.leftCq.poll())
                .isEqualTo(
                        new Completion(wrId, pair.leftQp.handle, opcode, WcStatus.SUCCESS, 8, 0, pair.rightQp.qpn, 0));
    }

    private void assertRefused(int status, int event) {
        Completion completion = pair.leftCq.poll();
        assertThat(completion.status()).isEqualTo(status);
        assertThat(pair.leftQp.state()).isEqualTo(QpState.ERR);
        assertThat(pair.rightQp.state()).isEqualTo(QpState.ERR);
        assertThat(pair.right.events()).containsExactly(MockDriver.event(event, pair.rightQp.handle));
    }

    private void assertFailedLocally(int status) {
        assertThat(pair.leftCq.poll().status()).isEqualTo(status);
        assertThat(pair.leftQp.state()).isEqualTo(QpState.ERR);
        assertThat(pair.rightQp.state()).isEqualTo(QpState.RTS);
        assertThat(pair.right.events()).isEmpty();
    }

    @Test
    @Covers.WorkRequest("ATOMIC_FETCH_AND_ADD")
    void fetchAndAdd() {
        pair.rightMr.setLong(AT, 40);
        pair.leftQp.fetchAdd(1, pair.leftMr, 3, pair.rightMr, AT, 2);
        assertCompleted(1, WcOpcode.FETCH_ADD);
        assertThat(pair.rightMr.getLong(AT)).isEqualTo(42);
        assertThat(pair.leftMr.getLong(3)).as("what was there").isEqualTo(40);
    }

    @Test
    @Covers.WorkRequest("ATOMIC_FETCH_AND_ADD")
    void fetchAndAddWrapsAround() {
        pair.rightMr.setLong(AT, -1);
        pair.leftQp.fetchAdd(1, pair.leftMr, 0, pair.rightMr, AT, 5);
        assertCompleted(1, WcOpcode.FETCH_ADD);
        assertThat(pair.rightMr.getLong(AT)).isEqualTo(4);
    }

    @Test
    @Covers.WorkRequest("ATOMIC_CMP_AND_SWP")
    void compareAndSwap() {
        pair.rightMr.setLong(AT, 7);
        pair.leftQp.compareSwap(1, pair.leftMr, 0, pair.rightMr, AT, 6, 100);
        assertCompleted(1, WcOpcode.COMP_SWAP);
        assertThat(pair.rightMr.getLong(AT)).as("not as expected").isEqualTo(7);
        assertThat(pair.leftMr.getLong(0)).isEqualTo(7);
        pair.leftQp.compareSwap(2, pair.leftMr, 8, pair.rightMr, AT, 7, 100);
        assertCompleted(2, WcOpcode.COMP_SWAP);
        assertThat(pair.rightMr.getLong(AT)).isEqualTo(100);
        assertThat(pair.leftMr.getLong(8)).isEqualTo(7);
    }

    /** More than may be under way, of both kinds, and none overtakes another. */
    @Test
    void atomicsAndReadsKeepTheirOrder() {
        rebuild(new Pair(p -> p.leftQp.maxReads = 2));
        pair.rightMr.setLong(AT, 0);
        for (int i = 0; i < 12; i++) {
            long local = pair.leftMr.start() + i * 8L;
            if (i % 2 == 0) {
                pair.leftQp.putAtomic(
                        WrOpcode.ATOMIC_FETCH_AND_ADD,
                        i,
                        pair.rightMr.start() + AT,
                        pair.rightMr.rkey(),
                        1,
                        0,
                        local,
                        8,
                        pair.leftMr.lkey());
            } else {
                pair.leftQp.put(
                        WrOpcode.RDMA_READ,
                        i,
                        SendFlags.SIGNALED,
                        pair.rightMr.start() + AT,
                        pair.rightMr.rkey(),
                        0,
                        local,
                        8,
                        pair.leftMr.lkey());
            }
        }
        pair.leftQp.ring();
        for (int i = 0; i < 12; i++) {
            assertCompleted(i, i % 2 == 0 ? WcOpcode.FETCH_ADD : WcOpcode.RDMA_READ);
            assertThat(pair.leftMr.getLong(i * 8L)).as("request %d", i).isEqualTo((i + 1) / 2);
        }
    }

    @Test
    void theResultIsScatteredOverTwoElements() {
        pair.rightMr.setLong(AT, 0x0807_0605_0403_0201L);
        long remote = pair.rightMr.start() + AT;
        long local = pair.leftMr.start();
        MemorySegment place = pair.leftQp.nextSend();
        pair.leftQp.put(
                WrOpcode.ATOMIC_FETCH_AND_ADD,
                1,
                SendFlags.SIGNALED,
                remote,
                0,
                0,
                local,
                3,
                pair.leftMr.lkey(),
                local + 100,
                5,
                pair.leftMr.lkey());
        SqWqe.atomicCompareAdd(place, 0, 0);
        SqWqe.atomicRkey(place, 0, pair.rightMr.rkey());
        pair.leftQp.ring();
        assertCompleted(1, WcOpcode.FETCH_ADD);
        assertThat(pair.leftMr.get(2)).isEqualTo((byte) 3);
        assertThat(pair.leftMr.get(100)).isEqualTo((byte) 4);
        assertThat(pair.leftMr.get(104)).isEqualTo((byte) 8);
    }

    // --- refusals

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 7})
    @Covers.Event(AsyncEventType.QUEUE_PAIR_REQUEST_ERROR)
    void aTargetThatIsNotAligned(int off) {
        pair.leftQp.fetchAdd(1, pair.leftMr, 0, pair.rightMr, AT + off, 1);
        assertRefused(WcStatus.REM_INV_REQ_ERR, EventType.QP_REQ_ERR);
    }

    @Test
    @Covers.Event(AsyncEventType.QUEUE_PAIR_ACCESS_ERROR)
    void aRegionThatAllowsNoAtomics() {
        MockRegion mr = pair.right.createMr(
                pair.rightPd,
                100,
                0,
                AccessFlags.ACCESS_LOCAL_WRITE | AccessFlags.ACCESS_REMOTE_READ | AccessFlags.ACCESS_REMOTE_WRITE);
        pair.leftQp.fetchAdd(1, pair.leftMr, 0, mr, 0, 1);
        assertRefused(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);
    }

    @Test
    void aQueuePairThatAllowsNoAtomics() {
        rebuild(new Pair(p -> p.rightQp.access = AccessFlags.ACCESS_REMOTE_READ | AccessFlags.ACCESS_REMOTE_WRITE));
        pair.leftQp.compareSwap(1, pair.leftMr, 0, pair.rightMr, AT, 1, 1);
        assertRefused(WcStatus.REM_INV_REQ_ERR, EventType.QP_REQ_ERR);
    }

    @Test
    void aTargetThatEndsBeyondTheRegion() {
        long last = (Pair.REGION - AT) / 8 * 8 + AT;
        pair.leftQp.fetchAdd(1, pair.leftMr, 0, pair.rightMr, last, 1);
        assertRefused(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);
    }

    @Test
    void aTargetFreedUnderItsRegistration() {
        MockRegion mr;
        try (Arena arena = Arena.ofShared()) {
            mr = pair.right.register(pair.rightPd, arena.allocate(100, 8), MockQueuePair.ALL_ACCESS);
        }
        pair.leftQp.fetchAdd(1, pair.leftMr, 0, mr, 0, 1);
        assertRefused(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 7, 9, 16})
    void aLocalBufferThatIsNotEightBytes(int length) {
        pair.rightMr.setLong(AT, 1);
        pair.leftQp
                .putAtomic(
                        WrOpcode.ATOMIC_FETCH_AND_ADD,
                        1,
                        pair.rightMr.start() + AT,
                        pair.rightMr.rkey(),
                        1,
                        0,
                        pair.leftMr.start(),
                        length,
                        pair.leftMr.lkey())
                .ring();
        assertFailedLocally(WcStatus.LOC_LEN_ERR);
        assertThat(pair.rightMr.getLong(AT)).isEqualTo(1);
    }

    @Test
    void aLocalBufferThatMayNotBeWritten() {
        MockRegion readOnly = pair.left.createMr(pair.leftPd, 100, 0, 0);
        pair.leftQp.fetchAdd(1, readOnly, 0, pair.rightMr, AT, 1);
        assertFailedLocally(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void aQueuePairWithoutDepth() {
        rebuild(new Pair(p -> p.leftQp.maxReads = 0));
        pair.leftQp.fetchAdd(1, pair.leftMr, 0, pair.rightMr, AT, 1);
        assertFailedLocally(WcStatus.LOC_QP_OP_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.ATOMIC_FETCH_AND_ADD})
    void aDeviceWithoutAtomics(int opcode) {
        rebuild(new Pair(DeviceConfiguration.builder().atomics(false).build(), false, p -> {}));
        assertThat(DeviceCaps.atomicOps(pair.left.sharedRegion.segments()[0], SharedRegion.CAPS_OFFSET))
                .isZero();
        pair.leftQp.post(
                opcode, 1, pair.rightMr.start() + AT, pair.rightMr.rkey(), pair.leftMr.start(), 8, pair.leftMr.lkey());
        assertFailedLocally(WcStatus.LOC_QP_OP_ERR);
    }

    @Test
    void theCapabilityIsTold() {
        assertThat(DeviceCaps.atomicOps(pair.left.sharedRegion.segments()[0], SharedRegion.CAPS_OFFSET))
                .isEqualTo(DeviceCaps.ATOMIC_COMP_SWAP | DeviceCaps.ATOMIC_FETCH_ADD);
    }

    // --- depth

    private void postReads(int count) {
        for (int i = 0; i < count; i++) {
            pair.leftQp.put(
                    WrOpcode.RDMA_READ,
                    i,
                    SendFlags.SIGNALED,
                    pair.rightMr.start(),
                    pair.rightMr.rkey(),
                    0,
                    pair.leftMr.start(),
                    8,
                    pair.leftMr.lkey());
        }
        pair.leftQp.ring();
    }

    @Test
    @Covers.Limit("DeviceLimits.maxReads")
    void moreUnderWayThanTheResponderHasResourcesFor() {
        rebuild(new Pair(p -> p.rightQp.maxReadsAsTarget = 2));
        postReads(4);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertRefused(WcStatus.REM_INV_REQ_ERR, EventType.QP_REQ_ERR);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
    }

    @Test
    void theRequesterKeepsToItsOwnDepth() {
        rebuild(new Pair(p -> {
            p.leftQp.maxReads = 2;
            p.rightQp.maxReadsAsTarget = 2;
        }));
        postReads(10);
        for (int i = 0; i < 10; i++) {
            assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        }
    }

    // --- once, and atomically

    /** The requester starts over with the number that it used before, which makes what it sends a repetition. */
    private void startOver(int psn) {
        assertThat(pair.leftQp.toState(QpState.RESET)).isZero();
        pair.leftQp.sendPsn = psn;
        pair.leftQp.timeout = 1;
        pair.leftQp.retryCount = 0;
        pair.leftQp.connect(pair.rightQp);
    }

    @Test
    void aRepeatedAtomicIsExecutedOnce() {
        pair.rightMr.setLong(AT, 10);
        for (int i = 0; i < 3; i++) {
            startOver(100);
            pair.leftMr.setLong(0, -1);
            pair.leftQp.fetchAdd(i, pair.leftMr, 0, pair.rightMr, AT, 5);
            assertCompleted(i, WcOpcode.FETCH_ADD);
            assertThat(pair.rightMr.getLong(AT)).isEqualTo(15);
            assertThat(pair.leftMr.getLong(0)).isEqualTo(10);
        }
        pair.leftQp.fetchAdd(3, pair.leftMr, 0, pair.rightMr, AT, 5);
        assertCompleted(3, WcOpcode.FETCH_ADD);
        assertThat(pair.rightMr.getLong(AT)).isEqualTo(20);
    }

    @Test
    void aRepetitionThatNobodyRemembersIsDropped() {
        pair.rightMr.setLong(AT, 10);
        startOver(90);
        pair.leftQp.fetchAdd(1, pair.leftMr, 0, pair.rightMr, AT, 5);
        assertThat(pair.leftCq.poll()).isNull();
        pair.advanceNs(10_000);
        assertFailedLocally(WcStatus.RETRY_EXC_ERR);
        assertThat(pair.rightMr.getLong(AT)).isEqualTo(10);
    }

    /** Both sides add to the same word, and so does a thread of the program. */
    @Test
    @Timeout(60)
    void noAdditionIsLost() throws InterruptedException {
        int rounds = 20_000;
        MemorySegment word = pair.right.arena.allocate(8, 8);
        MockRegion mr = pair.right.register(pair.rightPd, word, MockQueuePair.ALL_ACCESS);
        Thread program = new Thread(() -> {
            for (int i = 0; i < rounds; i++) {
                WORD.getAndAdd(word, 0L, 1L);
            }
        });
        program.start();
        for (int i = 0; i < rounds; i++) {
            pair.leftQp.fetchAdd(i, pair.leftMr, 0, mr, 0, 1);
            assertThat(pair.leftCq.waiting()).isEqualTo(1);
            pair.leftCq.skip();
        }
        program.join();
        assertThat((long) WORD.getVolatile(word, 0L)).isEqualTo(2L * rounds);
    }
}
