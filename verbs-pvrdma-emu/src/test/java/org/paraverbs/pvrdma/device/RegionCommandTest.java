// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.CreatePd;
import org.paraverbs.pvrdma.abi.CreateUc;
import org.paraverbs.verbs.contract.Covers;

/** CREATE_MR, DESTROY_MR. */
class RegionCommandTest extends ControlPathFixture {
    /** CVE-2021-3582: the number of pages must go with the length. */
    @Test
    @Covers.Command("CREATE_MR")
    void regionsMustAgreeWithTheirPages() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        assertThat(createMr(driver, pd, 0x5000, 0x4000, 4, s -> {})).isZero();
        assertThat(createMr(driver, pd, 0x5fff, 2, 2, s -> {})).isZero();
        assertThat(createMr(driver, pd, 0x5000, 0x4000, 3, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0x5000, 0x4001, 4, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0x5000, 0x1000, 4, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0x5000, 0, 0, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0x5000, 0, 1, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0x5000, -1, 1, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, -0x1000, 0x1000, 1, s -> {}))
                .as("up to the last address")
                .isZero();
        assertThat(createMr(driver, pd, -0x1000, 0x1001, 2, s -> {}))
                .as("wraps")
                .isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0, (1L << 31) + 1, 0x80001, s -> {})).isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0, 1L << 31, 0x80000, s -> {}))
                .as("more than a page directory lists")
                .isEqualTo(EINVAL);
        assertThat(createMr(driver, pd, 0x5000, 0x5000, 5, s -> {}))
                .as("lists a fifth page that is zero")
                .isEqualTo(EFAULT);
        assertThat(createMr(driver, pd, 0x5000, 0x1000, 1, s -> CreateMr.pdirDma(s, 0, 0x123)))
                .isEqualTo(EFAULT);
        assertThat(createMr(driver, pd, 0x5000, 0x1000, 1, s -> {
                    long misaligned = driver.memory.pages(2).first() + 8;
                    CreateMr.pdirDma(s, 0, driver.memory.directory(misaligned));
                }))
                .isEqualTo(EFAULT);
    }

    @Test
    @Covers.Command("CREATE_MR")
    void accessFlagsAreChecked() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        int[] good = {0, 1, 3, 4, 5, 7, 15, 0x10, 0x1f, 0x10_0000, 0x3ff0_0001};
        int[] bad = {2, 8, 10, 0x12, 0x20, 0x40, 0x80, 0x4000_0000, -1};
        for (int flags : good) {
            assertThat(createMr(driver, pd, 0x5000, 0x1000, 1, s -> CreateMr.accessFlags(s, 0, flags)))
                    .as("%x", flags)
                    .isZero();
        }
        for (int flags : bad) {
            assertThat(createMr(driver, pd, 0x5000, 0x1000, 1, s -> CreateMr.accessFlags(s, 0, flags)))
                    .as("%x", flags)
                    .isEqualTo(EINVAL);
        }
    }

    @Test
    void regionsOfAllMemoryAreNotForUsers() {
        MockDriver driver = booted();
        assertThat(driver.createContext(1)).isZero();
        int context = CreateUc.Response.ctxHandle(driver.response(), 0);
        int pd = CreatePd.Response.pdHandle(
                driver.succeed(CommandCode.CREATE_PD, s -> CreatePd.ctxHandle(s, 0, context)), 0);
        assertThat(createMr(driver, pd, 0, 0, 0, s -> CreateMr.flags(s, 0, CreateMr.FLAG_DMA)))
                .isEqualTo(EPERM);
        assertThat(driver.lastRefusal()).contains("kernel").contains("user context " + context);
    }

    @Test
    void regionsOfAllMemoryAreNotForPeers() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        for (int access : new int[] {0, 1, 3, 4}) {
            assertThat(createMr(driver, pd, 0, 0, 0, s -> {
                        CreateMr.flags(s, 0, CreateMr.FLAG_DMA);
                        CreateMr.accessFlags(s, 0, access);
                    }))
                    .isEqualTo(access <= 1 ? 0 : EINVAL);
        }
        for (int flags : new int[] {CreateMr.FLAG_DMA | CreateMr.FLAG_FRMR, 4, -1}) {
            assertThat(createMr(driver, pd, 0, 0, 8, s -> CreateMr.flags(s, 0, flags)))
                    .isEqualTo(EOPNOTSUPP);
        }
    }
}
