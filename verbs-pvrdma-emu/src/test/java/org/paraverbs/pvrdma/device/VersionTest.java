// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateBind;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.GidType;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.SharedRegion;
import org.paraverbs.pvrdma.abi.WcStatus;

/**
 * The versions of the device interface: 17 RoCE v1 only, 18 also v2, 19 page frame numbers of 64 bits, 20 queue pair handles
 * beside their numbers. An older driver on a newer device goes on speaking its own version.
 */
class VersionTest extends ControlPathFixture {
    private MockDriver booted(int device, int driverVersion) {
        MockDriver driver = off(version(device));
        driver.driverVersion = driverVersion;
        driver.setUpSharedRegion();
        assertThat(driver.activate()).isZero();
        assertThat(driver.bind(0, MockDriver.GID_HIGH, driver.gidLow)).isZero();
        return driver;
    }

    /** A whole life: context, protection domain, region, queues, traffic, all gone again. */
    @ParameterizedTest
    @CsvSource({
        "17, 17", "18, 18", "19, 19", "20, 20", "17, 20", "18, 20", "19, 20", "20, 18", "20, 19", "20, 17", "18, 17",
        "20, 99"
    })
    void aDriverDrivesTheDevice(int device, int driverVersion) {
        MockDriver driver = booted(device, driverVersion);
        assertThat(driver.device.readRegister(Registers.VERSION)).isEqualTo(device);
        assertThat(driver.createContext(1)).isZero();
        assertThat(driver.createContext(511)).isZero();
        assertThat(driver.createContext(512)).isEqualTo(EINVAL);
        int pd = driver.createPd();
        MockRegion mr = driver.createMr(pd, 5000, 7, ALL_ACCESS);
        MockCompletionQueue cq = driver.createCq(64);
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            MockQueuePair qp = driver.createQp(pd, cq, cq, 4, 1);
            assertThat(qp.handle).isBetween(0, 255);
            assertThat(qp.qpn).isBetween(2, 0xff_ffff);
            if (Math.min(device, driverVersion) < 20) {
                assertThat(qp.qpn).as("handles are numbers").isEqualTo(qp.handle);
            } else {
                numbers.add(qp.qpn);
            }
            qp.connect(qp);
            qp.write(i, mr, 0, mr, 1000, 1000);
            assertThat(cq.poll().status()).isEqualTo(WcStatus.SUCCESS);
            assertThat(qp.destroy()).isZero();
        }
        assertThat(numbers).doesNotHaveDuplicates();
        assertThat(cq.destroy()).isZero();
        assertThat(driver.destroyMr(mr.handle())).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 18, 19, 20})
    void allQueuePairsThereAreCanBeHad(int device) {
        MockDriver driver = booted(device, device);
        int pd = driver.createPd();
        MockCompletionQueue cq = driver.createCq(64);
        int most = device < 20 ? 254 : 256; // numbers 0 and 1 are not for programs
        for (int i = 0; i < most; i++) {
            driver.createQp(pd, cq, cq, 4, 1);
        }
        assertThat(createQp(driver, pd, cq, s -> {})).isEqualTo(ENOMEM);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 16, -1, Integer.MIN_VALUE})
    void driversOlderThanTheOldestVersionAreRefused(int driverVersion) {
        MockDriver driver = off();
        driver.driverVersion = driverVersion;
        driver.setUpSharedRegion();
        assertThat(driver.activate()).isEqualTo(EINVAL);
        SharedRegion.driverVersion(driver.sharedRegion.segments()[0], 0, 0);
        driver.device.writeRegister(Registers.DSRHIGH, (int) (driver.sharedRegion.first() >>> 32));
        assertThat(driver.error()).isEqualTo(EINVAL);
        assertThat(driver.lastRefusal())
                .isEqualTo("DSRHIGH: EINVAL: the driver's version must be 17 at least, and not: 0");
    }

    /** What drivers insist on: one bit. */
    @ParameterizedTest
    @CsvSource({"17, 1", "18, 1", "18, 2", "19, 1", "19, 2", "20, 1", "20, 2"})
    void thereIsOneGidType(int version, int gidType) {
        MockDriver driver = booted(
                DeviceConfiguration.builder().version(version).gidType(gidType).build());
        assertThat(DeviceCaps.gidTypes(driver.sharedRegion.segments()[0], SharedRegion.CAPS_OFFSET))
                .isEqualTo(gidType);
        int other = gidType == GidType.ROCE_V1 ? GidType.ROCE_V2 : GidType.ROCE_V1;
        assertThat(driver.command(CommandCode.CREATE_BIND, s -> {
                    CreateBind.mtu(s, 0, 1024);
                    CreateBind.newGidLow(s, 0, 1);
                    CreateBind.gidType(s, 0, other);
                }))
                .isEqualTo(EINVAL);
        assertThat(driver.lastRefusal()).contains("GIDs of type " + gidType);
    }

    @Test
    void theVersionIsAgreedOnAnewAfterAReset() {
        MockDriver driver = booted(20, 18);
        driver.device.writeRegister(Registers.CTL, DeviceCtl.RESET);
        driver.driverVersion = 20;
        driver.setUpSharedRegion();
        assertThat(driver.activate()).isZero();
        int pd = driver.createPd();
        MockCompletionQueue cq = driver.createCq(64);
        MockQueuePair qp = driver.createQp(pd, cq, cq, 4, 1);
        assertThat(qp.qpn).isNotEqualTo(qp.handle);
    }
}
