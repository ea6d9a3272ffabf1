// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.WorkCompletionException;

/** How requests fail, and what a failure does to a queue pair ({@code ibv_poll_cq(3)}, {@code ibv_post_send(3)}). */
public abstract class ErrorContract extends VerbsContract {

    @Test
    @Covers.Status(CompletionStatus.WORK_REQUEST_FLUSHED)
    @Covers.Verb("Transition.ToError")
    void goingToErrorFlushesReceivesInOrder() {
        Pair pair = connected();
        for (int i = 0; i < 8; i++) {
            pair.here().receives.receive(100 + i).local(pair.here().memory, 0, 8);
        }
        pair.here().receives.post();
        pair.here().qp.modify(new Transition.ToError());

        for (int i = 0; i < 8; i++) {
            CompletionRecord flushed = pair.here().received();
            assertThat(flushed.id()).isEqualTo(100 + i);
            assertThat(flushed.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
            assertThat(flushed.qpn()).isEqualTo(pair.here().qp.qpn());
        }
    }

    @Test
    @Covers.Status(CompletionStatus.WORK_REQUEST_FLUSHED)
    void goingToErrorFlushesSendsInOrder() {
        Pair pair = connected();
        // without receives at the peer they stay outstanding
        for (int i = 0; i < 8; i++) {
            pair.here().sends.send(200 + i).local(pair.here().memory, 0, 8).signaled();
        }
        pair.here().sends.post();
        Waiting.assertSilent(pair.here().sendCompletions);
        pair.here().qp.modify(new Transition.ToError());

        for (int i = 0; i < 8; i++) {
            CompletionRecord flushed = pair.here().sent();
            assertThat(flushed.id()).isEqualTo(200 + i);
            assertThat(flushed.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        }
    }

    @Test
    void unsignaledRequestsAreFlushedWithACompletionToo() {
        Pair pair = connected();
        pair.here().qp.modify(new Transition.ToError());
        pair.here().sends.write(1, pair.there().memory.remote(), 0).local(pair.here().memory, 0, 8);
        pair.here().sends.post();

        assertThat(pair.here().sent().status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
    }

    @Test
    void requestsPostedInErrorAreFlushed() {
        Pair pair = connected();
        pair.here().qp.modify(new Transition.ToError());
        pair.here()
                .sends
                .write(1, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 8)
                .signaled();
        pair.here().sends.send(2).signaled();
        pair.here().sends.post();

        CompletionRecord write = pair.here().sent();
        assertThat(write.id()).isEqualTo(1);
        assertThat(write.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertThat(pair.here().sent().id()).isEqualTo(2);
    }

    @Test
    void receivesPostedInErrorAreFlushed() {
        keepsReceivesPostedInError().ifPresent(VerbsContract::skip);
        Pair pair = connected();
        pair.here().qp.modify(new Transition.ToError());
        pair.here().receive(3, 0, 8);

        CompletionRecord receive = pair.here().received();
        assertThat(receive.id()).isEqualTo(3);
        assertThat(receive.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
    }

    @Test
    @Covers.Verb("QueuePair.firstError")
    void theFirstErrorIsKeptApartFromTheFlushesThatFollow() {
        Pair pair = connected();
        RemoteBuffer right = pair.there().memory.remote();
        RemoteBuffer wrong = new RemoteBuffer(right.address(), right.length(), right.rkey() ^ 0x00ff_0000);
        pair.here().receive(50, 0, 8);
        assertThat(pair.here().qp.firstError()).isNull();
        pair.here().sends.write(1, right, 0).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.write(2, wrong, 0).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.write(3, right, 0).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.write(4, right, 0).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.post();

        assertThat(pair.here().sentWell().id()).isEqualTo(1);
        CompletionRecord failed = pair.here().sent();
        assertThat(failed.id()).isEqualTo(2);
        assertThat(failed.status()).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
        for (int id = 3; id <= 4; id++) {
            CompletionRecord flushed = pair.here().sent();
            assertThat(flushed.id()).isEqualTo(id);
            assertThat(flushed.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        }
        assertThat(pair.here().received().status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);

        CompletionRecord first = pair.here().qp.firstError();
        assertThat(first).isNotNull();
        assertThat(first.id()).isEqualTo(2);
        assertThat(first.status()).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
        pair.here().qp.modify(new Transition.ToReset());
        assertThat(pair.here().qp.firstError()).as("after a reset").isNull();
    }

    @Test
    @Covers.Verb({
        "WorkCompletion.requireSuccess",
        "WorkCompletion.isSuccess",
        "WorkCompletion.vendorError",
        "WorkCompletion.rawStatus"
    })
    void aFailedCompletionExplainsItself() {
        Pair pair = connected();
        RemoteBuffer right = pair.there().memory.remote();
        pair.here()
                .sends
                .write(0x77, new RemoteBuffer(right.address(), right.length(), right.rkey() ^ 0x00ff_0000), 0)
                .local(pair.here().memory, 0, 8)
                .signaled();
        pair.here().sends.post();

        CompletionRecord failed = pair.here().sent();
        assertThat(failed.isSuccess()).isFalse();
        assertThat(failed.rawStatus()).isEqualTo(10);
        assertThatThrownBy(failed::requireSuccess)
                .isInstanceOfSatisfying(WorkCompletionException.class, e -> {
                    assertThat(e.completion()).isEqualTo(failed);
                    assertThat(e.code()).isEqualTo(Errno.EIO);
                })
                .hasMessageContaining("request 119")
                .hasMessageContaining(
                        "QP 0x" + Integer.toHexString(pair.here().qp.qpn()))
                .hasMessageContaining("remote access error")
                .hasMessageContaining("vendor error")
                .hasMessageContaining("rkey");
    }
}
