// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.DestroyPd;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.GidType;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.RingPages;
import org.paraverbs.pvrdma.abi.SharedRegion;
import org.paraverbs.verbs.contract.Covers;

/** Registers and the shared region, and the life of a device from power-on to reset. */
class RegisterTest extends ControlPathFixture {
    @ParameterizedTest
    @ValueSource(ints = {17, 18, 19, 20})
    @Covers.Register({"VERSION", "DSRLOW", "DSRHIGH"})
    @Covers.Limit("DeviceLimits.maxAh")
    void capabilitiesAreWhatDriversInsistOn(int version) {
        DeviceConfiguration configuration =
                DeviceConfiguration.builder().version(version).maxAh(77).build();
        MockDriver driver = booted(configuration);
        MemorySegment region = driver.sharedRegion.segments()[0];
        long caps = SharedRegion.CAPS_OFFSET;
        assertThat(driver.device.readRegister(Registers.VERSION)).isEqualTo(version);
        assertThat(DeviceCaps.mode(region, caps)).isZero();
        assertThat(DeviceCaps.gidTypes(region, caps)).isEqualTo(version == 17 ? GidType.ROCE_V1 : GidType.ROCE_V2);
        assertThat(DeviceCaps.maxQp(region, caps)).isEqualTo(256);
        assertThat(DeviceCaps.maxQpWr(region, caps)).isEqualTo(4096);
        assertThat(DeviceCaps.maxAh(region, caps)).isEqualTo(77);
        assertThat(DeviceCaps.maxMrSize(region, caps)).isEqualTo(1L << 31);
        assertThat(DeviceCaps.maxQpRdAtom(region, caps)).isPositive();
        assertThat(DeviceCaps.physPortCnt(region, caps)).isEqualTo(1);
        assertThat(DeviceCaps.vendorId(region, caps)).isEqualTo(0x15ad);
        assertThat(Integer.bitCount(DeviceCaps.maxUar(region, caps))).isEqualTo(1);
        assertThat(DeviceCaps.nodeGuid(region, caps)).isEqualTo(0x0250_56ff_fe00_0001L);
    }

    @Test
    @Covers.Register({"MACL", "MACH"})
    void macAddressAndUnknownRegisters() {
        MockDriver driver = off();
        assertThat(driver.device.readRegister(Registers.MACL)).isEqualTo(0x5600_0001);
        assertThat(driver.device.readRegister(Registers.MACH)).isEqualTo(0x0050);
        driver.device.writeRegister(Registers.MACL, -1);
        driver.device.writeRegister(Registers.MACH, -1);
        assertThat(driver.device.readRegister(Registers.MACL)).isEqualTo(-1);
        assertThat(driver.device.readRegister(Registers.MACH)).isEqualTo(0xffff);
        for (int offset : new int[] {-4, 1, 0x28, 0xffc, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            driver.device.writeRegister(offset, -1);
            assertThat(driver.device.readRegister(offset)).isZero();
        }
    }

    /** CVE-2022-1050: a command before there is a shared region. */
    @Test
    @Covers.Register({"REQUEST", "CTL", "ERR", "DSRLOW", "DSRHIGH"})
    void commandsAreRefusedBeforeActivation() {
        MockDriver driver = off();
        driver.device.writeRegister(Registers.REQUEST, 0);
        assertThat(driver.error()).isEqualTo(ENODEV);
        driver.device.writeRegister(Registers.CTL, DeviceCtl.UNQUIESCE);
        assertThat(driver.error()).isEqualTo(ENODEV);
        driver.device.writeRegister(Registers.CTL, DeviceCtl.ACTIVATE);
        assertThat(driver.error()).isEqualTo(EINVAL);
        driver.setUpSharedRegion();
        driver.device.writeRegister(Registers.DSRLOW, (int) driver.sharedRegion.first());
        driver.device.writeRegister(Registers.DSRHIGH, (int) (driver.sharedRegion.first() >>> 32));
        assertThat(driver.error()).isZero();
        driver.device.writeRegister(Registers.REQUEST, 0);
        assertThat(driver.error()).isEqualTo(ENODEV);
    }

    @Test
    void aSharedRegionThatIsNotMappedIsRefused() {
        MockDriver driver = off();
        driver.device.writeRegister(Registers.DSRLOW, 0x1234);
        driver.device.writeRegister(Registers.DSRHIGH, 0x5678);
        assertThat(driver.error()).isEqualTo(EFAULT);
        driver.device.writeRegister(Registers.CTL, DeviceCtl.ACTIVATE);
        assertThat(driver.error()).isEqualTo(EINVAL);
    }

    @Test
    @Covers.Register({"CTL", "DSRHIGH"})
    void anActiveDeviceKeepsItsSharedRegion() {
        MockDriver driver = booted();
        driver.device.writeRegister(Registers.DSRLOW, 0);
        driver.device.writeRegister(Registers.DSRHIGH, 0);
        assertThat(driver.error()).isEqualTo(EBUSY);
        driver.device.writeRegister(Registers.CTL, DeviceCtl.ACTIVATE);
        assertThat(driver.error()).isEqualTo(EBUSY);
        driver.device.writeRegister(Registers.CTL, 3);
        assertThat(driver.error()).isEqualTo(EINVAL);
        driver.device.writeRegister(Registers.CTL, DeviceCtl.UNQUIESCE);
        assertThat(driver.error()).isZero();
        driver.createPd();
    }

    /** CVE-2021-3607 and CVE-2023-1544: rings of no pages, and of more than there are. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 513, 1 << 20, -1, Integer.MIN_VALUE})
    void notificationRingsOfImpossibleSizesAreRefused(int pages) {
        for (long ring : new long[] {SharedRegion.ASYNC_RING_PAGES_OFFSET, SharedRegion.CQ_RING_PAGES_OFFSET}) {
            MockDriver driver = off();
            driver.setUpSharedRegion();
            RingPages.numPages(driver.sharedRegion.segments()[0], ring, pages);
            assertThat(driver.activate()).isEqualTo(EINVAL);
        }
    }

    @Test
    void notificationRingsThatListUnmappedPagesAreRefused() {
        MockDriver driver = off();
        driver.setUpSharedRegion();
        MemorySegment region = driver.sharedRegion.segments()[0];
        RingPages.pdirDma(region, SharedRegion.ASYNC_RING_PAGES_OFFSET, driver.memory.directory(0x666000, 1, 2, 3));
        assertThat(driver.activate()).isEqualTo(EINVAL);
        RingPages.pdirDma(region, SharedRegion.ASYNC_RING_PAGES_OFFSET, 0xdead_beef_0000L);
        assertThat(driver.activate()).isEqualTo(EINVAL);
    }

    @Test
    void slotsThatAreNotMappedAreRefused() {
        MockDriver driver = off();
        driver.setUpSharedRegion();
        SharedRegion.respSlotDma(driver.sharedRegion.segments()[0], 0, 42);
        assertThat(driver.activate()).isEqualTo(EFAULT);
    }

    @Test
    void slotsThatAreUnmappedLaterAreRefusedThen() {
        MockDriver driver = booted();
        driver.memory.unmap(driver.responseSlot.first());
        driver.device.writeRegister(Registers.REQUEST, 0);
        assertThat(driver.error()).isEqualTo(EFAULT);
    }

    @Test
    @Covers.Register({"CTL", "IMR"})
    void resetForgetsEverything() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        driver.createMr(pd, 100, 0, ALL_ACCESS);
        MockCompletionQueue cq = driver.createCq(4);
        driver.createQp(pd, cq, cq, 4, 1).toInit();
        driver.device.writeRegister(Registers.CTL, DeviceCtl.RESET);
        assertThat(driver.error()).isZero();
        assertThat(driver.device.readRegister(Registers.IMR)).isEqualTo(-1);
        driver.device.writeRegister(Registers.REQUEST, 0);
        assertThat(driver.error()).isEqualTo(ENODEV);
        driver.setUpSharedRegion();
        assertThat(driver.activate()).isZero();
        assertThat(driver.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, pd)))
                .isEqualTo(EINVAL);
        driver.createCq(4);
    }

    @Test
    void aClosedDeviceIgnoresEverything() {
        MockDriver driver = booted();
        driver.device.close();
        driver.device.close();
        driver.device.writeRegister(Registers.CTL, DeviceCtl.ACTIVATE);
        driver.device.writeRegister(Registers.REQUEST, 0);
        driver.device.writeUar(0, 0, -1);
        assertThat(driver.interrupts(InterruptVector.RESPONSE)).isZero();
    }
}
