// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateCq;
import org.paraverbs.pvrdma.abi.CreateSrq;
import org.paraverbs.pvrdma.abi.CreateUc;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.GidType;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.ResizeCq;
import org.paraverbs.pvrdma.abi.RingPages;
import org.paraverbs.pvrdma.abi.SharedRegion;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.VerbsException;

/** The driver against a device that is scripted, also to misbehave: probing, and the command channel. */
class ProbeTest {

    private static final EventListener NO_EVENTS = new EventListener() {
        @Override
        public void onQueuePairEvent(int type, int handle) {}

        @Override
        public void onCompletionQueueEvent(int type, int handle) {}

        @Override
        public void onSharedReceiveQueueEvent(int type, int handle) {}

        @Override
        public void onPortEvent(int type, int port) {}
    };

    private final ScriptedDevice device = new ScriptedDevice();

    @ParameterizedTest
    @ValueSource(ints = {17, 18, 19, 20})
    void theSharedRegionSaysWhereAllIs(int version) {
        device.version = version;
        device.capabilities = caps -> DeviceCaps.gidTypes(caps, 0, version == 17 ? GidType.ROCE_V1 : GidType.ROCE_V2);
        try (PvrdmaDriver driver = device.probe()) {
            var region = device.region();
            assertThat(SharedRegion.driverVersion(region, 0)).isEqualTo(20);
            assertThat(SharedRegion.gosInfo(region, 0))
                    .as("64 bits, Linux, version 1")
                    .isEqualTo(0b1_0001_10);
            assertThat(RingPages.numPages(region, SharedRegion.ASYNC_RING_PAGES_OFFSET))
                    .isEqualTo(4);
            assertThat(RingPages.numPages(region, SharedRegion.CQ_RING_PAGES_OFFSET))
                    .isEqualTo(4);
            assertThat(SharedRegion.uarPfn64(region, 0)).as("in either width").isEqualTo(0xf8000);
            assertThat(device.writes).as("unmasked before it is activated").containsExactly("IMR 0", "CTL 0");

            device.answer = response -> CreateUc.Response.ctxHandle(response, 0, 5);
            assertThat(driver.openContext(NO_EVENTS)).isEqualTo(new UserContext(5, 1));
            assertThat(CreateUc.pfn64(device.commandSlot(), 0)).isEqualTo(0xf8001);
            // max_sge_rd is a capability from version 18 on
            assertThat(DeviceCaps.maxSgeRd(driver.deviceCaps(), 0)).isEqualTo(version == 17 ? 4 : 3);
            assertThat(DeviceCaps.deviceCapFlags(driver.deviceCaps(), 0)).isEqualTo(0x1400);
        }
        assertThat(device.writes).endsWith("IMR -1", "CTL 2");
        assertThat(device.space.mappedBytes()).as("left mapped").isZero();
    }

    @Test
    void aDeviceThatTheDriverCannotDriveIsRefused() {
        assertRefused("version 16", () -> device.version = 16);
        assertRefused("GID types 2", () -> {
            device.version = 17;
            device.capabilities = caps -> DeviceCaps.gidTypes(caps, 0, GidType.ROCE_V2);
        });
        assertRefused("GID types 3", () -> {
            device.version = 20;
            device.capabilities = caps -> DeviceCaps.gidTypes(caps, 0, GidType.ROCE_V1 | GidType.ROCE_V2);
        });
        assertRefused("GID types 0", () -> device.capabilities = caps -> DeviceCaps.gidTypes(caps, 0, 0));
        assertRefused("mode 2", () -> device.capabilities = caps -> DeviceCaps.mode(caps, 0, 2));
        assertRefused("power of two", () -> device.capabilities = caps -> DeviceCaps.maxUar(caps, 0, 3));
        assertRefused("max_qp 65536", () -> device.capabilities = caps -> DeviceCaps.maxQp(caps, 0, 0x10000));
        assertRefused("max_cq -1", () -> device.capabilities = caps -> DeviceCaps.maxCq(caps, 0, -1));
        assertRefused("max_srq -1", () -> device.capabilities = caps -> DeviceCaps.maxSrq(caps, 0, -1));
        assertRefused("gid_tbl_len 0", () -> device.capabilities = caps -> DeviceCaps.gidTblLen(caps, 0, 0));
        assertRefused("ERR holds 22", () -> {
            device.capabilities = caps -> {};
            device.activationRefusal = 22;
        });
    }

    private void assertRefused(String why, Runnable change) {
        change.run();
        assertThatThrownBy(device::probe)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EFAULT))
                .hasMessageContaining("probe(emu7)")
                .hasMessageContaining(why);
        assertThat(device.space.mappedBytes()).as("left mapped after: %s", why).isZero();
        device.interrupts.raise(InterruptVector.RESPONSE); // goes nowhere
    }

    @Test
    void aRefusedCommandIsEfaultAndSaysThatItIsNoBadAddress() {
        try (PvrdmaDriver driver = device.probe()) {
            device.refusal = 12;
            assertThatThrownBy(() -> driver.openContext(NO_EVENTS))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EFAULT))
                    .hasMessage(
                            "ibv_open_device(emu7): EFAULT; the device refused CREATE_UC (its register ERR holds 12,"
                                    + " ENOMEM); EFAULT is not a bad address here");
            device.refusal = 0;
            assertThat(driver.openContext(NO_EVENTS).uarPage())
                    .as("the page is free again")
                    .isEqualTo(1);
        }
    }

    @Test
    void anAnswerToAnotherCommandIsAFaultOfTheDevice() {
        try (PvrdmaDriver driver = device.probe()) {
            device.wrongAck = 1;
            assertThatThrownBy(() -> driver.queryPort(1))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EFAULT))
                    .hasMessageContaining("answered QUERY_PORT with 0x80000001 instead of 0x80000000")
                    .hasMessageContaining("a fault of the device");
        }
    }

    @Test
    void aDeviceThatDoesNotAnswerIsWaitedForOnlySoLong() {
        try (PvrdmaDriver driver = device.probe(Duration.ofMillis(2))) {
            device.silent = true;
            assertThatThrownBy(() -> driver.queryPort(1))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.ETIMEDOUT))
                    .hasMessageContaining("did not answer QUERY_PORT in 2 ms")
                    .hasMessageContaining("vector 0");
            // the answer comes late, which must not pass for that of the next command
            device.interrupts.raise(InterruptVector.RESPONSE);
            assertThatThrownBy(() -> driver.queryPort(1)).hasMessageContaining("ETIMEDOUT");
            device.silent = false;
            assertThat(driver.queryPort(1).byteSize()).isPositive();
        }
    }

    @Test
    void anInterruptedThreadStillGetsItsAnswer() {
        try (PvrdmaDriver driver = device.probe()) {
            device.late = true;
            Thread.currentThread().interrupt();
            assertThat(driver.queryPort(1).byteSize()).isPositive();
            assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
            device.late = false;
        }
    }

    @Test
    void commandsWithoutAnAnswerAreNotWaitedFor() {
        try (PvrdmaDriver driver = device.probe(Duration.ofDays(1))) {
            device.silent = true;
            driver.addGid(2, new Gid(1, 2));
            driver.removeGid(2);
            assertThat(device.commands).containsExactly(CommandCode.CREATE_BIND, CommandCode.DESTROY_BIND);
            device.silent = false;
        }
    }

    @Test
    void handlesThatTheDeviceMayNotGiveAreAFaultOfTheDevice() {
        try (PvrdmaDriver driver = device.probe();
                Arena arena = Arena.ofShared()) {
            int context = driver.openContext(NO_EVENTS).handle();
            var ring = arena.allocate(8192, 4096);
            for (int[] bad : new int[][] {{16, 4}, {-1, 4}, {3, 8}}) {
                device.answer = response -> {
                    CreateCq.Response.cqHandle(response, 0, bad[0]);
                    CreateCq.Response.cqe(response, 0, bad[1]);
                };
                assertThatThrownBy(() -> driver.createCompletionQueue(context, 3, ring, 0, null))
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("a fault of the device");
            }
        }
        assertThat(device.space.mappedBytes()).isZero();
    }

    @Test
    void soAreThoseOfSharedReceiveQueuesAndOtherSizesThanAskedFor() {
        try (PvrdmaDriver driver = device.probe();
                Arena arena = Arena.ofShared()) {
            int context = driver.openContext(NO_EVENTS).handle();
            int domain = driver.createProtectionDomain(context);
            for (int bad : new int[] {4, -1, Integer.MAX_VALUE}) {
                device.answer = response -> CreateSrq.Response.srqn(response, 0, bad);
                for (int i = 0; i < 5; i++) { // none of them is counted
                    assertThatThrownBy(() -> driver.createSharedReceiveQueue(domain, 64, 1, arena.allocate(8192, 4096)))
                            .isInstanceOf(VerbsException.class)
                            .hasMessageContaining("the device answered with handle " + bad + ": a fault of the device");
                }
            }
            device.answer = response -> {
                CreateCq.Response.cqHandle(response, 0, 3);
                CreateCq.Response.cqe(response, 0, 4);
            };
            driver.createCompletionQueue(context, 4, arena.allocate(8192, 4096), 0, null);
            device.answer = response -> ResizeCq.Response.cqe(response, 0, 16);
            assertThat(driver.resizeCompletionQueue(3, 9)).isEqualTo(16);
            assertThatThrownBy(() -> driver.resizeCompletionQueue(3, 8))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("the device answered with 16 entries: a fault of the device");
            assertThatThrownBy(() -> driver.resizeCompletionQueue(3, 65))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("here to 64 entries");
        }
        assertThat(device.space.mappedBytes()).isZero();
    }
}
