// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.contract.EmuDevices;
import org.paraverbs.pvrdma.device.InterruptModeration;
import org.paraverbs.pvrdma.device.PvrdmaDevice;
import org.paraverbs.verbs.contract.TrafficContract;

/**
 * Traffic while the host moderates interrupts by time: a thread that sleeps on its channel is woken by the timer alone, and
 * everything still arrives.
 */
class EmuModeratedTrafficTest extends TrafficContract implements EmuDevices {
    private static final InterruptModeration BY_TIME = InterruptModeration.after(Duration.ofNanos(50_000));

    private static void moderate(InterruptModeration how) {
        for (int number = 0; number < 2; number++) {
            EmulatorProvider.machine().pvrdmaDevice(number).moderate(InterruptVector.CQ, how);
        }
    }

    private static long suppressed() {
        PvrdmaDevice receiver = EmulatorProvider.machine().pvrdmaDevice(1);
        return receiver.statistics().completionNotifications().suppressed();
    }

    private long suppressedBefore;

    @BeforeEach
    void moderateByTime() {
        moderate(BY_TIME);
        suppressedBefore = suppressed();
    }

    @AfterEach
    void moderateNoMore() {
        moderate(InterruptModeration.OFF);
    }

    @Override
    protected void run(boolean sleeping, boolean sharing) throws InterruptedException {
        super.run(sleeping, sharing);
        if (sleeping) {
            assertThat(suppressed()).as("interrupts held back").isGreaterThan(suppressedBefore);
        }
    }
}
