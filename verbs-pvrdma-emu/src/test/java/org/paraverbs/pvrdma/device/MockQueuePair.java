// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.AddressVector;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.DestroyQp;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.GlobalRoute;
import org.paraverbs.pvrdma.abi.ModifyQp;
import org.paraverbs.pvrdma.abi.Mtu;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpAttrMask;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QueryQp;
import org.paraverbs.pvrdma.abi.ResponseHeader;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.RqWqe;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.Sge;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WrOpcode;

/** A queue pair as a {@link MockDriver} sees it. */
final class MockQueuePair {
    static final int ALL_ACCESS = AccessFlags.ACCESS_LOCAL_WRITE
            | AccessFlags.ACCESS_REMOTE_WRITE
            | AccessFlags.ACCESS_REMOTE_READ
            | AccessFlags.ACCESS_REMOTE_ATOMIC;

    static final int TO_INIT = QpAttrMask.STATE | QpAttrMask.PKEY_INDEX | QpAttrMask.PORT | QpAttrMask.ACCESS_FLAGS;
    static final int TO_RTR = QpAttrMask.STATE
            | QpAttrMask.AV
            | QpAttrMask.PATH_MTU
            | QpAttrMask.DEST_QPN
            | QpAttrMask.RQ_PSN
            | QpAttrMask.MAX_DEST_RD_ATOMIC
            | QpAttrMask.MIN_RNR_TIMER;
    static final int TO_RTS = QpAttrMask.STATE
            | QpAttrMask.TIMEOUT
            | QpAttrMask.RETRY_CNT
            | QpAttrMask.RNR_RETRY
            | QpAttrMask.SQ_PSN
            | QpAttrMask.MAX_QP_RD_ATOMIC;

    // The route of datagrams.
    static final int SL = 3;
    static final int TRAFFIC_CLASS = 0x68;
    static final int FLOW_LABEL = 0x12345;
    static final int HOP_LIMIT = 64;

    static final int TO_DATAGRAM_INIT = QpAttrMask.STATE | QpAttrMask.PKEY_INDEX | QpAttrMask.PORT | QpAttrMask.QKEY;

    final MockDriver driver;
    final int pd;
    final int type;
    final int handle;
    final int qpn;

    /** Whether its receives come from a shared receive queue. */
    final boolean sharesReceives;

    /** The page of the user access region that it is rung by. */
    private final int uarPage;

    private final int depth;
    private final int maxSge;
    private final MockMemory.Pages ring;
    private final long receiveOffset;
    private int sendTail;
    private int receiveTail;

    // Attributes for the next steps; tests change them before connecting.
    int access = ALL_ACCESS;
    int sendPsn = 100;
    int receivePsn = 100;
    int timeout = 14;
    int retryCount = 7;
    int rnrRetry = 7;
    int minRnrTimer = 12;
    int maxReads = 16;
    int maxReadsAsTarget = 16;

    MockQueuePair(
            MockDriver driver,
            int type,
            int pd,
            int handle,
            int qpn,
            int depth,
            int maxSge,
            MockMemory.Pages ring,
            long receiveOffset,
            boolean sharesReceives) {
        this.type = type;
        this.sharesReceives = sharesReceives;
        this.driver = driver;
        this.pd = pd;
        this.uarPage = driver.pageOf(pd);
        this.handle = handle;
        this.qpn = qpn;
        this.depth = depth;
        this.maxSge = maxSge;
        this.ring = ring;
        this.receiveOffset = receiveOffset;
    }

    MemorySegment header() {
        return ring.segments()[0];
    }

    // --- states

    /** MODIFY_QP; gives ERR, or else the response's {@code err}. */
    int modify(int mask, Consumer<MemorySegment> attributes) {
        int error = driver.command(CommandCode.MODIFY_QP, s -> {
            s.asSlice(ModifyQp.ATTRS_OFFSET, QpAttr.SIZE).fill((byte) 0x5a); // what is not named is garbage
            ModifyQp.qpHandle(s, 0, handle);
            ModifyQp.attrMask(s, 0, mask);
            attributes.accept(s);
        });
        return error != 0 ? error : ResponseHeader.err(driver.response(), 0);
    }

    int toInit() {
        return modify(TO_INIT, s -> {
            long attr = ModifyQp.ATTRS_OFFSET;
            QpAttr.qpState(s, attr, QpState.INIT);
            QpAttr.pkeyIndex(s, attr, 0);
            QpAttr.portNum(s, attr, 1);
            QpAttr.qpAccessFlags(s, attr, access);
        });
    }

    int toReadyToReceive(long gidHigh, long gidLow, int remoteQpn) {
        return modify(TO_RTR, s -> {
            long attr = ModifyQp.ATTRS_OFFSET;
            QpAttr.qpState(s, attr, QpState.RTR);
            QpAttr.pathMtu(s, attr, Mtu.MTU_1024);
            QpAttr.destQpNum(s, attr, remoteQpn);
            QpAttr.rqPsn(s, attr, receivePsn);
            QpAttr.maxDestRdAtomic(s, attr, maxReadsAsTarget);
            QpAttr.minRnrTimer(s, attr, minRnrTimer);
            long ah = attr + QpAttr.AH_ATTR_OFFSET;
            AhAttr.ahFlags(s, ah, 1);
            AhAttr.portNum(s, ah, 1);
            GlobalRoute.sgidIndex(s, ah, 0);
            GlobalRoute.dgidHigh(s, ah, gidHigh);
            GlobalRoute.dgidLow(s, ah, gidLow);
        });
    }

    int toReadyToSend() {
        return modify(TO_RTS, s -> {
            long attr = ModifyQp.ATTRS_OFFSET;
            QpAttr.qpState(s, attr, QpState.RTS);
            QpAttr.sqPsn(s, attr, sendPsn);
            QpAttr.timeout(s, attr, timeout);
            QpAttr.retryCnt(s, attr, retryCount);
            QpAttr.rnrRetry(s, attr, rnrRetry);
            QpAttr.maxRdAtomic(s, attr, maxReads);
        });
    }

    int toState(int state) {
        int error = modify(QpAttrMask.STATE, s -> QpAttr.qpState(s, ModifyQp.ATTRS_OFFSET, state));
        if (error == 0 && state == QpState.RESET) {
            // as the provider does after the command
            sendTail = 0;
            receiveTail = 0;
            for (long ringState : new long[] {RingState.TX_OFFSET, RingState.RX_OFFSET}) {
                RingState.publishConsHead(header(), ringState, 0);
                RingState.publishProdTail(header(), ringState, 0);
            }
        }
        return error;
    }

    MockQueuePair connect(MockQueuePair peer) {
        assertThat(toInit()).isZero();
        connectFromInit(peer);
        return this;
    }

    void connectFromInit(MockQueuePair peer) {
        assertThat(toReadyToReceive(MockDriver.GID_HIGH, peer.driver.gidLow, peer.qpn))
                .isZero();
        assertThat(toReadyToSend()).isZero();
    }

    /** The three steps of a UD or GSI queue pair; GSI has its port already. */
    MockQueuePair ready(int qkey, boolean gsi) {
        assertThat(modify(gsi ? TO_DATAGRAM_INIT & ~QpAttrMask.PORT : TO_DATAGRAM_INIT, s -> {
                    long attr = ModifyQp.ATTRS_OFFSET;
                    QpAttr.qpState(s, attr, QpState.INIT);
                    QpAttr.pkeyIndex(s, attr, 0);
                    QpAttr.portNum(s, attr, 1);
                    QpAttr.qkey(s, attr, qkey);
                }))
                .isZero();
        assertThat(toState(QpState.RTR)).isZero();
        assertThat(modify(QpAttrMask.STATE | QpAttrMask.SQ_PSN, s -> {
                    QpAttr.qpState(s, ModifyQp.ATTRS_OFFSET, QpState.RTS);
                    QpAttr.sqPsn(s, ModifyQp.ATTRS_OFFSET, sendPsn);
                }))
                .isZero();
        return this;
    }

    MemorySegment query() {
        MemorySegment answer = driver.succeed(CommandCode.QUERY_QP, s -> QueryQp.qpHandle(s, 0, handle));
        return answer.asSlice(QueryQp.Response.ATTRS_OFFSET, QpAttr.SIZE);
    }

    int state() {
        return QpAttr.qpState(query(), 0);
    }

    int destroy() {
        return driver.command(CommandCode.DESTROY_QP, s -> DestroyQp.qpHandle(s, 0, handle));
    }

    // --- posting

    /** Free places in the send ring, as the driver would count them. */
    int freeSends() {
        int head = RingState.consHead(header(), RingState.TX_OFFSET);
        return depth - RingState.used(sendTail, head, depth);
    }

    /** Whether no driver could have come to this index of the send ring, which has not been tampered with so far. */
    boolean isImpossibleSendTail(int tail) {
        int head = RingState.consHead(header(), RingState.TX_OFFSET);
        return RingState.isCorrupt(tail, head, depth)
                || RingState.used(tail, head, depth) > depth
                || RingState.used(tail, head, depth) < RingState.used(sendTail, head, depth);
    }

    /** Writes a send work request; the doorbell comes with {@link #ring}. Elements are address, length, key. */
    MockQueuePair put(int opcode, long wrId, int flags, long remote, int rkey, int immediate, long... elements) {
        long offset = MockMemory.PAGE + (long) RingState.slot(sendTail, depth) * SqWqe.stride(maxSge);
        MemorySegment s = ring.at(offset);
        long at = offset % MockMemory.PAGE;
        SqWqe.wrId(s, at, wrId);
        SqWqe.numSge(s, at, elements.length / 3);
        SqWqe.opcode(s, at, opcode);
        SqWqe.sendFlags(s, at, flags);
        SqWqe.immData(s, at, immediate);
        SqWqe.rdmaRemoteAddr(s, at, remote);
        SqWqe.rdmaRkey(s, at, rkey);
        putElements(s, at + SqWqe.SIZE, elements);
        publishSend();
        return this;
    }

    /** A WRITE of one element, signaled, without a varargs array. */
    void putWrite(long wrId, long remote, int rkey, long local, int length, int lkey, int flags) {
        long offset = MockMemory.PAGE + (long) RingState.slot(sendTail, depth) * SqWqe.stride(maxSge);
        MemorySegment s = ring.at(offset);
        long at = offset % MockMemory.PAGE;
        SqWqe.wrId(s, at, wrId);
        SqWqe.numSge(s, at, 1);
        SqWqe.opcode(s, at, WrOpcode.RDMA_WRITE);
        SqWqe.sendFlags(s, at, flags);
        SqWqe.rdmaRemoteAddr(s, at, remote);
        SqWqe.rdmaRkey(s, at, rkey);
        Sge.addr(s, at + SqWqe.SIZE, local);
        Sge.length(s, at + SqWqe.SIZE, length);
        Sge.lkey(s, at + SqWqe.SIZE, lkey);
        publishSend();
    }

    void ring() {
        driver.device.writeUar(uarPage, Doorbell.QP_OFFSET, Doorbell.QP_SEND | handle);
    }

    void post(int opcode, long wrId, long remote, int rkey, long... elements) {
        put(opcode, wrId, SendFlags.SIGNALED, remote, rkey, 0, elements).ring();
    }

    void write(long wrId, MockRegion from, long fromOffset, MockRegion to, long toOffset, int length) {
        post(
                WrOpcode.RDMA_WRITE,
                wrId,
                to.start() + toOffset,
                to.rkey(),
                from.start() + fromOffset,
                length,
                from.lkey());
    }

    void read(long wrId, MockRegion into, long intoOffset, MockRegion from, long fromOffset, int length) {
        post(
                WrOpcode.RDMA_READ,
                wrId,
                from.start() + fromOffset,
                from.rkey(),
                into.start() + intoOffset,
                length,
                into.lkey());
    }

    /** Writes an atomic work request of one element; the doorbell comes with {@link #ring}. */
    MockQueuePair putAtomic(
            int opcode,
            long wrId,
            long remote,
            int rkey,
            long compareAdd,
            long swap,
            long local,
            int length,
            int lkey) {
        long offset = MockMemory.PAGE + (long) RingState.slot(sendTail, depth) * SqWqe.stride(maxSge);
        MemorySegment s = ring.at(offset);
        long at = offset % MockMemory.PAGE;
        SqWqe.wrId(s, at, wrId);
        SqWqe.numSge(s, at, 1);
        SqWqe.opcode(s, at, opcode);
        SqWqe.sendFlags(s, at, SendFlags.SIGNALED);
        SqWqe.atomicRemoteAddr(s, at, remote);
        SqWqe.atomicRkey(s, at, rkey);
        SqWqe.atomicCompareAdd(s, at, compareAdd);
        SqWqe.atomicSwap(s, at, swap);
        Sge.addr(s, at + SqWqe.SIZE, local);
        Sge.length(s, at + SqWqe.SIZE, length);
        Sge.lkey(s, at + SqWqe.SIZE, lkey);
        publishSend();
        return this;
    }

    /** Writes a datagram for a queue pair of a device with GID 0; the doorbell comes with {@link #ring}. */
    MockQueuePair putDatagram(
            int opcode, long wrId, int flags, int immediate, long gidLow, int remoteQpn, int qkey, long... elements) {
        long offset = MockMemory.PAGE + (long) RingState.slot(sendTail, depth) * SqWqe.stride(maxSge);
        MemorySegment s = ring.at(offset);
        long at = offset % MockMemory.PAGE;
        SqWqe.wrId(s, at, wrId);
        SqWqe.numSge(s, at, elements.length / 3);
        SqWqe.opcode(s, at, opcode);
        SqWqe.sendFlags(s, at, flags);
        SqWqe.immData(s, at, immediate);
        SqWqe.udRemoteQpn(s, at, remoteQpn);
        SqWqe.udRemoteQkey(s, at, qkey);
        long av = at + SqWqe.UD_AV_OFFSET;
        AddressVector.portPd(s, av, 1 << 24 | pd);
        AddressVector.slTclassFlowlabel(s, av, SL << 28 | TRAFFIC_CLASS << 20 | FLOW_LABEL);
        AddressVector.dgidHigh(s, av, MockDriver.GID_HIGH);
        AddressVector.dgidLow(s, av, gidLow);
        AddressVector.srcPathBits(s, av, 0x80);
        AddressVector.gidIndex(s, av, 0);
        AddressVector.hopLimit(s, av, HOP_LIMIT);
        putElements(s, at + SqWqe.SIZE, elements);
        publishSend();
        return this;
    }

    /** Sends a datagram to a queue pair. */
    void datagram(long wrId, MockQueuePair to, int qkey, MockRegion from, long fromOffset, int length) {
        putDatagram(
                        WrOpcode.SEND,
                        wrId,
                        SendFlags.SIGNALED,
                        0,
                        to.driver.gidLow,
                        to.qpn,
                        qkey,
                        from.start() + fromOffset,
                        length,
                        from.lkey())
                .ring();
    }

    private void publishSend() {
        sendTail = RingState.next(sendTail, depth);
        RingState.publishProdTail(header(), RingState.TX_OFFSET, sendTail);
    }

    /** Writes a fast registration; the doorbell comes with {@link #ring}. */
    MockQueuePair putFastRegistration(
            long wrId, long start, long directory, int pages, int length, int accessFlags, int key) {
        long offset = MockMemory.PAGE + (long) RingState.slot(sendTail, depth) * SqWqe.stride(maxSge);
        MemorySegment s = ring.at(offset);
        long at = offset % MockMemory.PAGE;
        SqWqe.wrId(s, at, wrId);
        SqWqe.numSge(s, at, 0);
        SqWqe.opcode(s, at, WrOpcode.FAST_REG_MR);
        SqWqe.sendFlags(s, at, SendFlags.SIGNALED);
        SqWqe.fastRegIovaStart(s, at, start);
        SqWqe.fastRegPlPdirDma(s, at, directory);
        SqWqe.fastRegPageShift(s, at, 12);
        SqWqe.fastRegPageListLen(s, at, pages);
        SqWqe.fastRegLength(s, at, length);
        SqWqe.fastRegAccessFlags(s, at, accessFlags);
        SqWqe.fastRegRkey(s, at, key);
        publishSend();
        return this;
    }

    /** Writes a work request that invalidates a key. */
    MockQueuePair putInvalidate(int opcode, long wrId, int key, long... elements) {
        return put(opcode, wrId, SendFlags.SIGNALED, 0, 0, key, elements);
    }

    /** Adds to the word at an offset; the word that was there comes into the local region. */
    void fetchAdd(long wrId, MockRegion into, long intoOffset, MockRegion word, long offset, long add) {
        putAtomic(
                        WrOpcode.ATOMIC_FETCH_AND_ADD,
                        wrId,
                        word.start() + offset,
                        word.rkey(),
                        add,
                        0,
                        into.start() + intoOffset,
                        Long.BYTES,
                        into.lkey())
                .ring();
    }

    /** Swaps the word at an offset if it is as expected; the word that was there comes into the local region. */
    void compareSwap(
            long wrId, MockRegion into, long intoOffset, MockRegion word, long offset, long expected, long swap) {
        putAtomic(
                        WrOpcode.ATOMIC_CMP_AND_SWP,
                        wrId,
                        word.start() + offset,
                        word.rkey(),
                        expected,
                        swap,
                        into.start() + intoOffset,
                        Long.BYTES,
                        into.lkey())
                .ring();
    }

    void send(long wrId, MockRegion from, long fromOffset, int length) {
        post(WrOpcode.SEND, wrId, 0, 0, from.start() + fromOffset, length, from.lkey());
    }

    /** Posts a receive. Elements are address, length, key. */
    void receive(long wrId, long... elements) {
        long offset = receiveOffset + (long) RingState.slot(receiveTail, depth) * RqWqe.stride(maxSge);
        MemorySegment s = ring.at(offset);
        long at = offset % MockMemory.PAGE;
        RqWqe.wrId(s, at, wrId);
        RqWqe.numSge(s, at, elements.length / 3);
        putElements(s, at + RqWqe.SIZE, elements);
        receiveTail = RingState.next(receiveTail, depth);
        RingState.publishProdTail(header(), RingState.RX_OFFSET, receiveTail);
        driver.device.writeUar(uarPage, Doorbell.QP_OFFSET, Doorbell.QP_RECV | handle);
    }

    void receive(long wrId, MockRegion into, long offset, int length) {
        receive(wrId, into.start() + offset, length, into.lkey());
    }

    static void putElements(MemorySegment s, long at, long... elements) {
        for (int i = 0; i + 2 < elements.length; i += 3, at += Sge.SIZE) {
            Sge.addr(s, at, elements[i]);
            Sge.length(s, at, (int) elements[i + 1]);
            Sge.lkey(s, at, (int) elements[i + 2]);
        }
    }

    /** The place in memory of a receive work request. */
    MemorySegment receivePlace(int slot) {
        long offset = receiveOffset + (long) slot * RqWqe.stride(maxSge);
        return ring.at(offset).asSlice(offset % MockMemory.PAGE, RqWqe.stride(maxSge));
    }

    /** The place in memory of the receive work request with an index. */
    MemorySegment anyReceive(int index) {
        return receivePlace(RingState.slot(index, depth));
    }

    /** DMA address of the ring's first page. */
    long ringAddress() {
        return ring.first();
    }

    /** The place in memory of the send work request that is written next. */
    MemorySegment nextSend() {
        return anySend(sendTail);
    }

    /** The place in memory of the send work request with an index. */
    MemorySegment anySend(int index) {
        long offset = MockMemory.PAGE + (long) RingState.slot(index, depth) * SqWqe.stride(maxSge);
        return ring.at(offset).asSlice(offset % MockMemory.PAGE, SqWqe.stride(maxSge));
    }
}
