// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CommandHeader;
import org.paraverbs.pvrdma.abi.CreateCq;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.CreateQp;
import org.paraverbs.pvrdma.abi.CreateSrq;
import org.paraverbs.pvrdma.abi.DestroyCq;
import org.paraverbs.pvrdma.abi.DestroyPd;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.RingPages;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.RqWqe;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.SharedRegion;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;

/**
 * The faults that were found in earlier models of this device, QEMU's above all, one test each, and by name: what a guest could do to
 * the process that ran them it cannot do here.
 */
@Timeout(60)
class KnownFaultsTest extends ControlPathFixture {
    private static final String DOMAINS = "max_pd";
    private static final String COMPLETION_QUEUES = "max_cq";
    private static final String QUEUE_PAIRS = "max_qp";

    /** How much of a limit is in use. */
    private static long used(MockDriver driver, String limit) {
        return driver.device.statistics().use(limit).used();
    }

    private static int createCq(MockDriver driver, int entries, int chunks, long directory) {
        return driver.command(CommandCode.CREATE_CQ, s -> {
            CreateCq.pdirDma(s, 0, directory);
            CreateCq.cqe(s, 0, entries);
            CreateCq.nchunks(s, 0, chunks);
        });
    }

    // --- the control path

    @Test
    @DisplayName("CVE-2021-3582: CREATE_MR maps by its length what its page count does not list")
    void pagesOfARegionThatDisagreeWithItsLength() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        assertThat(createMr(driver, pd, 0x1000, 4 * 4096, 4, s -> {})).isZero();
        for (int chunks : new int[] {0, 1, 3, 5, PageDirectory.MAX_PAGES, 1 << 30, -1, Integer.MIN_VALUE}) {
            assertThat(createMr(driver, pd, 0x1000, 4 * 4096, chunks, s -> {}))
                    .as("%d pages", chunks)
                    .isEqualTo(EINVAL);
        }
        assertThat(createMr(driver, pd, 0x1001, 4 * 4096, 4, s -> {}))
                .as("a byte in a fifth page")
                .isEqualTo(EINVAL);
        long[] threeOfFour = driver.memory.pages(4).addresses();
        threeOfFour[3] = 0x6660_0000_0000L;
        assertThat(createMr(
                        driver,
                        pd,
                        0x1000,
                        4 * 4096,
                        4,
                        s -> CreateMr.pdirDma(s, 0, driver.memory.directory(threeOfFour))))
                .as("the last page is not mapped")
                .isEqualTo(EFAULT);
    }

    @Test
    @DisplayName("CVE-2021-3607: a ring of no pages is set up")
    void ringsOfNoPages() {
        for (long ring : new long[] {SharedRegion.ASYNC_RING_PAGES_OFFSET, SharedRegion.CQ_RING_PAGES_OFFSET}) {
            for (int pages : new int[] {0, 1}) {
                MockDriver off = off();
                off.setUpSharedRegion();
                RingPages.numPages(off.sharedRegion.segments()[0], ring, pages);
                assertThat(off.activate())
                        .as("notification ring of %d pages", pages)
                        .isEqualTo(EINVAL);
            }
        }
        MockDriver driver = booted();
        int pd = driver.createPd();
        long directory = driver.memory.directory(driver.memory.pages(3).addresses());
        for (int chunks : new int[] {0, 1}) {
            assertThat(createCq(driver, 4, chunks, directory)).isEqualTo(EINVAL);
            assertThat(driver.command(CommandCode.CREATE_SRQ, s -> {
                        driver.putCreateSrq(s, pd, 4, 1, driver.memory.pages(2));
                        CreateSrq.nchunks(s, 0, chunks);
                    }))
                    .isEqualTo(EINVAL);
        }
        MockCompletionQueue cq = driver.createCq(4);
        for (int chunks : new int[] {0, 1, 2}) {
            assertThat(createQp(driver, pd, cq, s -> CreateQp.totalChunks(s, 0, chunks)))
                    .isEqualTo(EINVAL);
        }
    }

    @Test
    @DisplayName("CVE-2021-3608: a ring whose set-up fails half-way is taken down from what was never set up")
    void ringsThatFailHalfWay() {
        MockDriver driver = off();
        driver.setUpSharedRegion();
        MemorySegment region = driver.sharedRegion.segments()[0];
        long sound = RingPages.pdirDma(region, SharedRegion.CQ_RING_PAGES_OFFSET);
        for (int missing = 0; missing < MockDriver.RING_PAGES; missing++) {
            long[] addresses = driver.completionRing.addresses().clone();
            addresses[missing] = 0x6660_0000_0000L;
            RingPages.pdirDma(region, SharedRegion.CQ_RING_PAGES_OFFSET, driver.memory.directory(addresses));
            assertThat(driver.activate()).as("page %d is missing", missing).isEqualTo(EINVAL);
            driver.device.writeRegister(Registers.REQUEST, 0);
            assertThat(driver.error()).isEqualTo(ENODEV);
        }
        RingPages.pdirDma(region, SharedRegion.CQ_RING_PAGES_OFFSET, sound);
        assertThat(driver.activate()).isZero();
        driver.createPd();
    }

    @Test
    @DisplayName("CVE-2018-20123: what was taken for a start that fails is never given back")
    void startsThatFail() {
        MockDriver driver = off();
        driver.setUpSharedRegion();
        MemorySegment region = driver.sharedRegion.segments()[0];
        long slot = SharedRegion.respSlotDma(region, 0);
        for (int i = 0; i < 100; i++) {
            SharedRegion.respSlotDma(region, 0, 42);
            assertThat(driver.activate()).isEqualTo(EFAULT);
        }
        assertThat(driver.device.statistics().use())
                .allSatisfy(use -> assertThat(use.used()).isZero());
        SharedRegion.respSlotDma(region, 0, slot);
        assertThat(driver.activate()).isZero();
        driver.createCq(4);
    }

    @Test
    @DisplayName("CVE-2022-1050: a command is executed before there is a shared region, or after it has gone")
    void commandsWithoutASharedRegion() {
        MockDriver driver = off();
        CommandHeader.cmd(driver.commandSlot.segments()[0], 0, CommandCode.CREATE_PD);
        Consumer<String> refused = when -> {
            driver.device.writeRegister(Registers.REQUEST, 0);
            assertThat(driver.error()).as(when).isEqualTo(ENODEV);
            assertThat(used(driver, DOMAINS)).as(when).isZero();
            assertThat(driver.interrupts(InterruptVector.RESPONSE)).as(when).isZero();
        };
        refused.accept("at power-on");
        driver.setUpSharedRegion();
        driver.device.writeRegister(Registers.DSRLOW, (int) driver.sharedRegion.first());
        refused.accept("after half of the address");
        driver.device.writeRegister(Registers.DSRHIGH, (int) (driver.sharedRegion.first() >>> 32));
        assertThat(driver.error()).isZero();
        refused.accept("before ACTIVATE");
        driver.device.writeRegister(Registers.DSRHIGH, 0x7777);
        assertThat(driver.error()).isEqualTo(EFAULT);
        driver.device.writeRegister(Registers.CTL, DeviceCtl.ACTIVATE);
        assertThat(driver.error())
                .as("the region before does not count any more")
                .isEqualTo(EINVAL);
        refused.accept("after a region that is not mapped");
        assertThat(driver.activate()).isZero();
        driver.device.writeRegister(Registers.CTL, DeviceCtl.RESET);
        refused.accept("after a reset");
    }

    @Test
    @DisplayName("CVE-2023-1544: a ring of more pages than one table lists is read beyond the table")
    void ringsOfTooManyPages() {
        for (long ring : new long[] {SharedRegion.ASYNC_RING_PAGES_OFFSET, SharedRegion.CQ_RING_PAGES_OFFSET}) {
            for (int pages : new int[] {PageDirectory.ENTRIES + 1, PageDirectory.MAX_PAGES, 1 << 30, -1}) {
                MockDriver off = off();
                off.setUpSharedRegion();
                MemorySegment region = off.sharedRegion.segments()[0];
                // every page that is listed is there: it is the number that is wrong
                long[] listed = new long[PageDirectory.ENTRIES + 1];
                Arrays.fill(listed, off.memory.pages(1).first());
                RingPages.pdirDma(region, ring, off.memory.directory(listed));
                RingPages.numPages(region, ring, pages);
                assertThat(off.activate())
                        .as("notification ring of %d pages", pages)
                        .isEqualTo(EINVAL);
                RingPages.numPages(region, ring, PageDirectory.ENTRIES);
                assertThat(off.activate()).as("as many as one table lists").isZero();
            }
        }
        MockDriver driver = booted();
        long directory = driver.memory.directory(driver.memory.pages(2).addresses());
        for (int chunks : new int[] {PageDirectory.MAX_PAGES + 1, 1 << 30, -1, Integer.MIN_VALUE}) {
            assertThat(createCq(driver, 4, chunks, directory)).isEqualTo(EINVAL);
        }
    }

    @Test
    @DisplayName("CVE-2018-20125: CREATE_CQ and CREATE_QP take counts as they come")
    void countsThatAreNone() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        MockCompletionQueue cq = driver.createCq(4);
        long directory = driver.memory.directory(driver.memory.pages(2).addresses());
        for (int entries : new int[] {0, 3, 65, -1, 1 << 30, Integer.MIN_VALUE}) {
            assertThat(createCq(driver, entries, 2, directory))
                    .as("%d entries", entries)
                    .isEqualTo(EINVAL);
        }
        assertThat(createCq(driver, 128, 2, directory))
                .as("128 entries in one page")
                .isEqualTo(EINVAL);
        List<Consumer<MemorySegment>> bad = List.of(
                s -> CreateQp.maxSendWr(s, 0, -1),
                s -> CreateQp.maxRecvWr(s, 0, 1 << 30),
                s -> CreateQp.maxSendSge(s, 0, -1),
                s -> CreateQp.maxRecvSge(s, 0, 1 << 28),
                s -> CreateQp.sendChunks(s, 0, 0xffff),
                s -> CreateQp.sendChunks(s, 0, 0));
        for (int i = 0; i < bad.size(); i++) {
            assertThat(createQp(driver, pd, cq, bad.get(i))).as("count %d", i).isEqualTo(EINVAL);
        }
    }

    @Test
    @DisplayName("CVE-2018-20126: CREATE_CQ and CREATE_QP that fail keep what they took")
    void creationsThatFail() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        MockCompletionQueue cq = driver.createCq(4);
        long queuesBefore = used(driver, COMPLETION_QUEUES);
        for (int i = 0; i < driver.configuration.limits().maxCq() + 1; i++) {
            assertThat(createCq(driver, 4, 2, 0x6660_0000_0000L)).isEqualTo(EFAULT);
        }
        for (int i = 0; i < driver.configuration.limits().maxQp() + 1; i++) {
            assertThat(createQp(driver, pd, cq, s -> CreateQp.pdirDma(s, 0, 0x6660_0000_0000L)))
                    .isEqualTo(EFAULT);
        }
        assertThat(used(driver, COMPLETION_QUEUES)).isEqualTo(queuesBefore);
        assertThat(used(driver, QUEUE_PAIRS)).isZero();
        assertThat(driver.command(CommandCode.DESTROY_CQ, s -> DestroyCq.cqHandle(s, 0, cq.handle)))
                .as("a queue that nobody uses")
                .isZero();
        assertThat(driver.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, pd)))
                .as("a domain that nobody uses")
                .isZero();
    }

    @Test
    @DisplayName("CVE-2018-20191: a read of what is there for writing only calls nobody")
    void readsOfWhatIsWrittenOnly() {
        MockDriver driver = booted();
        for (int offset : new int[] {
            Registers.DSRLOW,
            Registers.DSRHIGH,
            Registers.CTL,
            Registers.REQUEST,
            1,
            3,
            0x28,
            4096,
            -4,
            Integer.MIN_VALUE
        }) {
            assertThat(driver.device.readRegister(offset))
                    .as("register 0x%x", offset)
                    .isZero();
        }
        driver.createPd();
    }

    @Test
    @DisplayName("A page count of 32 bits overflows for a length of 64")
    void pageCountsThatOverflow() {
        MockDriver driver =
                booted(DeviceConfiguration.builder().maxMrSize(Long.MAX_VALUE).build());
        int pd = driver.createPd();
        long twoTo32Pages = 1L << 44;
        assertThat(createMr(driver, pd, 0, twoTo32Pages + 4096, 1, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0, twoTo32Pages, 0, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, -4096, 8192, 2, s -> {}))
                .as("wraps round")
                .isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 4096, -4096, 1, s -> {}))
                .as("2^64 less a page")
                .isEqualTo(EINVAL);
    }

    @Test
    @DisplayName("An interrupt that comes while its vector is masked is dropped for good")
    void interruptsWhileMasked() {
        MockDriver driver = booted();
        MockCompletionQueue cq = driver.createCq(4);
        int pd = driver.createUserPd();
        MockRegion mr = driver.createMr(pd, 4096, 0, ALL_ACCESS);
        MockQueuePair qp = driver.createQp(pd, cq, cq, 8, 1);
        qp.connect(qp);
        driver.device.writeRegister(Registers.IMR, 1 << InterruptVector.CQ);
        cq.arm();
        qp.write(1, mr, 0, mr, 100, 8);
        assertThat(driver.interrupts(InterruptVector.CQ)).isZero();
        driver.device.writeRegister(Registers.IMR, 0);
        assertThat(driver.interrupts(InterruptVector.CQ)).isEqualTo(1);
        driver.device.writeRegister(Registers.IMR, -1);
        driver.device.writeRegister(Registers.IMR, 0);
        assertThat(driver.interrupts(InterruptVector.CQ)).as("and once only").isEqualTo(1);
    }

    // --- the data path

    @Test
    @DisplayName("CVE-2018-20124: a work request of more elements than its queue has is read beyond its place")
    void moreElementsThanThereAre() {
        for (int elements : new int[] {Pair.SGE + 1, 1000, Integer.MAX_VALUE, -1, Integer.MIN_VALUE}) {
            try (Pair pair = new Pair()) {
                MemorySegment place = pair.leftQp.nextSend();
                pair.leftQp.put(
                        WrOpcode.RDMA_WRITE,
                        1,
                        SendFlags.SIGNALED,
                        pair.rightMr.start(),
                        pair.rightMr.rkey(),
                        0,
                        pair.leftMr.start(),
                        8,
                        pair.leftMr.lkey());
                SqWqe.numSge(place, 0, elements);
                pair.leftQp.ring();
                assertThat(pair.leftCq.poll().status()).as("send").isEqualTo(WcStatus.LOC_QP_OP_ERR);
                assertThat(pair.leftQp.state()).isEqualTo(QpState.ERR);
            }
            try (Pair pair = new Pair()) {
                pair.rightQp.receive(7, pair.rightMr, 0, 8);
                RqWqe.numSge(pair.rightQp.receivePlace(0), 0, elements);
                pair.leftQp.send(1, pair.leftMr, 0, 8);
                assertThat(pair.rightCq.poll().status()).as("receive").isEqualTo(WcStatus.LOC_QP_OP_ERR);
                assertThat(pair.rightQp.state()).isEqualTo(QpState.ERR);
            }
        }
    }

    @Test
    @DisplayName("CVE-2018-20216: a ring is read for ever, since an index that is none never meets the other one")
    void indicesThatAreNone() {
        for (int tail : new int[] {2 * Pair.DEPTH, 1 << 30, -1, Integer.MIN_VALUE, Pair.DEPTH + 1}) {
            try (Pair pair = new Pair()) {
                RingState.publishProdTail(pair.leftQp.header(), RingState.TX_OFFSET, tail);
                pair.leftQp.ring();
                assertThat(pair.leftQp.state()).as("send index %d", tail).isEqualTo(QpState.ERR);
                assertThat(pair.leftCq.waiting()).isZero();
            }
        }
    }

    @Test
    @DisplayName("\"Corrupt\" is read as \"has data\": receives are taken from a ring that makes no sense")
    void corruptIsNotData() {
        for (int tail : new int[] {2 * Pair.DEPTH, -1, Integer.MIN_VALUE, Pair.DEPTH + 1}) {
            try (Pair pair = new Pair()) {
                RingState.publishProdTail(pair.rightQp.header(), RingState.RX_OFFSET, tail);
                pair.leftQp.send(1, pair.leftMr, 0, 0);
                assertThat(pair.rightCq.poll()).as("receive index %d", tail).isNull();
                assertThat(pair.rightQp.state()).isEqualTo(QpState.ERR);
                assertThat(pair.right.events())
                        .containsExactly(MockDriver.event(EventType.QP_FATAL, pair.rightQp.handle));
            }
        }
    }

    @Test
    @DisplayName("The lengths of a work request's elements are added up in 32 bits")
    void elementsThatOverflow() {
        try (Pair pair = new Pair()) {
            int pd = pair.left.createPd();
            int key = CreateMr.Response.lkey(
                    pair.left.succeed(CommandCode.CREATE_MR, s -> {
                        CreateMr.pdHandle(s, 0, pd);
                        CreateMr.flags(s, 0, CreateMr.FLAG_DMA);
                        CreateMr.accessFlags(s, 0, AccessFlags.ACCESS_LOCAL_WRITE);
                    }),
                    0);
            MockQueuePair kernel = pair.left.createQp(pd, pair.leftCq, pair.leftCq, 8, 4);
            kernel.connect(pair.rightQp);
            long address = pair.left.commandSlot.first();
            // twice 2^31 and 8 more: 8 in 32 bits
            kernel.post(
                    WrOpcode.RDMA_WRITE,
                    1,
                    pair.rightMr.start(),
                    pair.rightMr.rkey(),
                    address,
                    1L << 31,
                    key,
                    address,
                    1L << 31,
                    key,
                    address,
                    8,
                    key);
            assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.LOC_LEN_ERR);
            assertThat(kernel.state()).isEqualTo(QpState.ERR);
        }
    }

    @Test
    @DisplayName("A bounds check overflows: an address and a length that come out inside a region")
    void boundsThatOverflow() {
        long[][] outside = {
            {-8, 16}, {Pair.REGION - 4, 8}, {Pair.REGION, 1}, {0, Pair.REGION + 1}, {8, 0xffff_fff8L}, {1, 0xffff_ffffL}
        };
        for (long[] range : outside) {
            try (Pair pair = new Pair(DeviceConfiguration.defaults(), true, p -> {})) {
                pair.leftQp.post(
                        WrOpcode.RDMA_WRITE,
                        1,
                        pair.rightMr.start(),
                        pair.rightMr.rkey(),
                        pair.leftMr.start() + range[0],
                        range[1],
                        pair.leftMr.lkey());
                assertThat(pair.leftCq.poll().status())
                        .as("local %d, %d bytes", range[0], range[1])
                        .isIn(WcStatus.LOC_PROT_ERR, WcStatus.LOC_LEN_ERR);
                assertThat(pair.left.events())
                        .as("refused by the check, and not by what is behind it")
                        .isEmpty();
            }
        }
        for (long remote : new long[] {-8, Pair.REGION - 4, Pair.REGION}) {
            try (Pair pair = new Pair(DeviceConfiguration.defaults(), true, p -> {})) {
                pair.leftQp.write(1, pair.leftMr, 0, pair.rightMr, remote, 16);
                assertThat(pair.leftCq.poll().status()).as("remote %d", remote).isEqualTo(WcStatus.REM_ACCESS_ERR);
            }
        }
        // the last bytes of the address space, where address and length add up to little
        try (Pair pair = new Pair()) {
            MockMemory.Pages page = pair.right.memory.pages(1);
            long start = -4096;
            int rkey = CreateMr.Response.rkey(
                    pair.right.succeed(CommandCode.CREATE_MR, s -> {
                        CreateMr.start(s, 0, start);
                        CreateMr.length(s, 0, 4096);
                        CreateMr.pdirDma(s, 0, pair.right.memory.directory(page.addresses()));
                        CreateMr.pdHandle(s, 0, pair.rightPd);
                        CreateMr.accessFlags(s, 0, ALL_ACCESS);
                        CreateMr.nchunks(s, 0, 1);
                    }),
                    0);
            pair.leftQp.post(WrOpcode.RDMA_WRITE, 1, -8, rkey, pair.leftMr.start(), 8, pair.leftMr.lkey());
            assertThat(pair.leftCq.poll().status()).as("the last 8 bytes").isEqualTo(WcStatus.SUCCESS);
            pair.leftQp.post(WrOpcode.RDMA_WRITE, 2, -8, rkey, pair.leftMr.start(), 16, pair.leftMr.lkey());
            assertThat(pair.leftCq.poll().status()).as("round the end").isEqualTo(WcStatus.REM_ACCESS_ERR);
        }
    }

    @Test
    @DisplayName("A write to memory that is gone is reported as a success")
    void writesThatFail() {
        try (Pair pair = new Pair()) {
            MockRegion doomed;
            try (Arena arena = Arena.ofShared()) {
                doomed = pair.right.withMemory(arena, () -> pair.right.createMr(pair.rightPd, 9000, 0, ALL_ACCESS));
            }
            pair.leftQp.write(1, pair.leftMr, 0, doomed, 0, 9000);
            assertThat(pair.leftCq.poll().status()).as("WRITE").isEqualTo(WcStatus.REM_ACCESS_ERR);
        }
        try (Pair pair = new Pair()) {
            MockRegion doomed;
            try (Arena arena = Arena.ofShared()) {
                doomed = pair.left.withMemory(arena, () -> pair.left.createMr(pair.leftPd, 9000, 0, ALL_ACCESS));
            }
            pair.leftQp.read(2, doomed, 0, pair.rightMr, 0, 9000);
            assertThat(pair.leftCq.poll().status()).as("READ").isEqualTo(WcStatus.LOC_PROT_ERR);
        }
        try (Pair pair = new Pair()) {
            MockRegion doomed;
            try (Arena arena = Arena.ofShared()) {
                doomed = pair.right.withMemory(arena, () -> pair.right.createMr(pair.rightPd, 9000, 0, ALL_ACCESS));
            }
            pair.rightQp.receive(3, doomed, 0, 9000);
            pair.leftQp.send(3, pair.leftMr, 0, 9000);
            assertThat(pair.rightCq.poll().status()).as("receive").isEqualTo(WcStatus.LOC_PROT_ERR);
            assertThat(pair.leftCq.poll().status()).as("SEND").isEqualTo(WcStatus.REM_OP_ERR);
        }
    }

    @Test
    @DisplayName("An element that is not mapped is left out, and what follows it is shifted")
    void elementsThatAreNotMapped() {
        for (int bad = 0; bad < 3; bad++) {
            try (Pair pair = new Pair()) {
                pair.leftMr.fill(1);
                long[] elements = new long[9];
                for (int i = 0; i < 3; i++) {
                    elements[3 * i] = pair.rightMr.start() + 100L * i;
                    elements[3 * i + 1] = 8;
                    elements[3 * i + 2] = i == bad ? 0 : pair.rightMr.lkey();
                }
                pair.rightQp.receive(7, elements);
                pair.leftQp.send(1, pair.leftMr, 0, 24);
                assertThat(pair.rightCq.poll().status())
                        .as("receive, element %d", bad)
                        .isEqualTo(WcStatus.LOC_PROT_ERR);
                for (int i = 0; i < 300; i++) {
                    assertThat(pair.rightMr.get(i)).as("byte %d", i).isZero();
                }
            }
            try (Pair pair = new Pair()) {
                pair.leftMr.fill(1);
                long[] elements = new long[9];
                for (int i = 0; i < 3; i++) {
                    elements[3 * i] = pair.leftMr.start() + 100L * i;
                    elements[3 * i + 1] = 8;
                    elements[3 * i + 2] = i == bad ? 0 : pair.leftMr.lkey();
                }
                pair.leftQp.post(WrOpcode.RDMA_WRITE, 1, pair.rightMr.start(), pair.rightMr.rkey(), elements);
                assertThat(pair.leftCq.poll().status())
                        .as("send, element %d", bad)
                        .isEqualTo(WcStatus.LOC_PROT_ERR);
                for (int i = 0; i < 24; i++) {
                    assertThat(pair.rightMr.get(i)).as("byte %d", i).isZero();
                }
            }
        }
    }

    @Test
    @DisplayName(
            "A connected queue pair's route is read from the work request, and failures fill a queue that is full for ever")
    void routesOfConnectedQueuePairs() {
        try (Pair pair = new Pair()) {
            MockCompletionQueue small = pair.left.createCq(4);
            MockQueuePair qp = pair.left.createQp(pair.leftPd, small, small, 16, 1);
            qp.connect(pair.rightQp);
            MockQueuePair peer = pair.right.createQp(pair.rightPd, pair.rightCq, pair.rightCq, 16, 1);
            assertThat(qp.toState(QpState.RESET)).isZero();
            qp.connect(peer);
            peer.connect(qp);
            for (int i = 0; i < 12; i++) {
                MemorySegment place = qp.nextSend();
                qp.put(WrOpcode.SEND, i, SendFlags.SIGNALED, 0, 0, 0, pair.leftMr.start(), 8, pair.leftMr.lkey());
                for (long at = SqWqe.UD_AV_OFFSET; at < SqWqe.SIZE; at++) {
                    place.set(ValueLayout.JAVA_BYTE, at, (byte) 0xff); // where a datagram has its address
                }
                peer.receive(i, pair.rightMr, 0, 8);
            }
            qp.ring();
            for (int i = 0; i < 4; i++) {
                assertThat(small.poll().status()).isEqualTo(WcStatus.SUCCESS);
            }
            assertThat(small.poll()).as("overrun").isNull();
            assertThat(pair.left.events())
                    .containsExactly(
                            MockDriver.event(EventType.CQ_ERR, small.handle),
                            MockDriver.event(EventType.QP_FATAL, qp.handle));
            for (int i = 0; i < 5; i++) {
                qp.ring();
                pair.advanceNs(10_000_000);
            }
            assertThat(pair.left.events()).as("told once").isEmpty();
            assertThat(qp.state()).isEqualTo(QpState.ERR);
        }
    }
}
