// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.RemoteBuffer;

/** What may be registered, as every provider checks it. */
class MemoryRegionBaseTest {

    private static final Set<Access> WRITE = Set.of(Access.LOCAL_WRITE);

    @Test
    void rightsAreChecked() {
        assertThat(MemoryRegionBase.checkedAccess()).isEmpty();
        assertThat(MemoryRegionBase.checkedAccess(Access.REMOTE_READ)).containsExactly(Access.REMOTE_READ);
        assertThat(MemoryRegionBase.checkedAccess(Access.REMOTE_WRITE, Access.LOCAL_WRITE, Access.LOCAL_WRITE))
                .containsExactlyInAnyOrder(Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MemoryRegionBase.checkedAccess(Access.REMOTE_WRITE))
                .withMessage("REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE as well (ibv_reg_mr(3)); got"
                        + " [REMOTE_WRITE]");
        assertThatIllegalArgumentException().isThrownBy(() -> MemoryRegionBase.checkedAccess(Access.REMOTE_ATOMIC));
    }

    @Test
    void sizesArePositive() {
        MemoryRegionBase.checkSize(1);
        MemoryRegionBase.checkSize(Long.MAX_VALUE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MemoryRegionBase.checkSize(0))
                .withMessage("a memory region has at least 1 byte, not 0");
        assertThatIllegalArgumentException().isThrownBy(() -> MemoryRegionBase.checkSize(-1));
    }

    @Test
    void onlyLivingNativeMemoryOfAllThreadsIsRegistrable() {
        try (Arena arena = Arena.ofShared();
                Arena confined = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(8);
            assertThatCode(() -> MemoryRegionBase.checkRegistrable(memory, WRITE))
                    .doesNotThrowAnyException();
            assertThatCode(() -> MemoryRegionBase.checkRegistrable(memory.asReadOnly(), Set.of()))
                    .doesNotThrowAnyException();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> MemoryRegionBase.checkRegistrable(memory.asReadOnly(), WRITE))
                    .withMessageContaining("read-only");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> MemoryRegionBase.checkRegistrable(MemorySegment.ofArray(new long[1]), WRITE))
                    .withMessageContaining("heap");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> MemoryRegionBase.checkRegistrable(confined.allocate(8), WRITE))
                    .withMessageContaining("confined");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> MemoryRegionBase.checkRegistrable(memory.asSlice(4, 0), WRITE))
                    .withMessageContaining("at least 1 byte");
        }
        MemorySegment freed;
        try (Arena arena = Arena.ofShared()) {
            freed = arena.allocate(8);
        }
        assertThatIllegalStateException()
                .isThrownBy(() -> MemoryRegionBase.checkRegistrable(freed, WRITE))
                .withMessageContaining("freed");
    }

    @Test
    void aRegionKnowsWhatAPeerNeeds() {
        FakeRegion region = FakeRegion.at(new FakeContext(), 0x7000_0000_0000L, 1L << 40, 6);

        assertThat(region.remote()).isEqualTo(new RemoteBuffer(0x7000_0000_0000L, 1L << 40, 7));
        assertThat(region.length()).isEqualTo(1L << 40);
    }
}
