// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** DMA addresses: whose memory they are, and that they are nobody's afterwards. */
class DmaSpaceTest {

    private final DmaSpace space = new DmaSpace();

    @Test
    void anAddressLeadsToTheMemoryItself() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(10_000, 4096).asSlice(100, 9_000);
            long dma = space.map(memory);
            assertThat(dma % 4096).as("the offset in the page stays").isEqualTo(100);

            MemorySegment found = resolved(dma + 8_000, 1_000);
            assertThat(found.address()).isEqualTo(memory.address() + 8_000);
            assertThat(found.byteSize()).isEqualTo(1_000);
            found.set(ValueLayout.JAVA_BYTE, 999, (byte) 7);
            assertThat(memory.get(ValueLayout.JAVA_BYTE, 8_999)).isEqualTo((byte) 7);
            assertThat(space.mappedBytes()).isEqualTo(9_000);
        }
    }

    @Test
    void whatIsNotMappedIsNobodys() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(10_000, 4096).asSlice(100, 9_000);
            long dma = space.map(memory);

            assertThat(space.resolve(dma - 1, 1)).as("before it, in its page").isNull();
            assertThat(space.resolve(dma + 9_000, 1)).as("behind it").isNull();
            assertThat(space.resolve(dma + 8_999, 2)).as("beyond its end").isNull();
            assertThat(space.resolve(dma, 9_001)).isNull();
            assertThat(space.resolve(dma, 0)).isNull();
            assertThat(space.resolve(dma, -1)).isNull();
            assertThat(space.resolve(dma, Long.MIN_VALUE)).isNull();
            assertThat(space.resolve(dma + (1L << 31), 1)).as("the next window").isNull();
            for (long address : new long[] {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 40, 1L << 62}) {
                assertThat(space.resolve(address, 1)).as("0x%x", address).isNull();
            }
        }
    }

    @Property
    void noAddressAndLengthThrow(@ForAll long address, @ForAll long length) {
        try (Arena arena = Arena.ofShared()) {
            space.map(arena.allocate(64));
            MemorySegment found = space.resolve(address, length);
            assertThat(found == null || found.byteSize() == length).isTrue();
        }
    }

    @Property(tries = 200)
    void everyPartOfAMappingIsFound(
            @ForAll @IntRange(max = 5_000) int offset,
            @ForAll @LongRange(min = 1, max = 20_000) long size,
            @ForAll @LongRange(max = 25_000) long from,
            @ForAll @LongRange(min = 1, max = 25_000) long length) {
        DmaSpace own = new DmaSpace();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(30_000, 4096).asSlice(offset, size);
            long dma = own.map(memory);
            MemorySegment found = own.resolve(dma + from, length);
            if (from + length <= size) {
                assertThat(found).isNotNull();
                assertThat(found.address()).isEqualTo(memory.address() + from);
            } else {
                assertThat(found).isNull();
            }
        }
    }

    @Test
    void unmappedMemoryIsGoneForGoodAndTheEpochTells() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(4096, 4096);
            long first = space.map(memory);
            long epoch = space.epoch();
            long second = space.map(memory);
            assertThat(space.epoch()).as("mapping takes nothing away").isEqualTo(epoch);
            space.unmap(first);

            assertThat(space.epoch()).isNotEqualTo(epoch);
            assertThat(space.resolve(first, 1)).isNull();
            assertThat(space.resolve(second, 4096)).isNotNull();
            assertThat(space.mappedBytes()).isEqualTo(4096);
            assertThat(space.map(memory)).isNotIn(first, second);
        }
    }

    @Test
    void onlyTheStartOfAMappingIsUnmapped() {
        try (Arena arena = Arena.ofShared()) {
            long dma = space.map(arena.allocate(4096, 4096));
            for (long wrong : new long[] {dma + 1, dma + 4096, 0, -1}) {
                assertThatThrownBy(() -> space.unmap(wrong)).isInstanceOf(IllegalArgumentException.class);
            }
            space.unmap(dma);
            assertThatThrownBy(() -> space.unmap(dma)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void memoryThatCannotBeMappedIsRefused() {
        assertThatThrownBy(() -> space.map(MemorySegment.ofArray(new byte[8])))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> space.map(MemorySegment.NULL)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void addressesAreNeverGivenOutAgain() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(4096, 4096);
            Set<Long> given = new HashSet<>();
            List<Long> mapped = new ArrayList<>();
            // across several chunks of the table, some of which are given up on the way
            for (int i = 0; i < 20_000; i++) {
                long dma = space.map(memory);
                assertThat(given.add(dma)).isTrue();
                mapped.add(dma);
                if (mapped.size() > 10) {
                    space.unmap(mapped.remove(i % 3 == 0 ? 0 : mapped.size() - 1));
                }
            }
            for (long dma : given) {
                assertThat(space.resolve(dma, 4096) != null).isEqualTo(mapped.contains(dma));
            }
        }
    }

    @Test
    void freedMemoryIsStillFoundAndTheJdkRefusesIt() {
        long dma;
        try (Arena arena = Arena.ofShared()) {
            dma = space.map(arena.allocate(4096, 4096));
        }
        MemorySegment found = resolved(dma, 8);

        assertThatThrownBy(() -> found.get(ValueLayout.JAVA_LONG, 0)).isInstanceOf(IllegalStateException.class);
        space.unmap(dma);
    }

    @Test
    void readersNeedNoLock() throws InterruptedException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment lasting = arena.allocate(4096, 4096);
            long dma = space.map(lasting);
            boolean[] stop = new boolean[1];
            @Nullable Throwable[] failure = new Throwable[1];
            Thread reader = new Thread(() -> {
                while (!stop[0] && failure[0] == null) {
                    MemorySegment found = space.resolve(dma, 4096);
                    if (found == null || found.address() != lasting.address()) {
                        failure[0] = new AssertionError("the mapping was not found: " + found);
                    }
                    Thread.onSpinWait();
                }
            });
            reader.start();
            for (int i = 0; i < 50_000; i++) {
                space.unmap(space.map(lasting));
            }
            stop[0] = true;
            reader.join();
            assertThat(failure[0]).isNull();
        }
    }

    private MemorySegment resolved(long address, long length) {
        MemorySegment found = space.resolve(address, length);
        assertThat(found).isNotNull();
        return found;
    }
}
