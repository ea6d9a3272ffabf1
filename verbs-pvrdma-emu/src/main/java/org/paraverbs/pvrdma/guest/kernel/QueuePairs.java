// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateQp;
import org.paraverbs.pvrdma.abi.DestroyQp;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.DeviceVersion;
import org.paraverbs.pvrdma.abi.ModifyQp;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpAttrMask;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.QueryQp;
import org.paraverbs.pvrdma.abi.ResponseHeader;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.VerbsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The queue pairs of a device (pvrdma_qp.c). */
final class QueuePairs {
    private static final Logger LOG = LoggerFactory.getLogger(QueuePairs.class);

    private final Parts parts;
    private final boolean separateHandles;
    private final QueuePairChecks checks;
    private final Limit limit;
    private final HandlerCount handlers;

    /** By handle; read by interrupt handlers. */
    private final AtomicReferenceArray<@Nullable KernelQueuePair> pairs;

    QueuePairs(Parts parts, int version, RouteChecks routes, HandlerCount handlers) {
        int max = DeviceCaps.maxQp(parts.caps(), 0);
        this.parts = parts;
        this.separateHandles = version >= DeviceVersion.QPHANDLE_VERSION;
        this.checks = new QueuePairChecks(parts.caps(), routes);
        this.limit = new Limit("max_qp", "queue pairs", max, "maxQp");
        this.handlers = handlers;
        this.pairs = new AtomicReferenceArray<>(max);
    }

    /**
     * Creates a queue pair.
     *
     * @param rings whole pages: a header page, the send ring, the receive ring unless the receives are shared
     * @param sendPages pages of the send ring
     */
    CreatedQueuePair create(
            QueuePairRequest request,
            KernelDomain domain,
            KernelCompletionQueue sendQueue,
            KernelCompletionQueue receiveQueue,
            @Nullable KernelSharedReceiveQueue sharedReceives,
            MemorySegment rings,
            int sendPages) {
        Call call =
                new Call("ibv_create_qp", () -> "a queue pair of " + parts.name(), () -> checks.likelyCause(request));
        QueuePairType type = type(call, request.type());
        if (PinnedMemory.pages(rings) > PageDirectory.MAX_PAGES) {
            throw call.failure(Errno.EINVAL, "its rings take more pages than the driver's page directory lists");
        }
        limit.take(call);
        int taken = 0;
        List<Users> used = new ArrayList<>(List.of(domain.users(), sendQueue.users(), receiveQueue.users()));
        if (sharedReceives != null) {
            used.add(sharedReceives.users());
        }
        try {
            for (; taken < used.size(); taken++) {
                used.get(taken).take(call);
            }
            PinnedMemory pinned = parts.pin(rings);
            try {
                CreatedQueuePair created = create(call, request, pinned, sendPages);
                KernelQueuePair pair =
                        new KernelQueuePair(created.handle(), created.qpn(), type, domain, List.copyOf(used), pinned);
                if (created.handle() < 0
                        || created.handle() >= pairs.length()
                        || !pairs.compareAndSet(created.handle(), null, pair)) {
                    throw call.failure(
                            Errno.EFAULT,
                            "the device answered with handle " + created.handle() + ": a fault of the device");
                }
                return created;
            } catch (RuntimeException e) {
                pinned.close();
                throw e;
            }
        } catch (RuntimeException e) {
            while (taken > 0) {
                used.get(--taken).give();
            }
            limit.give();
            throw e;
        }
    }

    private CreatedQueuePair create(Call call, QueuePairRequest request, PinnedMemory pinned, int sendPages) {
        return parts.commands()
                .ask(
                        call,
                        CommandCode.CREATE_QP,
                        command -> {
                            CreateQp.pdHandle(command, 0, request.protectionDomain());
                            CreateQp.sendCqHandle(command, 0, request.sendQueue());
                            CreateQp.recvCqHandle(command, 0, request.receiveQueue());
                            if (request.hasSharedReceives()) {
                                CreateQp.isSrq(command, 0, 1);
                                CreateQp.srqHandle(command, 0, request.sharedReceives());
                            }
                            CreateQp.maxSendWr(command, 0, request.maxSends());
                            CreateQp.maxRecvWr(command, 0, request.maxReceives());
                            CreateQp.maxSendSge(command, 0, request.maxSendElements());
                            CreateQp.maxRecvSge(command, 0, request.maxReceiveElements());
                            CreateQp.sqSigAll(command, 0, request.signalAll() ? 1 : 0);
                            CreateQp.qpType(command, 0, request.type());
                            CreateQp.accessFlags(command, 0, AccessFlags.ACCESS_LOCAL_WRITE);
                            CreateQp.totalChunks(command, 0, pinned.pageCount());
                            CreateQp.sendChunks(command, 0, sendPages);
                            CreateQp.pdirDma(command, 0, pinned.directoryDma());
                        },
                        this::created);
    }

    /** Before version 20 a queue pair's number is its handle. */
    private CreatedQueuePair created(MemorySegment response) {
        return separateHandles
                ? new CreatedQueuePair(CreateQp.ResponseV2.qpHandle(response, 0), CreateQp.ResponseV2.qpn(response, 0))
                : new CreatedQueuePair(CreateQp.Response.qpn(response, 0), CreateQp.Response.qpn(response, 0));
    }

    private static QueuePairType type(Call call, int type) {
        return switch (type) {
            case QpType.RC -> QueuePairType.RELIABLE_CONNECTION;
            case QpType.UD, QpType.GSI -> QueuePairType.UNRELIABLE_DATAGRAM;
            default ->
                throw call.failure(
                        Errno.EOPNOTSUPP,
                        "the vmw_pvrdma driver has queue pairs of type RC and UD (and GSI for the kernel), not type "
                                + type);
        };
    }

    private KernelQueuePair require(Call call, int handle) {
        KernelQueuePair pair = handle >= 0 && handle < pairs.length() ? pairs.get(handle) : null;
        if (pair == null) {
            throw call.failure(Errno.EINVAL, "there is no queue pair with handle " + handle);
        }
        return pair;
    }

    /** For interrupt handlers: the queue pair that a handle from the device leads to. */
    @Nullable
    KernelQueuePair ofDevice(int handle) {
        return pairs.get(Integer.remainderUnsigned(handle, pairs.length()));
    }

    private Call call(String verb, int handle) {
        return Call.of(verb, () -> name(handle));
    }

    private String name(int handle) {
        KernelQueuePair pair = handle >= 0 && handle < pairs.length() ? pairs.get(handle) : null;
        return (pair == null ? "QP handle " + handle : "QP 0x" + Integer.toHexString(pair.qpn)) + " of " + parts.name();
    }

    void modify(int handle, int mask, MemorySegment attributes, boolean privileged) {
        Call found = call("ibv_modify_qp", handle);
        KernelQueuePair pair = require(found, handle);
        pair.turn.lock();
        try {
            int from = (mask & QpAttrMask.CUR_STATE) != 0 ? QpAttr.curQpState(attributes, 0) : pair.state;
            int to = (mask & QpAttrMask.STATE) != 0 ? QpAttr.qpState(attributes, 0) : from;
            Call call = Call.of("ibv_modify_qp", () -> name(handle) + ", " + name(from, to));
            checks.check(call, pair, from, to, mask, attributes);
            if (!privileged) {
                checks.requireOrdinary(call, mask, attributes);
            }
            if (from == QpState.RESET && to == QpState.RESET) {
                return;
            }
            modify(call, pair, mask, attributes);
            pair.state = to;
            if ((mask & QpAttrMask.PORT) != 0) {
                pair.port = QpAttr.portNum(attributes, 0);
            }
        } finally {
            pair.turn.unlock();
        }
    }

    private static String name(int from, int to) {
        return QueuePairState.ofCode(from).abbreviation() + " -> "
                + QueuePairState.ofCode(to).abbreviation();
    }

    private void modify(Call call, KernelQueuePair pair, int mask, MemorySegment attributes) {
        CommandSlot commands = parts.commands();
        @Nullable
        String refusal = commands.ask(
                call,
                CommandCode.MODIFY_QP,
                command -> {
                    ModifyQp.qpHandle(command, 0, pair.handle);
                    ModifyQp.attrMask(command, 0, mask);
                    MemorySegment.copy(attributes, 0, command, ModifyQp.ATTRS_OFFSET, QpAttr.SIZE);
                    if ((mask & QpAttrMask.AV) != 0) {
                        RouteChecks.fillMacAddress(command, ModifyQp.ATTRS_OFFSET + QpAttr.AH_ATTR_OFFSET);
                    }
                },
                response -> {
                    int err = ResponseHeader.err(response, 0);
                    return err == 0 ? null : checks.refusal(err, mask, attributes, commands.lastRefusal());
                });
        if (refusal != null) {
            throw call.failure(Errno.EINVAL, refusal);
        }
    }

    void query(int handle, int mask, MemorySegment attributes) {
        Call call = call("ibv_query_qp", handle);
        KernelQueuePair pair = require(call, handle);
        pair.turn.lock();
        try {
            attributes.asSlice(0, QpAttr.SIZE).fill((byte) 0);
            if (pair.state == QpState.RESET) {
                // answered without the device (pvrdma_qp.c): all is 0, and so is the state's code
                return;
            }
            parts.commands()
                    .ask(
                            call,
                            CommandCode.QUERY_QP,
                            command -> {
                                QueryQp.qpHandle(command, 0, handle);
                                QueryQp.attrMask(command, 0, mask);
                            },
                            response ->
                                    attributes.copyFrom(response.asSlice(QueryQp.Response.ATTRS_OFFSET, QpAttr.SIZE)));
            pair.state = QpAttr.qpState(attributes, 0);
        } finally {
            pair.turn.unlock();
        }
    }

    void destroy(int handle) {
        Call call = call("ibv_destroy_qp", handle);
        KernelQueuePair pair = require(call, handle);
        try {
            parts.commands().tell(call, CommandCode.DESTROY_QP, command -> DestroyQp.qpHandle(command, 0, handle));
        } catch (VerbsException e) {
            // as in Linux: its memory is unmapped whether or not the device has understood
            LOG.warn("Going on after: {}", e.getMessage());
        }
        if (!pairs.compareAndSet(handle, pair, null)) {
            throw call.failure(Errno.EINVAL, "it has been destroyed by another thread");
        }
        handlers.awaitEnd();
        pair.memory.close();
        pair.uses.forEach(Users::give);
        limit.give();
    }

    void destroyAllOf(KernelContext context) {
        for (int handle = 0; handle < pairs.length(); handle++) {
            KernelQueuePair pair = pairs.get(handle);
            if (pair != null && pair.domain.context().equals(context)) {
                destroy(handle);
            }
        }
    }
}
