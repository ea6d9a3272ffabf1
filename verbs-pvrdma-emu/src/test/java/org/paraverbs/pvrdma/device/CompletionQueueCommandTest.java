// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateCq;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.verbs.contract.Covers;

/** CREATE_CQ, RESIZE_CQ, DESTROY_CQ. */
class CompletionQueueCommandTest extends ControlPathFixture {
    /** CVE-2018-20125. */
    @Test
    @Covers.Command("CREATE_CQ")
    void completionQueueSizesAreChecked() {
        MockDriver driver = booted();
        int[][] entriesAndPages = {{0, 1}, {3, 2}, {64, 1}, {65, 3}, {128, 2}, {1 << 19, 8193}, {-1, 4}, {1 << 31, 4}};
        for (int[] bad : entriesAndPages) {
            MockMemory.Pages pages = driver.memory.pages(4);
            assertThat(driver.command(CommandCode.CREATE_CQ, s -> {
                        CreateCq.cqe(s, 0, bad[0]);
                        CreateCq.nchunks(s, 0, bad[1]);
                        CreateCq.pdirDma(s, 0, driver.memory.directory(pages.addresses()));
                    }))
                    .as("%d entries on %d pages", bad[0], bad[1])
                    .isEqualTo(EINVAL);
        }
        driver.createCq(1);
        driver.createCq(1 << 14);
    }

    // --- RESIZE_CQ

    private static final class Loop {
        final MockDriver driver;
        final MockRegion mr;
        final MockCompletionQueue cq;
        final MockQueuePair qp;

        Loop(MockDriver driver, int entries) {
            this.driver = driver;
            int pd = driver.createPd();
            cq = driver.createCq(entries);
            mr = driver.createMr(pd, 100, 0, ALL_ACCESS);
            qp = driver.createQp(pd, cq, cq, 256, 1);
            qp.connect(qp);
        }

        void write(int first, int count) {
            for (int i = 0; i < count; i++) {
                qp.write(first + i, mr, 0, mr, 0, 8);
            }
        }

        void poll(int first, int count) {
            for (int i = 0; i < count; i++) {
                assertThat(cq.poll().wrId()).isEqualTo(first + i);
            }
        }
    }

    /** Wherever the ring stands: indices count to twice the entries. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 65, 100, 127, 128})
    @Covers.Command("RESIZE_CQ")
    void completionsAreCarriedOverWhenAQueueShrinks(int before) {
        Loop loop = new Loop(booted(), 64);
        for (int i = 0; i < before; i++) {
            loop.write(i, 1);
            loop.poll(i, 1);
        }
        loop.write(1000, 16);
        assertThat(loop.cq.resize(16)).isZero();
        assertThat(loop.cq.waiting()).isEqualTo(16);
        loop.poll(1000, 16);
        for (int i = 0; i < 50; i++) {
            loop.write(i, 16);
            loop.poll(i, 16);
        }
        assertThat(loop.driver.events()).isEmpty();
        loop.write(0, 17);
        assertThat(loop.driver.events()).contains(MockDriver.event(EventType.CQ_ERR, loop.cq.handle));
    }

    @Test
    void aQueueGrowsAsFarAsItsPagesGo() {
        Loop loop = new Loop(booted(), 128);
        assertThat(loop.cq.resize(8)).isZero();
        loop.write(0, 5);
        assertThat(loop.cq.resize(128)).isZero();
        loop.write(5, 100);
        loop.poll(0, 105);
        assertThat(loop.cq.resize(256)).isEqualTo(EINVAL);
        assertThat(loop.driver.lastRefusal()).contains("created with 3 pages", "256");
    }

    @Test
    void aQueueThatHoldsMoreDoesNotShrink() {
        Loop loop = new Loop(booted(), 64);
        loop.write(0, 9);
        assertThat(loop.cq.resize(8)).isEqualTo(EINVAL);
        assertThat(loop.driver.lastRefusal()).contains("more completions than 8 entries", "9");
        loop.poll(0, 9);
        assertThat(loop.cq.resize(8)).isZero();
    }

    @Test
    @Covers.Command("RESIZE_CQ")
    void sizesAreCheckedWhenAQueueIsResized() {
        Loop loop = new Loop(booted(), 64);
        for (int bad : new int[] {0, 3, -1, Integer.MIN_VALUE, 1 << 19}) {
            assertThat(loop.cq.resize(bad)).as("%d entries", bad).isEqualTo(EINVAL);
        }
        RingState.publishConsHead(loop.cq.header(), RingState.RX_OFFSET, 128);
        assertThat(loop.cq.resize(32)).as("corrupt index").isEqualTo(EINVAL);
        RingState.publishConsHead(loop.cq.header(), RingState.RX_OFFSET, 1);
        assertThat(loop.cq.resize(32)).as("head beyond tail").isEqualTo(EINVAL);
        RingState.publishConsHead(loop.cq.header(), RingState.RX_OFFSET, 0);
        assertThat(loop.cq.resize(32)).isZero();
        assertThat(loop.qp.destroy()).isZero();
        assertThat(loop.cq.destroy()).isZero();
        assertThat(loop.cq.resize(32)).as("no such queue").isEqualTo(EINVAL);
    }
}
