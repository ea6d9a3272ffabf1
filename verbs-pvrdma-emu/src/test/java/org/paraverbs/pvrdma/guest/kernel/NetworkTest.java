// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.CreateUc;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.contract.Covers;

/** What the driver makes of news about the network interface that the port is paired with (pvrdma_main.c). */
class NetworkTest {

    private final ScriptedDevice device = new ScriptedDevice();
    private final DriverFixture.Events events = new DriverFixture.Events();
    private final DriverFixture.Events others = new DriverFixture.Events();

    private PvrdmaDriver probe() {
        PvrdmaDriver driver = device.probe();
        driver.openContext(events);
        device.answer = response -> CreateUc.Response.ctxHandle(response, 0, 1);
        driver.openContext(others);
        device.writes.clear();
        return driver;
    }

    @Test
    @Covers.Event({AsyncEventType.PORT_ACTIVE, AsyncEventType.PORT_ERROR})
    void everyContextIsToldOfTheInterface() {
        try (PvrdmaDriver driver = probe()) {
            driver.onNetworkDown();
            assertThat(events.told).containsExactly("port 1: 10");
            assertThat(device.writes).as("the device is told nothing").isEmpty();
            driver.onNetworkUp();
            assertThat(device.writes).as("UNQUIESCE").containsExactly("CTL 1");
            assertThat(events.told).containsExactly("port 1: 10", "port 1: 9");
            assertThat(others.told).isEqualTo(events.told);
        }
    }

    @Test
    void aDeviceThatDoesNotGoOnIsNotReportedAsActive() {
        try (PvrdmaDriver driver = probe()) {
            device.activationRefusal = 22;
            driver.onNetworkUp();
            assertThat(device.writes).containsExactly("CTL 1");
            assertThat(events.told).isEmpty();
        }
    }

    @Test
    @Covers.Event(AsyncEventType.GID_CHANGE)
    void everyContextIsToldOfGids() {
        try (PvrdmaDriver driver = probe()) {
            driver.addGid(2, new Gid(1, 2));
            driver.removeGid(2);
            assertThat(events.told).containsExactly("port 1: 18", "port 1: 18");
            assertThat(others.told).isEqualTo(events.told);
        }
    }
}
