// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Registered memory ({@code ibv_reg_mr(3)}). Any thread may use it. */
public interface MemoryRegion extends VerbsResource {

    /**
     * The memory. If the region owns it ({@link ProtectionDomain#allocate}), it is freed when the region is closed, and
     * accessing it then throws {@link IllegalStateException}.
     *
     * @throws IllegalStateException if the region is a {@linkplain ProtectionDomain#registerDmaBuf dma-buf}
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

    /**
     * Registers anew, reusing what the device has of this region ({@code ibv_rereg_mr(3)}). No request that names the region
     * may be outstanding. The region that comes back takes the place of this one, which is closed by it; its keys may be
     * other ones, and its {@link #address()} is that of the memory if that has changed. Memory that the region owned is freed
     * when other memory takes its place, and is the new region's otherwise.
     *
     * <p>If it fails, {@link #isOpen()} says what has become of this region: it is as it was, or, where the device failed
     * half-way, it is closed and the memory has to be registered from the start.
     *
     * @param change what becomes different
     * @return the region that takes the place of this one
     * @throws IllegalArgumentException as for {@link ProtectionDomain#register}, or if the domain is of another context
     * @throws IllegalStateException if the region or the domain is closed, or the memory has been freed
     * @throws UnsupportedVerbException if the device does not have {@link Feature#REREGISTRATION}
     * @throws VerbsException if the library, the device or a limit refuses
     */
    default MemoryRegion reregister(Reregistration change) {
        throw UnsupportedVerbException.of("ibv_rereg_mr", this, Feature.REREGISTRATION);
    }
}
