// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;

class PageMemoryTest {

    @ParameterizedTest
    @CsvSource({"1, 4096", "4096, 4096", "5000, 4096", "1, 2097152", "2097153, 2097152"})
    void isAlignedAndZeroAndAsLongAsAskedFor(long byteSize, long alignment) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = PageMemory.allocate(byteSize, alignment, arena);
            assertThat(memory.byteSize()).isEqualTo(byteSize);
            assertThat(memory.address() % alignment).isZero();
            assertThat(memory.mismatch(MemorySegment.ofArray(new byte[(int) byteSize])))
                    .isEqualTo(-1);
            memory.fill((byte) 0x5a);
            assertThat(memory.get(ValueLayout.JAVA_BYTE, byteSize - 1)).isEqualTo((byte) 0x5a);
        }
    }

    @Test
    void isUnmappedWithItsArena() throws IOException {
        long size = 64 << 20;
        MemorySegment memory;
        try (Arena arena = Arena.ofShared()) {
            memory = PageMemory.allocate(size, 2 << 20, arena);
            assertThat(isMapped(memory.address())).isTrue();
        }
        assertThat(isMapped(memory.address())).isFalse();
        assertThatThrownBy(() -> memory.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }

    private static boolean isMapped(long address) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .map(line -> line.substring(0, line.indexOf(' ')))
                .anyMatch(range -> {
                    int dash = range.indexOf('-');
                    return Long.parseUnsignedLong(range.substring(0, dash), 16) <= address
                            && address < Long.parseUnsignedLong(range.substring(dash + 1), 16);
                });
    }

    @Test
    void moreThanThereIsIsRefused() {
        try (Arena arena = Arena.ofShared()) {
            assertThatThrownBy(() -> PageMemory.allocate(1L << 60, 4096, arena))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.ENOMEM))
                    .hasMessageContaining("so much memory");
            assertThatThrownBy(() -> PageMemory.allocate(Long.MAX_VALUE, 4096, arena))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("no address space");
        }
    }
}
