// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.stub;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import org.paraverbs.ffm.lib.IbverbsLibrary;

/** The variables of {@code native/stub/ibverbs.c}, in a JVM that has loaded it in place of libibverbs. */
final class StubLibrary {
    @SuppressWarnings("restricted") // a library of ours
    private static final SymbolLookup LOOKUP = SymbolLookup.libraryLookup(IbverbsLibrary.name(), Arena.global());

    private StubLibrary() {}

    static int number(String variable) {
        return find(variable, Integer.BYTES).get(ValueLayout.JAVA_INT, 0);
    }

    static void number(String variable, int value) {
        find(variable, Integer.BYTES).set(ValueLayout.JAVA_INT, 0, value);
    }

    static long longNumber(String variable) {
        return find(variable, Long.BYTES).get(ValueLayout.JAVA_LONG, 0);
    }

    @SuppressWarnings("restricted") // its size is known
    static MemorySegment find(String variable, long byteSize) {
        return LOOKUP.find(variable).orElseThrow().reinterpret(byteSize);
    }
}
