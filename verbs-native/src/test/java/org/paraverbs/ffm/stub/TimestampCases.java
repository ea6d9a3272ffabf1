// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.stub;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.ffm.struct.IbvWc;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.TimestampClock;
import org.paraverbs.verbs.UnsupportedVerbException;
import org.paraverbs.verbs.Verbs;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;
import org.paraverbs.verbs.XrcDomain;

/** Completion queues of {@code ibv_create_cq_ex}, whose completions are read by a function for each field. */
final class TimestampCases {
    private static final String STUB = "ibv:stub0";
    private static final int PAIR_NUMBER_OF_OTHERS = 0x77;

    private TimestampCases() {}

    static void everyFieldAndTheDevicesTimestampAreRead() {
        try (Context context = Verbs.open(STUB)) {
            assertThat(context.supports(Feature.COMPLETION_TIMESTAMP)).isTrue();
            CompletionQueue queue = context.createTimestampedCompletionQueue(16, null, 0, TimestampClock.DEVICE);
            assertThat(StubLibrary.longNumber("stub_wc_flags"))
                    .isEqualTo(IbvConstants.IBV_WC_STANDARD_FLAGS | IbvConstants.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP);
            assertThat(queue.entries()).isEqualTo(16);
            assertThat(queue.poll()).isNull();
            List<Long> ids = receives(context.allocateProtectionDomain(), queue, 3);

            MemorySegment completions = StubLibrary.find("stub_completions", 4 * IbvWc.SIZE);
            completions.fill((byte) 0);
            received(completions, 0, ids.get(0));
            received(completions, 1, ids.get(1));
            received(completions, 2, ids.get(2));
            IbvWc.status(completions, 2 * IbvWc.SIZE, IbvConstants.IBV_WC_WR_FLUSH_ERR);
            IbvWc.vendorErr(completions, 2 * IbvWc.SIZE, 0x99);
            MemorySegment timestamps = StubLibrary.find("stub_timestamps", 32);
            timestamps.setAtIndex(JAVA_LONG, 0, 5000);
            timestamps.setAtIndex(JAVA_LONG, 1, 0xffff_ffff_fff0L);
            StubLibrary.number("stub_completion_count", 3);

            WorkCompletion first = polled(queue);
            assertThat(first.id()).isEqualTo(100);
            assertThat(first.requireSuccess().opcode()).isEqualTo(Opcode.RECEIVE);
            assertThat(first.byteLength()).isEqualTo(17);
            assertThat(first.hasImmediate()).isTrue();
            assertThat(first.immediate()).isEqualTo(0x0102_0304);
            assertThat(first.sourceQpn()).isEqualTo(0x31);
            assertThat(first.sourceLid()).isEqualTo(0xfffe);
            assertThat(first.serviceLevel()).isEqualTo(5);
            assertThat(first.qpn()).isEqualTo(PAIR_NUMBER_OF_OTHERS);
            assertThat(first.hasTimestamp()).isTrue();
            assertThat(first.timestamp()).isEqualTo(5000);
            CompletionRecord kept = first.copy();
            WorkCompletion second = polled(queue);
            assertThat(second.timestamp()).isEqualTo(0xffff_ffff_fff0L);
            assertThat(kept.timestamp()).isEqualTo(5000);
            assertThat(kept.hasTimestamp()).isTrue();

            WorkCompletion failed = polled(queue);
            assertThat(failed.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
            assertThat(failed.vendorError()).isEqualTo(0x99);
            assertThat(failed.hasTimestamp()).isFalse();
            assertThat(failed.timestamp()).isZero();
            assertThat(queue.poll()).isNull();
            assertThat(StubLibrary.number("stub_misreadings")).isZero();
            assertThat(StubLibrary.number("stub_polls_begun")).isZero();
        }
        assertThat(StubLibrary.number("stub_live_queues")).isZero();
    }

    static void theWallClockIsAnother() {
        try (Context context = Verbs.open(STUB)) {
            CompletionQueue queue = context.createTimestampedCompletionQueue(16, null, 0, TimestampClock.WALL);
            assertThat(StubLibrary.longNumber("stub_wc_flags"))
                    .isEqualTo(IbvConstants.IBV_WC_STANDARD_FLAGS
                            | IbvConstants.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK);
            List<Long> ids = receives(context.allocateProtectionDomain(), queue, 1);
            MemorySegment completions = StubLibrary.find("stub_completions", 4 * IbvWc.SIZE);
            completions.fill((byte) 0);
            received(completions, 0, ids.get(0));
            StubLibrary.find("stub_timestamps", 32).setAtIndex(JAVA_LONG, 0, 7);
            StubLibrary.number("stub_completion_count", 1);
            assertThat(polled(queue).timestamp()).isEqualTo(1_000_007);
        }
    }

    static void anErrorOfPollingIsALostQueue() {
        try (Context context = Verbs.open(STUB)) {
            CompletionQueue queue = context.createTimestampedCompletionQueue(16, null, 0, TimestampClock.DEVICE);
            StubLibrary.number("stub_poll_errno", Errno.EIO.number());
            assertThatThrownBy(queue::poll)
                    .isInstanceOfSatisfying(
                            VerbsException.class,
                            lost -> assertThat(lost.code()).isEqualTo(Errno.EIO))
                    .hasMessageContaining("the queue is lost");
            assertThat(StubLibrary.number("stub_polls_begun")).isZero();
        } finally {
            StubLibrary.number("stub_poll_errno", 0);
        }
    }

    static void whatTheDeviceDoesNotHaveIsRefused() {
        StubLibrary.number("stub_cq_ex_errno", Errno.EOPNOTSUPP.number());
        try (Context context = Verbs.open(STUB)) {
            assertThatThrownBy(() -> context.createTimestampedCompletionQueue(16, null, 0, TimestampClock.WALL))
                    .isInstanceOfSatisfying(
                            VerbsException.class,
                            refused -> assertThat(refused.code()).isEqualTo(Errno.EOPNOTSUPP))
                    .hasMessageContaining("this clock perhaps");
        } finally {
            StubLibrary.number("stub_cq_ex_errno", 0);
        }
        MemorySegment mask = StubLibrary.find("stub_timestamp_mask", Long.BYTES);
        long before = mask.get(JAVA_LONG, 0);
        mask.set(JAVA_LONG, 0, 0);
        try (Context context = Verbs.open(STUB)) {
            assertThat(context.supports(Feature.COMPLETION_TIMESTAMP)).isFalse();
            assertThatThrownBy(() -> context.createTimestampedCompletionQueue(16, null, 0, TimestampClock.DEVICE))
                    .isInstanceOf(UnsupportedVerbException.class);
        } finally {
            mask.set(JAVA_LONG, 0, before);
        }
    }

    /** Completions that are kept while those of a closed queue pair are taken out keep their timestamps, too. */
    static void timestampsStayWithTheirCompletions() {
        try (Context context = Verbs.open(STUB)) {
            ProtectionDomain domain = context.allocateProtectionDomain();
            XrcDomain xrc = context.openXrcDomain();
            CompletionQueue queue = context.createTimestampedCompletionQueue(16, null, 0, TimestampClock.DEVICE);
            SharedReceiveQueue receives = xrc.createSharedReceiveQueue(domain, queue, 8, 1);
            QueuePair closing = xrc.createReceivingQueuePair();
            MemoryRegion memory = domain.allocate(64, Access.LOCAL_WRITE);
            MemorySegment completions = StubLibrary.find("stub_completions", 4 * IbvWc.SIZE);
            completions.fill((byte) 0);
            for (int i = 0; i < 3; i++) {
                receives.receiveQueue().receive(100 + i).local(memory, 0, 8);
                receives.receiveQueue().post();
                received(completions, i, StubLibrary.longNumber("stub_received_id"));
                StubLibrary.find("stub_timestamps", 32).setAtIndex(JAVA_LONG, i, 10 + i);
            }
            IbvWc.qpNum(completions, IbvWc.SIZE, closing.qpn());
            StubLibrary.number("stub_completion_count", 3);
            closing.close();
            WorkCompletion first = polled(queue);
            assertThat(first.id()).isEqualTo(100);
            assertThat(first.timestamp()).isEqualTo(10);
            WorkCompletion third = polled(queue);
            assertThat(third.id()).isEqualTo(102);
            assertThat(third.timestamp()).isEqualTo(12);
            assertThat(queue.poll()).isNull();
        }
    }

    private static WorkCompletion polled(CompletionQueue queue) {
        WorkCompletion completion = queue.poll();
        assertThat(completion).isNotNull();
        return completion;
    }

    /** Posts receives with ids from 100 on, and answers what the library was told as their ids. */
    private static List<Long> receives(ProtectionDomain domain, CompletionQueue queue, int count) {
        QueuePair pair = domain.createQueuePair(QueuePairSpec.reliable(queue).withDepth(8));
        pair.endpoint();
        MemoryRegion memory = domain.allocate(64, Access.LOCAL_WRITE);
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pair.receiveQueue().receive(100 + i).local(memory, 0, 8);
            pair.receiveQueue().post();
            ids.add(StubLibrary.longNumber("stub_received_id"));
        }
        return ids;
    }

    private static void received(MemorySegment completions, int index, long requestId) {
        long at = index * IbvWc.SIZE;
        IbvWc.wrId(completions, at, requestId);
        IbvWc.opcode(completions, at, Opcode.RECEIVE.code());
        IbvWc.byteLen(completions, at, 17);
        IbvWc.invalidatedRkey(completions, at, Integer.reverseBytes(0x0102_0304));
        IbvWc.qpNum(completions, at, PAIR_NUMBER_OF_OTHERS);
        IbvWc.srcQp(completions, at, 0x31);
        IbvWc.wcFlags(completions, at, IbvConstants.IBV_WC_WITH_IMM);
        IbvWc.slid(completions, at, 0xfffe);
        IbvWc.sl(completions, at, 5);
    }
}
