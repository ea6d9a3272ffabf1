// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntBinaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CommandHeader;
import org.paraverbs.pvrdma.abi.Cqe;
import org.paraverbs.pvrdma.abi.Cqne;
import org.paraverbs.pvrdma.abi.CreateBind;
import org.paraverbs.pvrdma.abi.CreateCq;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.CreatePd;
import org.paraverbs.pvrdma.abi.CreateQp;
import org.paraverbs.pvrdma.abi.CreateSrq;
import org.paraverbs.pvrdma.abi.CreateUc;
import org.paraverbs.pvrdma.abi.DestroyMr;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.Eqe;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.ResponseHeader;
import org.paraverbs.pvrdma.abi.RingPages;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.RqWqe;
import org.paraverbs.pvrdma.abi.SharedRegion;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.SrqAttr;
import org.paraverbs.pvrdma.link.Fabric;

/**
 * Plays a guest's driver against a device, by registers, commands and rings only; also badly, when a test wants to.
 * Virtual addresses are DMA addresses plus {@link #VIRTUAL}, so that confusing the two does not go unnoticed.
 */
final class MockDriver implements InterruptSink, AutoCloseable {
    static final long VIRTUAL = 0x7f00_0000_0000L;
    static final long GID_HIGH = 0;
    static final int RING_PAGES = 4;

    static final long UAR_PFN = 0xfe00;

    final DeviceConfiguration configuration;
    final Arena arena = Arena.ofShared();
    final MockMemory memory = new MockMemory(arena);
    final PvrdmaDevice device;
    final long gidLow;

    final MockMemory.Pages sharedRegion = memory.pages(1);
    final MockMemory.Pages commandSlot = memory.pages(1);
    final MockMemory.Pages responseSlot = memory.pages(1);
    final MockMemory.Pages asyncRing = memory.pages(RING_PAGES);
    final MockMemory.Pages completionRing = memory.pages(RING_PAGES);

    final int[] interrupts = new int[InterruptVector.COUNT];

    /** Runs in the middle of a round, when the device raises an interrupt. */
    volatile Runnable onRaise = () -> {};

    /** The version that the driver says it has. */
    int driverVersion;

    private int context;

    /** Protection domains of the program. */
    private final Set<Integer> userPds = new HashSet<>();

    private int asyncHead;
    private int completionHead;

    MockDriver(Fabric fabric, int host) {
        this(fabric, host, DeviceConfiguration.defaults());
    }

    MockDriver(Fabric fabric, int host, DeviceConfiguration configuration) {
        this.configuration = configuration;
        this.driverVersion = configuration.version();
        this.gidLow = 0xffff_0a00_0000L | host; // ::ffff:10.0.0.host
        device = new PvrdmaDevice(configuration, memory, this, fabric);
    }

    /** A device that is activated and has GID 0 bound. */
    static MockDriver booted(Fabric fabric, int host, DeviceConfiguration configuration) {
        MockDriver driver = new MockDriver(fabric, host, configuration);
        driver.setUpSharedRegion();
        assertThat(driver.activate()).isZero();
        assertThat(driver.bind(0, GID_HIGH, driver.gidLow)).isZero();
        return driver;
    }

    static MockDriver booted(Fabric fabric, int host) {
        return booted(fabric, host, DeviceConfiguration.defaults());
    }

    @Override
    public void close() {
        device.close();
        arena.close();
    }

    @Override
    public void raise(int vector) {
        synchronized (this) {
            interrupts[vector]++;
        }
        onRaise.run();
    }

    synchronized int interrupts(int vector) {
        return interrupts[vector];
    }

    /** Does something whose memory comes from an arena that the test closes. */
    <T> T withMemory(Arena other, Supplier<T> action) {
        memory.arena = other;
        try {
            return action.get();
        } finally {
            memory.arena = arena;
        }
    }

    // --- start

    void setUpSharedRegion() {
        MemorySegment region = sharedRegion.segments()[0];
        SharedRegion.driverVersion(region, 0, driverVersion);
        SharedRegion.cmdSlotDma(region, 0, commandSlot.first());
        SharedRegion.respSlotDma(region, 0, responseSlot.first());
        RingPages.numPages(region, SharedRegion.ASYNC_RING_PAGES_OFFSET, RING_PAGES);
        RingPages.pdirDma(region, SharedRegion.ASYNC_RING_PAGES_OFFSET, memory.directory(asyncRing.addresses()));
        RingPages.numPages(region, SharedRegion.CQ_RING_PAGES_OFFSET, RING_PAGES);
        RingPages.pdirDma(region, SharedRegion.CQ_RING_PAGES_OFFSET, memory.directory(completionRing.addresses()));
        if (version() < 19) {
            SharedRegion.uarPfn(region, 0, (int) UAR_PFN);
        } else {
            SharedRegion.uarPfn64(region, 0, UAR_PFN);
        }
    }

    int activate() {
        device.writeRegister(Registers.DSRLOW, (int) sharedRegion.first());
        device.writeRegister(Registers.DSRHIGH, (int) (sharedRegion.first() >>> 32));
        device.writeRegister(Registers.IMR, 0);
        device.writeRegister(Registers.CTL, DeviceCtl.ACTIVATE);
        return error();
    }

    /** Resets the device and takes it into use again, with rings and contexts as new. */
    int probeAgain() {
        device.writeRegister(Registers.CTL, DeviceCtl.RESET);
        context = 0;
        asyncHead = 0;
        completionHead = 0;
        for (MockMemory.Pages ring : new MockMemory.Pages[] {asyncRing, completionRing}) {
            for (MemorySegment page : ring.segments()) {
                page.fill((byte) 0);
            }
        }
        setUpSharedRegion();
        return activate();
    }

    /** The version of the interface that is spoken: the older one of driver's and device's. */
    int version() {
        return Math.min(driverVersion, configuration.version());
    }

    /** Why the device has refused something last. */
    String lastRefusal() {
        return device.statistics().lastRefusal();
    }

    int error() {
        return device.readRegister(Registers.ERR);
    }

    // --- commands

    /** Changes each command at the last moment. */
    Consumer<MemorySegment> spoiler = slot -> {};

    /** Is told of each command that was sent, and of ERR. */
    IntBinaryOperator onCommand = (code, error) -> error;

    /** Sends a command; gives ERR. */
    int command(int code, Consumer<MemorySegment> fields) {
        MemorySegment slot = commandSlot.segments()[0];
        slot.fill((byte) 0);
        CommandHeader.cmd(slot, 0, code);
        CommandHeader.response(slot, 0, 0xabcdef00L + code);
        fields.accept(slot);
        spoiler.accept(slot);
        int sent = CommandHeader.cmd(slot, 0);
        long token = CommandHeader.response(slot, 0);
        int before = interrupts(InterruptVector.RESPONSE);
        device.writeRegister(Registers.REQUEST, 0);
        boolean answered = interrupts(InterruptVector.RESPONSE) != before;
        boolean masked = (device.readRegister(Registers.IMR) & 1 << InterruptVector.RESPONSE) != 0;
        DeviceFault.unless(
                answered == (error() == 0 && CommandCode.isAnswered(sent) && !masked),
                "command " + sent + " with ERR " + error() + (answered ? " was answered" : " was not answered"));
        if (answered) {
            DeviceFault.unless(
                    ResponseHeader.ack(response(), 0) == CommandCode.ack(sent)
                            && ResponseHeader.response(response(), 0) == token,
                    "the answer to command " + sent + " is another's");
        }
        return onCommand.applyAsInt(sent, error());
    }

    /** A command that must succeed. */
    MemorySegment succeed(int code, Consumer<MemorySegment> fields) {
        assertThat(command(code, fields)).as("ERR of command %d", code).isZero();
        return response();
    }

    MemorySegment response() {
        return responseSlot.segments()[0];
    }

    int bind(int index, long high, long low) {
        return command(CommandCode.CREATE_BIND, s -> {
            CreateBind.mtu(s, 0, 1024);
            CreateBind.vlan(s, 0, 0xfff);
            CreateBind.index(s, 0, index);
            CreateBind.newGidHigh(s, 0, high);
            CreateBind.newGidLow(s, 0, low);
            CreateBind.gidType(s, 0, configuration.gidType());
        });
    }

    /** A user context with a page of the user access region; gives ERR, and its handle in the response. */
    int createContext(int page) {
        return command(CommandCode.CREATE_UC, s -> {
            if (version() < 19) {
                CreateUc.pfn(s, 0, (int) UAR_PFN + page);
                s.set(ValueLayout.JAVA_INT, CreateUc.PFN_OFFSET + 4, 0x5a5a5a5a); // no driver of that version sets it
            } else {
                CreateUc.pfn64(s, 0, UAR_PFN + page);
            }
        });
    }

    /** A protection domain of the kernel. */
    int createPd() {
        int pd = createPd(0);
        userPds.remove(pd);
        return pd;
    }

    /** The page of the user access region that the program has. */
    int userPage() {
        return configuration.limits().maxUar() - 1;
    }

    /** The page by which the owner of a protection domain rings for what is in it. */
    int pageOf(int pd) {
        return userPds.contains(pd) ? userPage() : 0;
    }

    /** A protection domain of a program, whose context has the last page of the user access region. */
    int createUserPd() {
        if (context == 0) {
            assertThat(createContext(userPage())).isZero();
            context = CreateUc.Response.ctxHandle(response(), 0);
        }
        int pd = createPd(context);
        userPds.add(pd);
        return pd;
    }

    private int createPd(int ofContext) {
        return CreatePd.Response.pdHandle(succeed(CommandCode.CREATE_PD, s -> CreatePd.ctxHandle(s, 0, ofContext)), 0);
    }

    /** A region of fresh memory that starts {@code skip} bytes into its first page. */
    MockRegion createMr(int pd, int length, int skip, int access) {
        int pages = (skip + length + MockMemory.PAGE - 1) / MockMemory.PAGE;
        MockMemory.Pages memoryPages = memory.pages(pages);
        long start = VIRTUAL + memoryPages.first() + skip;
        MemorySegment answer = succeed(CommandCode.CREATE_MR, s -> {
            CreateMr.start(s, 0, start);
            CreateMr.length(s, 0, length);
            CreateMr.pdirDma(s, 0, memory.directory(memoryPages.addresses()));
            CreateMr.pdHandle(s, 0, pd);
            CreateMr.accessFlags(s, 0, access);
            CreateMr.nchunks(s, 0, pages);
        });
        return new MockRegion(
                CreateMr.Response.mrHandle(answer, 0),
                CreateMr.Response.lkey(answer, 0),
                CreateMr.Response.rkey(answer, 0),
                start,
                length,
                skip,
                memoryPages);
    }

    /** Registers a segment that exists, as an in-process guest does: one stretch, mapped for this region alone. */
    MockRegion register(int pd, MemorySegment segment, int access) {
        int skip = (int) (segment.address() & (MockMemory.PAGE - 1));
        long dma = memory.map(segment, skip);
        int pages = (int) PageDirectory.pagesSpanned(dma, segment.byteSize());
        long[] addresses = new long[pages];
        for (int i = 0; i < pages; i++) {
            addresses[i] = (dma & -MockMemory.PAGE) + (long) i * MockMemory.PAGE;
        }
        MemorySegment answer = succeed(CommandCode.CREATE_MR, s -> {
            CreateMr.start(s, 0, segment.address());
            CreateMr.length(s, 0, segment.byteSize());
            CreateMr.pdirDma(s, 0, memory.directory(addresses));
            CreateMr.pdHandle(s, 0, pd);
            CreateMr.accessFlags(s, 0, access);
            CreateMr.nchunks(s, 0, pages);
        });
        return new MockRegion(
                CreateMr.Response.mrHandle(answer, 0),
                CreateMr.Response.lkey(answer, 0),
                CreateMr.Response.rkey(answer, 0),
                segment.address(),
                (int) Math.min(Integer.MAX_VALUE, segment.byteSize()),
                0,
                new MockMemory.Pages(addresses, new MemorySegment[] {segment}));
    }

    int destroyMr(int handle) {
        return command(CommandCode.DESTROY_MR, s -> DestroyMr.mrHandle(s, 0, handle));
    }

    MockCompletionQueue createCq(int entries) {
        int pages = 1 + (entries * Cqe.SIZE + MockMemory.PAGE - 1) / MockMemory.PAGE;
        MockMemory.Pages ring = memory.pages(pages);
        MemorySegment answer = succeed(CommandCode.CREATE_CQ, s -> {
            CreateCq.pdirDma(s, 0, memory.directory(ring.addresses()));
            CreateCq.cqe(s, 0, entries);
            CreateCq.nchunks(s, 0, pages);
        });
        assertThat(CreateCq.Response.cqe(answer, 0)).isEqualTo(entries);
        return new MockCompletionQueue(this, CreateCq.Response.cqHandle(answer, 0), entries, ring);
    }

    MockQueuePair createQp(int pd, MockCompletionQueue sendCq, MockCompletionQueue receiveCq, int depth, int sge) {
        return createQp(QpType.RC, pd, sendCq, receiveCq, null, depth, sge);
    }

    /** A queue pair of another type, or one that takes its receives from {@code srq}. */
    MockQueuePair createQp(
            int type,
            int pd,
            MockCompletionQueue sendCq,
            MockCompletionQueue receiveCq,
            @Nullable MockSharedReceiveQueue srq,
            int depth,
            int sge) {
        int sendPages = pagesFor(depth * SqWqe.stride(sge));
        int receivePages = srq == null ? pagesFor(depth * RqWqe.stride(sge)) : 0;
        MockMemory.Pages ring = memory.pages(1 + sendPages + receivePages);
        MemorySegment answer = succeed(CommandCode.CREATE_QP, s -> {
            CreateQp.pdirDma(s, 0, memory.directory(ring.addresses()));
            CreateQp.pdHandle(s, 0, pd);
            CreateQp.sendCqHandle(s, 0, sendCq.handle);
            CreateQp.recvCqHandle(s, 0, receiveCq.handle);
            CreateQp.maxSendWr(s, 0, depth);
            CreateQp.maxSendSge(s, 0, sge);
            CreateQp.totalChunks(s, 0, 1 + sendPages + receivePages);
            CreateQp.sendChunks(s, 0, sendPages);
            CreateQp.qpType(s, 0, type);
            if (srq == null) {
                CreateQp.maxRecvWr(s, 0, depth);
                CreateQp.maxRecvSge(s, 0, sge);
            } else {
                CreateQp.isSrq(s, 0, 1);
                CreateQp.srqHandle(s, 0, srq.handle);
            }
        });
        boolean separate = version() >= 20;
        int qpn = separate ? CreateQp.ResponseV2.qpn(answer, 0) : CreateQp.Response.qpn(answer, 0);
        int handle = separate ? CreateQp.ResponseV2.qpHandle(answer, 0) : qpn;
        return new MockQueuePair(
                this, type, pd, handle, qpn, depth, sge, ring, (1L + sendPages) * MockMemory.PAGE, srq != null);
    }

    MockSharedReceiveQueue createSrq(int pd, int depth, int sge) {
        MockMemory.Pages ring = memory.pages(1 + pagesFor(depth * RqWqe.stride(sge)));
        MemorySegment answer = succeed(CommandCode.CREATE_SRQ, s -> putCreateSrq(s, pd, depth, sge, ring));
        return new MockSharedReceiveQueue(this, CreateSrq.Response.srqn(answer, 0), pageOf(pd), depth, sge, ring);
    }

    void putCreateSrq(MemorySegment s, int pd, int depth, int sge, MockMemory.Pages ring) {
        CreateSrq.pdirDma(s, 0, memory.directory(ring.addresses()));
        CreateSrq.pdHandle(s, 0, pd);
        CreateSrq.nchunks(s, 0, ring.addresses().length);
        SrqAttr.maxWr(s, CreateSrq.ATTRS_OFFSET, depth);
        SrqAttr.maxSge(s, CreateSrq.ATTRS_OFFSET, sge);
        SrqAttr.srqLimit(s, CreateSrq.ATTRS_OFFSET, 1); // of no meaning in this command
    }

    static int pagesFor(int bytes) {
        return (bytes + MockMemory.PAGE - 1) / MockMemory.PAGE;
    }

    // --- notifications

    /** Asynchronous events since the last call, as {@code type << 16 | info}. */
    List<Integer> events() {
        // the driver's arithmetic on (pages - 1) * 4096 / 8 elements comes to 512
        int elements = 512;
        List<Integer> events = new ArrayList<>();
        MemorySegment header = asyncRing.segments()[0];
        while (RingState.prodTail(header, RingState.RX_OFFSET) != asyncHead) {
            long offset = MockMemory.PAGE + (long) RingState.slot(asyncHead, elements) * Eqe.SIZE;
            MemorySegment page = asyncRing.at(offset);
            events.add(Eqe.type(page, offset % MockMemory.PAGE) << 16 | Eqe.info(page, offset % MockMemory.PAGE));
            asyncHead = RingState.next(asyncHead, elements);
            RingState.publishConsHead(header, RingState.RX_OFFSET, asyncHead);
        }
        return events;
    }

    /** Handles of completion queues that were notified since the last call. */
    List<Integer> notified() {
        int elements = 1024;
        List<Integer> handles = new ArrayList<>();
        MemorySegment header = completionRing.segments()[0];
        while (RingState.prodTail(header, RingState.RX_OFFSET) != completionHead) {
            long offset = MockMemory.PAGE + (long) RingState.slot(completionHead, elements) * Cqne.SIZE;
            handles.add(Cqne.info(completionRing.at(offset), offset % MockMemory.PAGE));
            completionHead = RingState.next(completionHead, elements);
            RingState.publishConsHead(header, RingState.RX_OFFSET, completionHead);
        }
        return handles;
    }

    /** Consumes all notifications without looking at them: allocates nothing. */
    void skipNotifications() {
        MemorySegment header = completionRing.segments()[0];
        completionHead = RingState.prodTail(header, RingState.RX_OFFSET);
        RingState.publishConsHead(header, RingState.RX_OFFSET, completionHead);
    }

    static int event(int type, int info) {
        return type << 16 | info;
    }
}
