// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.Cqe;
import org.paraverbs.pvrdma.abi.CreateCq;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.device.DeviceStatistics.Use;
import org.paraverbs.verbs.contract.Covers;

/**
 * Objects as large as a page directory can list. Their page directories list one page over and over, so that a machine that
 * builds this needs no such memory.
 */
class LargestObjectsTest extends ControlPathFixture {
    /** {@link PageDirectory#MAX_PAGES} pages, less the header, have room for almost twice as many. */
    private static final int LARGEST_QUEUE = 1 << 23;

    private static final long GIB = 1L << 30;

    /** A page directory that lists one page again and again, a different one first. */
    private static MockMemory.Pages repeated(MockDriver driver, int pages) {
        MockMemory.Pages two = driver.memory.pages(2);
        long[] addresses = new long[pages];
        MemorySegment[] segments = new MemorySegment[pages];
        Arrays.fill(addresses, two.addresses()[1]);
        Arrays.fill(segments, two.segments()[1]);
        addresses[0] = two.first();
        segments[0] = two.segments()[0];
        return new MockMemory.Pages(addresses, segments);
    }

    private static int createCq(MockDriver driver, int entries, int chunks, long directory) {
        return driver.command(CommandCode.CREATE_CQ, s -> {
            CreateCq.pdirDma(s, 0, directory);
            CreateCq.cqe(s, 0, entries);
            CreateCq.nchunks(s, 0, chunks);
        });
    }

    /** 8,388,608 entries; the next power of two would fill the page directory and leave no place for the header. */
    @Test
    @Covers.Limit("DeviceLimits.maxCqe")
    void theLargestCompletionQueue() {
        assertThat((long) LARGEST_QUEUE * 2 * Cqe.SIZE).isEqualTo((long) PageDirectory.MAX_PAGES << 12);
        MockDriver driver =
                booted(DeviceConfiguration.builder().maxCqe(LARGEST_QUEUE).build());
        int pages = 1 + LARGEST_QUEUE / (MockMemory.PAGE / Cqe.SIZE);
        MockMemory.Pages ring = repeated(driver, pages);
        long directory = driver.memory.directory(ring.addresses());
        assertThat(createCq(driver, LARGEST_QUEUE, pages - 1, directory)).isEqualTo(EINVAL);
        assertThat(createCq(driver, LARGEST_QUEUE, pages, directory)).isZero();
        int handle = CreateCq.Response.cqHandle(driver.response(), 0);
        MockCompletionQueue cq = new MockCompletionQueue(driver, handle, LARGEST_QUEUE, ring);
        int pd = driver.createPd();
        MockRegion mr = driver.createMr(pd, 100, 0, MockQueuePair.ALL_ACCESS);
        MockQueuePair qp = driver.createQp(pd, cq, cq, 16, 1);
        qp.connect(qp);
        for (int id = 0; id < 200; id++) {
            qp.write(id, mr, 0, mr, 50, 8);
            assertThat(cq.poll().wrId()).isEqualTo(id);
        }
        assertThat(qp.destroy()).isZero();
        assertThat(cq.destroy()).isZero();
        for (int entries : new int[] {LARGEST_QUEUE << 1, 1 << 30, 1 << 31}) {
            assertThat(createCq(driver, entries, PageDirectory.MAX_PAGES, directory))
                    .isEqualTo(EINVAL);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        DeviceConfiguration.builder().maxCqe(LARGEST_QUEUE + 1).build())
                .withMessageContaining("maxCqe");
    }

    private static int register(MockDriver driver, int pd, long length, long directory) {
        return driver.command(CommandCode.CREATE_MR, s -> {
            CreateMr.pdHandle(s, 0, pd);
            CreateMr.start(s, 0, MockDriver.VIRTUAL);
            CreateMr.length(s, 0, length);
            CreateMr.nchunks(s, 0, (int) PageDirectory.pagesSpanned(MockDriver.VIRTUAL, length));
            CreateMr.pdirDma(s, 0, directory);
        });
    }

    /** Of 8 GiB 5.6 can be registered: five regions as large as a page directory lists, and one that takes the rest. */
    @Test
    @Covers.Limit("HostPolicy.maxRegisteredPercent")
    void moreMemoryThanMayBeRegistered() {
        MockDriver driver =
                booted(DeviceConfiguration.builder().guestMemory(8 * GIB).build());
        int pd = driver.createPd();
        long directory = driver.memory.directory(
                repeated(driver, PageDirectory.MAX_PAGES).addresses());
        int[] handles = new int[5];
        for (int i = 0; i < handles.length; i++) {
            assertThat(register(driver, pd, GIB, directory)).isZero();
            handles[i] = CreateMr.Response.mrHandle(driver.response(), 0);
        }
        for (int turn = 0; turn < 3; turn++) {
            assertThat(register(driver, pd, GIB, directory)).isEqualTo(ENOMEM);
            assertThat(driver.lastRefusal()).contains("6012954214", "5368709120", "1073741824");
            assertThat(register(driver, pd, 644_245_095, directory)).isEqualTo(ENOMEM);
            assertThat(register(driver, pd, 644_245_094, directory)).isZero();
            int rest = CreateMr.Response.mrHandle(driver.response(), 0);
            assertThat(registered(driver).used()).isEqualTo(registered(driver).max());
            assertThat(register(driver, pd, 1, directory)).isEqualTo(ENOMEM);
            assertThat(driver.destroyMr(rest)).isZero();
        }
        for (int handle : handles) {
            assertThat(driver.destroyMr(handle)).isZero();
        }
        assertThat(registered(driver).used()).isZero();
    }

    private static Use registered(MockDriver driver) {
        return driver.device.statistics().use("registered memory (70 % of the guest's)");
    }

    /** Whatever the device would take: the numbers do not add up to something small. */
    @Test
    void lengthsThatNoMachineHas() {
        MockDriver driver = booted(DeviceConfiguration.builder()
                .maxMrSize(Long.MAX_VALUE)
                .guestMemory(Long.MAX_VALUE)
                .build());
        int pd = driver.createPd();
        Consumer<MemorySegment> nothingMore = s -> {};
        for (long length : new long[] {
            GIB + 1,
            1L << 32,
            (1L << 32) + 1,
            1L << 44,
            (1L << 44) + 1,
            1L << 62,
            Long.MAX_VALUE,
            Long.MIN_VALUE,
            -4096,
            -1
        }) {
            for (long start : new long[] {0, 1, 4095, MockDriver.VIRTUAL, Long.MAX_VALUE, -4096, -1}) {
                for (int chunks : new int[] {0, 1, 2, PageDirectory.MAX_PAGES, PageDirectory.MAX_PAGES + 1, -1}) {
                    assertThat(createMr(driver, pd, start, length, chunks, nothingMore))
                            .as("start %x length %x pages %d", start, length, chunks)
                            .isEqualTo(EINVAL);
                }
            }
        }
        assertThat(registered(driver).used()).isZero();
    }
}
