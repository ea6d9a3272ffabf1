// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.roce.Request;

/** A send work request, copied out of the guest's ring once. */
final class WorkRequest extends Request {
    long wrId;
    int opcode;
    int flags;
    int elements;

    /** The immediate, in network byte order, or the key that the responder is to invalidate. */
    int immediate;

    boolean signaled;
    long remoteAddress;
    int rkey;

    /** What a compare-and-swap compares with, or a fetch-and-add adds. */
    long compareAdd;

    long swap;

    /** What a fast registration registers; made by the first that comes to this place. */
    @Nullable
    FastRegistration registration;

    /** The requester's own memory. */
    final SgeList local;

    /** Where the data of a READ lies; set by the responder's owner with the answer. */
    @Nullable
    MemoryRegion source;

    /** What an atomic operation found; set by the responder's owner with the answer. */
    long original;

    WorkRequest(int maxSge) {
        local = new SgeList(maxSge);
    }

    /** Copies what every work request has. */
    void readHead(MemorySegment segment, long at, boolean signalAll) {
        long opcodeAndFlags = SqWqe.opcodeAndFlags(segment, at);
        opcode = (int) opcodeAndFlags;
        flags = (int) (opcodeAndFlags >>> Integer.SIZE);
        wrId = SqWqe.wrId(segment, at);
        elements = SqWqe.numSge(segment, at);
        immediate = SqWqe.immData(segment, at);
        signaled = signalAll || (flags & SendFlags.SIGNALED) != 0;
    }

    boolean isSolicited() {
        return (flags & SendFlags.SOLICITED) != 0;
    }

    boolean wantsFence() {
        return (flags & SendFlags.FENCE) != 0;
    }

    /** Whether it comes with an immediate for the receiver's completion. */
    boolean hasImmediate() {
        return opcode == WrOpcode.SEND_WITH_IMM || opcode == WrOpcode.RDMA_WRITE_WITH_IMM;
    }

    /** Whether it is carried out on the requester's side alone. */
    boolean concernsRegions() {
        return opcode == WrOpcode.LOCAL_INV || opcode == WrOpcode.FAST_REG_MR;
    }

    boolean isAtomic() {
        return opcode == WrOpcode.ATOMIC_CMP_AND_SWP || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
    }
}
