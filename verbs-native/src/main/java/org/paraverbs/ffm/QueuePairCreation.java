// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.lib.ResourceVerbs;
import org.paraverbs.ffm.lib.XrcVerbs;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.ffm.struct.IbvQpInitAttr;
import org.paraverbs.ffm.struct.IbvQpInitAttrEx;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.VerbsException;

/** Making queue pairs: {@code ibv_create_qp} and {@code ibv_create_qp_ex}. */
final class QueuePairCreation {
    private QueuePairCreation() {}

    static NativeQueuePair create(
            NativeContext context,
            NativeProtectionDomain domain,
            QueuePairSpec spec,
            NativeCompletionQueue sendCompletions,
            NativeCompletionQueue receiveCompletions,
            @Nullable NativeSharedReceiveQueue sharedReceives) {
        boolean receiving = sharedReceives == null && spec.type() != QueuePairType.XRC_SEND;
        if (spec.type() == QueuePairType.XRC_SEND && sharedReceives != null) {
            throw new IllegalArgumentException("XRC_SEND queue pairs receive nothing, nor from a shared receive queue");
        }
        return inSlot(context, slot -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attributes = arena.allocate(IbvQpInitAttr.SIZE, Long.BYTES);
                IbvQpInitAttr.qpContext(attributes, slot);
                IbvQpInitAttr.sendCq(attributes, sendCompletions.pointer());
                IbvQpInitAttr.recvCq(
                        attributes, spec.type() == QueuePairType.XRC_SEND ? 0 : receiveCompletions.pointer());
                IbvQpInitAttr.qpType(attributes, typeCode(spec.type()));
                IbvQpInitAttr.sqSigAll(attributes, spec.signalAll() ? 1 : 0);
                IbvQpInitAttr.srq(attributes, sharedReceives == null ? 0 : sharedReceives.pointer());
                QueuePairCapacity asked = receiving ? spec.capacity() : withoutReceives(spec.capacity());
                QueuePairAttributeForm.writeCapacity(asked, IbvQpInitAttr.cap(attributes));
                long pair = NativeCall.nonNull(
                        "ibv_create_qp",
                        spec.type().abbreviation() + " on " + context.device().name() + ", " + spec.capacity(),
                        errno -> context.advice().queuePair(errno, spec),
                        errno -> ResourceVerbs.createQp(errno, domain.pointer(), attributes));
                // The device writes back what it gave: at least what was asked for, except for the inline size.
                QueuePairCapacity written = QueuePairAttributeForm.readCapacity(IbvQpInitAttr.cap(attributes));
                QueuePairCapacity given = receiving ? written : withoutReceives(written);
                return orDestroyed(pair, () -> {
                    checkCapacity(context, given);
                    return new NativeQueuePair(
                            context, domain, pair, slot, spec, given, receiveCompletions, sharedReceives);
                });
            }
        });
    }

    /** The receiving end of an extended reliable connection. */
    static NativeQueuePair receivingFor(NativeContext context, NativeXrcDomain domain) {
        return inSlot(context, slot -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attributes = arena.allocate(IbvQpInitAttrEx.SIZE, Long.BYTES);
                IbvQpInitAttrEx.qpContext(attributes, slot);
                IbvQpInitAttrEx.qpType(attributes, IbvConstants.IBV_QPT_XRC_RECV);
                IbvQpInitAttrEx.compMask(attributes, IbvConstants.IBV_QP_INIT_ATTR_XRCD);
                IbvQpInitAttrEx.xrcd(attributes, domain.pointer());
                long pair = NativeCall.nonNull(
                        "ibv_create_qp_ex",
                        "XRC_RECV on " + context.device().name(),
                        context.advice()::general,
                        errno -> XrcVerbs.createQpEx(errno, context.pointer(), attributes));
                return orDestroyed(pair, () -> new NativeQueuePair(context, domain, pair, slot));
            }
        });
    }

    private static NativeQueuePair inSlot(NativeContext context, IntFunction<NativeQueuePair> creation) {
        SlotTable<RequestOwner> table = context.requestOwners();
        int slot = table.reserve();
        if (slot < 0) {
            throw new VerbsException("ibv_create_qp", context.device().name(), Errno.ENOMEM, RequestId.TABLE_FULL);
        }
        try {
            NativeQueuePair created = creation.apply(slot);
            table.put(slot, created);
            return created;
        } catch (RuntimeException e) {
            table.free(slot);
            throw e;
        }
    }

    private static NativeQueuePair orDestroyed(long pair, Supplier<NativeQueuePair> creation) {
        try {
            return creation.get();
        } catch (RuntimeException e) {
            ResourceVerbs.destroyQp(pair);
            throw e;
        }
    }

    /** With a shared receive queue the queue pair has none of its own. */
    private static QueuePairCapacity withoutReceives(QueuePairCapacity capacity) {
        return new QueuePairCapacity(capacity.maxSends(), 0, capacity.maxSendElements(), 0, capacity.maxInlineSize());
    }

    private static void checkCapacity(NativeContext context, QueuePairCapacity given) {
        if (given.maxSends() > RequestRing.CAPACITY_MAX || given.maxReceives() > RequestRing.CAPACITY_MAX) {
            throw new VerbsException(
                    "ibv_create_qp",
                    context.device().name(),
                    Errno.EINVAL,
                    "queues of more than " + RequestRing.CAPACITY_MAX + " requests are not supported: " + given);
        }
    }

    private static int typeCode(QueuePairType type) {
        return switch (type) {
            case RELIABLE_CONNECTION -> IbvConstants.IBV_QPT_RC;
            case UNRELIABLE_CONNECTION -> IbvConstants.IBV_QPT_UC;
            case UNRELIABLE_DATAGRAM -> IbvConstants.IBV_QPT_UD;
            case XRC_SEND -> IbvConstants.IBV_QPT_XRC_SEND;
            case XRC_RECEIVE -> IbvConstants.IBV_QPT_XRC_RECV;
        };
    }
}
