// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.WcStatus;

class RequesterTest {
    private static final class Plain extends Request {}

    private final Plain[] window = {new Plain(), new Plain(), new Plain(), new Plain()};
    private final Requester<Plain> requester = new Requester<>(window);

    @BeforeEach
    void start() {
        requester.start(1000, 1024);
        requester.limits(100, 2, 3, 2);
    }

    private Plain add(long length, boolean read, boolean fenced) {
        Plain request = requester.claim();
        request.begin(length, read, fenced);
        requester.append(request);
        return request;
    }

    private Plain write() {
        return add(8, false, false);
    }

    private Plain read() {
        return add(8, true, false);
    }

    private void send(Plain request) {
        assertThat(requester.next()).isSameAs(request);
        requester.sent();
    }

    private void assertFinished(Plain request, int status) {
        assertThat(requester.finished()).isSameAs(request);
        assertThat(request.status()).isEqualTo(status);
        requester.retire();
    }

    @Test
    void requestsAreNumberedByTheirPackets() {
        assertThat(add(1025, false, false))
                .extracting(Request::psn, Request::packets)
                .containsExactly(1000, 2);
        assertThat(add(0, false, false))
                .extracting(Request::psn, Request::packets)
                .containsExactly(1002, 1);
        assertThat(requester.nextPsn()).isEqualTo(1003);
    }

    @Test
    void theWindowIsBounded() {
        for (int i = 0; i < window.length; i++) {
            send(write());
        }
        assertThat(requester.claim()).isNull();
        requester.onAcknowledge();
        assertFinished(window[0], WcStatus.SUCCESS);
        assertThat(requester.claim()).isSameAs(window[0]);
    }

    @Test
    void fencesAndWritesWaitForReads() {
        Plain read = read();
        Plain write = write();
        send(read);
        assertThat(requester.next()).isNull();
        requester.onAcknowledge();
        send(write);
    }

    @Test
    void readsWaitForReadDepth() {
        Plain[] reads = {read(), read(), read()};
        send(reads[0]);
        send(reads[1]);
        assertThat(requester.next()).isNull();
        requester.onAcknowledge();
        send(reads[2]);
    }

    @Test
    void theResponderIsToldHowManyReadsAreUnderWay() {
        Plain[] reads = {read(), read(), read()};
        send(reads[0]);
        send(reads[1]);
        assertThat(reads[0].depth()).isEqualTo(1);
        assertThat(reads[1].depth()).isEqualTo(2);
        requester.onAcknowledge();
        send(reads[2]);
        assertThat(reads[2].depth()).isEqualTo(2);
        requester.onLost(0);
        requester.onDeadline(100);
        requester.repeat();
        send(reads[1]);
        assertThat(reads[1].depth()).as("sent again").isEqualTo(1);
    }

    @Test
    void aFencedReadWaitsForReads() {
        send(read());
        Plain fenced = add(8, true, true);
        assertThat(requester.next()).isNull();
        requester.onAcknowledge();
        send(fenced);
    }

    @Test
    void aRefusedRequestFinishesInItsTurnAndStopsTheRest() {
        Plain first = write();
        Plain refused = requester.claim();
        refused.begin(0, false, false);
        refused.refuse(WcStatus.LOC_PROT_ERR);
        requester.append(refused);
        Plain last = write();
        assertThat(last.psn()).as("the refused one takes no number").isEqualTo(1001);
        send(first);
        assertThat(requester.next()).isNull();
        assertThat(requester.finished()).isNull();
        requester.onAcknowledge();
        assertFinished(first, WcStatus.SUCCESS);
        assertFinished(refused, WcStatus.LOC_PROT_ERR);
        assertThat(requester.isFailed()).isTrue();
        assertThat(requester.next()).isNull();
        assertThat(requester.oldest()).isSameAs(last);
    }

    @Test
    void lostRequestsAreRepeatedFromTheOldestAfterTheTimeout() {
        Plain first = write();
        Plain second = write();
        send(first);
        send(second);
        requester.onLost(1000);
        assertThat(requester.deadlineNs()).isEqualTo(1100);
        assertThat(requester.isRepeating()).isTrue();
        assertThat(requester.next()).isNull();
        requester.onDeadline(1099);
        assertThat(requester.next()).isNull();
        requester.onDeadline(1100);
        requester.repeat();
        send(first);
        send(second);
        assertThat(requester.deadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void timeoutsAreCountedUntilSomethingIsAcknowledged() {
        Plain first = write();
        Plain second = write();
        long now = 0;
        for (int i = 0; i < 2; i++) {
            requester.onLost(now);
            requester.onDeadline(now += 100);
        }
        send(first);
        requester.onAcknowledge();
        assertFinished(first, WcStatus.SUCCESS);
        for (int i = 0; i < 3; i++) {
            assertThat(requester.finished()).isNull();
            requester.onLost(now);
            requester.onDeadline(now += 100);
        }
        assertFinished(second, WcStatus.RETRY_EXC_ERR);
    }

    @Test
    void aTimeoutOfZeroIsForEver() {
        requester.limits(0, 2, 3, 2);
        write();
        requester.onLost(1000);
        assertThat(requester.deadlineNs()).isEqualTo(Long.MAX_VALUE);
        requester.onDeadline(Long.MAX_VALUE - 1);
        assertThat(requester.finished()).isNull();
    }

    @Test
    void aDeadlineBeyondTheEndOfTimeIsNotInThePast() {
        requester.limits(Long.MAX_VALUE - 5, 2, 3, 2);
        write();
        requester.onLost(1000);
        assertThat(requester.deadlineNs()).isPositive().isNotEqualTo(Long.MAX_VALUE);
    }

    @Test
    void notReadyIsCountedApartFromTimeouts() {
        Plain request = write();
        long now = 0;
        for (int i = 0; i < 3; i++) {
            send(request);
            requester.onReceiverNotReady(10, now);
            assertThat(requester.deadlineNs()).isEqualTo(now + 10);
            requester.onDeadline(now += 10);
            requester.repeat();
        }
        send(request);
        requester.onReceiverNotReady(10, now);
        assertFinished(request, WcStatus.RNR_RETRY_EXC_ERR);
    }

    @Test
    void aSequenceErrorRepeatsAtOnceAndCosts() {
        Plain request = write();
        for (int i = 0; i < 2; i++) {
            send(request);
            requester.onSequenceError();
            requester.repeat();
        }
        send(request);
        requester.onSequenceError();
        assertFinished(request, WcStatus.RETRY_EXC_ERR);
    }

    @Test
    void readsUnderWayAreForgottenWhenTheyAreRepeated() {
        send(read());
        send(read());
        requester.onLost(0);
        requester.onDeadline(100);
        requester.repeat();
        send(window[0]);
        send(window[1]);
        requester.onAcknowledge();
        requester.onAcknowledge();
        send(write());
    }

    @Test
    void onlyTheOldestCanBeAnswered() {
        Plain first = write();
        Plain second = write();
        assertThat(requester.isOldest(first)).as("not sent").isFalse();
        send(first);
        send(second);
        assertThat(requester.isOldest(first)).isTrue();
        assertThat(requester.isOldest(second)).isFalse();
        requester.onAcknowledge();
        assertThat(requester.isOldest(second)).isTrue();
    }

    @Test
    void discardingEmptiesTheWindow() {
        send(write());
        write();
        requester.discard();
        assertThat(requester.isEmpty()).isTrue();
        assertThat(requester.oldest()).isNull();
        assertThat(requester.hasUnsent()).isFalse();
        requester.start(5, 256);
        assertThat(write().psn()).isEqualTo(5);
    }
}
