// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateQp;
import org.paraverbs.pvrdma.abi.DestroyQp;
import org.paraverbs.pvrdma.abi.ModifyQp;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.QueryQp;
import org.paraverbs.pvrdma.abi.ResponseHeader;
import org.paraverbs.verbs.Errno;

/** The commands about queue pairs. */
final class QueuePairCommands {
    private final DeviceCore core;
    private final QueuePairModification modification;

    QueuePairCommands(DeviceCore core) {
        this.core = core;
        modification = new QueuePairModification(core);
    }

    void create(MemorySegment command, MemorySegment response) throws RefusedException {
        int type = CreateQp.qpType(command, 0);
        if (type != QpType.RC && type != QpType.UD && type != QpType.GSI) {
            throw new RefusedException(
                    Errno.EOPNOTSUPP, "queue pair type " + type + "; there are RC (2), UD (4) and GSI (1)");
        }
        RefusedException.unless(
                CreateQp.maxInlineData(command, 0) == 0,
                "no queue pair has room for inline data, max_inline_data",
                CreateQp.maxInlineData(command, 0));
        ProtectionDomain domain =
                ResourceCommands.require(core.domains, CreateQp.pdHandle(command, 0), "protection domain");
        CompletionQueue sendCq = ResourceCommands.require(
                core.completionQueues, CreateQp.sendCqHandle(command, 0), "completion queue for sends");
        CompletionQueue receiveCq = ResourceCommands.require(
                core.completionQueues, CreateQp.recvCqHandle(command, 0), "completion queue for receives");
        if (type == QpType.GSI) {
            requireGsi(domain);
        }
        boolean shared = CreateQp.isSrq(command, 0) != 0;
        SharedReceiveQueue srq = shared
                ? ResourceCommands.require(
                        core.sharedReceiveQueues, CreateQp.srqHandle(command, 0), "shared receive queue")
                : null;
        QueuePairSize size = new QueuePairSize(
                CreateQp.maxSendWr(command, 0),
                shared ? 0 : CreateQp.maxRecvWr(command, 0),
                CreateQp.maxSendSge(command, 0),
                shared ? 0 : CreateQp.maxRecvSge(command, 0),
                CreateQp.sendChunks(command, 0));
        int pages = CreateQp.totalChunks(command, 0);
        core.limits.requireWithin(size);
        String fault = size.fault(core.configuration.limits(), pages, shared);
        if (fault != null) {
            throw RefusedException.invalid(fault);
        }
        int used = size.usedPages(shared); // what is beyond is not looked at
        int handle = core.queuePairs.free();
        if (type == QpType.GSI && !core.hasSeparateNumbers()) {
            handle = DeviceCore.GSI_QPN;
        }
        GuestPages memory = ResourceCommands.requireMapped(GuestPages.read(
                core.memory, CreateQp.pdirDma(command, 0), used, 0, (long) used << PageDirectory.PAGE_SHIFT));
        QueuePair pair = new QueuePair(
                core,
                handle,
                type == QpType.GSI ? DeviceCore.GSI_QPN : core.nextNumber(handle),
                new QueuePairPlan(
                        type, domain, sendCq, receiveCq, srq, size, CreateQp.sqSigAll(command, 0) != 0, memory));
        core.add(pair);
        domain.users++;
        sendCq.users++;
        receiveCq.users++;
        if (srq != null) {
            srq.users++;
        }
        answerCreated(pair, response);
    }

    private void requireGsi(ProtectionDomain domain) throws RefusedException {
        if (!domain.isKernel()) {
            throw new RefusedException(
                    Errno.EPERM, "the GSI queue pair is the kernel's; protection domain " + domain.handle + " is not");
        }
        QueuePair other = core.gsi;
        if (other != null) {
            throw new RefusedException(
                    Errno.EBUSY, "the port has its GSI queue pair, handle " + other.handle + "; destroy it first");
        }
    }

    private void answerCreated(QueuePair pair, MemorySegment response) {
        QueuePairSize size = pair.size;
        if (core.hasSeparateNumbers()) {
            CreateQp.ResponseV2.qpn(response, 0, pair.qpn);
            CreateQp.ResponseV2.qpHandle(response, 0, pair.handle);
            CreateQp.ResponseV2.maxSendWr(response, 0, size.maxSendWr());
            CreateQp.ResponseV2.maxRecvWr(response, 0, size.maxRecvWr());
            CreateQp.ResponseV2.maxSendSge(response, 0, size.maxSendSge());
            CreateQp.ResponseV2.maxRecvSge(response, 0, size.maxRecvSge());
        } else {
            CreateQp.Response.qpn(response, 0, pair.qpn);
            CreateQp.Response.maxSendWr(response, 0, size.maxSendWr());
            CreateQp.Response.maxRecvWr(response, 0, size.maxRecvWr());
            CreateQp.Response.maxSendSge(response, 0, size.maxSendSge());
            CreateQp.Response.maxRecvSge(response, 0, size.maxRecvSge());
        }
    }

    /** The one command that is refused in its response. */
    void modify(MemorySegment command, MemorySegment response) throws RefusedException {
        QueuePair pair = ResourceCommands.require(core.queuePairs, ModifyQp.qpHandle(command, 0), "queue pair");
        try {
            modification.apply(pair, ModifyQp.attrMask(command, 0), command, ModifyQp.ATTRS_OFFSET);
        } catch (RefusedException e) {
            core.refusals.command(CommandCode.MODIFY_QP, e);
            ResponseHeader.err(response, 0, e.errno().number());
        }
    }

    void query(MemorySegment command, MemorySegment response) throws RefusedException {
        QueuePair pair = ResourceCommands.require(core.queuePairs, QueryQp.qpHandle(command, 0), "queue pair");
        QueuePairQuery.write(pair, response, QueryQp.Response.ATTRS_OFFSET);
    }

    void destroy(MemorySegment command) throws RefusedException {
        core.destroy(ResourceCommands.require(core.queuePairs, DestroyQp.qpHandle(command, 0), "queue pair"));
    }
}
