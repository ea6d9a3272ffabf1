// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;

/** Regions in memory that no segment stands for: that of another process. */
class ForeignMemoryTest {
    /** More than is moved at once. */
    private static final int LENGTH = 200_001;

    /** Nothing is aligned. */
    private static final int SKIP = 5;

    /** Longer than any acknowledge timeout. */
    private static final long AGES_NS = 20_000_000_000_000L;

    private final Arena arena = Arena.ofShared();
    private final Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
        arena.close();
    }

    private MockRegion region(MockDriver driver, int pd, boolean foreign) {
        driver.memory.nextIsForeign = foreign;
        MemorySegment memory = arena.allocate(LENGTH + 64L, 4096).asSlice(SKIP, LENGTH);
        return driver.register(pd, memory, MockQueuePair.ALL_ACCESS);
    }

    @ParameterizedTest
    @CsvSource({
        "true,  true,  RDMA_WRITE", "true,  false, RDMA_WRITE", "false, true,  RDMA_WRITE",
        "true,  true,  RDMA_READ", "true,  false, RDMA_READ", "false, true,  RDMA_READ",
        "true,  true,  SEND", "true,  false, SEND", "false, true,  SEND"
    })
    void messagesArriveWhole(boolean leftForeign, boolean rightForeign, String operation) {
        MockRegion left = region(pair.left, pair.leftPd, leftForeign);
        MockRegion right = region(pair.right, pair.rightPd, rightForeign);
        boolean read = operation.equals("RDMA_READ");
        MockRegion source = read ? right : left;
        MockRegion target = read ? left : right;
        source.fill(3);
        int length = LENGTH - 17;
        pair.rightQp.receive(9, right, 17, length);
        switch (operation) {
            case "RDMA_WRITE" -> pair.leftQp.write(1, left, 0, right, 17, length);
            case "RDMA_READ" ->
                pair.leftQp.post(
                        WrOpcode.RDMA_READ, 1, right.start(), right.rkey(), left.start() + 17, length, left.lkey());
            default -> pair.leftQp.post(WrOpcode.SEND, 1, 0, 0, left.start(), length, left.lkey());
        }
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        for (int i = 0; i < length; i++) {
            if (target.get(17L + i) != MockRegion.pattern(3, i)) {
                assertThat(target.get(17L + i)).as("byte %d", i).isEqualTo(MockRegion.pattern(3, i));
            }
        }
        assertThat(target.get(16)).as("the byte before").isZero();
    }

    @Test
    void atomicsSeeAndChangeIt() {
        MockRegion left = region(pair.left, pair.leftPd, true);
        MockRegion right = region(pair.right, pair.rightPd, true);
        int at = 8 - SKIP;
        right.setLong(at, 40);
        pair.leftQp.fetchAdd(1, left, 0, right, at, 2);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(right.getLong(at)).isEqualTo(42);
        assertThat(left.getLong(0)).as("what was there").isEqualTo(40);
        pair.leftQp.compareSwap(2, left, 0, right, at, 41, 7);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(right.getLong(at)).as("it was not 41").isEqualTo(42);
        pair.leftQp.compareSwap(3, left, 0, right, at, 42, 7);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(right.getLong(at)).isEqualTo(7);
        assertThat(left.getLong(0)).isEqualTo(42);
    }

    @Test
    void aTargetThatIsGoneIsARemoteAccessError() {
        MockRegion right = region(pair.right, pair.rightPd, true);
        pair.right.memory.foreignIsAlive = false;
        pair.leftQp.write(1, pair.leftMr, 0, right, 0, 100);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(pair.rightQp.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void aSourceThatIsGoneIsALocalProtectionError() {
        MockRegion left = region(pair.left, pair.leftPd, true);
        pair.left.memory.foreignIsAlive = false;
        pair.leftQp.write(1, left, 0, pair.rightMr, 0, 100);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(pair.rightQp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void anAtomicOnMemoryThatIsGoneIsARemoteAccessError() {
        MockRegion right = region(pair.right, pair.rightPd, true);
        pair.right.memory.foreignIsAlive = false;
        pair.leftQp.fetchAdd(1, pair.leftMr, 0, right, 8 - SKIP, 1);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** Its queue pair will be gone in a moment, so the peer must not hear of its memory: on hardware that stays until then. */
    @ParameterizedTest
    @ValueSource(strings = {"RDMA_WRITE", "RDMA_READ", "SEND", "ATOMIC_FETCH_AND_ADD"})
    void aPeerThatHasEndedDoesNotAnswer(String operation) {
        MockRegion left = region(pair.left, pair.leftPd, false);
        MockRegion right = region(pair.right, pair.rightPd, true);
        pair.rightQp.receive(9, right, 0, 100);
        pair.right.memory.foreignIsAlive = false;
        pair.right.memory.foreignHasEnded = true;
        switch (operation) {
            case "RDMA_WRITE" -> pair.leftQp.write(1, left, 0, right, 0, 100);
            case "RDMA_READ" ->
                pair.leftQp.post(WrOpcode.RDMA_READ, 1, right.start(), right.rkey(), left.start(), 100, left.lkey());
            case "SEND" -> pair.leftQp.post(WrOpcode.SEND, 1, 0, 0, left.start(), 100, left.lkey());
            default -> pair.leftQp.fetchAdd(1, left, 8 - SKIP, right, 8 - SKIP, 1);
        }
        assertThat(pair.leftCq.poll()).isNull();
        assertThat(pair.rightCq.poll()).isNull();
        assertThat(pair.rightQp.state()).isEqualTo(QpState.RTS);
        pair.rightQp.destroy();
        for (int i = 0; i < 8; i++) {
            pair.advanceNs(AGES_NS);
        }
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
    }
}
