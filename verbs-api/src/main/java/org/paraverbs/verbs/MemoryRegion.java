// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Registered memory ({@code ibv_reg_mr(3)}). Any thread may use it. */
public interface MemoryRegion extends VerbsResource {

    /**
     * The memory. If the region owns it ({@link ProtectionDomain#allocate}), it is freed when the region is closed, and
     * accessing it then throws {@link IllegalStateException}.
     */
    MemorySegment memory();

    /** The address of the first byte, as work requests name it. */
    long address();

    /** The number of bytes. */
    long length();

    /** The local key. */
    int lkey();

    /** The remote key. */
    int rkey();

    /** What may be done with it. */
    Set<Access> access();

    /** What a peer needs to write to or read from all of this region. */
    default RemoteBuffer remote() {
        return new RemoteBuffer(address(), length(), rkey());
    }
}
