// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;

/**
 * Guests that change what they have posted, between the device's reading and its acting: what was checked is what is used. The device
 * asks for the epoch of the guest's memory in between, which is when these guests act.
 */
class RewrittenMemoryTest {
    private static final byte JUNK = (byte) 0xff;

    private final Pair pair = new Pair();

    @BeforeEach
    void fill() {
        pair.leftMr.fill(1);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    /** Overwrites memory when a guest's mappings are looked at for the {@code look}-th time; says how often they were. */
    private static AtomicInteger rewriteAt(MockMemory memory, int look, MemorySegment place, byte with) {
        AtomicInteger looks = new AtomicInteger();
        memory.onEpoch = () -> {
            if (looks.incrementAndGet() == look) {
                place.fill(with);
            }
        };
        return looks;
    }

    private void assertArrived(int length) {
        for (int i = 0; i < Pair.REGION; i++) {
            assertThat(pair.rightMr.get(i)).as("byte %d", i).isEqualTo(i < length ? pair.leftMr.get(i) : 0);
        }
    }

    @ParameterizedTest
    @ValueSource(bytes = {0, 1, 0x7f, JUNK})
    void aSendWorkRequest(byte with) {
        MemorySegment place = pair.leftQp.nextSend();
        pair.leftQp.put(
                WrOpcode.RDMA_WRITE,
                4711,
                SendFlags.SIGNALED,
                pair.rightMr.start(),
                pair.rightMr.rkey(),
                0,
                pair.leftMr.start(),
                1000,
                pair.leftMr.lkey());
        AtomicInteger looks = rewriteAt(pair.left.memory, 2, place, with); // the first is before it is read
        pair.leftQp.ring();
        assertThat(looks).hasValueGreaterThanOrEqualTo(2);
        MockCompletionQueue.Completion completion = pair.leftCq.poll();
        assertThat(completion.wrId()).isEqualTo(4711);
        assertThat(completion.status()).isEqualTo(WcStatus.SUCCESS);
        assertArrived(1000);
    }

    @ParameterizedTest
    @ValueSource(bytes = {0, 1, 0x7f, JUNK})
    void aReceive(byte with) {
        pair.rightQp.receive(4712, pair.rightMr, 0, 1000);
        AtomicInteger looks = rewriteAt(pair.right.memory, 2, pair.rightQp.receivePlace(0), with);
        pair.leftQp.send(1, pair.leftMr, 0, 1000);
        assertThat(looks).hasValueGreaterThanOrEqualTo(2);
        MockCompletionQueue.Completion completion = pair.rightCq.poll();
        assertThat(completion.wrId()).isEqualTo(4712);
        assertThat(completion.status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(completion.byteLength()).isEqualTo(1000);
        assertArrived(1000);
    }

    @ParameterizedTest
    @ValueSource(bytes = {0, 1, 0x7f, JUNK})
    void aCommand(byte with) {
        AtomicInteger looks =
                rewriteAt(pair.right.memory, 1, pair.right.commandSlot.segments()[0], with);
        MockRegion region = pair.right.createMr(pair.rightPd, 5000, 24, ALL_ACCESS);
        pair.right.memory.onEpoch = () -> {};
        assertThat(looks).hasValueGreaterThanOrEqualTo(1);
        pair.leftQp.write(1, pair.leftMr, 0, region, 0, 5000);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(region.get(4999)).isEqualTo(pair.leftMr.get(4999));
        pair.leftQp.write(2, pair.leftMr, 0, region, 1, 5000);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** Its last field is looked at after the pages. */
    @Test
    void aCommandWhoseLastFieldCounts() {
        AtomicInteger looks =
                rewriteAt(pair.left.memory, 1, pair.left.commandSlot.segments()[0], JUNK);
        MockQueuePair unsignaled = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 8, 1);
        pair.left.memory.onEpoch = () -> {};
        assertThat(looks).hasValueGreaterThanOrEqualTo(1);
        unsignaled.connect(unsignaled);
        unsignaled
                .put(
                        WrOpcode.RDMA_WRITE,
                        1,
                        0,
                        pair.leftMr.start(),
                        pair.leftMr.rkey(),
                        0,
                        pair.leftMr.start(),
                        8,
                        pair.leftMr.lkey())
                .ring();
        assertThat(unsignaled.freeSends()).as("done").isEqualTo(8);
        assertThat(pair.leftCq.poll()).as("sq_sig_all was 0").isNull();
    }

    /** The device has its own idea of where its regions lie; the directory is of no interest any more. */
    @Test
    void aPageDirectory() {
        MockMemory.Pages pages = pair.right.memory.pages(2);
        long directory = pair.right.memory.directory(pages.addresses());
        MockRegion region = pair.right.createMr(pair.rightPd, 5000, 0, ALL_ACCESS);
        MemorySegment listed = pair.right.memory.resolve(directory, MockMemory.PAGE);
        assertThat(listed).isNotNull();
        listed.fill(JUNK);
        pair.right.memory.unmap(directory);
        pair.leftQp.write(1, pair.leftMr, 0, region, 0, 5000);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
    }
}
