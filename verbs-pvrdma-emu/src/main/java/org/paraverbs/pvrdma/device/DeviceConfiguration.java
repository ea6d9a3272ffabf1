// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.Objects;
import org.paraverbs.pvrdma.abi.DeviceVersion;
import org.paraverbs.pvrdma.abi.GidType;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.Mtu;

/**
 * What a device is and can do, with the limits that its guest sees and those that its host sets besides. One {@link #builder}
 * has the options of all three.
 *
 * @param version {@link DeviceVersion}: 17 to 20
 * @param gidType the one {@link GidType} that the device has
 * @param nodeGuid GUID as a number, most significant byte first
 * @param macAddress the paired network adapter's address, 48 bits
 * @param activeMtu {@link Mtu} of the port; 1024 goes with an Ethernet MTU of 1500
 * @param atomics whether the device has compare-and-swap and fetch-and-add. VMware's list of supported verbs for vSphere
 *     6.5 has none; the Linux driver goes by the capability
 * @param fastRegistration whether users in the kernel can register memory by work requests
 * @param limits what the guest reads as capabilities
 * @param host what the guest does not see
 */
public record DeviceConfiguration(
        int version,
        int gidType,
        long nodeGuid,
        long macAddress,
        int activeMtu,
        boolean atomics,
        boolean fastRegistration,
        DeviceLimits limits,
        HostPolicy host) {

    /** Checks what the device is against what the interface can express. */
    public DeviceConfiguration {
        Options.require(
                version >= DeviceVersion.ROCEV1_VERSION && version <= DeviceVersion.QPHANDLE_VERSION,
                "version",
                version);
        Options.require(
                gidType == GidType.ROCE_V1 || (gidType == GidType.ROCE_V2 && version >= DeviceVersion.ROCEV2_VERSION),
                "gidType",
                gidType);
        Options.require(Mtu.isValid(activeMtu), "activeMtu", activeMtu);
        Options.requireRange(host.qpElsewhere(), 0, limits.maxQp() - 1, "qpElsewhere");
    }

    /**
     * The same with another MAC address, and the node GUID that goes with it.
     *
     * @param newMacAddress 48 bits
     * @return the changed configuration
     */
    public DeviceConfiguration withMacAddress(long newMacAddress) {
        return toBuilder().macAddress(newMacAddress).build();
    }

    /** {@return a builder that starts with the values of this configuration} */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** {@return the configuration of a device with the usual limits} */
    public static DeviceConfiguration defaults() {
        return builder().build();
    }

    /** {@return a builder that starts with the usual limits} */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects what differs from the usual: the options here, and those of {@link DeviceLimits}. */
    public static final class Builder extends DeviceLimits.Builder<Builder> {
        private int version = DeviceVersion.QPHANDLE_VERSION;
        private int gidType = GidType.ROCE_V2;
        private long macAddress = 0x0050_5600_0001L;
        private int activeMtu = Mtu.MTU_1024;
        private boolean atomics = true;
        private boolean fastRegistration = true;
        private int qpElsewhere;
        private boolean cqGrows;
        private int maxHeldBack = 1 << 20;
        private long guestMemory = 1L << 36;
        private int maxRegisteredPercent = 70;
        private InterruptModeration eventModeration = InterruptModeration.OFF;
        private InterruptModeration completionModeration = InterruptModeration.OFF;

        private Builder() {}

        private Builder(DeviceConfiguration from) {
            super(from.limits);
            version = from.version;
            gidType = from.gidType;
            macAddress = from.macAddress;
            activeMtu = from.activeMtu;
            atomics = from.atomics;
            fastRegistration = from.fastRegistration;
            HostPolicy host = from.host;
            qpElsewhere = host.qpElsewhere();
            cqGrows = host.cqGrows();
            maxHeldBack = host.maxHeldBack();
            guestMemory = host.guestMemory();
            maxRegisteredPercent = host.maxRegisteredPercent();
            eventModeration = host.eventModeration();
            completionModeration = host.completionModeration();
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Sets the device version; version 17 knows RoCE v1 only, so the GID type follows.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder version(int value) {
            version = value;
            if (value == DeviceVersion.ROCEV1_VERSION) {
                gidType = GidType.ROCE_V1;
            }
            return this;
        }

        /**
         * Sets the GID type.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder gidType(int value) {
            gidType = value;
            return this;
        }

        /**
         * Sets the paired adapter's MAC address, of which the node GUID is made.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder macAddress(long value) {
            macAddress = value & 0xffff_ffff_ffffL;
            return this;
        }

        /**
         * Sets the port's MTU code.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder activeMtu(int value) {
            activeMtu = value;
            return this;
        }

        /**
         * Sets whether there are atomic operations.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder atomics(boolean value) {
            atomics = value;
            return this;
        }

        /**
         * Sets whether there is fast registration.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder fastRegistration(boolean value) {
            fastRegistration = value;
            return this;
        }

        /**
         * Sets how many queue pairs others hold.
         *
         * @param value as in {@link HostPolicy}
         * @return this
         */
        public Builder qpElsewhere(int value) {
            qpElsewhere = value;
            return this;
        }

        /**
         * Sets how many entries a completion queue has at most, or that there is no such bound.
         *
         * @param value 0: completion queues grow as needed ({@link HostPolicy#cqGrows}); another number: they do not,
         *     and it is {@link DeviceLimits#maxCqe}
         * @return this
         */
        public Builder cqSize(int value) {
            cqGrows = value == 0;
            return cqGrows ? this : maxCqe(value);
        }

        /**
         * Sets how many completions a queue that grows holds back.
         *
         * @param value as in {@link HostPolicy}
         * @return this
         */
        public Builder maxHeldBack(int value) {
            maxHeldBack = value;
            return this;
        }

        /**
         * Sets the guest's memory, in bytes.
         *
         * @param value as in {@link HostPolicy}
         * @return this
         */
        public Builder guestMemory(long value) {
            guestMemory = value;
            return this;
        }

        /**
         * Sets the share of the guest's memory that can be registered, in percent.
         *
         * @param value as in {@link HostPolicy}
         * @return this
         */
        public Builder maxRegisteredPercent(int value) {
            maxRegisteredPercent = value;
            return this;
        }

        /**
         * Sets how the interrupts of a vector are moderated from the start, by count, by time or by both, as {@link
         * PvrdmaDevice#moderate} does it later. At first none are: each notification is an interrupt.
         *
         * @param vector 1 ({@link InterruptVector#ASYNC}) for asynchronous events, 2 ({@link InterruptVector#CQ}) for completions
         * @param how the moderation; {@link InterruptModeration#OFF} for none
         * @return this
         * @throws IllegalArgumentException for a vector that cannot be moderated
         */
        public Builder moderate(int vector, InterruptModeration how) {
            InterruptModeration.requireModerated(vector);
            Objects.requireNonNull(how, "how");
            if (vector == InterruptVector.ASYNC) {
                eventModeration = how;
            } else {
                completionModeration = how;
            }
            return this;
        }

        /**
         * {@return the configuration}
         *
         * @throws IllegalArgumentException for an option that cannot be
         */
        public DeviceConfiguration build() {
            HostPolicy host = new HostPolicy(
                    qpElsewhere,
                    cqGrows,
                    maxHeldBack,
                    guestMemory,
                    maxRegisteredPercent,
                    eventModeration,
                    completionModeration);
            return new DeviceConfiguration(
                    version,
                    gidType,
                    guidOf(macAddress),
                    macAddress,
                    activeMtu,
                    atomics,
                    fastRegistration,
                    limits(),
                    host);
        }

        /** The modified EUI-64 of a MAC address (RFC 4291, appendix A). */
        private static long guidOf(long mac) {
            long high = mac >>> 24 ^ 0x02_0000L;
            return high << 40 | 0xff_fe00_0000L | (mac & 0xff_ffffL);
        }
    }
}
