// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreatePd;
import org.paraverbs.pvrdma.abi.CreateUc;
import org.paraverbs.pvrdma.abi.DestroyPd;
import org.paraverbs.pvrdma.abi.DestroyUc;
import org.paraverbs.verbs.contract.Covers;

/** CREATE_UC, DESTROY_UC, CREATE_PD, DESTROY_PD. */
class DomainCommandTest extends ControlPathFixture {
    @Test
    @Covers.Command({"CREATE_UC", "DESTROY_UC"})
    void contextsHaveAPageOfTheUserAccessRegion() {
        MockDriver driver = booted();
        MemorySegment answer = driver.succeed(CommandCode.CREATE_UC, s -> CreateUc.pfn64(s, 0, 0xfe01));
        int context = CreateUc.Response.ctxHandle(answer, 0);
        int pd = CreatePd.Response.pdHandle(
                driver.succeed(CommandCode.CREATE_PD, s -> CreatePd.ctxHandle(s, 0, context)), 0);
        assertThat(driver.command(CommandCode.DESTROY_UC, s -> DestroyUc.ctxHandle(s, 0, context)))
                .as("it has a protection domain")
                .isEqualTo(EBUSY);
        assertThat(driver.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, pd)))
                .isZero();
        assertThat(driver.command(CommandCode.DESTROY_UC, s -> DestroyUc.ctxHandle(s, 0, context)))
                .isZero();
        assertThat(driver.command(CommandCode.CREATE_PD, s -> CreatePd.ctxHandle(s, 0, context)))
                .isEqualTo(EINVAL);
        for (long pfn : new long[] {0, 0xfdff, 0xfe00, 0xfe00 + 512, -1, Long.MIN_VALUE}) {
            assertThat(driver.command(CommandCode.CREATE_UC, s -> CreateUc.pfn64(s, 0, pfn)))
                    .as("pfn %x", pfn)
                    .isEqualTo(EINVAL);
        }
    }

    @Test
    void aPageOfTheUserAccessRegionHasOneContext() {
        MockDriver driver = booted();
        assertThat(driver.createContext(1)).isZero();
        assertThat(driver.createContext(1)).isEqualTo(EBUSY);
        assertThat(driver.lastRefusal()).contains("belongs to user context 1");
        assertThat(driver.createContext(2)).isZero();
    }

    @Test
    @Covers.Command({"CREATE_PD", "DESTROY_PD"})
    void aDomainInUseCannotBeDestroyed() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        MockRegion mr = driver.createMr(pd, 100, 0, 0);
        assertThat(driver.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, pd)))
                .isEqualTo(EBUSY);
        assertThat(driver.destroyMr(mr.handle())).isZero();
        assertThat(driver.destroyMr(mr.handle())).isEqualTo(EINVAL);
        assertThat(driver.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, pd)))
                .isZero();
    }
}
