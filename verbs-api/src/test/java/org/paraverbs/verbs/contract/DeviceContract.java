// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.DeviceAttributes;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.PortAttributes;
import org.paraverbs.verbs.PortState;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.Reregistration;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.TimestampClock;
import org.paraverbs.verbs.UnsupportedVerbException;
import org.paraverbs.verbs.Verbs;
import org.paraverbs.verbs.VerbsException;

/**
 * The device list and what a device says of itself ({@code ibv_get_device_list(3)}, {@code ibv_open_device(3)},
 * {@code ibv_query_device(3)}, {@code ibv_query_port(3)}, {@code ibv_query_gid(3)}, {@code ibv_query_gid_table(3)},
 * {@code ibv_query_pkey(3)}).
 */
public abstract class DeviceContract extends VerbsContract {

    @Test
    @Covers.Verb({"Verbs.devices", "Device.name", "Device.providerName", "Device.emulated"})
    void theDeviceListHasTheDevicesRealOnesFirst() {
        List<Device> devices = Verbs.devices();

        assertThat(devices).extracting(DeviceContract::fullName).contains(fullName(first().device()));
        assertThat(devices).extracting(DeviceContract::fullName).contains(fullName(second().device()));
        assertThat(devices).extracting(DeviceContract::fullName).doesNotHaveDuplicates();
        assertThat(devices).extracting(Device::emulated).isSorted();
    }

    @Test
    @Covers.Verb("Verbs.device")
    void aDeviceIsFoundWithAndWithoutItsProvider() {
        Device device = first().device();

        assertThat(fullName(Verbs.device(fullName(device)))).isEqualTo(fullName(device));
        assertThat(fullName(Verbs.device(device.name()))).isEqualTo(fullName(device));
    }

    @Test
    @Covers.Verb("Verbs.open")
    void anUnknownDeviceIsRefusedWithTheListOfDevices() {
        assertThatThrownBy(() -> Verbs.open("nosuch0"))
                .isInstanceOfSatisfying(VerbsException.class, e -> {
                    assertThat(e.code()).isEqualTo(Errno.ENODEV);
                    assertThat(e.verb()).isEqualTo("ibv_open_device");
                })
                .hasMessageContaining("nosuch0")
                .hasMessageContaining(fullName(first().device()))
                .hasMessageContaining(fullName(second().device()));
    }

    @Test
    void aDeviceOfAnUnknownProviderIsRefusedWithTheProviders() {
        assertThatThrownBy(() -> Verbs.open("nosuch:" + first().device().name()))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.ENODEV))
                .hasMessageContaining("no provider 'nosuch'")
                .hasMessageContaining(first().device().providerName());
    }

    @Test
    @Covers.Verb({"Verbs.open", "VerbsResource.isOpen"})
    void aDeviceMayBeOpenedAgain() {
        Context again = open(firstDevice());
        assertThat(again).isNotSameAs(first());
        again.close();

        assertThat(first().isOpen()).isTrue();
        assertThat(first().attributes().portCount()).isPositive();
    }

    @Test
    @Covers.Verb({"Context.attributes", "Device.guid", "Context.device"})
    void theAttributesAreWithinReason() {
        DeviceAttributes attributes = first().attributes();

        assertThat(attributes.nodeGuid()).isEqualTo(first().device().guid());
        assertThat(attributes.firmwareVersion()).isNotNull();
        assertThat(attributes.maxMemoryRegionSize()).isNotZero();
        assertThat(attributes.maxQueuePairs()).isPositive();
        assertThat(attributes.maxWorkRequests()).isGreaterThanOrEqualTo(64);
        assertThat(attributes.maxElements()).isPositive();
        assertThat(attributes.maxCompletionQueues()).isPositive();
        assertThat(attributes.maxCompletionEntries()).isGreaterThanOrEqualTo(64);
        assertThat(attributes.maxMemoryRegions()).isPositive();
        assertThat(attributes.maxProtectionDomains()).isPositive();
        assertThat(attributes.portCount()).isPositive();
        assertThat(attributes.maxPkeys()).isPositive();
        assertThat(attributes.completionVectors()).isPositive();
    }

    @Test
    @Covers.Verb("Context.supports")
    void theDeviceDoesReliableConnections() {
        assertThat(first().supports(Feature.RELIABLE_CONNECTION)).isTrue();
        if (first().supports(Feature.READ)) {
            assertThat(first().attributes().maxReadsAsTarget()).isPositive();
            assertThat(first().attributes().maxReadsAsInitiator()).isPositive();
        }
    }

    @Test
    @Covers.Verb("Context.port")
    void aPortIsActiveAndDescribesItself() {
        PortAttributes port = first().port(1);

        assertThat(port.port()).isEqualTo(1);
        assertThat(port.state()).isEqualTo(PortState.ACTIVE);
        assertThat(port.activeMtu()).isLessThanOrEqualTo(port.maxMtu());
        assertThat(port.gidTableLength()).isPositive();
        assertThat(port.pkeyTableLength()).isPositive();
        assertThat(port.maxMessageSize()).isGreaterThanOrEqualTo(1L << 20);
        assertThat(port.linkLayer()).isNotEqualTo(LinkLayer.UNKNOWN);
    }

    @Test
    @Covers.Verb({"Context.port", "Context.gid", "Context.gids", "Context.pkey"})
    @Covers.Limit("DeviceAttributes.portCount")
    void aPortThatThereIsNotIsRefused() {
        for (int port : new int[] {0, first().attributes().portCount() + 1, -1, 256}) {
            assertThatThrownBy(() -> first().port(port))
                    .as("port %d", port)
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EINVAL))
                    .hasMessageContaining("port " + port);
            assertThatThrownBy(() -> first().gid(port, 0)).isInstanceOf(VerbsException.class);
            assertThatThrownBy(() -> first().gids(port)).isInstanceOf(VerbsException.class);
            assertThatThrownBy(() -> first().pkey(port, 0)).isInstanceOf(VerbsException.class);
        }
    }

    @Test
    @Covers.Verb({"Context.gids", "Context.gid"})
    void theUsedEntriesOfTheGidTableAreListed() {
        List<GidEntry> entries = first().gids(1);

        if (first().port(1).linkLayer() == LinkLayer.ETHERNET) {
            assertThat(entries).isNotEmpty();
        }
        assertThat(entries).extracting(GidEntry::index).isSorted().doesNotHaveDuplicates();
        for (GidEntry entry : entries) {
            assertThat(entry.port()).isEqualTo(1);
            assertThat(entry.gid().isEmpty()).isFalse();
            assertThat(entry.index()).isBetween(0, first().port(1).gidTableLength() - 1);
            assertThat(first().gid(1, entry.index())).isEqualTo(entry.gid());
        }
    }

    @Test
    @Covers.Verb("Context.gid")
    @Covers.Limit("PortAttributes.gidTableLength")
    void anUnusedEntryOfTheGidTableIsEmptyAndOneBeyondItIsRefused() {
        int length = first().port(1).gidTableLength();
        List<Integer> used = first().gids(1).stream().map(GidEntry::index).toList();
        for (int index = 0; index < length; index++) {
            if (!used.contains(index)) {
                assertThat(first().gid(1, index)).isEqualTo(Gid.EMPTY);
                break;
            }
        }
        for (int index : new int[] {length, -1, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> first().gid(1, index))
                    .as("index %d of %d", index, length)
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining(Integer.toString(index));
        }
    }

    @Test
    @Covers.Verb("Context.pkey")
    @Covers.Limit("PortAttributes.pkeyTableLength")
    void theFirstPartitionKeyIsTheDefaultOneAndOneBeyondTheTableIsRefused() {
        int length = first().port(1).pkeyTableLength();

        assertThat(first().pkey(1, 0)).isEqualTo(0xffff);
        for (int index : new int[] {length, -1}) {
            assertThatThrownBy(() -> first().pkey(1, index))
                    .as("index %d of %d", index, length)
                    .isInstanceOf(VerbsException.class);
        }
    }

    private static String fullName(Device device) {
        return device.providerName() + ":" + device.name();
    }

    /** The types of queue pairs are in {@link QueuePairContract}, inline data in {@link RequestContract}. */
    @Test
    @Covers.Verb("Context.supports")
    void whatTheDeviceDoesNotHaveIsUnsupportedByName() {
        Side side = new Side(first(), Shape.DEFAULT);
        RemoteBuffer remote = side.memory.remote();
        Map<Feature, ThrowingCallable> uses = Map.ofEntries(
                entry(Feature.SHARED_RECEIVE_QUEUE, () -> side.domain.createSharedReceiveQueue(4, 1)),
                entry(Feature.UNRELIABLE_DATAGRAM, () -> side.domain.createAddressHandle(Route.to(1, 0, Gid.EMPTY))),
                entry(Feature.RESIZE_COMPLETION_QUEUE, () -> side.sendCompletions.resize(64)),
                entry(Feature.READ, () -> side.sends.read(1, remote, 0)),
                entry(Feature.ATOMICS, () -> side.sends.fetchAndAdd(1, remote, 0, 1)),
                entry(Feature.MEMORY_WINDOW, () -> side.domain.allocateMemoryWindow()),
                entry(Feature.MULTICAST, () -> side.qp.attachMulticast(Gid.EMPTY, 0)),
                entry(Feature.EXTENDED_ATTRIBUTES, () -> first().extendedAttributes()),
                entry(
                        Feature.REGISTER_AT_ADDRESS,
                        () -> side.domain.registerAt(0, side.memory.memory(), Access.LOCAL_WRITE)),
                entry(Feature.REREGISTRATION, () -> side.memory.reregister(Reregistration.ofAccess())),
                entry(Feature.DMA_BUF, () -> side.domain.registerDmaBuf(-1, 0, 8, 0)),
                entry(Feature.XRC, () -> first().openXrcDomain()),
                entry(
                        Feature.COMPLETION_TIMESTAMP,
                        () -> first().createTimestampedCompletionQueue(4, null, 0, TimestampClock.DEVICE)));
        int unsupported = 0;
        for (Feature feature : uses.keySet()) {
            if (!first().supports(feature)) {
                assertThatThrownBy(uses.get(feature))
                        .as("%s", feature)
                        .isInstanceOf(UnsupportedVerbException.class)
                        .hasMessageContaining("supports(Feature." + feature + ")");
                unsupported++;
            }
        }
        if (unsupported == 0) {
            skip("the device has all of " + uses.keySet());
        }
    }

    private static Map.Entry<Feature, ThrowingCallable> entry(Feature feature, ThrowingCallable use) {
        return Map.entry(feature, use);
    }
}
