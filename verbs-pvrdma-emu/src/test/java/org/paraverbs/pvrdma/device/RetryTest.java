// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.DestroyBind;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;

/** What happens again, when, and how often, on a clock that the test moves. */
class RetryTest {
    private static final long RNR_12_NS = 640_000;
    private static final long TIMEOUT_10_NS = 4096L << 10;

    private Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
    }

    private void rebuild(Pair other) {
        pair.close();
        pair = other;
    }

    private int statusOf(MockCompletionQueue cq, long wrId) {
        Completion completion = cq.poll();
        assertThat(completion).isNotNull();
        assertThat(completion.wrId()).isEqualTo(wrId);
        return completion.status();
    }

    // --- no receive

    @Test
    void aSendWaitsForTheReceiversTimeAndThenGoesThrough() {
        pair.leftQp.send(1, pair.leftMr.fill(6), 0, 100);
        assertThat(pair.leftCq.poll()).isNull();
        assertThat(pair.left.device.deadlineNs()).isEqualTo(RNR_12_NS);
        pair.rightQp.receive(2, pair.rightMr, 0, 100);
        pair.advanceNs(RNR_12_NS - 1);
        assertThat(pair.leftCq.poll()).isNull();
        pair.advanceNs(1);
        assertThat(statusOf(pair.leftCq, 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(statusOf(pair.rightCq, 2)).isEqualTo(WcStatus.SUCCESS);
        assertThat(pair.rightMr.get(99)).isEqualTo(MockRegion.pattern(6, 99));
        assertThat(pair.left.device.deadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 6})
    void aSendGivesUpAfterItsRnrRetries(int retries) {
        rebuild(new Pair(p -> p.leftQp.rnrRetry = retries));
        pair.leftQp.send(1, pair.leftMr, 0, 100);
        for (int i = 0; i < retries; i++) {
            assertThat(pair.leftCq.poll()).isNull();
            pair.advanceNs(RNR_12_NS);
        }
        assertThat(statusOf(pair.leftCq, 1)).isEqualTo(WcStatus.RNR_RETRY_EXC_ERR);
        assertThat(pair.leftQp.state()).isEqualTo(QpState.ERR);
        assertThat(pair.rightQp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void sevenRnrRetriesAreWithoutEnd() {
        pair.leftQp.send(1, pair.leftMr, 0, 100);
        for (int i = 0; i < 100; i++) {
            pair.advanceNs(RNR_12_NS);
        }
        assertThat(pair.leftCq.poll()).isNull();
        pair.rightQp.receive(2, pair.rightMr, 0, 100);
        pair.advanceNs(RNR_12_NS);
        assertThat(statusOf(pair.leftCq, 1)).isEqualTo(WcStatus.SUCCESS);
    }

    @Test
    void rnrRetriesAreCountedAnewForEachMessage() {
        rebuild(new Pair(p -> p.leftQp.rnrRetry = 1));
        for (int i = 0; i < 5; i++) {
            pair.leftQp.send(i, pair.leftMr, 0, 10);
            pair.rightQp.receive(i, pair.rightMr, 0, 100);
            pair.advanceNs(RNR_12_NS);
            assertThat(statusOf(pair.leftCq, i)).isEqualTo(WcStatus.SUCCESS);
        }
    }

    @Test
    void requestsBehindOneThatWaitsKeepTheirOrder() {
        pair.leftMr.fill(1);
        pair.leftQp.put(WrOpcode.SEND, 1, SendFlags.SIGNALED, 0, 0, 0, pair.leftMr.start(), 8, pair.leftMr.lkey());
        pair.leftQp.put(
                WrOpcode.RDMA_WRITE,
                2,
                SendFlags.SIGNALED,
                pair.rightMr.start() + 500,
                pair.rightMr.rkey(),
                0,
                pair.leftMr.start(),
                8,
                pair.leftMr.lkey());
        pair.leftQp.put(
                WrOpcode.RDMA_READ,
                3,
                SendFlags.SIGNALED,
                pair.rightMr.start(),
                pair.rightMr.rkey(),
                0,
                pair.leftMr.start() + 100,
                8,
                pair.leftMr.lkey());
        pair.leftQp.ring();
        assertThat(pair.rightMr.get(507)).as("not written before the SEND").isZero();
        pair.rightQp.receive(4, pair.rightMr, 0, 8);
        pair.advanceNs(RNR_12_NS);
        for (int id = 1; id <= 3; id++) {
            assertThat(statusOf(pair.leftCq, id)).isEqualTo(WcStatus.SUCCESS);
        }
        assertThat(pair.leftMr.get(107)).isEqualTo(MockRegion.pattern(1, 7));
        assertThat(pair.rightMr.get(507)).isEqualTo(MockRegion.pattern(1, 7));
    }

    @Test
    void aWriteWithImmediateWaitsForAReceiveToo() {
        pair.leftMr.fill(1);
        pair.leftQp.post(
                WrOpcode.RDMA_WRITE_WITH_IMM,
                1,
                pair.rightMr.start(),
                pair.rightMr.rkey(),
                pair.leftMr.start(),
                8,
                pair.leftMr.lkey());
        assertThat(pair.rightMr.get(7)).isZero();
        pair.rightQp.receive(2);
        pair.advanceNs(RNR_12_NS);
        assertThat(statusOf(pair.leftCq, 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(statusOf(pair.rightCq, 2)).isEqualTo(WcStatus.SUCCESS);
    }

    // --- nobody there

    private void assertGivesUpAfter(int retries) {
        for (int i = 0; i < retries; i++) {
            pair.advanceNs(TIMEOUT_10_NS);
            assertThat(pair.leftCq.poll()).as("after timeout %d", i + 1).isNull();
        }
        pair.advanceNs(TIMEOUT_10_NS - 1);
        assertThat(pair.leftCq.poll()).isNull();
        pair.advanceNs(1);
        assertThat(statusOf(pair.leftCq, 1)).isEqualTo(WcStatus.RETRY_EXC_ERR);
        assertThat(pair.leftQp.state()).isEqualTo(QpState.ERR);
    }

    private static Pair impatient(int retries) {
        return new Pair(p -> {
            p.leftQp.timeout = 10;
            p.leftQp.retryCount = retries;
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7})
    void aDestroyedPeerIsGivenUpAfterTimeoutsTimesRetries(int retries) {
        rebuild(impatient(retries));
        assertThat(pair.rightQp.destroy()).isZero();
        pair.leftQp.write(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        assertGivesUpAfter(retries);
    }

    @Test
    void aClosedDeviceIsGivenUp() {
        rebuild(impatient(2));
        pair.right.device.close();
        pair.leftQp.write(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        assertGivesUpAfter(2);
    }

    @Test
    void aPeerInErrorIsGivenUp() {
        rebuild(impatient(2));
        assertThat(pair.rightQp.toState(QpState.ERR)).isZero();
        pair.leftQp.write(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        assertGivesUpAfter(2);
    }

    @Test
    void aPeerThatWasResetIsGivenUp() {
        rebuild(impatient(2));
        assertThat(pair.rightQp.toState(QpState.RESET)).isZero();
        pair.leftQp.write(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        assertGivesUpAfter(2);
    }

    @Test
    void aPeerWhoseGidIsGoneIsGivenUp() {
        rebuild(impatient(2));
        assertThat(pair.right.command(CommandCode.DESTROY_BIND, s -> {
                    DestroyBind.index(s, 0, 0);
                    DestroyBind.destGidHigh(s, 0, MockDriver.GID_HIGH);
                    DestroyBind.destGidLow(s, 0, pair.right.gidLow);
                }))
                .isZero();
        pair.leftQp.write(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        assertGivesUpAfter(2);
    }

    @Test
    void aPeerThatIsConnectedToSomebodyElseDoesNotAnswer() {
        rebuild(impatient(2));
        MockQueuePair third = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 8, 1);
        third.timeout = 10;
        third.retryCount = 2;
        third.connect(pair.rightQp);
        third.write(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        for (int i = 0; i < 3; i++) {
            assertThat(pair.leftCq.poll()).isNull();
            pair.advanceNs(TIMEOUT_10_NS);
        }
        assertThat(statusOf(pair.leftCq, 1)).isEqualTo(WcStatus.RETRY_EXC_ERR);
        assertThat(pair.rightQp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void withoutATimeoutARequestWaitsForEver() {
        rebuild(new Pair(p -> p.leftQp.timeout = 0));
        pair.rightQp.destroy();
        pair.leftQp.write(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        pair.advanceNs(1L << 60);
        assertThat(pair.leftCq.poll()).isNull();
        assertThat(pair.left.device.deadlineNs()).isEqualTo(Long.MAX_VALUE);
        assertThat(pair.leftQp.toState(QpState.ERR)).isZero();
        assertThat(statusOf(pair.leftCq, 1)).isEqualTo(WcStatus.WR_FLUSH_ERR);
    }

    @Test
    void aPeerThatComesInTimeIsReached() {
        MockQueuePair one = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 8, 1);
        MockQueuePair two = pair.right.createQp(pair.rightPd, pair.rightCq, pair.rightCq, 8, 1);
        one.timeout = 10;
        one.connect(two);
        one.write(1, pair.leftMr.fill(2), 0, pair.rightMr, 0, 8);
        one.write(2, pair.leftMr, 8, pair.rightMr, 8, 8);
        pair.advanceNs(TIMEOUT_10_NS);
        assertThat(pair.leftCq.poll()).isNull();
        two.connect(one);
        pair.advanceNs(TIMEOUT_10_NS);
        assertThat(statusOf(pair.leftCq, 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(statusOf(pair.leftCq, 2)).isEqualTo(WcStatus.SUCCESS);
        assertThat(pair.rightMr.get(15)).isEqualTo(MockRegion.pattern(2, 15));
    }

    // --- packet sequence numbers that do not agree

    @Test
    void numbersAheadOfWhatIsExpectedAreRefusedOnceAndThenIgnored() {
        rebuild(new Pair(p -> {
            p.leftQp.sendPsn = 101;
            p.leftQp.timeout = 10;
            p.leftQp.retryCount = 3;
        }));
        pair.leftQp.write(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        assertGivesUpAfter(2); // the negative acknowledgement took one of the retries
        assertThat(pair.rightQp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void numbersBehindWhatIsExpectedAreDuplicatesAndNotExecuted() {
        rebuild(new Pair(p -> p.leftQp.sendPsn = 99));
        pair.leftMr.fill(1);
        pair.leftQp.write(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        assertThat(pair.rightMr.get(7)).isZero();
        pair.leftQp.write(2, pair.leftMr, 0, pair.rightMr, 0, 8);
        assertThat(pair.rightMr.get(7)).isEqualTo(MockRegion.pattern(1, 7));
    }

    // --- a requester that stops while its request waits

    @Test
    void aWaitingRequestIsFlushedByError() {
        pair.leftQp.send(1, pair.leftMr, 0, 8);
        pair.leftQp.send(2, pair.leftMr, 0, 8);
        assertThat(pair.leftQp.toState(QpState.ERR)).isZero();
        assertThat(statusOf(pair.leftCq, 1)).isEqualTo(WcStatus.WR_FLUSH_ERR);
        assertThat(statusOf(pair.leftCq, 2)).isEqualTo(WcStatus.WR_FLUSH_ERR);
        pair.rightQp.receive(3, pair.rightMr, 0, 8);
        pair.advanceNs(RNR_12_NS);
        assertThat(pair.rightCq.poll()).isNull();
    }

    @Test
    void aDestroyedRequesterIsHeardOfNoMore() {
        pair.leftQp.send(1, pair.leftMr, 0, 8);
        assertThat(pair.leftQp.destroy()).isZero();
        pair.rightQp.receive(3, pair.rightMr, 0, 8);
        pair.advanceNs(10 * RNR_12_NS);
        assertThat(pair.leftCq.poll()).isNull();
        assertThat(pair.rightCq.poll()).isNull();
    }
}
