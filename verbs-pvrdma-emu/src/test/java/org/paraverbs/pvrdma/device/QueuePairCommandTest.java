// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.CreateQp;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.verbs.contract.Covers;

/** CREATE_QP, DESTROY_QP. */
class QueuePairCommandTest extends ControlPathFixture {
    /** CVE-2018-20125, CVE-2018-20126. */
    @Test
    @Covers.Command("CREATE_QP")
    @Covers.Limit({"DeviceLimits.maxQpWr", "DeviceLimits.maxSge"})
    void queuePairSizesAreChecked() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        MockCompletionQueue cq = driver.createCq(64);
        assertThat(createQp(driver, pd, cq, s -> {})).isZero();
        List<Consumer<MemorySegment>> bad = List.of(
                s -> CreateQp.maxSendWr(s, 0, 0),
                s -> CreateQp.maxSendWr(s, 0, 31),
                s -> CreateQp.maxSendWr(s, 0, 64),
                s -> CreateQp.maxSendWr(s, 0, 8192),
                s -> CreateQp.maxSendWr(s, 0, 1 << 31),
                s -> CreateQp.maxRecvWr(s, 0, 256),
                s -> CreateQp.maxRecvWr(s, 0, -1),
                s -> CreateQp.maxSendSge(s, 0, 0),
                s -> CreateQp.maxSendSge(s, 0, 4),
                s -> CreateQp.maxSendSge(s, 0, 17),
                s -> CreateQp.maxSendSge(s, 0, 0x1000_0003),
                s -> CreateQp.maxRecvSge(s, 0, 4),
                s -> CreateQp.maxRecvSge(s, 0, -1),
                s -> CreateQp.totalChunks(s, 0, 2),
                s -> CreateQp.totalChunks(s, 0, 0),
                s -> CreateQp.sendChunks(s, 0, 0),
                s -> CreateQp.sendChunks(s, 0, 2),
                s -> CreateQp.sendChunks(s, 0, 0xffff),
                s -> CreateQp.pdHandle(s, 0, 99),
                s -> CreateQp.sendCqHandle(s, 0, 99),
                s -> CreateQp.recvCqHandle(s, 0, -1));
        for (int i = 0; i < bad.size(); i++) {
            assertThat(createQp(driver, pd, cq, bad.get(i)))
                    .as("bad size %d", i)
                    .isEqualTo(EINVAL);
        }
        assertThat(createQp(driver, pd, cq, s -> CreateQp.totalChunks(s, 0, 0xffff)))
                .as("pages beyond those that are used")
                .isZero();
        assertThat(createQp(driver, pd, cq, s -> CreateQp.sendChunks(s, 0, 512)))
                .isEqualTo(EINVAL);
        assertThat(createQp(driver, pd, cq, s -> {
                    CreateQp.sendChunks(s, 0, 512);
                    CreateQp.totalChunks(s, 0, 514);
                }))
                .isEqualTo(EFAULT);
        for (int type : new int[] {QpType.UC, 0, 9, 10, 255}) {
            assertThat(createQp(driver, pd, cq, s -> CreateQp.qpType(s, 0, type)))
                    .isEqualTo(EOPNOTSUPP);
        }
        assertThat(createQp(driver, pd, cq, s -> CreateQp.isSrq(s, 0, 1))).isEqualTo(EINVAL);
        assertThat(createQp(driver, pd, cq, s -> CreateQp.maxInlineData(s, 0, 64)))
                .isEqualTo(EINVAL);
    }

    @Test
    @Covers.Command("DESTROY_QP")
    void queuePairNumbersAreNotUsedAgainAtOnce() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        MockCompletionQueue cq = driver.createCq(64);
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            MockQueuePair qp = driver.createQp(pd, cq, cq, 4, 1);
            assertThat(qp.handle).isBetween(0, 255);
            assertThat(qp.qpn).isBetween(2, 0xff_ffff);
            numbers.add(qp.qpn);
            assertThat(qp.destroy()).isZero();
        }
        assertThat(numbers).doesNotHaveDuplicates();
    }
}
