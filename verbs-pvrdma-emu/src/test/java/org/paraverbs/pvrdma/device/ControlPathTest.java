// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CommandHeader;
import org.paraverbs.pvrdma.abi.CreateBind;
import org.paraverbs.pvrdma.abi.CreateCq;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.CreatePd;
import org.paraverbs.pvrdma.abi.CreateQp;
import org.paraverbs.pvrdma.abi.CreateUc;
import org.paraverbs.pvrdma.abi.DestroyPd;
import org.paraverbs.pvrdma.abi.DestroyUc;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.GidType;
import org.paraverbs.pvrdma.abi.GlobalRoute;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.ModifyQp;
import org.paraverbs.pvrdma.abi.Mtu;
import org.paraverbs.pvrdma.abi.PortAttr;
import org.paraverbs.pvrdma.abi.PortState;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpAttrMask;
import org.paraverbs.pvrdma.abi.QpCap;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.QueryPkey;
import org.paraverbs.pvrdma.abi.QueryPort;
import org.paraverbs.pvrdma.abi.QueryQp;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.RingPages;
import org.paraverbs.pvrdma.abi.SharedRegion;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.pvrdma.link.VirtualClock;

/** Registers, the shared region, and each command: what works, and what is refused with which number. */
class ControlPathTest {
    private static final int ENOMEM = 12;
    private static final int EFAULT = 14;
    private static final int EBUSY = 16;
    private static final int ENODEV = 19;
    private static final int EINVAL = 22;
    private static final int ENOSYS = 38;
    private static final int ENODATA = 61;
    private static final int EOPNOTSUPP = 95;

    private final Fabric fabric = new Fabric(new VirtualClock());
    private final List<MockDriver> drivers = new ArrayList<>();

    @AfterEach
    void close() {
        drivers.forEach(MockDriver::close);
    }

    private MockDriver keep(MockDriver driver) {
        drivers.add(driver);
        return driver;
    }

    private MockDriver booted() {
        return keep(MockDriver.booted(fabric, drivers.size() + 1));
    }

    private MockDriver off() {
        return keep(new MockDriver(fabric, drivers.size() + 1));
    }

    // --- registers and the shared region

    @ParameterizedTest
    @ValueSource(ints = {17, 18, 19, 20})
    void capabilitiesAreWhatDriversInsistOn(int version) {
        DeviceConfiguration configuration =
                DeviceConfiguration.builder().version(version).build();
        MockDriver driver = keep(MockDriver.booted(fabric, 1, configuration));
        MemorySegment region = driver.sharedRegion.segments()[0];
        long caps = SharedRegion.CAPS_OFFSET;
        assertThat(driver.device.readRegister(Registers.VERSION)).isEqualTo(version);
        assertThat(DeviceCaps.mode(region, caps)).isZero();
        assertThat(DeviceCaps.gidTypes(region, caps)).isEqualTo(version == 17 ? GidType.ROCE_V1 : GidType.ROCE_V2);
        assertThat(DeviceCaps.maxQp(region, caps)).isEqualTo(256);
        assertThat(DeviceCaps.maxQpWr(region, caps)).isEqualTo(4096);
        assertThat(DeviceCaps.maxMrSize(region, caps)).isEqualTo(1L << 31);
        assertThat(DeviceCaps.maxQpRdAtom(region, caps)).isPositive();
        assertThat(DeviceCaps.physPortCnt(region, caps)).isEqualTo(1);
        assertThat(DeviceCaps.vendorId(region, caps)).isEqualTo(0x15ad);
        assertThat(Integer.bitCount(DeviceCaps.maxUar(region, caps))).isEqualTo(1);
        assertThat(DeviceCaps.nodeGuid(region, caps)).isEqualTo(0x0250_56ff_fe00_0001L);
    }

    @Test
    void macAddressAndUnknownRegisters() {
        MockDriver driver = off();
        assertThat(driver.device.readRegister(Registers.MACL)).isEqualTo(0x5600_0001);
        assertThat(driver.device.readRegister(Registers.MACH)).isEqualTo(0x0050);
        driver.device.writeRegister(Registers.MACL, -1);
        driver.device.writeRegister(Registers.MACH, -1);
        assertThat(driver.device.readRegister(Registers.MACL)).isEqualTo(-1);
        assertThat(driver.device.readRegister(Registers.MACH)).isEqualTo(0xffff);
        for (int offset : new int[] {-4, 1, 0x28, 0xffc, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            driver.device.writeRegister(offset, -1);
            assertThat(driver.device.readRegister(offset)).isZero();
        }
    }

    /** CVE-2022-1050: a command before there is a shared region. */
    @Test
    void commandsAreRefusedBeforeActivation() {
        MockDriver driver = off();
        driver.device.writeRegister(Registers.REQUEST, 0);
        assertThat(driver.error()).isEqualTo(ENODEV);
        driver.device.writeRegister(Registers.CTL, DeviceCtl.UNQUIESCE);
        assertThat(driver.error()).isEqualTo(ENODEV);
        driver.device.writeRegister(Registers.CTL, DeviceCtl.ACTIVATE);
        assertThat(driver.error()).isEqualTo(EINVAL);
        driver.setUpSharedRegion();
        driver.device.writeRegister(Registers.DSRLOW, (int) driver.sharedRegion.first());
        driver.device.writeRegister(Registers.DSRHIGH, (int) (driver.sharedRegion.first() >>> 32));
        assertThat(driver.error()).isZero();
        driver.device.writeRegister(Registers.REQUEST, 0);
        assertThat(driver.error()).isEqualTo(ENODEV);
    }

    @Test
    void aSharedRegionThatIsNotMappedIsRefused() {
        MockDriver driver = off();
        driver.device.writeRegister(Registers.DSRLOW, 0x1234);
        driver.device.writeRegister(Registers.DSRHIGH, 0x5678);
        assertThat(driver.error()).isEqualTo(EFAULT);
        driver.device.writeRegister(Registers.CTL, DeviceCtl.ACTIVATE);
        assertThat(driver.error()).isEqualTo(EINVAL);
    }

    @Test
    void anActiveDeviceKeepsItsSharedRegion() {
        MockDriver driver = booted();
        driver.device.writeRegister(Registers.DSRLOW, 0);
        driver.device.writeRegister(Registers.DSRHIGH, 0);
        assertThat(driver.error()).isEqualTo(EBUSY);
        driver.device.writeRegister(Registers.CTL, DeviceCtl.ACTIVATE);
        assertThat(driver.error()).isEqualTo(EBUSY);
        driver.device.writeRegister(Registers.CTL, 3);
        assertThat(driver.error()).isEqualTo(EINVAL);
        driver.device.writeRegister(Registers.CTL, DeviceCtl.UNQUIESCE);
        assertThat(driver.error()).isZero();
        driver.createPd();
    }

    /** CVE-2021-3607 and CVE-2023-1544: rings of no pages, and of more than there are. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 513, 1 << 20, -1, Integer.MIN_VALUE})
    void notificationRingsOfImpossibleSizesAreRefused(int pages) {
        for (long ring : new long[] {SharedRegion.ASYNC_RING_PAGES_OFFSET, SharedRegion.CQ_RING_PAGES_OFFSET}) {
            MockDriver driver = off();
            driver.setUpSharedRegion();
            RingPages.numPages(driver.sharedRegion.segments()[0], ring, pages);
            assertThat(driver.activate()).isEqualTo(EINVAL);
        }
    }

    @Test
    void notificationRingsThatListUnmappedPagesAreRefused() {
        MockDriver driver = off();
        driver.setUpSharedRegion();
        MemorySegment region = driver.sharedRegion.segments()[0];
        RingPages.pdirDma(region, SharedRegion.ASYNC_RING_PAGES_OFFSET, driver.memory.directory(0x666000, 1, 2, 3));
        assertThat(driver.activate()).isEqualTo(EINVAL);
        RingPages.pdirDma(region, SharedRegion.ASYNC_RING_PAGES_OFFSET, 0xdead_beef_0000L);
        assertThat(driver.activate()).isEqualTo(EINVAL);
    }

    @Test
    void slotsThatAreNotMappedAreRefused() {
        MockDriver driver = off();
        driver.setUpSharedRegion();
        SharedRegion.respSlotDma(driver.sharedRegion.segments()[0], 0, 42);
        assertThat(driver.activate()).isEqualTo(EFAULT);
    }

    @Test
    void slotsThatAreUnmappedLaterAreRefusedThen() {
        MockDriver driver = booted();
        driver.memory.unmap(driver.responseSlot.first());
        driver.device.writeRegister(Registers.REQUEST, 0);
        assertThat(driver.error()).isEqualTo(EFAULT);
    }

    @Test
    void resetForgetsEverything() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        driver.createMr(pd, 100, 0, ALL_ACCESS);
        MockCompletionQueue cq = driver.createCq(4);
        driver.createQp(pd, cq, cq, 4, 1).toInit();
        driver.device.writeRegister(Registers.CTL, DeviceCtl.RESET);
        assertThat(driver.error()).isZero();
        assertThat(driver.device.readRegister(Registers.IMR)).isEqualTo(-1);
        driver.device.writeRegister(Registers.REQUEST, 0);
        assertThat(driver.error()).isEqualTo(ENODEV);
        driver.setUpSharedRegion();
        assertThat(driver.activate()).isZero();
        assertThat(driver.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, pd)))
                .isEqualTo(EINVAL);
        driver.createCq(4);
    }

    @Test
    void aClosedDeviceIgnoresEverything() {
        MockDriver driver = booted();
        driver.device.close();
        driver.device.close();
        driver.device.writeRegister(Registers.CTL, DeviceCtl.ACTIVATE);
        driver.device.writeRegister(Registers.REQUEST, 0);
        driver.device.writeUar(0, 0, -1);
        assertThat(driver.interrupts(InterruptVector.RESPONSE)).isZero();
    }

    // --- commands in general

    @ParameterizedTest
    @ValueSource(ints = {21, 22, 99, -1, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void unknownCommandsAreRefused(int code) {
        MockDriver driver = booted();
        driver.commandSlot.segments()[0].fill((byte) 0);
        CommandHeader.cmd(driver.commandSlot.segments()[0], 0, code);
        driver.device.writeRegister(Registers.REQUEST, 0);
        assertThat(driver.error()).isEqualTo(ENOSYS);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                CommandCode.RESIZE_CQ,
                CommandCode.CREATE_SRQ,
                CommandCode.MODIFY_SRQ,
                CommandCode.QUERY_SRQ,
                CommandCode.DESTROY_SRQ
            })
    void commandsThatAreNotSupportedAreRefused(int code) {
        assertThat(booted().command(code, s -> {})).isEqualTo(EOPNOTSUPP);
    }

    @Test
    void everyCommandOnHandlesThatAreNoneIsRefused() {
        MockDriver driver = booted();
        for (int code = 0; code < CommandCode.MAX; code++) {
            for (int handle : new int[] {0x7f_ffff, 0xffff_ff00, -1, Integer.MIN_VALUE}) {
                assertThat(driver.command(code, s -> {
                            for (int i = 16; i < CommandCode.MAX_COMMAND_SIZE; i += 4) {
                                s.set(ValueLayout.JAVA_INT, i, handle);
                            }
                        }))
                        .as("command %d", code)
                        .isNotZero();
            }
        }
        driver.createPd();
    }

    // --- port

    @Test
    void thePort() {
        MockDriver driver = booted();
        MemorySegment answer = driver.succeed(CommandCode.QUERY_PORT, s -> QueryPort.portNum(s, 0, 1));
        long attr = QueryPort.Response.ATTRS_OFFSET;
        assertThat(PortAttr.state(answer, attr)).isEqualTo(PortState.ACTIVE);
        assertThat(PortAttr.activeMtu(answer, attr)).isEqualTo(Mtu.MTU_1024);
        assertThat(PortAttr.maxMtu(answer, attr)).isEqualTo(Mtu.MTU_4096);
        assertThat(PortAttr.gidTblLen(answer, attr)).isEqualTo(16);
        assertThat(PortAttr.pkeyTblLen(answer, attr)).isEqualTo(1);
        assertThat(driver.command(CommandCode.QUERY_PORT, s -> QueryPort.portNum(s, 0, 2)))
                .isEqualTo(EINVAL);
        MemorySegment pkey = driver.succeed(CommandCode.QUERY_PKEY, s -> QueryPkey.portNum(s, 0, 1));
        assertThat(QueryPkey.Response.pkey(pkey, 0)).isEqualTo(0xffff);
        assertThat(driver.command(CommandCode.QUERY_PKEY, s -> {
                    QueryPkey.portNum(s, 0, 1);
                    QueryPkey.index(s, 0, 1);
                }))
                .isEqualTo(EINVAL);
    }

    @Test
    void bindingsAreChecked() {
        MockDriver driver = booted();
        assertThat(driver.bind(15, 1, 2)).isZero();
        assertThat(driver.bind(16, 1, 2)).isEqualTo(EINVAL);
        assertThat(driver.bind(-1, 1, 2)).isEqualTo(EINVAL);
        assertThat(driver.command(CommandCode.CREATE_BIND, s -> {
                    CreateBind.gidType(s, 0, GidType.ROCE_V1);
                    CreateBind.newGidLow(s, 0, 3);
                }))
                .isEqualTo(EINVAL);
    }

    // --- contexts and protection domains

    @Test
    void contextsHaveAPageOfTheUserAccessRegion() {
        MockDriver driver = booted();
        MemorySegment answer = driver.succeed(CommandCode.CREATE_UC, s -> CreateUc.pfn64(s, 0, 0xfe01));
        int context = CreateUc.Response.ctxHandle(answer, 0);
        driver.succeed(CommandCode.CREATE_PD, s -> CreatePd.ctxHandle(s, 0, context));
        assertThat(driver.command(CommandCode.DESTROY_UC, s -> DestroyUc.ctxHandle(s, 0, context)))
                .isZero();
        assertThat(driver.command(CommandCode.CREATE_PD, s -> CreatePd.ctxHandle(s, 0, context)))
                .isEqualTo(EINVAL);
        for (long pfn : new long[] {0, 0xfdff, 0xfe00, 0xfe00 + 512, -1, Long.MIN_VALUE}) {
            assertThat(driver.command(CommandCode.CREATE_UC, s -> CreateUc.pfn64(s, 0, pfn)))
                    .as("pfn %x", pfn)
                    .isEqualTo(EINVAL);
        }
    }

    @Test
    void limitsAreKept() {
        MockDriver driver = keep(MockDriver.booted(
                fabric,
                1,
                DeviceConfiguration.builder()
                        .maxPd(2)
                        .maxMr(2)
                        .maxCq(2)
                        .maxQp(4)
                        .build()));
        int pd = driver.createPd();
        driver.createPd();
        assertThat(driver.command(CommandCode.CREATE_PD, s -> {})).isEqualTo(ENOMEM);
        for (int i = 0; i < 10; i++) {
            MockRegion one = driver.createMr(pd, 100, 0, 0);
            MockRegion two = driver.createMr(pd, 100, 0, 0);
            assertThat(createMr(driver, pd, 0x1000, 0x1000, 1, s -> {})).isEqualTo(ENOMEM);
            assertThat(driver.destroyMr(one.handle())).isZero();
            assertThat(driver.destroyMr(two.handle())).isZero();
        }
        MockCompletionQueue cq = driver.createCq(4);
        for (int i = 0; i < 4; i++) {
            assertThat(driver.createQp(pd, cq, cq, 4, 1).handle).isLessThan(4);
        }
        assertThat(createQp(driver, pd, cq, s -> {})).isEqualTo(ENOMEM);
    }

    @Test
    void aDomainInUseCannotBeDestroyed() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        MockRegion mr = driver.createMr(pd, 100, 0, 0);
        assertThat(driver.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, pd)))
                .isEqualTo(EBUSY);
        assertThat(driver.destroyMr(mr.handle())).isZero();
        assertThat(driver.destroyMr(mr.handle())).isEqualTo(EINVAL);
        assertThat(driver.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, pd)))
                .isZero();
    }

    // --- memory regions

    private static int createMr(
            MockDriver driver, int pd, long start, long length, int chunks, Consumer<MemorySegment> more) {
        MockMemory.Pages pages = driver.memory.pages(4);
        return driver.command(CommandCode.CREATE_MR, s -> {
            CreateMr.pdHandle(s, 0, pd);
            CreateMr.start(s, 0, start);
            CreateMr.length(s, 0, length);
            CreateMr.nchunks(s, 0, chunks);
            CreateMr.pdirDma(s, 0, driver.memory.directory(pages.addresses()));
            more.accept(s);
        });
    }

    /** CVE-2021-3582: the number of pages must go with the length. */
    @Test
    void regionsMustAgreeWithTheirPages() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        assertThat(createMr(driver, pd, 0x5000, 0x4000, 4, s -> {})).isZero();
        assertThat(createMr(driver, pd, 0x5fff, 2, 2, s -> {})).isZero();
        assertThat(createMr(driver, pd, 0x5000, 0x4000, 3, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0x5000, 0x4001, 4, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0x5000, 0x1000, 4, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0x5000, 0, 0, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0x5000, 0, 1, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0x5000, -1, 1, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, -0x1000, 0x1000, 1, s -> {}))
                .as("up to the last address")
                .isZero();
        assertThat(createMr(driver, pd, -0x1000, 0x1001, 2, s -> {}))
                .as("wraps")
                .isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0, (1L << 31) + 1, 0x80001, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0, 1L << 31, 0x80000, s -> {}))
                .as("more than a page directory lists")
                .isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0x5000, 0x5000, 5, s -> {}))
                .as("lists a fifth page that is zero")
                .isEqualTo(EFAULT);
        assertThat(createMr(driver, pd, 0x5000, 0x1000, 1, s -> CreateMr.pdirDma(s, 0, 0x123)))
                .isEqualTo(EFAULT);
        assertThat(createMr(driver, pd, 0x5000, 0x1000, 1, s -> {
                    long misaligned = driver.memory.pages(2).first() + 8;
                    CreateMr.pdirDma(s, 0, driver.memory.directory(misaligned));
                }))
                .isEqualTo(EFAULT);
    }

    @Test
    void accessFlagsAreChecked() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        int[] good = {0, 1, 3, 4, 5, 7, 15, 0x10_0000, 0x3ff0_0001};
        int[] bad = {2, 8, 10, 0x10, 0x20, 0x40, 0x80, 0x4000_0000, -1};
        for (int flags : good) {
            assertThat(createMr(driver, pd, 0x5000, 0x1000, 1, s -> CreateMr.accessFlags(s, 0, flags)))
                    .as("%x", flags)
                    .isZero();
        }
        for (int flags : bad) {
            assertThat(createMr(driver, pd, 0x5000, 0x1000, 1, s -> CreateMr.accessFlags(s, 0, flags)))
                    .as("%x", flags)
                    .isEqualTo(EINVAL);
        }
    }

    @Test
    void regionsOfAllMemoryAreNotForPeers() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        for (int access : new int[] {0, 1, 3, 4}) {
            assertThat(createMr(driver, pd, 0, 0, 0, s -> {
                        CreateMr.flags(s, 0, CreateMr.FLAG_DMA);
                        CreateMr.accessFlags(s, 0, access);
                    }))
                    .isEqualTo(access <= 1 ? 0 : EINVAL);
        }
        assertThat(createMr(driver, pd, 0, 0, 8, s -> CreateMr.flags(s, 0, CreateMr.FLAG_FRMR)))
                .isEqualTo(EOPNOTSUPP);
    }

    // --- completion queues and queue pairs

    /** CVE-2018-20125. */
    @Test
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

    private static int createQp(MockDriver driver, int pd, MockCompletionQueue cq, Consumer<MemorySegment> more) {
        MockMemory.Pages pages = driver.memory.pages(3);
        return driver.command(CommandCode.CREATE_QP, s -> {
            CreateQp.pdirDma(s, 0, driver.memory.directory(pages.addresses()));
            CreateQp.pdHandle(s, 0, pd);
            CreateQp.sendCqHandle(s, 0, cq.handle);
            CreateQp.recvCqHandle(s, 0, cq.handle);
            CreateQp.maxSendWr(s, 0, 32);
            CreateQp.maxRecvWr(s, 0, 128);
            CreateQp.maxSendSge(s, 0, 3);
            CreateQp.maxRecvSge(s, 0, 1);
            CreateQp.totalChunks(s, 0, 3);
            CreateQp.sendChunks(s, 0, 1);
            CreateQp.qpType(s, 0, QpType.RC);
            more.accept(s);
        });
    }

    /** CVE-2018-20125, CVE-2018-20126. */
    @Test
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
                .isEqualTo(EFAULT);
        for (int type : new int[] {QpType.UC, QpType.UD, QpType.GSI, 0, 9, 255}) {
            assertThat(createQp(driver, pd, cq, s -> CreateQp.qpType(s, 0, type)))
                    .isEqualTo(EOPNOTSUPP);
        }
        assertThat(createQp(driver, pd, cq, s -> CreateQp.isSrq(s, 0, 1))).isEqualTo(EOPNOTSUPP);
    }

    @Test
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

    // --- MODIFY_QP

    @Test
    void stepsOutOfOrderAreRefusedInTheResponse() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        MockCompletionQueue cq = driver.createCq(64);
        MockQueuePair qp = driver.createQp(pd, cq, cq, 4, 1);
        assertThat(qp.toReadyToSend()).isEqualTo(EINVAL);
        assertThat(qp.toReadyToReceive(0, driver.gidLow, 5)).isEqualTo(EINVAL);
        assertThat(qp.toState(QpState.SQD)).isEqualTo(EINVAL);
        assertThat(qp.toState(99)).isEqualTo(EINVAL);
        assertThat(qp.toState(-1)).isEqualTo(EINVAL);
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        assertThat(qp.toInit()).isZero();
        assertThat(qp.toInit()).as("INIT -> INIT").isZero();
        assertThat(qp.toReadyToSend()).isEqualTo(EINVAL);
        assertThat(qp.modify(MockQueuePair.TO_INIT & ~QpAttrMask.PORT, s -> {})).isEqualTo(EINVAL);
        assertThat(qp.toReadyToReceive(0, driver.gidLow, 5)).isZero();
        assertThat(qp.toReadyToReceive(0, driver.gidLow, 5)).isEqualTo(EINVAL);
        assertThat(qp.toReadyToSend()).isZero();
        assertThat(qp.modify(QpAttrMask.STATE | QpAttrMask.CUR_STATE, s -> {
                    QpAttr.qpState(s, ModifyQp.ATTRS_OFFSET, QpState.RTS);
                    QpAttr.curQpState(s, ModifyQp.ATTRS_OFFSET, QpState.SQD);
                }))
                .isEqualTo(EINVAL);
        assertThat(qp.toState(QpState.ERR)).isZero();
        assertThat(qp.toReadyToSend()).isEqualTo(EINVAL);
        assertThat(qp.toState(QpState.RESET)).isZero();
        assertThat(qp.modify(1 << 25 | QpAttrMask.STATE, s -> {})).isEqualTo(EINVAL);
    }

    @Test
    void attributesOutOfRangeAreRefusedAndChangeNothing() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        MockCompletionQueue cq = driver.createCq(64);
        MockQueuePair qp = driver.createQp(pd, cq, cq, 4, 1);
        long attr = ModifyQp.ATTRS_OFFSET;
        long ah = attr + QpAttr.AH_ATTR_OFFSET;
        assertThat(qp.toInit()).isZero();
        List<Consumer<MemorySegment>> bad = List.of(
                s -> QpAttr.pathMtu(s, attr, 0),
                s -> QpAttr.pathMtu(s, attr, 6),
                s -> QpAttr.destQpNum(s, attr, 0x100_0000),
                s -> QpAttr.maxDestRdAtomic(s, attr, 17),
                s -> QpAttr.minRnrTimer(s, attr, 32),
                s -> AhAttr.ahFlags(s, ah, 0),
                s -> AhAttr.portNum(s, ah, 2),
                s -> {
                    GlobalRoute.dgidHigh(s, ah, 0);
                    GlobalRoute.dgidLow(s, ah, 0);
                });
        for (int i = 0; i < bad.size(); i++) {
            Consumer<MemorySegment> change = bad.get(i);
            assertThat(readyToReceive(driver, qp, change))
                    .as("bad attribute %d", i)
                    .isEqualTo(EINVAL);
            assertThat(qp.state()).isEqualTo(QpState.INIT);
        }
        for (int index : new int[] {1, 15, 16, 255}) {
            assertThat(readyToReceive(driver, qp, s -> GlobalRoute.sgidIndex(s, ah, index)))
                    .isEqualTo(ENODATA);
        }
        assertThat(readyToReceive(driver, qp, s -> {})).isZero();
        qp.timeout = 32;
        assertThat(qp.toReadyToSend()).isEqualTo(EINVAL);
        qp.timeout = 31;
        qp.retryCount = 8;
        assertThat(qp.toReadyToSend()).isEqualTo(EINVAL);
        qp.retryCount = 7;
        qp.rnrRetry = 8;
        assertThat(qp.toReadyToSend()).isEqualTo(EINVAL);
        qp.rnrRetry = 7;
        qp.maxReads = 17;
        assertThat(qp.toReadyToSend()).isEqualTo(EINVAL);
        qp.maxReads = 16;
        assertThat(qp.toReadyToSend()).isZero();
    }

    private static int readyToReceive(MockDriver driver, MockQueuePair qp, Consumer<MemorySegment> change) {
        return qp.modify(MockQueuePair.TO_RTR, s -> {
            long attr = ModifyQp.ATTRS_OFFSET;
            long ah = attr + QpAttr.AH_ATTR_OFFSET;
            QpAttr.qpState(s, attr, QpState.RTR);
            QpAttr.pathMtu(s, attr, Mtu.MTU_256);
            QpAttr.destQpNum(s, attr, 5);
            QpAttr.maxDestRdAtomic(s, attr, 1);
            QpAttr.minRnrTimer(s, attr, 0);
            AhAttr.ahFlags(s, ah, 1);
            AhAttr.portNum(s, ah, 1);
            GlobalRoute.sgidIndex(s, ah, 0);
            GlobalRoute.dgidLow(s, ah, driver.gidLow);
            change.accept(s);
        });
    }

    @Test
    void queryGivesWhatWasSet() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        MockCompletionQueue cq = driver.createCq(64);
        MockQueuePair qp = driver.createQp(pd, cq, cq, 8, 2);
        qp.sendPsn = 0x77123456; // only 24 bits count
        qp.receivePsn = 0x654321;
        qp.connect(qp);
        MemorySegment attr = qp.query();
        assertThat(QpAttr.qpState(attr, 0)).isEqualTo(QpState.RTS);
        assertThat(QpAttr.pathMtu(attr, 0)).isEqualTo(Mtu.MTU_1024);
        assertThat(QpAttr.sqPsn(attr, 0)).isEqualTo(0x123456);
        assertThat(QpAttr.rqPsn(attr, 0)).isEqualTo(0x654321);
        assertThat(QpAttr.destQpNum(attr, 0)).isEqualTo(qp.qpn);
        assertThat(QpAttr.qpAccessFlags(attr, 0)).isEqualTo(ALL_ACCESS);
        assertThat(QpAttr.timeout(attr, 0)).isEqualTo(14);
        assertThat(QpAttr.retryCnt(attr, 0)).isEqualTo(7);
        assertThat(QpAttr.rnrRetry(attr, 0)).isEqualTo(7);
        assertThat(QpAttr.minRnrTimer(attr, 0)).isEqualTo(12);
        assertThat(QpAttr.maxRdAtomic(attr, 0)).isEqualTo(16);
        assertThat(QpAttr.maxDestRdAtomic(attr, 0)).isEqualTo(16);
        assertThat(QpCap.maxSendWr(attr, QpAttr.CAP_OFFSET)).isEqualTo(8);
        assertThat(QpCap.maxRecvSge(attr, QpAttr.CAP_OFFSET)).isEqualTo(2);
        assertThat(GlobalRoute.dgidLow(attr, QpAttr.AH_ATTR_OFFSET)).isEqualTo(driver.gidLow);
        assertThat(driver.command(CommandCode.QUERY_QP, s -> QueryQp.qpHandle(s, 0, 200)))
                .isEqualTo(EINVAL);
    }

    @Test
    void aChangedConfigurationKeepsTheRest() {
        DeviceConfiguration unusual = DeviceConfiguration.builder()
                .version(17)
                .maxSrq(0)
                .maxSrqWr(16)
                .maxSrqSge(2)
                .atomics(false)
                .fastRegistration(false)
                .build();
        assertThat(unusual.withMacAddress(unusual.macAddress())).isEqualTo(unusual);
    }

    @Test
    void configurationsThatCannotBeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceConfiguration.builder().maxQp(65_536).build())
                .withMessageContaining("maxQp");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceConfiguration.builder().maxUar(3).build())
                .withMessageContaining("maxUar");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceConfiguration.builder()
                        .version(17)
                        .gidType(GidType.ROCE_V2)
                        .build())
                .withMessageContaining("gidType");
    }
}
