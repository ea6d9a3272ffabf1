// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.roce.Request;

/** A send work request, copied out of the guest's ring once. */
final class WorkRequest extends Request {
    long wrId;
    int opcode;
    int immediate;
    boolean signaled;
    boolean solicited;
    long remoteAddress;
    int rkey;

    /** The requester's own memory. */
    final SgeList local;

    /** Where the data of a READ lies; set by the responder's owner with the answer. */
    @Nullable
    MemoryRegion source;

    WorkRequest(int maxSge) {
        local = new SgeList(maxSge);
    }
}
