// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.SharedRegion;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WcFlags;
import org.paraverbs.pvrdma.abi.WcOpcode;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.contract.Covers;

/** Memory that the kernel registers by work requests, and invalidates: fast registration. */
class FastRegistrationTest {
    private static final int PAGES = 4;
    private static final long START = 0x4000_0000_0123L;
    private static final int LENGTH = 10_000;

    private Pair pair;

    /** The right device's kernel registers; the left one's reads and writes. */
    private MockQueuePair kernel;

    private MockQueuePair peer;
    private int pd;
    private int key;
    private int handle;
    private MockMemory.Pages pages;
    private long directory;

    FastRegistrationTest() {
        use(DeviceConfiguration.defaults());
    }

    private void use(DeviceConfiguration configuration) {
        if (pair != null) {
            pair.close();
        }
        pair = new Pair(configuration, true, p -> {});
        pd = pair.right.createPd();
        kernel = pair.right.createQp(pd, pair.rightCq, pair.rightCq, 16, 2);
        peer = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 16, 2);
        kernel.connect(peer);
        peer.connect(kernel);
        pages = pair.right.memory.pages(PAGES);
        directory = pair.right.memory.directory(pages.addresses());
        if (configuration.fastRegistration()) {
            assertThat(create(pd, PAGES)).isZero();
            key = CreateMr.Response.rkey(pair.right.response(), 0);
            handle = CreateMr.Response.mrHandle(pair.right.response(), 0);
            assertThat(CreateMr.Response.lkey(pair.right.response(), 0)).isEqualTo(key);
        }
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private int create(int ofPd, int pageCount) {
        return pair.right.command(CommandCode.CREATE_MR, s -> {
            CreateMr.pdHandle(s, 0, ofPd);
            CreateMr.flags(s, 0, CreateMr.FLAG_FRMR);
            CreateMr.nchunks(s, 0, pageCount);
        });
    }

    private MockQueuePair putRegistration(long wrId) {
        return kernel.putFastRegistration(wrId, START, directory, PAGES, LENGTH, ALL_ACCESS, key);
    }

    private void register() {
        putRegistration(50).ring();
        assertCompleted(50, WcOpcode.FAST_REG_MR);
    }

    private void invalidate() {
        kernel.putInvalidate(WrOpcode.LOCAL_INV, 51, key).ring();
        assertCompleted(51, WcOpcode.LOCAL_INV);
    }

    private void assertCompleted(long wrId, int opcode) {
        assertThat(pair.rightCq.poll())
                .extracting(Completion::wrId, Completion::opcode, Completion::status)
                .containsExactly(wrId, opcode, WcStatus.SUCCESS);
    }

    private void write(long address, int rkey, int length) {
        peer.post(WrOpcode.RDMA_WRITE, 1, address, rkey, pair.leftMr.start(), length, pair.leftMr.lkey());
    }

    private byte at(long offset) {
        long place = offset + (START & 4095);
        return pages.at(place).get(ValueLayout.JAVA_BYTE, place % MockMemory.PAGE);
    }

    @Test
    @Covers.WorkRequest("FAST_REG_MR")
    void registeredMemoryIsAPeers() {
        register();
        pair.leftMr.fill(4);
        write(START, key, LENGTH);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(at(0)).isEqualTo(MockRegion.pattern(4, 0));
        assertThat(at(LENGTH - 1)).isEqualTo(MockRegion.pattern(4, LENGTH - 1));
        assertThat(at(LENGTH)).isZero();
    }

    @Test
    @Covers.WorkRequest("FAST_REG_MR")
    void nothingBeyondItsLength() {
        register();
        write(START + LENGTH - 7, key, 8);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void beforeItIsRegisteredItIsNobodys() {
        write(START, key, 8);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    @Covers.WorkRequest("LOCAL_INV")
    void invalidatedItIsNobodysAgain() {
        register();
        invalidate();
        write(START, key, 8);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** The low byte of the key is the guest's: it changes it so that an old key leads nowhere. */
    @Test
    void theLowByteOfTheKeyIsTheGuests() {
        for (int use = 0; use < 5; use++) {
            int oldKey = key;
            key = (key & ~0xff) | (0x40 + use);
            register();
            write(START, key, 8);
            assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
            if (use == 4) {
                write(START, oldKey, 8);
                assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
            } else {
                invalidate();
            }
        }
    }

    /** One list: register, use as local memory, invalidate. What follows is looked at when its turn has come. */
    @Test
    void aListRegistersUsesAndInvalidates() {
        peer.receive(7, pair.leftMr, 0, 100);
        pages.segments()[0].set(ValueLayout.JAVA_BYTE, START & 4095, (byte) 0x66);
        putRegistration(1);
        kernel.put(WrOpcode.SEND, 2, SendFlags.SIGNALED, 0, 0, 0, START, 8, key);
        kernel.putInvalidate(WrOpcode.LOCAL_INV, 3, key);
        kernel.put(
                WrOpcode.RDMA_READ, 4, SendFlags.SIGNALED, pair.leftMr.start(), pair.leftMr.rkey(), 0, START, 8, key);
        kernel.ring();
        assertCompleted(1, WcOpcode.FAST_REG_MR);
        assertCompleted(2, WcOpcode.SEND);
        assertCompleted(3, WcOpcode.LOCAL_INV);
        assertThat(pair.rightCq.poll())
                .as("of a region that is invalid again")
                .extracting(Completion::wrId, Completion::status)
                .containsExactly(4L, WcStatus.LOC_PROT_ERR);
        assertThat(pair.leftMr.get(0)).isEqualTo((byte) 0x66);
    }

    /** An invalidation waits for what may still use the memory. */
    @Test
    void anInvalidationWaitsForWhatIsUnderWay() {
        register();
        kernel.put(WrOpcode.SEND, 1, SendFlags.SIGNALED, 0, 0, 0, START, 8, key);
        kernel.putInvalidate(WrOpcode.LOCAL_INV, 2, key).ring();
        assertThat(pair.rightCq.poll()).as("the peer has no receive").isNull();
        peer.receive(7, pair.leftMr, 0, 100);
        pair.advanceNs(1_000_000);
        assertCompleted(1, WcOpcode.SEND);
        assertCompleted(2, WcOpcode.LOCAL_INV);
    }

    @Test
    void aRegistrationNeedsNoPeer() {
        assertThat(peer.destroy()).isZero();
        register();
        invalidate();
    }

    // --- SEND with invalidate

    private MockQueuePair otherKernel() {
        MockQueuePair other = pair.left.createQp(pair.left.createPd(), pair.leftCq, pair.leftCq, 16, 2);
        assertThat(kernel.toState(QpState.RESET)).isZero();
        kernel.connect(other);
        other.connect(kernel);
        return other;
    }

    @Test
    @Covers.WorkRequest("SEND_WITH_INV")
    void aPeerInvalidatesWithItsMessage() {
        MockQueuePair other = otherKernel();
        register();
        MockRegion mr = pair.right.createMr(pd, 100, 0, ALL_ACCESS);
        kernel.receive(5, mr, 0, 100);
        other.putInvalidate(WrOpcode.SEND_WITH_INV, 1, key).ring();
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(pair.rightCq.poll())
                .extracting(Completion::wrId, Completion::status, Completion::flags, Completion::immediate)
                .containsExactly(5L, WcStatus.SUCCESS, WcFlags.WITH_INVALIDATE, key);
        register(); // it is free again
    }

    @Test
    @Covers.WorkRequest("SEND_WITH_INV")
    void aPeerCannotInvalidateOtherRegions() {
        MockQueuePair other = otherKernel();
        MockRegion mr = pair.right.createMr(pd, 100, 0, ALL_ACCESS);
        kernel.receive(5, mr, 0, 100);
        other.putInvalidate(WrOpcode.SEND_WITH_INV, 1, mr.rkey()).ring();
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(pair.right.events()).containsExactly(MockDriver.event(EventType.QP_ACCESS_ERR, kernel.handle));
        assertThat(pair.rightCq.poll().status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
    }

    // --- refusals

    private void assertRefused() {
        assertThat(pair.rightCq.poll())
                .extracting(Completion::wrId, Completion::status)
                .containsExactly(1L, WcStatus.MW_BIND_ERR);
        assertThat(kernel.state()).isEqualTo(QpState.ERR);
        assertThat(kernel.toState(QpState.RESET)).isZero();
        assertThat(peer.toState(QpState.RESET)).isZero();
        kernel.connect(peer);
        peer.connect(kernel);
    }

    @Test
    @Covers.WorkRequest("FAST_REG_MR")
    void registrationsThatCannotBe() {
        List<Consumer<MemorySegment>> bad = List.of(
                s -> SqWqe.fastRegPageShift(s, 0, 13),
                s -> SqWqe.fastRegPageListLen(s, 0, 0),
                s -> SqWqe.fastRegPageListLen(s, 0, -1),
                s -> SqWqe.fastRegPageListLen(s, 0, PAGES + 1),
                s -> SqWqe.fastRegPageListLen(s, 0, 2),
                s -> SqWqe.fastRegLength(s, 0, 0),
                s -> SqWqe.fastRegLength(s, 0, -1),
                s -> SqWqe.fastRegIovaStart(s, 0, -5000),
                s -> SqWqe.fastRegAccessFlags(s, 0, AccessFlags.ACCESS_REMOTE_WRITE),
                s -> SqWqe.fastRegAccessFlags(s, 0, AccessFlags.ACCESS_MW_BIND),
                s -> SqWqe.fastRegPlPdirDma(s, 0, 0x1230),
                s -> SqWqe.fastRegRkey(s, 0, pair.rightMr.rkey()),
                s -> SqWqe.fastRegRkey(s, 0, 0),
                s -> SqWqe.fastRegRkey(s, 0, -1));
        for (Consumer<MemorySegment> change : bad) {
            MemorySegment place = kernel.nextSend();
            putRegistration(1);
            change.accept(place);
            kernel.ring();
            assertRefused();
        }
        register();
    }

    @Test
    void pagesThatAreNotMapped() {
        pair.right.memory.unmap(pages.addresses()[2]);
        putRegistration(1).ring();
        assertRefused();
    }

    @Test
    void twice() {
        register();
        putRegistration(1).ring();
        assertRefused();
        kernel.putInvalidate(WrOpcode.LOCAL_INV, 1, key + 1).ring();
        assertRefused();
        invalidate();
        kernel.putInvalidate(WrOpcode.LOCAL_INV, 1, key).ring();
        assertRefused();
    }

    @Test
    void aRegionOfTheUsualKindCannotBeInvalidated() {
        MockRegion mr = pair.right.createMr(pd, 100, 0, ALL_ACCESS);
        kernel.putInvalidate(WrOpcode.LOCAL_INV, 1, mr.rkey()).ring();
        assertRefused();
    }

    @Test
    void aRegionOfAnotherProtectionDomain() {
        int other = pair.right.createPd();
        assertThat(create(other, PAGES)).isZero();
        key = CreateMr.Response.rkey(pair.right.response(), 0);
        putRegistration(1).ring();
        assertRefused();
    }

    /** Numbers that a program's provider passes on unchanged, with another meaning. */
    @ParameterizedTest
    @ValueSource(ints = {WrOpcode.LOCAL_INV, WrOpcode.FAST_REG_MR, WrOpcode.SEND_WITH_INV})
    void aProgramsQueuePairHasNoneOfIt(int opcode) {
        pair.rightQp.putInvalidate(opcode, 1, key).ring();
        assertThat(pair.rightCq.poll().status()).isEqualTo(WcStatus.LOC_QP_OP_ERR);
    }

    @Test
    void regionsThatCannotBe() {
        assertThat(create(pd, 0)).isEqualTo(Errno.EINVAL.number());
        assertThat(create(pd, 129)).isEqualTo(Errno.EINVAL.number());
        assertThat(create(pd, -1)).isEqualTo(Errno.EINVAL.number());
        assertThat(create(pd, 128)).isZero();
        assertThat(create(pair.rightPd, 4)).isEqualTo(Errno.EPERM.number());
        assertThat(pair.right.destroyMr(handle)).isZero();
        putRegistration(1).ring();
        assertRefused();
    }

    @Test
    void aDeviceWithoutFastRegistration() {
        use(DeviceConfiguration.builder().fastRegistration(false).build());
        MemorySegment region = pair.right.sharedRegion.segments()[0];
        assertThat(DeviceCaps.bmmeFlags(region, SharedRegion.CAPS_OFFSET)).isZero();
        assertThat(create(pd, 4)).isEqualTo(Errno.EOPNOTSUPP.number());
        putRegistration(1).ring();
        assertThat(pair.rightCq.poll().status()).isEqualTo(WcStatus.LOC_QP_OP_ERR);
    }

    @Test
    void theCapabilityIsTold() {
        MemorySegment region = pair.right.sharedRegion.segments()[0];
        assertThat(DeviceCaps.bmmeFlags(region, SharedRegion.CAPS_OFFSET)).isEqualTo(7);
        assertThat(DeviceCaps.maxFastRegPageListLen(region, SharedRegion.CAPS_OFFSET))
                .isEqualTo(128);
    }

    // --- allocation

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int OPERATIONS = 20_000;

    /** Bytes that the operations allocate, leaving out what is done between them; the last of some turns, when all is compiled. */
    private static long allocatedBy(Runnable before, Runnable operation, Runnable after) {
        long allocated = Long.MAX_VALUE;
        for (int turn = 0; turn < 10 && allocated > OPERATIONS / 100; turn++) {
            allocated = 0;
            for (int i = 0; i < OPERATIONS; i++) {
                before.run();
                long start = THREADS.getCurrentThreadAllocatedBytes();
                operation.run();
                allocated += THREADS.getCurrentThreadAllocatedBytes() - start;
                after.run();
            }
        }
        return allocated;
    }

    private void registerUnseen() {
        putRegistration(50).ring();
        pair.rightCq.skip();
    }

    @Test
    void anInvalidationAllocatesNothing() {
        long allocated = allocatedBy(
                () -> {
                    registerUnseen();
                    kernel.putInvalidate(WrOpcode.LOCAL_INV, 51, key);
                },
                kernel::ring,
                pair.rightCq::skip);
        assertThat(allocated).as("bytes in %d invalidations", OPERATIONS).isLessThan(OPERATIONS / 100);
        register(); // it was invalidated the last time, too
    }

    @Test
    void anInvalidationByAPeerAllocatesNothing() {
        MockQueuePair other = otherKernel();
        MockRegion mr = pair.right.createMr(pd, 100, 0, ALL_ACCESS);
        long[] receive = {mr.start(), 100, mr.lkey()};
        long allocated = allocatedBy(
                () -> {
                    registerUnseen();
                    kernel.receive(5, receive);
                    other.putInvalidate(WrOpcode.SEND_WITH_INV, 1, key);
                },
                other::ring,
                () -> {
                    pair.leftCq.skip();
                    pair.rightCq.skip();
                });
        assertThat(allocated).as("bytes in %d invalidations", OPERATIONS).isLessThan(OPERATIONS / 100);
        register();
    }
}
