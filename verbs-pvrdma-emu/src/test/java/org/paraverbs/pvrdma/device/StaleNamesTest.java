// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.DestroyCq;
import org.paraverbs.pvrdma.abi.DestroyMr;
import org.paraverbs.pvrdma.abi.DestroyPd;
import org.paraverbs.pvrdma.abi.DestroyQp;
import org.paraverbs.pvrdma.abi.DestroySrq;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.ModifyQp;
import org.paraverbs.pvrdma.abi.ModifySrq;
import org.paraverbs.pvrdma.abi.QueryQp;
import org.paraverbs.pvrdma.abi.QuerySrq;
import org.paraverbs.pvrdma.abi.ResizeCq;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.verbs.contract.Covers;

/** What is left of the name of an object that is gone, its handle, its key or its number, does not lead to the next that has the place. */
class StaleNamesTest extends ControlPathFixture {
    /** Uses of a handle that a key or number tells apart. */
    private static final int USES = 255;

    private record Command(int code, ObjIntConsumer<MemorySegment> handle) {}

    /** Commands that name an object which is gone are refused, whatever its kind. */
    @Test
    @Covers.Command({"DESTROY_PD", "DESTROY_MR", "DESTROY_CQ", "DESTROY_QP", "DESTROY_SRQ", "QUERY_QP", "MODIFY_QP"})
    void handlesOfWhatIsGone() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        MockRegion mr = driver.createMr(pd, 100, 0, MockQueuePair.ALL_ACCESS);
        MockCompletionQueue cq = driver.createCq(16);
        MockSharedReceiveQueue srq = driver.createSrq(pd, 16, 1);
        MockQueuePair qp = driver.createQp(pd, cq, cq, 16, 1);
        assertThat(qp.destroy()).isZero();
        assertThat(srq.destroy()).isZero();
        assertThat(cq.destroy()).isZero();
        assertThat(driver.destroyMr(mr.handle())).isZero();
        assertThat(driver.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, pd)))
                .isZero();
        refused(driver, qp.handle, new Command(CommandCode.DESTROY_QP, (s, h) -> DestroyQp.qpHandle(s, 0, h)));
        refused(driver, qp.handle, new Command(CommandCode.QUERY_QP, (s, h) -> QueryQp.qpHandle(s, 0, h)));
        refused(driver, qp.handle, new Command(CommandCode.MODIFY_QP, (s, h) -> ModifyQp.qpHandle(s, 0, h)));
        refused(driver, srq.handle, new Command(CommandCode.DESTROY_SRQ, (s, h) -> DestroySrq.srqHandle(s, 0, h)));
        refused(driver, srq.handle, new Command(CommandCode.QUERY_SRQ, (s, h) -> QuerySrq.srqHandle(s, 0, h)));
        refused(driver, srq.handle, new Command(CommandCode.MODIFY_SRQ, (s, h) -> ModifySrq.srqHandle(s, 0, h)));
        refused(driver, cq.handle, new Command(CommandCode.DESTROY_CQ, (s, h) -> DestroyCq.cqHandle(s, 0, h)));
        refused(driver, cq.handle, new Command(CommandCode.RESIZE_CQ, (s, h) -> ResizeCq.cqHandle(s, 0, h)));
        refused(driver, mr.handle(), new Command(CommandCode.DESTROY_MR, (s, h) -> DestroyMr.mrHandle(s, 0, h)));
        refused(driver, pd, new Command(CommandCode.DESTROY_PD, (s, h) -> DestroyPd.pdHandle(s, 0, h)));
        // and doorbells do nothing
        for (int bits : new int[] {Doorbell.QP_SEND, Doorbell.QP_RECV}) {
            driver.device.writeUar(0, Doorbell.QP_OFFSET, bits | qp.handle);
        }
        srq.receive(1);
        cq.arm();
        cq.armSolicited();
        driver.device.writeUar(0, Doorbell.CQ_OFFSET, Doorbell.CQ_POLL | cq.handle);
        assertThat(driver.notified()).isEmpty();
        assertThat(driver.events()).isEmpty();
    }

    private static void refused(MockDriver driver, int handle, Command command) {
        assertThat(driver.command(command.code(), s -> command.handle().accept(s, handle)))
                .as(CommandCode.name(command.code()))
                .isEqualTo(EINVAL);
    }

    /** As long as there are others, a handle that was freed is not given out. */
    @Test
    void handlesAreNotUsedAgainWhileThereAreOthers() {
        MockDriver driver = booted(DeviceConfiguration.builder().maxPd(50).build());
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            int pd = driver.createPd();
            assertThat(seen.add(pd)).as("handle %d is new", pd).isTrue();
            assertThat(driver.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, pd)))
                    .isZero();
        }
    }

    /** A pair of devices with room for one region and one queue pair besides those that it has, and a filler. */
    private static Pair withOnePlaceLeft(int version) {
        Pair pair = new Pair(
                DeviceConfiguration.builder().version(version).maxMr(2).maxQp(4).build(), false, both -> {});
        pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 4, 1);
        pair.right.createQp(pair.rightPd, pair.rightCq, pair.rightCq, 4, 1);
        if (version >= 20) { // before, two of the four numbers are not for programs
            pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 4, 1);
            pair.right.createQp(pair.rightPd, pair.rightCq, pair.rightCq, 4, 1);
        } else {
            assertThat(pair.leftQp.destroy()).isZero();
            assertThat(pair.rightQp.destroy()).isZero();
        }
        return pair;
    }

    private static MockQueuePair last(MockDriver driver, int pd, MockCompletionQueue cq) {
        return driver.createQp(pd, cq, cq, 4, 1);
    }

    /** How a WRITE of 8 bytes from the right device to an address of the left ends; its queue pairs come and go. */
    private static int write(Pair pair, long from, int lkey, long to, int rkey) {
        MockQueuePair source = last(pair.right, pair.rightPd, pair.rightCq);
        MockQueuePair target = last(pair.left, pair.leftPd, pair.leftCq);
        source.connect(target);
        target.connect(source);
        source.post(WrOpcode.RDMA_WRITE, 1, to, rkey, from, 8, lkey);
        int status = pair.rightCq.poll().status();
        assertThat(source.destroy()).isZero();
        assertThat(target.destroy()).isZero();
        return status;
    }

    /** Each use of the one place has a key of its own, and a key of before is refused, here and from a peer. */
    @Test
    @Covers.Command({"CREATE_MR", "DESTROY_MR"})
    void keysOfRegionsThatAreGone() {
        try (Pair pair = withOnePlaceLeft(20)) {
            Set<Integer> keys = new HashSet<>();
            MockRegion right = pair.rightMr;
            for (int use = 0; use < USES; use++) {
                MockRegion now = pair.left.createMr(pair.leftPd, 100, 0, MockQueuePair.ALL_ACCESS);
                now.fill(5);
                byte before = now.get(3);
                // the address is the new region's: only the key is old
                for (int key : use % 32 == 31 ? keys : Set.<Integer>of()) {
                    assertThat(write(pair, right.start(), right.lkey(), now.start(), key))
                            .as("key 0x%x instead of 0x%x", key, now.rkey())
                            .isEqualTo(WcStatus.REM_ACCESS_ERR);
                }
                assertThat(now.get(3)).isEqualTo(before);
                assertThat(keys.add(now.rkey()))
                        .as("key 0x%x is new", now.rkey())
                        .isTrue();
                if (use == USES - 1) {
                    assertThat(write(pair, right.start(), right.lkey(), now.start(), now.rkey()))
                            .isEqualTo(WcStatus.SUCCESS);
                }
                assertThat(pair.left.destroyMr(now.handle())).isZero();
            }
            // the key has 8 bits for it, of which 0 is not used
            MockRegion again = pair.left.createMr(pair.leftPd, 100, 0, MockQueuePair.ALL_ACCESS);
            assertThat(keys).contains(again.rkey());
        }
    }

    /** The same for the memory that a request sends from. */
    @Test
    void localKeysOfRegionsThatAreGone() {
        try (Pair pair = withOnePlaceLeft(20)) {
            MockRegion gone = pair.right.createMr(pair.rightPd, 100, 0, 0);
            assertThat(pair.right.destroyMr(gone.handle())).isZero();
            MockRegion now = pair.right.createMr(pair.rightPd, 100, 0, 0);
            assertThat(now.handle()).isEqualTo(gone.handle());
            MockRegion left = pair.leftMr;
            assertThat(write(pair, now.start(), gone.lkey(), left.start(), left.rkey()))
                    .isEqualTo(WcStatus.LOC_PROT_ERR);
            assertThat(write(pair, now.start(), now.lkey(), left.start(), left.rkey()))
                    .isEqualTo(WcStatus.SUCCESS);
        }
    }

    /** A peer that still names the queue pair of before reaches nobody, although the next one has its handle and names the peer. */
    @Test
    @Covers.Command({"CREATE_QP", "DESTROY_QP"})
    void numbersOfQueuePairsThatAreGone() {
        try (Pair pair = withOnePlaceLeft(20)) {
            MockQueuePair peer = last(pair.left, pair.leftPd, pair.leftCq);
            MockQueuePair gone = last(pair.right, pair.rightPd, pair.rightCq);
            peer.connect(gone);
            gone.connect(peer);
            assertThat(gone.destroy()).isZero();
            Set<Integer> numbers = new HashSet<>(Set.of(gone.qpn));
            for (int use = 1; use < USES; use++) {
                MockQueuePair next = last(pair.right, pair.rightPd, pair.rightCq);
                assertThat(next.handle).isEqualTo(gone.handle);
                assertThat(numbers.add(next.qpn))
                        .as("number 0x%x is new", next.qpn)
                        .isTrue();
                if (use == USES - 1) {
                    next.connect(peer);
                    next.receive(9, pair.rightMr, 0, 8);
                    peer.send(1, pair.leftMr, 0, 8);
                    for (int i = 0; i < 100; i++) {
                        pair.advanceNs(1_000_000_000);
                    }
                    assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
                    assertThat(pair.rightCq.poll()).isNull();
                }
                assertThat(next.destroy()).isZero();
            }
        }
    }

    /** Before version 20 the number is the handle and comes again at once: then the packet sequence number is what guards. */
    @ParameterizedTest
    @ValueSource(ints = {-1000, -1, 2, 1000})
    void numbersThatAreUsedAgainAtOnce(int ahead) {
        try (Pair pair = withOnePlaceLeft(19)) {
            MockQueuePair peer = last(pair.left, pair.leftPd, pair.leftCq);
            MockQueuePair gone = last(pair.right, pair.rightPd, pair.rightCq);
            peer.connect(gone);
            gone.connect(peer);
            assertThat(gone.destroy()).isZero();
            MockQueuePair next = last(pair.right, pair.rightPd, pair.rightCq);
            assertThat(next.qpn).isEqualTo(gone.qpn);
            next.receivePsn = peer.sendPsn + ahead;
            next.connect(peer);
            next.receive(9, pair.rightMr, 0, 8);
            byte before = pair.rightMr.get(3);
            pair.leftMr.set(3, before + 1);
            peer.write(1, pair.leftMr, 0, pair.rightMr, 0, 8);
            peer.send(2, pair.leftMr, 0, 8);
            for (int i = 0; i < 100; i++) {
                pair.advanceNs(1_000_000_000);
            }
            assertThat(pair.rightMr.get(3)).isEqualTo(before);
            assertThat(pair.rightCq.poll()).isNull();
        }
    }
}
