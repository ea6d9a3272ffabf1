// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.paraverbs.pvrdma.abi.DeviceVersion;
import org.paraverbs.pvrdma.abi.GidType;
import org.paraverbs.pvrdma.abi.Mtu;

/**
 * What a device is and can do. Limits are those that the guest reads as capabilities; the device holds a guest
 * to them.
 *
 * @param version {@link DeviceVersion}: 17 to 20
 * @param gidType the one {@link GidType} that the device has
 * @param nodeGuid GUID as a number, most significant byte first
 * @param macAddress the paired network adapter's address, 48 bits
 * @param maxMrSize bytes of the largest region
 * @param maxQp queue pairs, at most 65,535: a completion names a queue pair with 16 bits
 * @param qpElsewhere how many of the {@code maxQp} queue pairs other users of the physical device hold, fewer than
 *     {@code maxQp}; the guest cannot see this in the capabilities and runs into it, as with NFS over RDMA on the same host
 * @param maxQpWr work requests in one queue, at most 65,536
 * @param maxSge elements of one work request, at most 251: a work request lies within one page
 * @param maxCq completion queues
 * @param maxCqe entries of the largest completion queue
 * @param cqGrows whether completion queues grow as needed, so that they do not overrun: a completion that finds its ring full
 *     is held back by the device, in order, until the consumer has made room. The consumer tells of room by the doorbells
 *     that it rings anyway (it found the queue empty, it arms it); besides, the device looks every millisecond
 * @param maxHeldBack completions that one queue holds back at most, 64 bytes each; beyond that it overruns after all
 * @param maxMr memory regions
 * @param guestMemory bytes of memory that the guest has, of which a share can be registered
 * @param maxRegisteredPercent the share, 1 to 100
 * @param maxPd protection domains
 * @param maxUar pages of the user access region, a power of two; one belongs to the kernel
 * @param maxAh address handles; the device only tells the driver, which counts them
 * @param maxReads READs that a queue pair may have outstanding, as requester and as responder, at most 255
 * @param gidTableLength entries of the GID table, at most 255: work requests name one with 8 bits
 * @param activeMtu {@link Mtu} of the port; 1024 goes with an Ethernet MTU of 1500
 * @param maxMessageSize bytes of the largest message, at most 2^31
 * @param maxSrq shared receive queues, 0 for a device that has none
 * @param maxSrqWr work requests in one shared receive queue, at most 65,536
 * @param maxSrqSge elements of a work request in a shared receive queue, at most 251
 * @param atomics whether the device has compare-and-swap and fetch-and-add. VMware's list of supported verbs for vSphere
 *     6.5 has none; the Linux driver goes by the capability
 * @param fastRegistration whether users in the kernel can register memory by work requests
 */
public record DeviceConfiguration(
        int version,
        int gidType,
        long nodeGuid,
        long macAddress,
        long maxMrSize,
        int maxQp,
        int qpElsewhere,
        int maxQpWr,
        int maxSge,
        int maxCq,
        int maxCqe,
        boolean cqGrows,
        int maxHeldBack,
        int maxMr,
        long guestMemory,
        int maxRegisteredPercent,
        int maxPd,
        int maxUar,
        int maxAh,
        int maxReads,
        int gidTableLength,
        int activeMtu,
        long maxMessageSize,
        int maxSrq,
        int maxSrqWr,
        int maxSrqSge,
        boolean atomics,
        boolean fastRegistration) {

    /** Checks every limit against what the interface can express. */
    public DeviceConfiguration {
        require(
                version >= DeviceVersion.ROCEV1_VERSION && version <= DeviceVersion.QPHANDLE_VERSION,
                "version",
                version);
        require(
                gidType == GidType.ROCE_V1 || (gidType == GidType.ROCE_V2 && version >= DeviceVersion.ROCEV2_VERSION),
                "gidType",
                gidType);
        require(maxMrSize >= 1, "maxMrSize", maxMrSize);
        requireRange(maxQp, 3, 0xffff, "maxQp");
        requireRange(qpElsewhere, 0, maxQp - 1, "qpElsewhere");
        requireRange(maxQpWr, 1, 0x10000, "maxQpWr");
        requireRange(maxSge, 1, 251, "maxSge");
        requireRange(maxCq, 1, 0xffffff, "maxCq");
        requireRange(maxCqe, 1, 1 << 22, "maxCqe");
        requireRange(maxHeldBack, 1, 1 << 24, "maxHeldBack");
        requireRange(maxMr, 1, 0xffffff, "maxMr");
        require(guestMemory >= 1, "guestMemory", guestMemory);
        requireRange(maxRegisteredPercent, 1, 100, "maxRegisteredPercent");
        requireRange(maxPd, 1, 0xffffff, "maxPd");
        requireRange(maxUar, 1, 1 << 20, "maxUar");
        require(Integer.bitCount(maxUar) == 1, "maxUar", maxUar);
        requireRange(maxAh, 1, 1 << 24, "maxAh");
        requireRange(maxReads, 1, 255, "maxReads");
        requireRange(gidTableLength, 1, 255, "gidTableLength");
        require(Mtu.isValid(activeMtu), "activeMtu", activeMtu);
        require(maxMessageSize >= 1 && maxMessageSize <= 1L << 31, "maxMessageSize", maxMessageSize);
        requireRange(maxSrq, 0, 0xffff, "maxSrq");
        requireRange(maxSrqWr, 1, 0x10000, "maxSrqWr");
        requireRange(maxSrqSge, 1, 251, "maxSrqSge");
    }

    /** {@return bytes of BAR2: a page for the kernel and for each user context} */
    public long uarBytes() {
        return (long) maxUar << 12;
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

    /** {@return bytes that may be registered in all: the share of the guest's memory} */
    public long maxRegistered() {
        return guestMemory / 100 * maxRegisteredPercent + guestMemory % 100 * maxRegisteredPercent / 100;
    }

    /** {@return the configuration of a device with the usual limits} */
    public static DeviceConfiguration defaults() {
        return builder().build();
    }

    /** {@return a builder that starts with the usual limits} */
    public static Builder builder() {
        return new Builder();
    }

    private static void requireRange(int value, int min, int max, String name) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + "; the range is " + min + " to " + max);
        }
    }

    private static void require(boolean holds, String name, long value) {
        if (!holds) {
            throw new IllegalArgumentException(name + " cannot be " + value);
        }
    }

    /** Collects what differs from the usual. */
    public static final class Builder {
        private int version = DeviceVersion.QPHANDLE_VERSION;
        private int gidType = GidType.ROCE_V2;
        private long macAddress = 0x0050_5600_0001L;
        private long maxMrSize = 1L << 31;
        private int maxQp = 256;
        private int qpElsewhere;
        private int maxQpWr = 4096;
        private int maxSge = 16;
        private int maxCq = 1024;
        private int maxCqe = 1 << 18;
        private boolean cqGrows;
        private int maxHeldBack = 1 << 20;
        private int maxMr = 1 << 16;
        private long guestMemory = 1L << 36;
        private int maxRegisteredPercent = 70;
        private int maxPd = 1024;
        private int maxUar = 512;
        private int maxAh = 1024;
        private int maxReads = 16;
        private int gidTableLength = 16;
        private int activeMtu = Mtu.MTU_1024;
        private long maxMessageSize = 1L << 31;
        private int maxSrq = 256;
        private int maxSrqWr = 4096;
        private int maxSrqSge = 16;
        private boolean atomics = true;
        private boolean fastRegistration = true;

        private Builder() {}

        private Builder(DeviceConfiguration from) {
            version = from.version;
            gidType = from.gidType;
            macAddress = from.macAddress;
            maxMrSize = from.maxMrSize;
            maxQp = from.maxQp;
            qpElsewhere = from.qpElsewhere;
            maxQpWr = from.maxQpWr;
            maxSge = from.maxSge;
            maxCq = from.maxCq;
            maxCqe = from.maxCqe;
            cqGrows = from.cqGrows;
            maxHeldBack = from.maxHeldBack;
            maxMr = from.maxMr;
            guestMemory = from.guestMemory;
            maxRegisteredPercent = from.maxRegisteredPercent;
            maxPd = from.maxPd;
            maxUar = from.maxUar;
            maxAh = from.maxAh;
            maxReads = from.maxReads;
            gidTableLength = from.gidTableLength;
            activeMtu = from.activeMtu;
            maxMessageSize = from.maxMessageSize;
            maxSrq = from.maxSrq;
            maxSrqWr = from.maxSrqWr;
            maxSrqSge = from.maxSrqSge;
            atomics = from.atomics;
            fastRegistration = from.fastRegistration;
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
         * Sets the largest region, in bytes.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxMrSize(long value) {
            maxMrSize = value;
            return this;
        }

        /**
         * Sets the number of queue pairs.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxQp(int value) {
            maxQp = value;
            return this;
        }

        /**
         * Sets the work requests of one queue.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxQpWr(int value) {
            maxQpWr = value;
            return this;
        }

        /**
         * Sets the elements of one work request.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxSge(int value) {
            maxSge = value;
            return this;
        }

        /**
         * Sets the number of completion queues.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxCq(int value) {
            maxCq = value;
            return this;
        }

        /**
         * Sets the entries of the largest completion queue.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxCqe(int value) {
            maxCqe = value;
            return this;
        }

        /**
         * Sets the number of regions.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxMr(int value) {
            maxMr = value;
            return this;
        }

        /**
         * Sets the number of protection domains.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxPd(int value) {
            maxPd = value;
            return this;
        }

        /**
         * Sets the pages of the user access region.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxUar(int value) {
            maxUar = value;
            return this;
        }

        /**
         * Sets the outstanding READs of a queue pair.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxReads(int value) {
            maxReads = value;
            return this;
        }

        /**
         * Sets the length of the GID table.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder gidTableLength(int value) {
            gidTableLength = value;
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
         * Sets the largest message, in bytes.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxMessageSize(long value) {
            maxMessageSize = value;
            return this;
        }

        /**
         * Sets the number of shared receive queues.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxSrq(int value) {
            maxSrq = value;
            return this;
        }

        /**
         * Sets the work requests of one shared receive queue.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxSrqWr(int value) {
            maxSrqWr = value;
            return this;
        }

        /**
         * Sets the elements of a work request in a shared receive queue.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxSrqSge(int value) {
            maxSrqSge = value;
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
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder qpElsewhere(int value) {
            qpElsewhere = value;
            return this;
        }

        /**
         * Sets how many entries a completion queue has at most, or that there is no such bound.
         *
         * @param value 0: completion queues grow as needed ({@link DeviceConfiguration#cqGrows}); another number: they do not,
         *     and it is {@link DeviceConfiguration#maxCqe}
         * @return this
         */
        public Builder cqSize(int value) {
            cqGrows = value == 0;
            return cqGrows ? this : maxCqe(value);
        }

        /**
         * Sets how many completions a queue that grows holds back.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxHeldBack(int value) {
            maxHeldBack = value;
            return this;
        }

        /**
         * Sets the guest's memory, in bytes.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder guestMemory(long value) {
            guestMemory = value;
            return this;
        }

        /**
         * Sets the share of the guest's memory that can be registered, in percent.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxRegisteredPercent(int value) {
            maxRegisteredPercent = value;
            return this;
        }

        /**
         * Sets the number of address handles.
         *
         * @param value as in {@link DeviceConfiguration}
         * @return this
         */
        public Builder maxAh(int value) {
            maxAh = value;
            return this;
        }

        /**
         * {@return the configuration}
         *
         * @throws IllegalArgumentException for a limit that cannot be
         */
        public DeviceConfiguration build() {
            return new DeviceConfiguration(
                    version,
                    gidType,
                    guidOf(macAddress),
                    macAddress,
                    maxMrSize,
                    maxQp,
                    qpElsewhere,
                    maxQpWr,
                    maxSge,
                    maxCq,
                    maxCqe,
                    cqGrows,
                    maxHeldBack,
                    maxMr,
                    guestMemory,
                    maxRegisteredPercent,
                    maxPd,
                    maxUar,
                    maxAh,
                    maxReads,
                    gidTableLength,
                    activeMtu,
                    maxMessageSize,
                    maxSrq,
                    maxSrqWr,
                    maxSrqSge,
                    atomics,
                    fastRegistration);
        }

        /** The modified EUI-64 of a MAC address (RFC 4291, appendix A). */
        private static long guidOf(long mac) {
            long high = mac >>> 24 ^ 0x02_0000L;
            return high << 40 | 0xff_fe00_0000L | (mac & 0xff_ffffL);
        }
    }
}
