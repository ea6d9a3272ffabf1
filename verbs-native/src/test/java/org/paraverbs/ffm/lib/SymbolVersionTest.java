// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A lookup by name must find the functions of today, not those that the library keeps for programs of before 2006, which
 * take other structs.
 */
class SymbolVersionTest {
    private static final int RTLD_LAZY = 1;

    @BeforeEach
    void requireLibrary() {
        assumeTrue(
                IbverbsLibrary.unavailability().isEmpty(),
                () -> IbverbsLibrary.unavailability().orElse(""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ibv_get_device_list",
                "ibv_open_device",
                "ibv_close_device",
                "ibv_query_device",
                "ibv_alloc_pd",
                "ibv_create_cq",
                "ibv_create_qp",
                "ibv_modify_qp",
                "ibv_query_qp",
                "ibv_get_async_event",
                "ibv_ack_cq_events"
            })
    void lookupFindsTheVersionOfToday(String name) throws Throwable {
        MemorySegment today = versioned(name, "IBVERBS_1.1");
        MemorySegment ofBefore = versioned(name, "IBVERBS_1.0");
        MemorySegment found = IbverbsLibrary.find(name);
        assertThat(found).isNotNull();
        assertThat(found.address()).isEqualTo(today.address()).isNotEqualTo(ofBefore.address());
    }

    @SuppressWarnings("restricted")
    private static MemorySegment versioned(String name, String version) throws Throwable {
        Linker linker = Linker.nativeLinker();
        SymbolLookup system = linker.defaultLookup();
        MethodHandle open = linker.downcallHandle(
                system.find("dlopen").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
        MethodHandle symbol = linker.downcallHandle(
                system.find("dlvsym").orElseThrow(),
                FunctionDescriptor.of(
                        ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment library =
                    (MemorySegment) open.invokeExact(arena.allocateFrom(IbverbsLibrary.name()), RTLD_LAZY);
            return (MemorySegment) symbol.invokeExact(library, arena.allocateFrom(name), arena.allocateFrom(version));
        }
    }
}
