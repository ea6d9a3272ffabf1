// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.stub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.Reregistration;
import org.paraverbs.verbs.UnsupportedVerbException;
import org.paraverbs.verbs.Verbs;
import org.paraverbs.verbs.VerbsException;

/** Regions without memory of the program's: descriptor 7 of the stub is a dma-buf of 6144 bytes. */
final class DmaBufCases {
    private static final int DESCRIPTOR = 7;

    private DmaBufCases() {}

    static void aPartOfADmaBufIsARegionWithoutMemory() {
        try (Context context = Verbs.open("ibv:stub0")) {
            assertThat(context.supports(Feature.DMA_BUF)).isTrue();
            ProtectionDomain domain = context.allocateProtectionDomain();
            MemoryRegion region = domain.registerDmaBuf(
                    DESCRIPTOR, 4096 + 16, 2000, 0x7000_0010, Access.LOCAL_WRITE, Access.REMOTE_READ);
            assertThat(StubLibrary.longNumber("stub_dmabuf_iova")).isEqualTo(0x7000_0010);
            assertThat(StubLibrary.number("stub_dmabuf_access"))
                    .isEqualTo(IbvConstants.IBV_ACCESS_LOCAL_WRITE | IbvConstants.IBV_ACCESS_REMOTE_READ);
            assertThat(region.remote()).isEqualTo(new RemoteBuffer(0x7000_0010, 2000, region.rkey()));
            assertThat(region.access()).isEqualTo(Set.of(Access.LOCAL_WRITE, Access.REMOTE_READ));
            assertThatThrownBy(region::memory)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("memory region of 2000 bytes of stub0 is a dma-buf");
            assertThat(StubLibrary.number("stub_live_regions")).isEqualTo(1);

            assertRefused(Errno.EINVAL, "register it anew", () -> region.reregister(Reregistration.ofAccess()));
            assertThat(region.isOpen()).isTrue();
            region.close();
            assertThat(StubLibrary.number("stub_live_regions")).isZero();
        }
    }

    static void whatIsNoDmaBufIsRefused() {
        try (Context context = Verbs.open("ibv:stub0")) {
            ProtectionDomain domain = context.allocateProtectionDomain();
            assertRefused(Errno.EBADF, "no open file", () -> domain.registerDmaBuf(-1, 0, 8, 0));
            assertRefused(Errno.EINVAL, "may not be a dma-buf", () -> domain.registerDmaBuf(8, 0, 8, 0));
            assertRefused(Errno.EINVAL, "beyond its end", () -> domain.registerDmaBuf(DESCRIPTOR, 6140, 8, 6140));
            assertRefused(Errno.EINVAL, "same place within a page", () -> domain.registerDmaBuf(DESCRIPTOR, 8, 8, 0));
            assertRefused(
                    Errno.EINVAL,
                    "windows cannot be bound",
                    () -> domain.registerDmaBuf(DESCRIPTOR, 0, 8, 0, Access.MEMORY_WINDOW_BIND));
        }
    }

    static void aDeviceWithoutItIsRecognised() {
        for (Errno errno : new Errno[] {Errno.EOPNOTSUPP, Errno.EPROTONOSUPPORT, Errno.EINVAL}) {
            StubLibrary.number("stub_dmabuf_errno", errno.number());
            try (Context context = Verbs.open("ibv:stub0")) {
                assertThat(context.supports(Feature.DMA_BUF)).isFalse();
                ProtectionDomain domain = context.allocateProtectionDomain();
                assertThatThrownBy(() -> domain.registerDmaBuf(DESCRIPTOR, 0, 8, 0))
                        .isInstanceOf(UnsupportedVerbException.class)
                        .hasMessageContaining("supports(Feature.DMA_BUF)");
            } finally {
                StubLibrary.number("stub_dmabuf_errno", 0);
            }
        }
    }

    private static void assertRefused(Errno errno, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        refused -> assertThat(refused.code()).isEqualTo(errno))
                .hasMessageContaining(message);
    }
}
