// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.stub;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.ffm.struct.IbvWc;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.UnsupportedVerbException;
import org.paraverbs.verbs.Verbs;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;
import org.paraverbs.verbs.XrcDomain;

/** Extended reliable connections: what the library is asked for, and where messages and completions go. */
final class XrcCases {
    private static final String STUB = "ibv:stub0";

    // struct ibv_srq_init_attr_ex and ibv_qp_init_attr_ex, native/layouts/x86_64.txt
    private static final int SRQ_COMP_MASK = 20;
    private static final int SRQ_TYPE = 24;
    private static final int SRQ_PD = 32;
    private static final int SRQ_XRCD = 40;
    private static final int SRQ_CQ = 48;
    private static final int QP_RECV_CQ = 16;
    private static final int QP_MAX_RECV_WR = 36;
    private static final int QP_TYPE = 52;
    private static final int QP_COMP_MASK = 60;
    private static final int QP_XRCD = 72;

    private XrcCases() {}

    static void aDomainOfNoFileIsCreated() {
        try (Context context = Verbs.open(STUB)) {
            assertThat(context.supports(Feature.XRC)).isTrue();
            assertThat(StubLibrary.number("stub_live_queues"))
                    .as("of the attempt")
                    .isZero();
            XrcDomain domain = context.openXrcDomain();
            MemorySegment asked = StubLibrary.find("stub_xrcd", 12);
            assertThat(asked.get(JAVA_INT, 0))
                    .isEqualTo(IbvConstants.IBV_XRCD_INIT_ATTR_FD | IbvConstants.IBV_XRCD_INIT_ATTR_OFLAGS);
            assertThat(asked.get(JAVA_INT, 4)).isEqualTo(-1);
            assertThat(asked.get(JAVA_INT, 8)).as("O_CREAT").isEqualTo(64);
            assertThat(domain).hasToString("XRC domain of stub0");
        }
        assertThat(StubLibrary.number("stub_live_queues")).isZero();
    }

    static void aDomainOfAFileIsOpenedWithItsDescriptor() throws IOException {
        Path file = Files.createTempFile("xrc", "domain");
        try (Context context = Verbs.open(STUB)) {
            context.openXrcDomain(file);
            int descriptor = StubLibrary.find("stub_xrcd", 12).get(JAVA_INT, 4);
            assertThat(descriptor).isPositive();
            assertThat(Path.of("/proc/self/fd/" + descriptor))
                    .as("it is closed afterwards")
                    .satisfies(path -> assertThat(Files.exists(path) && Files.isSameFile(path, file))
                            .isFalse());
            Files.delete(file);
            assertThatThrownBy(() -> context.openXrcDomain(file))
                    .isInstanceOfSatisfying(
                            VerbsException.class,
                            refused -> assertThat(refused.code()).isEqualTo(Errno.ENOENT))
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining("has to exist");
        } finally {
            Files.deleteIfExists(file);
        }
    }

    static void aDeviceWhoseDriverRefusesHasNone() {
        StubLibrary.number("stub_xrcd_errno", Errno.EOPNOTSUPP.number());
        try (Context context = Verbs.open(STUB)) {
            assertThat(context.supports(Feature.XRC)).isFalse();
            assertThatThrownBy(context::openXrcDomain)
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("supports(Feature.XRC)");
            CompletionQueue queue = context.createCompletionQueue(4);
            assertThatThrownBy(() -> context.allocateProtectionDomain().createQueuePair(QueuePairSpec.xrcSend(queue)))
                    .isInstanceOf(UnsupportedVerbException.class);
        } finally {
            StubLibrary.number("stub_xrcd_errno", 0);
        }
    }

    static void aSharedReceiveQueueOfADomainHasANumber() {
        try (Context context = Verbs.open(STUB)) {
            XrcDomain domain = context.openXrcDomain();
            ProtectionDomain pd = context.allocateProtectionDomain();
            CompletionQueue completions = context.createCompletionQueue(16);
            SharedReceiveQueue queue = domain.createSharedReceiveQueue(pd, completions, 8, 2);
            MemorySegment asked = StubLibrary.find("stub_srq", 64);
            assertThat(asked.get(JAVA_INT, SRQ_COMP_MASK))
                    .isEqualTo(IbvConstants.IBV_SRQ_INIT_ATTR_TYPE
                            | IbvConstants.IBV_SRQ_INIT_ATTR_PD
                            | IbvConstants.IBV_SRQ_INIT_ATTR_XRCD
                            | IbvConstants.IBV_SRQ_INIT_ATTR_CQ);
            assertThat(asked.get(JAVA_INT, SRQ_TYPE)).isEqualTo(IbvConstants.IBV_SRQT_XRC);
            assertThat(asked.get(JAVA_LONG, SRQ_PD)).isNotZero();
            assertThat(asked.get(JAVA_LONG, SRQ_XRCD)).isNotZero();
            assertThat(asked.get(JAVA_LONG, SRQ_CQ)).isNotZero();
            assertThat(queue.receives()).isEqualTo(8);
            assertThat(queue.number()).isEqualTo(0x5a0000 + 2);
            assertThatIllegalArgumentException()
                    .as("queue pairs of other types do not take receives from it")
                    .isThrownBy(() -> pd.createQueuePair(
                            QueuePairSpec.reliable(completions).withSharedReceiveQueue(queue)))
                    .withMessageContaining("XRC domain");
            completions.close();
            assertThat(queue.isOpen()).as("it completes there").isFalse();
            domain.close();
            assertThat(StubLibrary.number("stub_live_queues")).isZero();
        }
    }

    static void bothEndsAreCreatedAsTheirTypes() {
        try (Context context = Verbs.open(STUB)) {
            CompletionQueue completions = context.createCompletionQueue(16);
            QueuePair sending = context.allocateProtectionDomain()
                    .createQueuePair(QueuePairSpec.xrcSend(completions).withDepth(4));
            MemorySegment asked = StubLibrary.find("stub_qp", 136);
            assertThat(asked.get(JAVA_INT, QP_TYPE)).isEqualTo(IbvConstants.IBV_QPT_XRC_SEND);
            assertThat(asked.get(JAVA_INT, QP_MAX_RECV_WR)).isZero();
            assertThat(asked.get(JAVA_LONG, QP_RECV_CQ)).isZero();
            assertThatIllegalStateException()
                    .isThrownBy(sending::receiveQueue)
                    .withMessageContaining("on XRC receives");

            XrcDomain domain = context.openXrcDomain();
            QueuePair receiving = domain.createReceivingQueuePair();
            assertThat(asked.get(JAVA_INT, QP_TYPE)).isEqualTo(IbvConstants.IBV_QPT_XRC_RECV);
            assertThat(asked.get(JAVA_INT, QP_COMP_MASK)).isEqualTo(IbvConstants.IBV_QP_INIT_ATTR_XRCD);
            assertThat(asked.get(JAVA_LONG, QP_XRCD)).isNotZero();
            assertThat(receiving.type()).isEqualTo(QueuePairType.XRC_RECEIVE);
            assertThatIllegalStateException().isThrownBy(receiving::sendQueue).withMessageContaining("sends nothing");
            assertThatIllegalStateException().isThrownBy(receiving::receiveQueue);
            domain.close();
            assertThat(receiving.isOpen()).isFalse();
        }
        assertThat(StubLibrary.number("stub_live_queues")).isZero();
    }

    static void bothEndsConnectWithTheirOwnAttributes() {
        try (Context context = Verbs.open(STUB)) {
            QueuePair sending = context.allocateProtectionDomain()
                    .createQueuePair(QueuePairSpec.xrcSend(context.createCompletionQueue(16)));
            QueuePair receiving = context.openXrcDomain().createReceivingQueuePair();
            StubLibrary.number("stub_modify_count", 0);
            sending.endpoint();
            receiving.endpoint();
            sending.connect(receiving.endpoint());
            receiving.connect(sending.endpoint());
            MemorySegment masks = StubLibrary.find("stub_modify_mask", 64);
            int way = IbvConstants.IBV_QP_STATE
                    | IbvConstants.IBV_QP_AV
                    | IbvConstants.IBV_QP_PATH_MTU
                    | IbvConstants.IBV_QP_DEST_QPN
                    | IbvConstants.IBV_QP_RQ_PSN;
            assertThat(masks.getAtIndex(JAVA_INT, 2))
                    .as("sending end, INIT to RTR")
                    .isEqualTo(way);
            assertThat(masks.getAtIndex(JAVA_INT, 3))
                    .as("sending end, RTR to RTS")
                    .isEqualTo(IbvConstants.IBV_QP_STATE
                            | IbvConstants.IBV_QP_TIMEOUT
                            | IbvConstants.IBV_QP_RETRY_CNT
                            | IbvConstants.IBV_QP_RNR_RETRY
                            | IbvConstants.IBV_QP_SQ_PSN
                            | IbvConstants.IBV_QP_MAX_QP_RD_ATOMIC);
            assertThat(masks.getAtIndex(JAVA_INT, 4))
                    .as("receiving end, INIT to RTR")
                    .isEqualTo(way | IbvConstants.IBV_QP_MAX_DEST_RD_ATOMIC | IbvConstants.IBV_QP_MIN_RNR_TIMER);
            assertThat(masks.getAtIndex(JAVA_INT, 5))
                    .as("receiving end, RTR to RTS")
                    .isEqualTo(IbvConstants.IBV_QP_STATE | IbvConstants.IBV_QP_TIMEOUT | IbvConstants.IBV_QP_SQ_PSN);
            assertThat(receiving.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        }
    }

    static void aMessageNamesItsQueueAndCompletesThere() {
        try (Context context = Verbs.open(STUB)) {
            XrcDomain domain = context.openXrcDomain();
            ProtectionDomain pd = context.allocateProtectionDomain();
            MemoryRegion memory = pd.allocate(64, Access.LOCAL_WRITE);
            CompletionQueue completions = context.createCompletionQueue(16);
            QueuePair sending = pd.createQueuePair(QueuePairSpec.xrcSend(context.createCompletionQueue(16)));
            QueuePair receiving = domain.createReceivingQueuePair();
            SharedReceiveQueue queue = domain.createSharedReceiveQueue(pd, completions, 8, 1);
            sending.endpoint();
            sending.connect(receiving.endpoint());

            sending.sendQueue().send(1).toSharedReceiveQueue(queue.number()).local(memory, 0, 8);
            sending.sendQueue().post();
            assertThat(StubLibrary.find("stub_sent", 128).get(JAVA_INT, 72)).isEqualTo(queue.number());
            sending.sendQueue().write(2, memory.remote(), 0).local(memory, 0, 8);
            sending.sendQueue().post();
            assertThat(StubLibrary.find("stub_sent", 128).get(JAVA_INT, 72))
                    .as("a WRITE takes no receive")
                    .isZero();

            for (long id = 41; id < 43; id++) {
                queue.receiveQueue().receive(id).local(memory, 0, 8);
            }
            queue.receiveQueue().post();
            assertThat(queue.receiveQueue().available()).isEqualTo(6);
            arrive(receiving);
            WorkCompletion arrived = completions.poll();
            assertThat(arrived).isNotNull();
            assertThat(arrived.id()).isEqualTo(42);
            assertThat(arrived.qpn()).isEqualTo(receiving.qpn());
            assertThat(queue.receiveQueue().available()).isEqualTo(7);

            queue.receiveQueue().receive(43).local(memory, 0, 8);
            queue.receiveQueue().post();
            arrive(receiving);
            receiving.close();
            assertThat(completions.poll()).as("of a closed queue pair").isNull();
            assertThat(queue.receiveQueue().available()).isEqualTo(7);
        }
    }

    /** Completes the receive that was posted last through a queue pair. */
    private static void arrive(QueuePair receiving) {
        MemorySegment completion = StubLibrary.find("stub_completions", IbvWc.SIZE);
        completion.fill((byte) 0);
        completion.set(JAVA_LONG, 0, StubLibrary.longNumber("stub_received_id"));
        completion.set(JAVA_INT, 12, Opcode.RECEIVE.code());
        completion.set(JAVA_INT, 28, receiving.qpn());
        StubLibrary.number("stub_completion_count", 1);
    }
}
