// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.paraverbs.verbs.Access;

/** A region of no device. */
final class FakeRegion extends MemoryRegionBase {

    private FakeRegion(FakeContext context, long address, long length, int lkey) {
        super(context, "MR 0x" + Integer.toHexString(lkey), memory(address, length), Set.<Access>of(), lkey, lkey + 1);
    }

    /** A region of any length at any address, which nobody may access. */
    static FakeRegion at(FakeContext context, long address, long length, int lkey) {
        return context.create(() -> new FakeRegion(context, address, length, lkey));
    }

    // Nothing of the memory is accessed, only its address and size are asked for.
    @SuppressWarnings("restricted")
    private static MemorySegment memory(long address, long length) {
        return MemorySegment.ofAddress(address).reinterpret(length);
    }

    @Override
    protected void release() {}
}
