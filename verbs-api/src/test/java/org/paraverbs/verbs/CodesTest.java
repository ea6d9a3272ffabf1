// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.contract.Covers;

/** The codes of the verbs interface ({@code infiniband/verbs.h}), and that an unknown one is a value. */
class CodesTest {

    @Test
    @Covers.Status(CompletionStatus.UNKNOWN)
    void completionStatusesHaveTheCodesOfTheHeader() {
        assertThat(CompletionStatus.ofCode(0)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(CompletionStatus.ofCode(1)).isEqualTo(CompletionStatus.LOCAL_LENGTH_ERROR);
        assertThat(CompletionStatus.ofCode(2)).isEqualTo(CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
        assertThat(CompletionStatus.ofCode(4)).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
        assertThat(CompletionStatus.ofCode(5)).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertThat(CompletionStatus.ofCode(9)).isEqualTo(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR);
        assertThat(CompletionStatus.ofCode(10)).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
        assertThat(CompletionStatus.ofCode(11)).isEqualTo(CompletionStatus.REMOTE_OPERATION_ERROR);
        assertThat(CompletionStatus.ofCode(12)).isEqualTo(CompletionStatus.RETRY_EXCEEDED);
        assertThat(CompletionStatus.ofCode(13)).isEqualTo(CompletionStatus.RNR_RETRY_EXCEEDED);
        assertThat(CompletionStatus.ofCode(19)).isEqualTo(CompletionStatus.FATAL_ERROR);
        assertThat(CompletionStatus.ofCode(21)).isEqualTo(CompletionStatus.GENERAL_ERROR);
        assertThat(CompletionStatus.ofCode(23)).isEqualTo(CompletionStatus.TAG_MATCHING_RENDEZVOUS_INCOMPLETE);
        assertUnknown(CompletionStatus::ofCode, CompletionStatus.UNKNOWN, 24);
    }

    @Test
    void everyFailedStatusHasWordsAndACause() {
        for (CompletionStatus status : CompletionStatus.values()) {
            assertThat(status.words()).isNotBlank();
            assertThat(status.cause().isEmpty())
                    .as("cause of %s", status)
                    .isEqualTo(status == CompletionStatus.SUCCESS);
        }
    }

    @Test
    void opcodesHaveTheCodesOfTheHeader() {
        assertThat(Opcode.ofCode(0)).isEqualTo(Opcode.SEND);
        assertThat(Opcode.ofCode(1)).isEqualTo(Opcode.WRITE);
        assertThat(Opcode.ofCode(2)).isEqualTo(Opcode.READ);
        assertThat(Opcode.ofCode(3)).isEqualTo(Opcode.COMPARE_AND_SWAP);
        assertThat(Opcode.ofCode(4)).isEqualTo(Opcode.FETCH_AND_ADD);
        assertThat(Opcode.ofCode(128)).isEqualTo(Opcode.RECEIVE);
        assertThat(Opcode.ofCode(129)).isEqualTo(Opcode.RECEIVE_WRITE_WITH_IMMEDIATE);
        for (Opcode opcode : Opcode.values()) {
            assertThat(Opcode.ofCode(opcode.code())).isEqualTo(opcode);
            assertThat(opcode.isReceive()).isEqualTo(opcode.code() >= 128);
        }
        assertUnknown(Opcode::ofCode, Opcode.UNKNOWN, 7);
        assertUnknown(Opcode::ofCode, Opcode.UNKNOWN, 130);
    }

    @Test
    void queuePairStatesHaveTheCodesAndNamesOfTheManPage() {
        String[] names = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
        for (int code = 0; code < names.length; code++) {
            assertThat(QueuePairState.ofCode(code).code()).isEqualTo(code);
            assertThat(QueuePairState.ofCode(code).abbreviation()).isEqualTo(names[code]);
        }
        assertUnknown(QueuePairState::ofCode, QueuePairState.UNKNOWN, 7);
    }

    @Test
    void portStatesHaveTheCodesOfTheHeader() {
        assertThat(PortState.ofCode(1)).isEqualTo(PortState.DOWN);
        assertThat(PortState.ofCode(4)).isEqualTo(PortState.ACTIVE);
        assertThat(PortState.ofCode(5)).isEqualTo(PortState.ACTIVE_DEFER);
        assertUnknown(PortState::ofCode, PortState.UNKNOWN, 6);
    }

    @Test
    void linkLayersHaveTheCodesOfTheHeader() {
        assertThat(LinkLayer.ofCode(0)).isEqualTo(LinkLayer.UNSPECIFIED);
        assertThat(LinkLayer.ofCode(1)).isEqualTo(LinkLayer.INFINIBAND);
        assertThat(LinkLayer.ofCode(2)).isEqualTo(LinkLayer.ETHERNET);
        assertUnknown(LinkLayer::ofCode, LinkLayer.UNKNOWN, 3);
    }

    @Test
    void gidTypesHaveTheCodesOfTheHeader() {
        for (GidType type : GidType.values()) {
            assertThat(GidType.ofCode(type.code())).isEqualTo(type);
        }
        assertThat(GidType.ofCode(2)).isEqualTo(GidType.ROCE_V2);
        assertUnknown(GidType::ofCode, GidType.UNKNOWN, 3);
    }

    @Test
    @Covers.Event(AsyncEventType.UNKNOWN)
    void asyncEventsHaveTheCodesOfTheHeader() {
        assertThat(AsyncEventType.ofCode(0)).isEqualTo(AsyncEventType.COMPLETION_QUEUE_ERROR);
        assertThat(AsyncEventType.ofCode(1)).isEqualTo(AsyncEventType.QUEUE_PAIR_FATAL);
        assertThat(AsyncEventType.ofCode(5)).isEqualTo(AsyncEventType.SEND_QUEUE_DRAINED);
        assertThat(AsyncEventType.ofCode(8)).isEqualTo(AsyncEventType.DEVICE_FATAL);
        assertThat(AsyncEventType.ofCode(9)).isEqualTo(AsyncEventType.PORT_ACTIVE);
        assertThat(AsyncEventType.ofCode(10)).isEqualTo(AsyncEventType.PORT_ERROR);
        assertThat(AsyncEventType.ofCode(16)).isEqualTo(AsyncEventType.LAST_WORK_REQUEST_REACHED);
        assertThat(AsyncEventType.ofCode(18)).isEqualTo(AsyncEventType.GID_CHANGE);
        assertThat(AsyncEventType.ofCode(19)).isEqualTo(AsyncEventType.WORK_QUEUE_FATAL);
        assertUnknown(AsyncEventType::ofCode, AsyncEventType.UNKNOWN, 20);
    }

    @Test
    void mtusHaveCodesAndSizes() {
        for (int code = 1; code <= 5; code++) {
            Mtu mtu = Mtu.ofCode(code);
            assertThat(mtu.code()).isEqualTo(code);
            assertThat(mtu.bytes()).isEqualTo(128 << code);
            assertThat(Mtu.ofBytes(mtu.bytes())).isEqualTo(mtu);
        }
        assertThat(Mtu.min(Mtu.MTU_4096, Mtu.MTU_256)).isEqualTo(Mtu.MTU_256);
        assertThat(Mtu.min(Mtu.MTU_256, Mtu.MTU_4096)).isEqualTo(Mtu.MTU_256);
        for (int code : new int[] {0, 6, -1}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Mtu.ofCode(code))
                    .withMessageContaining("MTU code " + code);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> Mtu.ofBytes(1500)).withMessageContaining("not 1500");
    }

    @Test
    void errorNumbersAreThoseOfLinux() {
        assertThat(Errno.of(22)).isEqualTo(Errno.EINVAL);
        assertThat(Errno.of(12)).isEqualTo(Errno.ENOMEM);
        assertThat(Errno.of(19)).isEqualTo(Errno.ENODEV);
        assertThat(Errno.of(95)).isEqualTo(Errno.EOPNOTSUPP);
        assertThat(Errno.of(110)).isEqualTo(Errno.ETIMEDOUT);
        for (Errno errno : Errno.values()) {
            assertThat(Errno.of(errno.number())).isEqualTo(errno);
        }
        for (int number : new int[] {0, -1, 3, 127, 128, 4095, Integer.MIN_VALUE}) {
            assertThat(Errno.of(number)).as("%d", number).isEqualTo(Errno.UNKNOWN);
        }
    }

    private static void assertUnknown(IntFunction<?> ofCode, Object unknown, int firstUnknown) {
        for (int code : new int[] {firstUnknown, -1, 1000, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThat(ofCode.apply(code)).as("code %d", code).isEqualTo(unknown);
        }
    }
}
