// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.paraverbs.verbs.Access.LOCAL_WRITE;
import static org.paraverbs.verbs.Access.REMOTE_ATOMIC;
import static org.paraverbs.verbs.Access.REMOTE_READ;
import static org.paraverbs.verbs.Access.REMOTE_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.PageSize;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.VerbsException;

/** Protection domains and memory regions ({@code ibv_alloc_pd(3)}, {@code ibv_reg_mr(3)}, {@code ibv_dereg_mr(3)}). */
public abstract class MemoryContract extends VerbsContract {

    @Test
    @Covers.Verb({"ProtectionDomain.allocate", "MemoryRegion.memory", "MemoryRegion.length", "MemoryRegion.address"})
    void allocatedMemoryIsZeroAndPageAligned() {
        ProtectionDomain domain = first().allocateProtectionDomain();
        for (long size : new long[] {1, 8, 4095, 4096, 4097, (1 << 20) + 1}) {
            MemoryRegion region = domain.allocate(size, LOCAL_WRITE);
            assertThat(region.length()).isEqualTo(size);
            assertThat(region.memory().byteSize()).isEqualTo(size);
            assertThat(region.address()).isEqualTo(region.memory().address());
            assertThat(region.address() % 4096).as("alignment").isZero();
            assertThat(region.memory().toArray(JAVA_BYTE)).containsOnly(0);
            assertThat(region.isOpen()).isTrue();
            // memory that was used must not come back dirty
            region.memory().fill((byte) 0x55);
            region.close();
        }
    }

    @Test
    @Covers.Verb("ProtectionDomain.allocate")
    void memoryForHugePagesIsAlignedToThem() {
        ProtectionDomain domain = first().allocateProtectionDomain();
        MemoryRegion region = domain.allocate((2 << 20) + 5, PageSize.HUGE, LOCAL_WRITE);

        assertThat(region.address() % PageSize.HUGE.bytes()).isZero();
        assertThat(region.length()).isEqualTo((2 << 20) + 5);
        assertThat(region.memory().get(JAVA_BYTE, region.length() - 1)).isZero();
    }

    @Test
    void theMemoryMayBeUsedByEveryThread() throws InterruptedException {
        MemoryRegion region = first().allocateProtectionDomain().allocate(64, LOCAL_WRITE);
        Thread other = new Thread(() -> region.memory().set(JAVA_BYTE, 63, (byte) 7));
        other.start();
        other.join();

        assertThat(region.memory().get(JAVA_BYTE, 63)).isEqualTo((byte) 7);
    }

    @Test
    @Covers.Verb({"MemoryRegion.access", "MemoryRegion.remote", "MemoryRegion.rkey"})
    void aRegionKnowsItsRightsAndWhatAPeerNeeds() {
        MemoryRegion region = first().allocateProtectionDomain().allocate(100, REMOTE_READ, LOCAL_WRITE, REMOTE_WRITE);

        assertThat(region.access()).containsExactlyInAnyOrder(LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        assertThat(region.remote()).isEqualTo(new RemoteBuffer(region.address(), 100, region.rkey()));
        assertThat(RemoteBuffer.of(region.remote().toBytes())).isEqualTo(region.remote());
        assertThat(first().allocateProtectionDomain().allocate(1).access()).isEmpty();
    }

    @Test
    @Covers.Verb({"MemoryRegion.lkey", "MemoryRegion.rkey"})
    void everyRegionHasKeysOfItsOwn() {
        Set<Integer> localKeys = new HashSet<>();
        Set<Integer> remoteKeys = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            ProtectionDomain domain = first().allocateProtectionDomain();
            for (int j = 0; j < 4; j++) {
                MemoryRegion region = domain.allocate(64, LOCAL_WRITE, REMOTE_WRITE);
                localKeys.add(region.lkey());
                remoteKeys.add(region.rkey());
            }
        }

        assertThat(localKeys).hasSize(16);
        assertThat(remoteKeys).hasSize(16);
    }

    @Test
    void sizesThatCannotBeAreRefused() {
        ProtectionDomain domain = first().allocateProtectionDomain();
        for (long size : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> domain.allocate(size))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(Long.toString(size));
        }
        for (long size : new long[] {1L << 60, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> domain.allocate(size, LOCAL_WRITE))
                    .as("%d bytes", size)
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("ibv_reg_mr");
        }
    }

    @Test
    void aRemoteRightToWriteNeedsTheLocalOne() {
        ProtectionDomain domain = first().allocateProtectionDomain();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64);
            assertThatThrownBy(() -> domain.allocate(64, REMOTE_WRITE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("need LOCAL_WRITE");
            assertThatThrownBy(() -> domain.register(memory, REMOTE_WRITE, REMOTE_READ))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("need LOCAL_WRITE");
            assertThatThrownBy(() -> domain.register(memory, REMOTE_ATOMIC))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void memoryOfEveryArenaThatIsNotConfinedIsRegistered() {
        ProtectionDomain domain = first().allocateProtectionDomain();
        for (Arena arena : new Arena[] {Arena.global(), Arena.ofAuto()}) {
            MemorySegment memory = arena.allocate(100);
            try (MemoryRegion region = domain.register(memory, LOCAL_WRITE)) {
                assertThat(region.memory().address()).isEqualTo(memory.address());
            }
        }
        try (Arena arena = Arena.ofShared()) {
            // neither begins nor ends at a page
            MemorySegment memory = arena.allocate(20_000).asSlice(1001, 10_001);
            try (MemoryRegion region = domain.register(memory, LOCAL_WRITE);
                    MemoryRegion again = domain.register(memory)) {
                assertThat(region.address()).isEqualTo(memory.address());
                assertThat(region.length()).isEqualTo(10_001);
                assertThat(again.lkey()).isNotEqualTo(region.lkey());
            }
        }
    }

    @Test
    @Covers.Verb("ProtectionDomain.register")
    void registeredMemoryTakesPartInTransfers() {
        Pair pair = connected();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment source = arena.allocate(20_000).asSlice(1001, 10_001);
            MemorySegment target = arena.allocate(20_000).asSlice(4093, 10_001);
            for (int i = 0; i < 10_001; i++) {
                source.set(JAVA_BYTE, i, (byte) (i * 7));
            }
            MemoryRegion from = pair.here().domain.register(source);
            MemoryRegion to = pair.there().domain.register(target, LOCAL_WRITE, REMOTE_WRITE);
            pair.here().sends.write(1, to.remote(), 0).local(from, 0, 10_001).signaled();
            pair.here().sends.post();
            pair.here().sentWell();

            assertThat(target.mismatch(source)).isEqualTo(-1);
            from.close();
            to.close();
        }
    }

    @Test
    void memoryOnTheHeapIsRefused() {
        ProtectionDomain domain = first().allocateProtectionDomain();

        assertThatThrownBy(() -> domain.register(MemorySegment.ofArray(new byte[64]), LOCAL_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("heap")
                .hasMessageContaining("shared Arena");
    }

    @Test
    void memoryConfinedToAThreadIsRefused() {
        ProtectionDomain domain = first().allocateProtectionDomain();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(64);
            assertThatThrownBy(() -> domain.register(memory, LOCAL_WRITE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("confined")
                    .hasMessageContaining("Arena.ofShared()");
        }
    }

    @Test
    @Covers.Verb("ProtectionDomain.register")
    void memoryThatHasBeenFreedIsRefused() {
        ProtectionDomain domain = first().allocateProtectionDomain();
        MemorySegment memory;
        try (Arena arena = Arena.ofShared()) {
            memory = arena.allocate(64);
        }

        assertThatThrownBy(() -> domain.register(memory, LOCAL_WRITE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("freed");
    }

    @Test
    void emptyMemoryIsRefused() {
        ProtectionDomain domain = first().allocateProtectionDomain();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64).asSlice(8, 0);
            assertThatThrownBy(() -> domain.register(memory, LOCAL_WRITE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("at least 1 byte");
        }
    }

    @Test
    void readOnlyMemoryIsRegisteredForReadingOnly() {
        ProtectionDomain domain = first().allocateProtectionDomain();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64).asReadOnly();
            assertThatThrownBy(() -> domain.register(memory, LOCAL_WRITE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("read-only");
            try (MemoryRegion region = domain.register(memory, REMOTE_READ)) {
                assertThat(region.access()).containsExactly(REMOTE_READ);
            }
        }
    }

    @Test
    void closingGivesKeysAndMemoryBack() {
        ProtectionDomain domain = first().allocateProtectionDomain();
        int rounds = repetitions(2_000);
        for (int i = 0; i < rounds; i++) {
            domain.allocate(64 << 10, LOCAL_WRITE, REMOTE_WRITE).close();
        }
        for (int i = 0; i < rounds; i++) {
            first().allocateProtectionDomain().close();
        }
        try (MemoryRegion region = domain.allocate(64)) {
            assertThat(region.isOpen()).isTrue();
        }
    }
}
