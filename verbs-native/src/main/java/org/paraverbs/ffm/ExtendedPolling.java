// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.lib.ExtendedCompletionVerbs;
import org.paraverbs.ffm.lib.Native;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.ffm.struct.IbvCqEx;
import org.paraverbs.ffm.struct.IbvWc;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;

/**
 * Polls an extended completion queue: {@code ibv_start_poll}, {@code ibv_end_poll} and the {@code ibv_wc_read_} functions are
 * inline functions that call through the {@code ibv_cq_ex}. What they tell is written as {@code ibv_wc}, so that everything
 * else is the same for both kinds of queue. Allocates nothing.
 *
 * <p>{@code ibv_next_poll} is not used: where it finds nothing, most providers go on holding the lock until {@code
 * ibv_end_poll}, while that of rxe has ended the poll by itself (rdma-core 44), and ending it again skips a completion.
 */
final class ExtendedPolling {
    private final long queue;
    private final MemorySegment fields;

    /** No attributes; 4 bytes that are zero, of which no provider takes more. */
    private final MemorySegment attributes = Arena.ofAuto().allocate(Integer.BYTES, Long.BYTES);

    private final long attributesAddress = attributes.address();

    private final MemorySegment start;
    private final MemorySegment end;
    private final MemorySegment opcode;
    private final MemorySegment vendorError;
    private final MemorySegment byteLength;
    private final MemorySegment immediate;
    private final MemorySegment qpn;
    private final MemorySegment sourceQpn;
    private final MemorySegment flags;
    private final MemorySegment sourceLid;
    private final MemorySegment serviceLevel;

    /** Null without timestamps. */
    private final @Nullable MemorySegment timestamp;

    /**
     * A queue that was created.
     *
     * @param queue the {@code ibv_cq_ex}, whose functions the provider has set by now
     * @param wcFlags {@code enum ibv_create_cq_wc_flags} that it was created with, the standard ones among them
     */
    ExtendedPolling(long queue, long wcFlags) {
        this.queue = queue;
        this.fields = Native.struct(queue, IbvCqEx.SIZE);
        this.start = function(IbvCqEx.startPoll(fields));
        this.end = function(IbvCqEx.endPoll(fields));
        this.opcode = function(IbvCqEx.readOpcode(fields));
        this.vendorError = function(IbvCqEx.readVendorErr(fields));
        this.byteLength = function(IbvCqEx.readByteLen(fields));
        this.immediate = function(IbvCqEx.readImmData(fields));
        this.qpn = function(IbvCqEx.readQpNum(fields));
        this.sourceQpn = function(IbvCqEx.readSrcQp(fields));
        this.flags = function(IbvCqEx.readWcFlags(fields));
        this.sourceLid = function(IbvCqEx.readSlid(fields));
        this.serviceLevel = function(IbvCqEx.readSl(fields));
        if ((wcFlags & IbvConstants.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP) != 0) {
            this.timestamp = function(IbvCqEx.readCompletionTs(fields));
        } else if ((wcFlags & IbvConstants.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK) != 0) {
            this.timestamp = function(IbvCqEx.readCompletionWallclockNs(fields));
        } else {
            this.timestamp = null;
        }
    }

    private static MemorySegment function(long address) {
        if (address == 0) {
            throw new VerbsException(
                    "ibv_create_cq_ex",
                    "",
                    Errno.EOPNOTSUPP,
                    "the provider does not tell all that was asked for: use a completion queue without timestamps");
        }
        return MemorySegment.ofAddress(address);
    }

    boolean hasTimestamps() {
        return timestamp != null;
    }

    /**
     * Fetches completions.
     *
     * @param completions of {@link FetchedCompletions}
     * @param limit how many at most
     * @return how many, or a negative error number
     */
    int poll(MemorySegment completions, int limit) {
        for (int count = 0; count < limit; count++) {
            int errno;
            try {
                errno = ExtendedCompletionVerbs.startPoll(start, queue, attributesAddress);
            } finally {
                Reference.reachabilityFence(attributes);
            }
            if (errno != 0) {
                // An error after the first completion comes back at the next start.
                return count > 0 || errno == Errno.ENOENT.number() ? count : -Math.abs(errno);
            }
            read(completions, count * IbvWc.SIZE);
            // Providers hold a lock since the start.
            ExtendedCompletionVerbs.endPoll(end, queue);
        }
        return limit;
    }

    private void read(MemorySegment completions, long at) {
        int status = IbvCqEx.status(fields);
        boolean success = status == IbvConstants.IBV_WC_SUCCESS;
        IbvWc.wrId(completions, at, IbvCqEx.wrId(fields));
        IbvWc.status(completions, at, status);
        IbvWc.qpNum(completions, at, ExtendedCompletionVerbs.readInt(qpn, queue));
        // Of a failure nothing else has a meaning, and of a success the vendor's error has none (ibv_create_cq_ex(3)).
        IbvWc.vendorErr(completions, at, success ? 0 : ExtendedCompletionVerbs.readInt(vendorError, queue));
        IbvWc.opcode(completions, at, success ? ExtendedCompletionVerbs.readInt(opcode, queue) : 0);
        IbvWc.byteLen(completions, at, success ? ExtendedCompletionVerbs.readInt(byteLength, queue) : 0);
        IbvWc.wcFlags(completions, at, success ? ExtendedCompletionVerbs.readInt(flags, queue) : 0);
        IbvWc.invalidatedRkey(completions, at, success ? ExtendedCompletionVerbs.readInt(immediate, queue) : 0);
        IbvWc.srcQp(completions, at, success ? ExtendedCompletionVerbs.readInt(sourceQpn, queue) : 0);
        IbvWc.slid(completions, at, success ? ExtendedCompletionVerbs.readInt(sourceLid, queue) : 0);
        IbvWc.sl(completions, at, success ? ExtendedCompletionVerbs.readByte(serviceLevel, queue) : 0);
        if (timestamp != null) {
            FetchedCompletions.timestamp(
                    completions, at, success ? ExtendedCompletionVerbs.readLong(timestamp, queue) : 0);
        }
    }
}
