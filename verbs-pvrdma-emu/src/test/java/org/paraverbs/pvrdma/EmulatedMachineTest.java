// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.pvrdma.device.PvrdmaDevice;
import org.paraverbs.pvrdma.link.VirtualClock;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.GidType;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.PortState;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.Verbs;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;
import org.paraverbs.verbs.contract.Covers;

/** Machines of one's own, and the two devices that every program finds. */
class EmulatedMachineTest {

    @Test
    void everyProgramFindsTwoDevices() {
        assertThat(Verbs.devices())
                .extracting(Device::name, Device::providerName, Device::emulated)
                .contains(
                        org.assertj.core.groups.Tuple.tuple("emu0", "emu", true),
                        org.assertj.core.groups.Tuple.tuple("emu1", "emu", true));
        assertThat(new EmulatorProvider().unavailability()).isEmpty();
        assertThat(Verbs.device("emu:emu0").guid()).isEqualTo(0x0250_56ff_fe00_0001L);
        assertThat(Verbs.device("emu1").guid()).isEqualTo(0x0250_56ff_fe00_0002L);
    }

    @Test
    @Covers.Verb("Device.open")
    void devicesHaveALinkLocalAndAnIpv4Address() throws UnknownHostException {
        try (EmulatedMachine machine = EmulatedMachine.builder().devices(3).build();
                Context context = machine.device(2).open()) {
            assertThat(context.gids(1))
                    .containsExactly(
                            new GidEntry(0, 1, Gid.of(InetAddress.getByName("fe80::250:56ff:fe00:3")), GidType.ROCE_V2),
                            new GidEntry(1, 1, Gid.of(InetAddress.getByName("192.0.2.3")), GidType.ROCE_V2));
            assertThat(context.attributes().nodeGuid())
                    .isEqualTo(machine.device(2).guid());
        }
    }

    /** What a host does to a device reaches the programs of its guest. */
    @Test
    void theHostTakesThePortDownAndUp() {
        try (EmulatedMachine machine = EmulatedMachine.builder().build()) {
            PvrdmaDevice host = machine.pvrdmaDevice(0);
            try (Context context = machine.device(0).open()) {
                assertThat(context.port(1).state()).isEqualTo(PortState.ACTIVE);
                host.takePortDown();
                assertThat(context.port(1).state()).isEqualTo(PortState.DOWN);
                host.takePortUp();
                assertThat(context.port(1).state()).isEqualTo(PortState.ACTIVE);
                assertThat(context.pollAsyncEvent().type()).isEqualTo(AsyncEventType.PORT_ERROR);
                assertThat(context.pollAsyncEvent().type()).isEqualTo(AsyncEventType.PORT_ACTIVE);
                assertThat(context.pollAsyncEvent().type()).isEqualTo(AsyncEventType.GID_CHANGE);
                context.createCompletionQueue(4);
                assertThat(host.statistics().use("max_cq").used()).isEqualTo(1);
                assertThat(host.statistics().commands()).containsKey("CREATE_CQ");
            }
        }
    }

    @Test
    void twoMachinesDoNotMeet() {
        try (EmulatedMachine one = EmulatedMachine.builder().build();
                EmulatedMachine other = EmulatedMachine.builder().build();
                Context here = one.device(0).open();
                Context there = other.device(1).open()) {
            QueuePair pair = queuePair(here);
            QueuePair peer = queuePair(there);
            Endpoint ours = pair.endpoint();
            pair.connect(peer.endpoint());
            peer.connect(ours);
            pair.sendQueue().send(1).signaled();
            pair.sendQueue().post();

            assertThat(other.fabric()).isNotSameAs(one.fabric());
            assertThat(peer.query().remoteQpn()).isEqualTo(pair.qpn());
            assertThat(one.fabric().find(0, 0xffff_c000_0202L))
                    .as("device 1 of this machine was not opened")
                    .isNull();
        }
    }

    @Test
    void retriesGoByTheClockOfTheMachine() {
        VirtualClock clock = new VirtualClock();
        try (EmulatedMachine machine = EmulatedMachine.builder().clock(clock).build();
                Context context = machine.device(0).open()) {
            CompletionQueue queue = context.createCompletionQueue(8);
            QueuePair pair = context.allocateProtectionDomain()
                    .createQueuePair(QueuePairSpec.reliable(queue).withDepth(4));
            Endpoint ours = pair.endpoint();
            // nobody has this number
            pair.connect(
                    new Endpoint(ours.gid(), ours.gidType(), 0, ours.qpn() ^ 0x10000, 0, ours.mtu(), ours.readDepth()));
            pair.sendQueue().send(1).signaled();
            pair.sendQueue().post();
            assertThat(queue.poll()).as("while the time stands still").isNull();
            WorkCompletion completion = null;
            for (int i = 0; i < 100 && completion == null; i++) {
                clock.advanceTo(machine.fabric().deadlineNs());
                machine.fabric().runDue(10);
                completion = queue.poll();
            }
            assertThat(completion).isNotNull();
            assertThat(completion.status()).isEqualTo(CompletionStatus.RETRY_EXCEEDED);
            // 8 times 67 ms, by the clock that only we moved
            assertThat(clock.nanoTime()).isBetween(8 * 67_000_000L, 2_000_000_000L);
        }
    }

    @Test
    @Covers.Limit("DeviceLimits.maxQp")
    void theConfigurationSetsTheLimits() {
        DeviceConfiguration small = DeviceConfiguration.builder()
                .version(17)
                .maxQp(5)
                .gidTableLength(1)
                .build();
        try (EmulatedMachine machine =
                        EmulatedMachine.builder().configuration(small).build();
                Context context = machine.device(0).open()) {
            assertThat(context.attributes().maxQueuePairs()).isEqualTo(5);
            assertThat(context.gids(1))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.type()).isEqualTo(GidType.ROCE_V1));
        }
    }

    @Test
    void closingTheMachineClosesItsContextsAndItOpensNoMore() {
        EmulatedMachine machine = EmulatedMachine.builder().build();
        List<Context> contexts = List.of(
                machine.device(0).open(),
                machine.device(0).open(),
                machine.device(1).open());
        QueuePair pair = queuePair(contexts.get(1));
        machine.close();
        machine.close();

        assertThat(contexts).noneMatch(Context::isOpen);
        assertThat(pair.isOpen()).isFalse();
        assertThatThrownBy(() -> machine.device(0).open())
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.ENODEV))
                .hasMessageContaining("its machine has been closed");
    }

    @Test
    @Covers.Limit("DeviceLimits.maxUar")
    void aDeviceIsOpenedAsOftenAsItHasDoorbellPages() {
        DeviceConfiguration small = DeviceConfiguration.builder().maxUar(4).build();
        try (EmulatedMachine machine =
                EmulatedMachine.builder().configuration(small).build()) {
            Device device = machine.device(0);
            Context first = device.open();
            device.open();
            device.open();
            assertThatThrownBy(device::open)
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.ENOMEM))
                    .hasMessageContaining("3 times at once");
            first.close();
            assertThat(device.open().isOpen()).isTrue();
        }
    }

    @Test
    void numbersOfDevicesThatCannotBe() {
        for (int wrong : new int[] {0, -1, 255}) {
            assertThatThrownBy(() -> EmulatedMachine.builder().devices(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not " + wrong);
        }
    }

    @Test
    void memoryFreedUnderItsRegistrationIsAnErrorOfThePeerAndTheRegionIsClosedAllTheSame() {
        try (EmulatedMachine machine = EmulatedMachine.builder().build();
                Context here = machine.device(0).open();
                Context there = machine.device(1).open()) {
            CompletionQueue queue = here.createCompletionQueue(8);
            var domain = here.allocateProtectionDomain();
            QueuePair pair =
                    domain.createQueuePair(QueuePairSpec.reliable(queue).withDepth(4));
            MemoryRegion source = domain.allocate(4096);
            var peerDomain = there.allocateProtectionDomain();
            QueuePair peer = peerDomain.createQueuePair(
                    QueuePairSpec.reliable(there.createCompletionQueue(8)).withDepth(4));
            Endpoint ours = pair.endpoint();
            pair.connect(peer.endpoint());
            peer.connect(ours);
            MemoryRegion freed;
            try (Arena arena = Arena.ofShared()) {
                freed = peerDomain.register(arena.allocate(4096), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
                pair.sendQueue()
                        .write(1, freed.remote(), 0)
                        .local(source, 0, 4096)
                        .signaled();
                pair.sendQueue().post();
                assertThat(next(queue).requireSuccess().id()).isEqualTo(1);
            }
            pair.sendQueue().write(2, freed.remote(), 0).local(source, 0, 4096).signaled();
            pair.sendQueue().post();
            assertThat(next(queue).status())
                    .isIn(CompletionStatus.REMOTE_ACCESS_ERROR, CompletionStatus.REMOTE_OPERATION_ERROR);
            freed.close();
            assertThat(freed.isOpen()).isFalse();
        }
    }

    private static WorkCompletion next(CompletionQueue queue) {
        for (int i = 0; i < 10_000_000; i++) {
            WorkCompletion completion = queue.poll();
            if (completion != null) {
                return completion;
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("no completion came");
    }

    private static QueuePair queuePair(Context context) {
        return context.allocateProtectionDomain()
                .createQueuePair(
                        QueuePairSpec.reliable(context.createCompletionQueue(8)).withDepth(4));
    }
}
