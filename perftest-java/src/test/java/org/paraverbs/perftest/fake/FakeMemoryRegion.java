// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.fake;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.MemoryRegion;

record FakeMemoryRegion(MemorySegment memory, int lkey, Set<Access> access) implements MemoryRegion {
    @Override
    public long address() {
        return memory.address();
    }

    @Override
    public long length() {
        return memory.byteSize();
    }

    @Override
    public int rkey() {
        return lkey;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
