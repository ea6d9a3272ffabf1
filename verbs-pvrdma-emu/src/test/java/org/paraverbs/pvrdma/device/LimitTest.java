// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateCq;
import org.paraverbs.pvrdma.abi.CreateQp;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.GidType;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.device.DeviceStatistics.Commands;
import org.paraverbs.pvrdma.device.DeviceStatistics.Use;
import org.paraverbs.verbs.contract.Covers;

/** The limits of a device, and what it says when a guest runs into one. */
class LimitTest extends ControlPathFixture {
    @Test
    @Covers.Command({"CREATE_PD", "CREATE_MR", "DESTROY_MR", "CREATE_QP"})
    @Covers.Limit({"DeviceLimits.maxPd", "DeviceLimits.maxMr", "DeviceLimits.maxQp"})
    void limitsAreKept() {
        MockDriver driver = booted(DeviceConfiguration.builder()
                .maxPd(2)
                .maxMr(2)
                .maxCq(2)
                .maxQp(4)
                .build());
        int pd = driver.createPd();
        driver.createPd();
        assertThat(driver.command(CommandCode.CREATE_PD, s -> {})).isEqualTo(ENOMEM);
        for (int i = 0; i < 10; i++) {
            MockRegion one = driver.createMr(pd, 100, 0, 0);
            MockRegion two = driver.createMr(pd, 100, 0, 0);
            assertThat(createMr(driver, pd, 0x1000, 0x1000, 1, s -> {})).isEqualTo(ENOMEM);
            assertThat(driver.destroyMr(one.handle())).isZero();
            assertThat(driver.destroyMr(two.handle())).isZero();
        }
        MockCompletionQueue cq = driver.createCq(4);
        for (int i = 0; i < 4; i++) {
            assertThat(driver.createQp(pd, cq, cq, 4, 1).handle).isLessThan(4);
        }
        assertThat(createQp(driver, pd, cq, s -> {})).isEqualTo(ENOMEM);
    }

    /** Each says its name, its value, how much is in use, and what raises it. */
    @Test
    @Covers.Limit({
        "DeviceLimits.maxPd",
        "DeviceLimits.maxMr",
        "DeviceLimits.maxCq",
        "DeviceLimits.maxCqe",
        "DeviceLimits.maxQp",
        "DeviceLimits.maxMrSize",
        "DeviceLimits.maxUar",
        "DeviceLimits.maxQpWr",
        "DeviceLimits.maxSge",
        "DeviceLimits.gidTableLength"
    })
    void everyLimitExplainsItself() {
        MockDriver driver = booted(DeviceConfiguration.builder()
                .maxPd(1)
                .maxMr(1)
                .maxCq(1)
                .maxCqe(64)
                .maxQp(5)
                .qpElsewhere(4)
                .maxMrSize(0x2000)
                .maxUar(2)
                .gidTableLength(2)
                .build());
        int pd = driver.createPd();
        assertThat(driver.command(CommandCode.CREATE_PD, s -> {})).isEqualTo(ENOMEM);
        assertThat(driver.lastRefusal())
                .isEqualTo(
                        "CREATE_PD: ENOMEM: no more protection domains: max_pd is 1, in use are 1, wanted is one more;"
                                + " free some, or raise DeviceConfiguration.maxPd");
        assertThat(createMr(driver, pd, 0, 0x2001, 3, s -> {})).isEqualTo(EINVAL);
        assertThat(driver.lastRefusal()).contains("8193", "max_mr_size is 8192", "DeviceConfiguration.maxMrSize");
        MockRegion mr = driver.createMr(pd, 100, 0, 0);
        assertThat(createMr(driver, pd, 0x1000, 0x1000, 1, s -> {})).isEqualTo(ENOMEM);
        assertThat(driver.lastRefusal()).contains("max_mr is 1, in use are 1", "DeviceConfiguration.maxMr");
        assertThat(driver.command(CommandCode.CREATE_CQ, s -> CreateCq.cqe(s, 0, 128)))
                .isEqualTo(EINVAL);
        assertThat(driver.lastRefusal()).contains("128", "max_cqe is 64", "DeviceConfiguration.maxCqe");
        MockCompletionQueue cq = driver.createCq(64);
        assertThat(driver.command(CommandCode.CREATE_CQ, s -> {
                    CreateCq.cqe(s, 0, 64);
                    CreateCq.nchunks(s, 0, 2);
                }))
                .isEqualTo(ENOMEM);
        assertThat(driver.lastRefusal()).contains("max_cq is 1, in use are 1", "DeviceConfiguration.maxCq");
        assertThat(createQp(driver, pd, cq, s -> CreateQp.maxSendWr(s, 0, 8192)))
                .isEqualTo(EINVAL);
        assertThat(driver.lastRefusal())
                .contains("8192 work requests", "max_qp_wr is 4096", "DeviceConfiguration.maxQpWr");
        assertThat(createQp(driver, pd, cq, s -> CreateQp.maxRecvSge(s, 0, 17))).isEqualTo(EINVAL);
        assertThat(driver.lastRefusal()).contains("17 elements", "max_sge is 16", "DeviceConfiguration.maxSge");
        driver.createQp(pd, cq, cq, 4, 1);
        assertThat(createQp(driver, pd, cq, s -> {})).isEqualTo(ENOMEM);
        assertThat(driver.lastRefusal())
                .contains("max_qp is 5, in use are 1 here and 4 elsewhere", "DeviceConfiguration.maxQp", "qpElsewhere");
        assertThat(driver.createContext(1)).isZero();
        assertThat(driver.createContext(2)).isEqualTo(EINVAL);
        assertThat(driver.lastRefusal()).contains("max_uar - 1 is 1", "DeviceConfiguration.maxUar");
        assertThat(driver.bind(2, 0, 7)).isEqualTo(EINVAL);
        assertThat(driver.lastRefusal()).contains("gid_tbl_len - 1 is 1", "DeviceConfiguration.gidTableLength");
        DeviceStatistics statistics = driver.device.statistics();
        assertThat(statistics.use("max_qp")).isEqualTo(new Use("max_qp", 1, 4, 5, "maxQp or lower qpElsewhere"));
        assertThat(statistics.use("max_mr").used()).isEqualTo(1);
        assertThat(statistics.commands().get("CREATE_MR")).isEqualTo(new Commands(3, 2));
        assertThat(driver.destroyMr(mr.handle())).isZero();
        assertThat(driver.device.statistics().use("max_mr").used()).isZero();
    }

    /** At most 0.7 times the guest's memory can be registered. */
    @Test
    @Covers.Limit("HostPolicy.maxRegisteredPercent")
    void registeredMemoryIsAShareOfTheGuests() {
        MockDriver driver =
                booted(DeviceConfiguration.builder().guestMemory(0x10_0000).build());
        int pd = driver.createPd();
        MockRegion most = driver.createMr(pd, 700_000, 0, 0);
        Use use = use(driver);
        assertThat(use.used()).isEqualTo(700_000);
        assertThat(use.max()).isEqualTo(734_003); // 0.7 x 1 MiB
        assertThat(createMr(driver, pd, 0, 34_004, 9, s -> {})).isEqualTo(ENOMEM);
        assertThat(driver.lastRefusal())
                .contains("70 %", "734003", "700000", "34004", "maxRegisteredPercent", "guestMemory");
        driver.createMr(pd, 34_003, 0, 0);
        assertThat(driver.destroyMr(most.handle())).isZero();
        assertThat(use(driver).used()).isEqualTo(34_003);
        driver.device.writeRegister(Registers.CTL, DeviceCtl.RESET);
        assertThat(use(driver).used()).isZero();
        assertThat(DeviceConfiguration.builder()
                        .guestMemory(Long.MAX_VALUE)
                        .build()
                        .host()
                        .maxRegistered())
                .isEqualTo(Long.MAX_VALUE / 10 * 7 + 4); // ...807 x 0.7
    }

    private static Use use(MockDriver driver) {
        return driver.device.statistics().use("registered memory (70 % of the guest's)");
    }

    @Test
    void queuePairsHeldElsewhereCanBeHadNoMore() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceConfiguration.builder().qpElsewhere(256).build())
                .withMessageContaining("qpElsewhere is 256; the range is 0 to 255");
    }

    @Test
    void aChangedConfigurationKeepsTheRest() {
        DeviceConfiguration unusual = DeviceConfiguration.builder()
                .version(17)
                .maxSrq(0)
                .maxSrqWr(16)
                .maxSrqSge(2)
                .atomics(false)
                .fastRegistration(false)
                .qpElsewhere(3)
                .cqSize(0)
                .maxHeldBack(7)
                .guestMemory(1 << 20)
                .maxRegisteredPercent(50)
                .maxAh(8)
                .moderate(InterruptVector.ASYNC, new InterruptModeration(2, 3))
                .moderate(InterruptVector.CQ, new InterruptModeration(4, 5))
                .build();
        assertThat(unusual.withMacAddress(unusual.macAddress())).isEqualTo(unusual);
    }

    @Test
    void configurationsThatCannotBeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceConfiguration.builder().maxQp(65_536).build())
                .withMessageContaining("maxQp");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceConfiguration.builder().maxUar(3).build())
                .withMessageContaining("maxUar");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceConfiguration.builder()
                        .version(17)
                        .gidType(GidType.ROCE_V2)
                        .build())
                .withMessageContaining("gidType");
    }
}
