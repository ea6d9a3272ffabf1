// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** What a failure says. */
class ExceptionsTest {

    @Test
    void aMessageNamesVerbObjectErrorAndTheNextStep() {
        VerbsException e = new VerbsException("ibv_reg_mr", "4096 bytes", Errno.ENOMEM, "raise the memlock limit");

        assertThat(e).hasMessage("ibv_reg_mr(4096 bytes): ENOMEM; raise the memlock limit");
        assertThat(e.verb()).isEqualTo("ibv_reg_mr");
        assertThat(e.errno()).isEqualTo(12);
        assertThat(e.code()).isEqualTo(Errno.ENOMEM);
    }

    @Test
    void whatIsEmptyIsLeftOut() {
        assertThat(new VerbsException("ibv_open_device", "", Errno.EACCES, "")).hasMessage("ibv_open_device: EACCES");
    }

    @Test
    void anUnknownErrorNumberIsShownAsANumber() {
        VerbsException e = new VerbsException("ibv_poll_cq", "", 4242, "");

        assertThat(e).hasMessage("ibv_poll_cq: errno 4242");
        assertThat(e.errno()).isEqualTo(4242);
        assertThat(e.code()).isEqualTo(Errno.UNKNOWN);
    }

    @Test
    void aPostExceptionSaysHowManyWerePosted() {
        PostException e = new PostException("ibv_post_send", "QP 0x11, 3 of 5 requests posted", 12, 3, "poll first");

        assertThat(e.accepted()).isEqualTo(3);
        assertThat(e).hasMessage("ibv_post_send(QP 0x11, 3 of 5 requests posted): ENOMEM; poll first");
    }

    @Test
    void anUnsupportedVerbIsEopnotsupp() {
        UnsupportedVerbException e = new UnsupportedVerbException("ibv_create_qp", "emu0", "no UC");

        assertThat(e.code()).isEqualTo(Errno.EOPNOTSUPP);
        assertThat(e).hasMessage("ibv_create_qp(emu0): EOPNOTSUPP; no UC");
    }

    @Test
    void aFailedCompletionNamesTheStatusInWordsTheVendorErrorTheQueuePairAndTheCause() {
        CompletionRecord failed = new CompletionRecord(
                7, CompletionStatus.RETRY_EXCEEDED, 12, Opcode.UNKNOWN, 0, false, 0, 0x11, 0, 0, 0, false, 0x81);

        assertThatThrownBy(failed::requireSuccess)
                .isInstanceOfSatisfying(
                        WorkCompletionException.class,
                        e -> assertThat(e.completion()).isEqualTo(failed))
                .hasMessage(
                        "ibv_poll_cq(request 7 of QP 0x11, transport retry counter exceeded (status 12, vendor error"
                                + " 0x81)): EIO; " + CompletionStatus.RETRY_EXCEEDED.cause());
        assertThat(CompletionStatus.RETRY_EXCEEDED.cause()).contains("did not acknowledge");
    }

    @Test
    void aStatusThatIsNotKnownIsAFailureWithItsNumber() {
        CompletionRecord odd = new CompletionRecord(
                7, CompletionStatus.ofCode(99), 99, Opcode.ofCode(55), 0, false, 0, 0x11, 0, 0, 0, false, 0);

        assertThat(odd.isSuccess()).isFalse();
        assertThat(odd).hasToString("request 7 of QP 0x11, unknown status (status 99, vendor error 0x0)");
        assertThatThrownBy(odd::requireSuccess).isInstanceOf(WorkCompletionException.class);
    }

    @Test
    void aSuccessIsReturned() {
        CompletionRecord done = new CompletionRecord(
                7, CompletionStatus.SUCCESS, 0, Opcode.RECEIVE, 64, true, 5, 0x11, 0, 0, 0, false, 0);

        assertThat(done.requireSuccess()).isSameAs(done);
        assertThat(done.copy()).isSameAs(done);
        assertThat(done).hasToString("request 7 of QP 0x11, RECEIVE, 64 bytes, success");
    }
}
