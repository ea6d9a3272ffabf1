// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.stub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.Reregistration;
import org.paraverbs.verbs.Verbs;
import org.paraverbs.verbs.VerbsException;

/** What becomes of regions whose re-registration ends in each of the ways that the man page has. */
final class ReregistrationCases {
    private ReregistrationCases() {}

    static void theNewRegionTakesThePlaceOfTheOldOne() {
        answer(0, 0);
        try (Context context = Verbs.open("ibv:stub0");
                Arena arena = Arena.ofShared()) {
            assertThat(context.supports(Feature.REREGISTRATION)).isTrue();
            ProtectionDomain domain = context.allocateProtectionDomain();
            ProtectionDomain other = context.allocateProtectionDomain();
            MemoryRegion old = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
            MemorySegment memory = arena.allocate(128);
            MemoryRegion changed = old.reregister(
                    Reregistration.ofMemory(memory).withDomain(other).withAccess(Access.REMOTE_READ));

            assertThat(StubLibrary.number("stub_rereg_flags"))
                    .isEqualTo(IbvConstants.IBV_REREG_MR_CHANGE_TRANSLATION
                            | IbvConstants.IBV_REREG_MR_CHANGE_PD
                            | IbvConstants.IBV_REREG_MR_CHANGE_ACCESS);
            assertThat(StubLibrary.number("stub_rereg_access")).isEqualTo(IbvConstants.IBV_ACCESS_REMOTE_READ);
            assertThat(StubLibrary.longNumber("stub_rereg_length")).isEqualTo(128);
            assertThat(old.isOpen()).isFalse();
            assertThat(changed.memory()).isSameAs(memory);
            assertThat(changed.address()).isEqualTo(memory.address());
            assertThat(changed.length()).isEqualTo(128);
            assertThat(changed.access()).isEqualTo(Set.of(Access.REMOTE_READ));
            assertThat(changed.lkey()).isNotEqualTo(old.lkey());
            assertThat(changed.rkey()).isNotEqualTo(old.rkey());
            assertThat(regions()).isEqualTo(1);

            old.close();
            domain.close();
            assertThat(changed.isOpen()).as("it is of the other domain now").isTrue();
            assertThat(regions()).isEqualTo(1);
            other.close();
            assertThat(changed.isOpen()).isFalse();
            assertThat(regions()).isZero();
        }
    }

    static void whatIsNotChangedStays() {
        answer(0, 0);
        try (Context context = Verbs.open("ibv:stub0");
                Arena arena = Arena.ofShared()) {
            ProtectionDomain domain = context.allocateProtectionDomain();
            MemorySegment memory = arena.allocate(4096, 4096);
            MemoryRegion old = domain.registerAt(0x10_0000, memory, Access.LOCAL_WRITE);
            MemoryRegion changed = old.reregister(Reregistration.ofAccess());

            assertThat(StubLibrary.number("stub_rereg_flags")).isEqualTo(IbvConstants.IBV_REREG_MR_CHANGE_ACCESS);
            assertThat(changed.address()).isEqualTo(0x10_0000);
            assertThat(changed.memory()).isSameAs(memory);
            assertThat(changed.access()).isEmpty();
            MemoryRegion moved = changed.reregister(Reregistration.ofDomain(domain));
            assertThat(StubLibrary.number("stub_rereg_access"))
                    .as("rights that do not count must be 0")
                    .isZero();
            assertThat(moved.address()).isEqualTo(0x10_0000);
            moved = moved.reregister(Reregistration.ofMemory(memory));
            assertThat(moved.address()).isEqualTo(memory.address());
            assertThat(regions()).isEqualTo(1);
        }
    }

    static void ownedMemoryIsFreedWhenOtherMemoryTakesItsPlace() {
        answer(0, 0);
        try (Context context = Verbs.open("ibv:stub0");
                Arena arena = Arena.ofShared()) {
            ProtectionDomain domain = context.allocateProtectionDomain();
            MemoryRegion owning = domain.allocate(4096, Access.LOCAL_WRITE);
            MemorySegment owned = owning.memory();
            MemoryRegion still = owning.reregister(Reregistration.ofAccess());
            assertThat(owned.scope().isAlive()).isTrue();
            still.close();
            assertThat(owned.scope().isAlive()).as("the new region owned it").isFalse();

            MemoryRegion again = domain.allocate(4096, Access.LOCAL_WRITE);
            MemorySegment before = again.memory();
            again.reregister(Reregistration.ofMemory(arena.allocate(8)));
            assertThat(before.scope().isAlive()).isFalse();
        }
    }

    static void afterARefusalTheOldRegionIsAsItWas() {
        for (int code : new int[] {IbvConstants.IBV_REREG_MR_ERR_INPUT, IbvConstants.IBV_REREG_MR_ERR_DONT_FORK_NEW}) {
            try (Context context = opened()) {
                MemoryRegion region = context.allocateProtectionDomain().allocate(4096, Access.LOCAL_WRITE);
                answer(code, Errno.EINVAL.number());
                assertFails(region, Errno.EINVAL, "the region is as it was");
                assertThat(region.isOpen()).isTrue();
                assertThat(region.memory().scope().isAlive()).isTrue();
                assertThat(regions()).isEqualTo(1);
            }
        }
    }

    static void afterAFailureHalfWayTheRegionIsClosed() {
        for (int code :
                new int[] {IbvConstants.IBV_REREG_MR_ERR_CMD, IbvConstants.IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW, -6}) {
            try (Context context = opened()) {
                ProtectionDomain domain = context.allocateProtectionDomain();
                MemoryRegion region = domain.allocate(4096, Access.LOCAL_WRITE);
                MemorySegment memory = region.memory();
                answer(code, Errno.ENOMEM.number());
                assertFails(region, Errno.ENOMEM, "has been closed");
                assertThat(region.isOpen()).isFalse();
                assertThat(regions()).as("deregistered").isZero();
                assertThat(memory.scope().isAlive()).isFalse();
                domain.close();
            }
        }
    }

    static void aFailureOnTheOldPagesAloneIsASuccess() {
        try (Context context = opened()) {
            MemoryRegion region = context.allocateProtectionDomain().allocate(4096, Access.LOCAL_WRITE);
            answer(IbvConstants.IBV_REREG_MR_ERR_DO_FORK_OLD, Errno.EINVAL.number());
            MemoryRegion changed = region.reregister(Reregistration.ofAccess());
            assertThat(changed.isOpen()).isTrue();
            assertThat(region.isOpen()).isFalse();
            assertThat(regions()).isEqualTo(1);
        }
    }

    static void aFailureWithoutANumberIsOneAllTheSame() {
        try (Context context = opened()) {
            MemoryRegion region = context.allocateProtectionDomain().allocate(4096, Access.LOCAL_WRITE);
            answer(IbvConstants.IBV_REREG_MR_ERR_DONT_FORK_NEW, 0);
            assertFails(region, Errno.EIO, "madvise");
        }
    }

    static void whatNoDeviceCanUseIsRefusedBeforeItIsAsked() {
        try (Context context = opened();
                Context another = Verbs.open("ibv:stub0");
                Arena arena = Arena.ofShared();
                Arena confined = Arena.ofConfined()) {
            MemoryRegion region = context.allocateProtectionDomain()
                    .register(arena.allocate(8).asReadOnly());
            StubLibrary.number("stub_rereg_flags", -1);
            assertThatThrownBy(() -> region.reregister(Reregistration.ofMemory(confined.allocate(8))))
                    .hasMessageContaining("confined");
            assertThatThrownBy(() -> region.reregister(Reregistration.ofAccess(Access.LOCAL_WRITE)))
                    .hasMessageContaining("read-only");
            assertThatThrownBy(() -> region.reregister(Reregistration.ofAccess(Access.REMOTE_WRITE)))
                    .hasMessageContaining("LOCAL_WRITE");
            ProtectionDomain foreign = another.allocateProtectionDomain();
            assertThatThrownBy(() -> region.reregister(Reregistration.ofDomain(foreign)))
                    .hasMessageContaining("another context");
            assertThat(StubLibrary.number("stub_rereg_flags")).isEqualTo(-1);
            assertThat(region.isOpen()).isTrue();
        }
    }

    /** A context that has found out what the device can do. */
    private static Context opened() {
        answer(0, 0);
        Context context = Verbs.open("ibv:stub0");
        assertThat(context.supports(Feature.REREGISTRATION)).isTrue();
        return context;
    }

    private static void answer(int code, int errno) {
        StubLibrary.number("stub_rereg_code", code);
        StubLibrary.number("stub_rereg_errno", errno);
    }

    private static void assertFails(MemoryRegion region, Errno errno, String message) {
        assertThatThrownBy(() -> region.reregister(Reregistration.ofAccess()))
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        refused -> assertThat(refused.code()).isEqualTo(errno))
                .hasMessageContaining(message);
    }

    private static int regions() {
        return StubLibrary.number("stub_live_regions");
    }
}
