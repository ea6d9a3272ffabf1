// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CommandHeader;
import org.paraverbs.pvrdma.abi.Registers;

/** What holds for all commands. */
class CommandChannelTest extends ControlPathFixture {
    @ParameterizedTest
    @ValueSource(ints = {21, 22, 99, -1, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void unknownCommandsAreRefused(int code) {
        MockDriver driver = booted();
        driver.commandSlot.segments()[0].fill((byte) 0);
        CommandHeader.cmd(driver.commandSlot.segments()[0], 0, code);
        driver.device.writeRegister(Registers.REQUEST, 0);
        assertThat(driver.error()).isEqualTo(ENOSYS);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {CommandCode.CREATE_SRQ, CommandCode.MODIFY_SRQ, CommandCode.QUERY_SRQ, CommandCode.DESTROY_SRQ})
    void commandsThatAreNotSupportedAreRefused(int code) {
        MockDriver driver = booted(DeviceConfiguration.builder().maxSrq(0).build());
        assertThat(driver.command(code, s -> {})).isEqualTo(EOPNOTSUPP);
        assertThat(driver.lastRefusal()).contains("shared receive queues");
    }

    @Test
    void everyCommandOnHandlesThatAreNoneIsRefused() {
        MockDriver driver = booted();
        for (int code = 0; code < CommandCode.MAX; code++) {
            for (int handle : new int[] {0x7f_ffff, 0xffff_ff00, -1, Integer.MIN_VALUE}) {
                assertThat(driver.command(code, s -> {
                            for (int i = 16; i < CommandCode.MAX_COMMAND_SIZE; i += 4) {
                                s.set(ValueLayout.JAVA_INT, i, handle);
                            }
                        }))
                        .as("command %d", code)
                        .isNotZero();
                assertThat(driver.lastRefusal()).startsWith(CommandCode.name(code) + ": E");
            }
        }
        driver.createPd();
    }
}
