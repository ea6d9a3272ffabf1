// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.ffm.SelfCheck.AddressRange;
import org.paraverbs.ffm.lib.IbverbsLibrary;
import org.paraverbs.ffm.struct.IbvContext;
import org.paraverbs.ffm.struct.IbvDevice;
import org.paraverbs.ffm.struct.IbvDeviceAttr;
import org.paraverbs.ffm.struct.VerbsContext;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;

/** The self-check on structs of our own making, each wrong in one place. The right ones are checked on real devices. */
class SelfCheckTest {
    private static final long ABI_COMPAT = 320;
    private static final long SZ_BEFORE_CONTEXT = 8;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment device = arena.allocate(IbvDevice.SIZE, Long.BYTES);
    private final MemorySegment extended = arena.allocate(VerbsContext.REACH, Long.BYTES);
    private final MemorySegment context = arena.allocate(IbvContext.SIZE, Long.BYTES);

    @BeforeEach
    void makeAnAlmostRightContext() {
        device.setString(IbvDevice.NAME, "fake0");
        context.set(ValueLayout.JAVA_LONG, ABI_COMPAT, VerbsContext.PRESENT);
        extended.set(ValueLayout.JAVA_LONG, VerbsContext.REACH - SZ_BEFORE_CONTEXT, 648);
    }

    @AfterEach
    void free() {
        arena.close();
    }

    private void assertRefused(String reason) {
        assumeTrue(
                IbverbsLibrary.unavailability().isEmpty(),
                () -> IbverbsLibrary.unavailability().orElse(""));
        assertThatThrownBy(() -> SelfCheck.check(device.address(), context, extended))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.ENOSYS))
                .hasMessageContaining("fake0")
                .hasMessageContaining(reason)
                .hasMessageContaining("does not have the layout");
    }

    @Test
    void aContextThatEndsElsewhereIsRefused() {
        context.set(ValueLayout.JAVA_LONG, ABI_COMPAT, 0);
        assertRefused("abi_compat");
    }

    @Test
    void aStructOfNoPossibleSizeIsRefused() {
        extended.set(ValueLayout.JAVA_LONG, VerbsContext.REACH - SZ_BEFORE_CONTEXT, 0x7f12_3456_789aL);
        assertRefused("verbs_context.sz is 139");
        extended.set(ValueLayout.JAVA_LONG, VerbsContext.REACH - SZ_BEFORE_CONTEXT, 12);
        assertRefused("verbs_context.sz is 12");
    }

    @Test
    void descriptorsThatLeadElsewhereAreRefused() {
        // Descriptor 0 is whatever this process reads from, and no RDMA device.
        assertRefused("ibv_context.cmd_fd is 0");
    }

    @Test
    void attributesThatNoDeviceHasAreRefused() {
        MemorySegment attributes = arena.allocate(IbvDeviceAttr.SIZE, Long.BYTES);
        assertThatThrownBy(() -> SelfCheck.checkAttributes("fake0", attributes))
                .hasMessageContaining("phys_port_cnt is 0");
        attributes.fill((byte) 1);
        assertThatCode(() -> SelfCheck.checkAttributes("fake0", attributes)).doesNotThrowAnyException();
        attributes.fill((byte) -1);
        assertThatThrownBy(() -> SelfCheck.checkAttributes("fake0", attributes))
                .hasMessageContaining("max_qp is not positive");
    }

    @Test
    void codeIsWhatTheKernelMapsForExecution() {
        List<AddressRange> code = AddressRange.executable(List.of(
                "7f0000001000-7f0000002000 r-xp 00001000 fe:01 17     /lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0",
                "7f0000002000-7f0000003000 rw-p 00002000 fe:01 17     /lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0",
                "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]"));
        assertThat(code).hasSize(2);
        assertThat(code.get(0).contains(0x7f0000001000L)).isTrue();
        assertThat(code.get(0).contains(0x7f0000001fffL)).isTrue();
        assertThat(code.get(0).contains(0x7f0000002000L)).isFalse();
        assertThat(code.get(0).contains(0)).isFalse();
        assertThat(code.get(1).contains(0xffffffffff600800L)).isTrue();
    }
}
