// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.device.ControlPathFixture.EFAULT;
import static org.paraverbs.pvrdma.device.ControlPathFixture.EINVAL;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateCq;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.CreateQp;
import org.paraverbs.pvrdma.abi.DestroyCq;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;

/** Guests that free, at the worst moment, what the device is about to read; and that name more memory than there is a use for. */
class FreedMemoryTest {
    private static final int QKEY = 0x11;

    private Pair pair = new Pair();

    /** Where rings lie that are freed. */
    private final Arena arena = Arena.ofShared();

    @AfterEach
    void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
        pair.close();
    }

    /** What the sender holds of the receiving device while it reads its own ring must be given back. */
    @Test
    void aRingThatIsFreedWhileADatagramIsSentHoldsNoOtherSenderUp() {
        MockQueuePair receiver = pair.right.createQp(QpType.UD, pair.rightPd, pair.rightCq, pair.rightCq, null, 8, 1);
        receiver.ready(QKEY, false);
        MockQueuePair honest = pair.left.createQp(QpType.UD, pair.leftPd, pair.leftCq, pair.leftCq, null, 8, 1);
        honest.ready(QKEY, false);
        MockQueuePair doomed = pair.left.withMemory(
                arena, () -> pair.left.createQp(QpType.UD, pair.leftPd, pair.leftCq, pair.leftCq, null, 8, 1));
        doomed.ready(QKEY, false);
        doomed.putDatagram(
                WrOpcode.SEND,
                1,
                SendFlags.SIGNALED,
                0,
                pair.right.gidLow,
                receiver.qpn,
                QKEY,
                pair.leftMr.start(),
                8,
                pair.leftMr.lkey());
        AtomicInteger looks = new AtomicInteger();
        pair.left.memory.onEpoch = () -> {
            // the first look is at the ring, the second at the payload, which is copied into the receiving device
            if (looks.incrementAndGet() == 2) {
                arena.close();
            }
        };
        doomed.ring();
        pair.left.memory.onEpoch = () -> {};
        assertThat(looks).hasValueGreaterThanOrEqualTo(2);
        assertThat(doomed.state()).isEqualTo(QpState.ERR);
        receiver.receive(5, pair.rightMr, 0, 100);
        honest.datagram(2, receiver, QKEY, pair.leftMr, 0, 8);
        assertThat(pair.rightCq.poll()).as("the other sender's datagram").isNotNull();
    }

    /** Flushing begins with the ring; what does not need it is flushed all the same. */
    @Test
    void aQueuePairWhoseRingIsFreedIsStillFlushed() {
        MockQueuePair doomed =
                pair.left.withMemory(arena, () -> pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 8, 1));
        MockQueuePair peer = pair.right.createQp(pair.rightPd, pair.rightCq, pair.rightCq, 8, 1);
        doomed.connect(peer);
        peer.connect(doomed);
        doomed.send(1, pair.leftMr, 0, 8);
        doomed.send(2, pair.leftMr, 0, 8); // both wait for receives
        arena.close();
        assertThat(doomed.toState(QpState.ERR)).isZero();
        for (long wrId = 1; wrId <= 2; wrId++) {
            MockCompletionQueue.Completion completion = pair.leftCq.poll();
            assertThat(completion).as("completion of %d", wrId).isNotNull();
            assertThat(completion.wrId()).isEqualTo(wrId);
            assertThat(completion.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        }
        assertThat(doomed.destroy()).isZero();
    }

    /** The rings are whole: it is the work request that fails. */
    @Test
    void aPageDirectoryFreedUnderAFastRegistration() {
        pair.close();
        pair = new Pair(DeviceConfiguration.builder().fastRegistration(true).build(), false, p -> {});
        int pd = pair.left.createPd();
        MockQueuePair kernel = pair.left.createQp(pd, pair.leftCq, pair.leftCq, 8, 1);
        MockQueuePair peer = pair.right.createQp(pair.rightPd, pair.rightCq, pair.rightCq, 8, 1);
        kernel.connect(peer);
        int key = CreateMr.Response.rkey(
                pair.left.succeed(CommandCode.CREATE_MR, s -> {
                    CreateMr.pdHandle(s, 0, pd);
                    CreateMr.flags(s, 0, CreateMr.FLAG_FRMR);
                    CreateMr.nchunks(s, 0, 2);
                }),
                0);
        MockMemory.Pages pages = pair.left.memory.pages(2);
        long directory;
        try (Arena freed = Arena.ofShared()) {
            directory = pair.left.withMemory(freed, () -> pair.left.memory.directory(pages.addresses()));
        }
        kernel.putFastRegistration(9, 0x7000_0000L, directory, 2, 5000, ALL_ACCESS, key)
                .ring();
        MockCompletionQueue.Completion completion = pair.leftCq.poll();
        assertThat(completion).isNotNull();
        assertThat(completion.wrId()).isEqualTo(9);
        assertThat(completion.status()).isEqualTo(WcStatus.MW_BIND_ERR);
        assertThat(pair.left.events()).isEmpty();
    }

    /** Three pages of a guest, listed again and again, must not fill the host's memory. */
    @Test
    void aCompletionQueueOfMorePagesThanTheLargestTakes() {
        int most = 1 + pair.left.configuration.limits().maxCqe() * 64 / MockMemory.PAGE;
        assertThat(createCq(most)).isZero();
        assertThat(createCq(most + 1)).isEqualTo(EINVAL);
        assertThat(createCq(PageDirectory.MAX_PAGES)).isEqualTo(EINVAL);
    }

    private int createCq(int chunks) {
        long[] addresses = new long[chunks];
        MockMemory.Pages pages = pair.left.memory.pages(1);
        for (int i = 0; i < chunks; i++) {
            addresses[i] = pages.first();
        }
        return pair.left.command(CommandCode.CREATE_CQ, s -> {
            CreateCq.pdirDma(s, 0, pair.left.memory.directory(addresses));
            CreateCq.cqe(s, 0, 4);
            CreateCq.nchunks(s, 0, chunks);
        });
    }

    @Test
    void aQueuePairOfMorePagesThanTheLargestTakes() {
        // 4096 work requests of 16 elements, 512 bytes each, are 512 pages
        assertThat(createQp(512, 1 + 512 + 1)).isZero();
        assertThat(createQp(513, 1 + 513 + 1)).isEqualTo(EINVAL);
        assertThat(createQp(0xfff0, 0xffff)).isEqualTo(EINVAL);
    }

    private int createQp(int sendChunks, int chunks) {
        long[] addresses = new long[chunks];
        MockMemory.Pages pages = pair.left.memory.pages(1);
        for (int i = 0; i < chunks; i++) {
            addresses[i] = pages.first();
        }
        return pair.left.command(CommandCode.CREATE_QP, s -> {
            CreateQp.pdirDma(s, 0, pair.left.memory.directory(addresses));
            CreateQp.pdHandle(s, 0, pair.leftPd);
            CreateQp.sendCqHandle(s, 0, pair.leftCq.handle);
            CreateQp.recvCqHandle(s, 0, pair.leftCq.handle);
            CreateQp.maxSendWr(s, 0, 1);
            CreateQp.maxRecvWr(s, 0, 1);
            CreateQp.maxSendSge(s, 0, 1);
            CreateQp.maxRecvSge(s, 0, 1);
            CreateQp.totalChunks(s, 0, chunks);
            CreateQp.sendChunks(s, 0, sendChunks);
            CreateQp.qpType(s, 0, QpType.RC);
        });
    }

    /** A directory at any address, and one that is freed while it is read. */
    @Test
    void pageDirectoriesThatCannotBeRead() {
        long freed;
        try (Arena shortLived = Arena.ofShared()) {
            freed = pair.left.withMemory(
                    shortLived,
                    () -> pair.left.memory.directory(pair.left.memory.pages(2).addresses()));
        }
        long sound = pair.left.memory.directory(pair.left.memory.pages(2).addresses());
        for (long directory : new long[] {freed, 0, -1, -8, Long.MIN_VALUE, sound + 4092, sound + 1}) {
            assertThat(pair.left.command(CommandCode.CREATE_CQ, s -> {
                        CreateCq.pdirDma(s, 0, directory);
                        CreateCq.cqe(s, 0, 4);
                        CreateCq.nchunks(s, 0, 2);
                    }))
                    .as("directory at 0x%x", directory)
                    .isEqualTo(EFAULT);
            assertThat(pair.left.lastRefusal()).contains("page directory");
        }
    }

    /** A notification that waits for room is of no use once its queue is gone. */
    @Test
    void aCompletionQueueThatIsGoneIsNotToldOf() {
        MockCompletionQueue doomed = pair.left.createCq(4);
        MockQueuePair qp = pair.left.createQp(pair.leftPd, doomed, doomed, 8, 1);
        qp.connect(qp);
        var header = pair.left.completionRing.segments()[0];
        RingState.publishConsHead(header, RingState.RX_OFFSET, 1024); // full
        doomed.arm();
        qp.write(1, pair.leftMr, 0, pair.leftMr, 0, 8);
        assertThat(qp.destroy()).isZero();
        assertThat(pair.left.command(CommandCode.DESTROY_CQ, s -> DestroyCq.cqHandle(s, 0, doomed.handle)))
                .isZero();
        RingState.publishConsHead(header, RingState.RX_OFFSET, 0);
        pair.advanceNs(10_000_000);
        assertThat(pair.left.notified()).isEmpty();
    }
}
