// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.paraverbs.pvrdma.guest.kernel.QueuePairRequest.OWN_RECEIVES;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.PortAttr;
import org.paraverbs.pvrdma.abi.PortCapFlags;
import org.paraverbs.pvrdma.abi.PortState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.SrqAttr;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.contract.Covers;

/** The driver on an emulated device: its limits, whose objects are whose, and that nothing is left. */
class PvrdmaDriverTest {

    private static final int LOCAL_WRITE = AccessFlags.ACCESS_LOCAL_WRITE;

    @ParameterizedTest
    @ValueSource(ints = {17, 18, 19, 20})
    void everyVersionOfTheDeviceIsDriven(int version) {
        try (DriverFixture fixture =
                new DriverFixture(DeviceConfiguration.builder().version(version).build())) {
            int context = fixture.openContext();
            int domain = fixture.driver.createProtectionDomain(context);
            int queue = fixture.completionQueue(context);
            CreatedQueuePair pair = fixture.queuePair(domain, queue);
            if (version < 20) {
                assertThat(pair.handle()).isEqualTo(pair.qpn());
            } else {
                assertThat(pair.handle()).as("the low bits of the number").isEqualTo(pair.qpn() & 0xffff);
            }
            fixture.driver.destroyQueuePair(pair.handle());
        }
    }

    @Test
    void thePortAndItsTables() {
        try (DriverFixture fixture = new DriverFixture()) {
            PvrdmaDriver driver = fixture.driver;
            MemorySegment port = driver.queryPort(1);
            assertThat(PortAttr.state(port, 0)).isEqualTo(PortState.ACTIVE);
            assertThat(PortAttr.portCapFlags(port, 0) & PortCapFlags.IP_BASED_GIDS)
                    .isNotZero();
            assertThat(driver.queryPkey(1, 0)).isEqualTo(0xffff);
            assertThat(driver.queryGid(1, 1)).isEqualTo(new GidTableEntry(new Gid(0, 0xffff_c000_0201L), 2));
            assertThat(driver.queryGid(1, 2)).isNull();
            driver.removeGid(1);
            assertThat(driver.queryGid(1, 1)).isNull();

            refused(Errno.EINVAL, () -> driver.queryPort(2)).hasMessageContaining("ports 1 to 1");
            refused(Errno.EINVAL, () -> driver.queryPkey(1, 1)).hasMessageContaining("1 entries");
            refused(Errno.EINVAL, () -> driver.queryGid(1, 16)).hasMessageContaining("16 entries");
            refused(Errno.EINVAL, () -> driver.addGid(16, new Gid(1, 1)));
            refused(Errno.ENODATA, () -> driver.removeGid(1));
        }
    }

    @Test
    @Covers.Limit({
        "DeviceLimits.maxPd",
        "DeviceLimits.maxCq",
        "DeviceLimits.maxQp",
        "DeviceLimits.maxMr",
        "DeviceLimits.maxUar"
    })
    void thereAreOnlySoManyOfEachKind() {
        DeviceConfiguration small = DeviceConfiguration.builder()
                .maxPd(2)
                .maxCq(2)
                .maxQp(3)
                .maxUar(2)
                .maxMr(2)
                .build();
        try (DriverFixture fixture = new DriverFixture(small)) {
            PvrdmaDriver driver = fixture.driver;
            int context = fixture.openContext();
            refused(Errno.ENOMEM, fixture::openContext).hasMessageContaining("max_uar is 2");

            int domain = driver.createProtectionDomain(context);
            driver.createProtectionDomain(context);
            refused(Errno.ENOMEM, () -> driver.createProtectionDomain(context))
                    .hasMessageContaining("max_pd is 2, and 2");

            int queue = fixture.completionQueue(context);
            int other = fixture.completionQueue(context);
            refused(Errno.ENOMEM, () -> fixture.completionQueue(context)).hasMessageContaining("max_cq is 2, and 2");
            driver.destroyCompletionQueue(other);
            fixture.completionQueue(context);

            for (int i = 0; i < 3; i++) {
                fixture.queuePair(domain, queue);
            }
            refused(Errno.ENOMEM, () -> fixture.queuePair(domain, queue)).hasMessageContaining("max_qp is 3, and 3");

            // The driver does not count these, so it is the device that refuses.
            driver.register(domain, 0x1000, fixture.pages(1), 0);
            driver.register(domain, 0x1000, fixture.pages(1), 0);
            refused(Errno.EFAULT, () -> driver.register(domain, 0x1000, fixture.pages(1), 0))
                    .hasMessageContaining("refused CREATE_MR")
                    .hasMessageContaining("all of its 2 memory regions (max_mr)")
                    .hasMessageContaining("the device says: CREATE_MR: ENOMEM: no more memory regions: max_mr is 2")
                    .hasMessageContaining("raise DeviceConfiguration.maxMr");
        }
    }

    @Test
    @Covers.Limit("DeviceLimits.maxMrSize")
    void sizesOfRegionsAreChecked() {
        DeviceConfiguration small =
                DeviceConfiguration.builder().maxMrSize(8192).build();
        try (DriverFixture fixture = new DriverFixture(small)) {
            PvrdmaDriver driver = fixture.driver;
            int domain = driver.createProtectionDomain(fixture.openContext());
            driver.requireRegionSize(8192);
            refused(Errno.EINVAL, () -> driver.requireRegionSize(8193)).hasMessageContaining("1 to 8192 bytes");
            refused(Errno.EINVAL, () -> driver.register(domain, 0, fixture.pages(3), 0))
                    .hasMessageContaining("ibv_reg_mr(12288 bytes on emu7)")
                    .hasMessageContaining("max_mr_size");
            refused(
                    Errno.EINVAL,
                    () -> driver.register(domain, 0, fixture.pages(1).asSlice(0, 0), 0));
            refused(Errno.EINVAL, () -> driver.register(domain, 0, fixture.pages(1), AccessFlags.ACCESS_REMOTE_WRITE))
                    .hasMessageContaining("LOCAL_WRITE");
        }
    }

    @Test
    void aRegionHasAtMostAGibibyteWhateverTheDeviceSays() {
        try (DriverFixture fixture = new DriverFixture()) {
            PvrdmaDriver driver = fixture.driver;
            driver.requireRegionSize(1L << 30);
            refused(Errno.EINVAL, () -> driver.requireRegionSize((1L << 30) + 1))
                    .hasMessageContaining("262145 pages")
                    .hasMessageContaining("1 GiB, whatever max_mr_size says");
            refused(Errno.EINVAL, () -> driver.requireRegionSize(1L << 31)).hasMessageContaining("1 GiB");
            refused(Errno.EINVAL, () -> driver.requireRegionSize((1L << 31) + 1))
                    .hasMessageContaining("max_mr_size");
        }
    }

    @Test
    void sizesOfCompletionQueuesAreRoundedUpAndThenCompared() {
        DeviceConfiguration small = DeviceConfiguration.builder().maxCqe(100).build();
        try (DriverFixture fixture = new DriverFixture(small)) {
            PvrdmaDriver driver = fixture.driver;
            assertThat(driver.completionQueueEntries(1)).isEqualTo(1);
            assertThat(driver.completionQueueEntries(33)).isEqualTo(64);
            for (int wrong : new int[] {0, -1, Integer.MIN_VALUE, 65, 101, Integer.MAX_VALUE}) {
                refused(Errno.EINVAL, () -> driver.completionQueueEntries(wrong))
                        .hasMessageContaining(wrong + " entries")
                        .hasMessageContaining("max_cqe");
            }
            int context = fixture.openContext();
            refused(Errno.EINVAL, () -> driver.createCompletionQueue(context, 64, fixture.pages(2), 1, null))
                    .hasMessageContaining("vector 1");
        }
    }

    @Test
    void sizesOfQueuePairsAreRefusedByTheDeviceWhichTheMessageExplains() {
        try (DriverFixture fixture = new DriverFixture()) {
            int context = fixture.openContext();
            int domain = fixture.driver.createProtectionDomain(context);
            int queue = fixture.completionQueue(context);
            QueuePairRequest tooMuch =
                    new QueuePairRequest(QpType.RC, domain, queue, queue, OWN_RECEIVES, 8192, 16, 17, 1, false);
            refused(Errno.EFAULT, () -> fixture.driver.createQueuePair(tooMuch, fixture.pages(3), 1))
                    .hasMessageContaining("refused CREATE_QP")
                    .hasMessageContaining(
                            "max_send_wr is 8192 and max_qp_wr 4096 (DeviceConfiguration.maxQpWr raises it), max_send_sge is 17"
                                    + " and max_sge 16 (DeviceConfiguration.maxSge raises it)");

            QueuePairRequest unreliable =
                    new QueuePairRequest(QpType.UC, domain, queue, queue, OWN_RECEIVES, 16, 16, 1, 1, false);
            refused(Errno.EOPNOTSUPP, () -> fixture.driver.createQueuePair(unreliable, fixture.pages(3), 1))
                    .hasMessageContaining("RC and UD");
        }
    }

    @Test
    void whatIsInUseIsBusy() {
        try (DriverFixture fixture = new DriverFixture()) {
            PvrdmaDriver driver = fixture.driver;
            int context = fixture.openContext();
            int domain = driver.createProtectionDomain(context);
            int queue = fixture.completionQueue(context);
            int receives = driver.createSharedReceiveQueue(domain, 32, 1, fixture.pages(3));
            QueuePairRequest request =
                    new QueuePairRequest(QpType.RC, domain, queue, queue, receives, 32, 0, 1, 0, false);
            CreatedQueuePair pair = driver.createQueuePair(request, fixture.pages(2), 1);
            RegisteredMemory region = driver.register(domain, 0x1000, fixture.pages(1), LOCAL_WRITE);

            refused(Errno.EBUSY, () -> driver.destroyProtectionDomain(domain)).hasMessageContaining("3 users");
            refused(Errno.EBUSY, () -> driver.destroySharedReceiveQueue(receives))
                    .hasMessageContaining("ibv_destroy_srq(SRQ " + receives)
                    .hasMessageContaining("1 users");
            refused(Errno.EBUSY, () -> driver.destroyCompletionQueue(queue)).hasMessageContaining("2 users");
            driver.destroyQueuePair(pair.handle());
            driver.destroyCompletionQueue(queue);
            driver.destroySharedReceiveQueue(receives);
            refused(Errno.EBUSY, () -> driver.destroyProtectionDomain(domain)).hasMessageContaining("1 users");
            driver.deregister(region.handle());
            driver.destroyProtectionDomain(domain);
        }
    }

    @Test
    void handlesThatThereAreNotAreRefused() {
        try (DriverFixture fixture = new DriverFixture()) {
            PvrdmaDriver driver = fixture.driver;
            for (int handle : new int[] {77, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                refused(Errno.EINVAL, () -> driver.closeContext(handle));
                refused(Errno.EINVAL, () -> driver.createProtectionDomain(handle));
                refused(Errno.EINVAL, () -> driver.destroyProtectionDomain(handle));
                refused(Errno.EINVAL, () -> driver.deregister(handle));
                refused(Errno.EINVAL, () -> driver.register(handle, 0, fixture.pages(1), 0));
                refused(Errno.EINVAL, () -> driver.destroyCompletionQueue(handle));
                refused(Errno.EINVAL, () -> driver.destroyQueuePair(handle));
                refused(Errno.EINVAL, () -> driver.createSharedReceiveQueue(handle, 1, 1, fixture.pages(3)));
                refused(Errno.EINVAL, () -> driver.limitSharedReceiveQueue(handle, 1));
                refused(
                        Errno.EINVAL,
                        () -> driver.querySharedReceiveQueue(handle, MemorySegment.ofArray(new byte[SrqAttr.SIZE])));
                refused(Errno.EINVAL, () -> driver.destroySharedReceiveQueue(handle));
                refused(Errno.EINVAL, () -> driver.destroyAddressHandle(handle));
                refused(Errno.EINVAL, () -> driver.modifyQueuePair(handle, 1, MemorySegment.ofArray(new byte[160])));
                refused(Errno.EINVAL, () -> driver.queryQueuePair(handle, 1, MemorySegment.ofArray(new byte[160])));
            }
        }
    }

    @Test
    void aClosedContextTakesAllWithItAndNothingStaysMapped() {
        try (DriverFixture fixture = new DriverFixture()) {
            PvrdmaDriver driver = fixture.driver;
            long mapped = fixture.space.mappedBytes();
            int stays = fixture.openContext();
            for (int round = 0; round < 20; round++) {
                int context = fixture.openContext();
                int domain = driver.createProtectionDomain(context);
                int queue = fixture.completionQueue(context);
                fixture.queuePair(domain, queue);
                driver.createSharedReceiveQueue(domain, 32, 1, fixture.pages(3));
                fixture.addressHandle(domain, 0xffff_c000_0202L);
                driver.register(domain, 0x1000, fixture.pages(2), LOCAL_WRITE);
                driver.closeContext(context);

                assertThat(fixture.space.mappedBytes()).isEqualTo(mapped);
                refused(Errno.EINVAL, () -> driver.destroyCompletionQueue(queue));
            }
            driver.createProtectionDomain(stays);
        }
    }

    @Test
    void aRemovedDriverOpensNoContext() {
        DriverFixture fixture = new DriverFixture();
        int context = fixture.openContext();
        fixture.completionQueue(context);
        fixture.close();

        assertThat(fixture.space.mappedBytes()).isZero();
        refused(Errno.EAGAIN, fixture::openContext);
        fixture.driver.close();
    }

    @Test
    void memoryMayBeFreedUnderItsRegistration() {
        try (DriverFixture fixture = new DriverFixture()) {
            int domain = fixture.driver.createProtectionDomain(fixture.openContext());
            RegisteredMemory region;
            try (Arena arena = Arena.ofShared()) {
                region = fixture.driver.register(domain, 0x1000, arena.allocate(4096, 4096), LOCAL_WRITE);
            }
            fixture.driver.deregister(region.handle());
            fixture.driver.destroyProtectionDomain(domain);
        }
    }

    private static AbstractThrowableAssert<?, ?> refused(Errno errno, ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(errno));
    }
}
