// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.paraverbs.pvrdma.abi.DeviceCaps;

/**
 * How much a device has of everything that a guest counts, as the guest reads it in the capabilities ({@link DeviceCaps}); the
 * device holds the guest to it.
 *
 * @param maxMrSize bytes of the largest region
 * @param maxQp queue pairs, at most 65,535: a completion names a queue pair with 16 bits
 * @param maxQpWr work requests in one queue, at most 65,536
 * @param maxSge elements of one work request, at most 251: a work request lies within one page
 * @param maxCq completion queues
 * @param maxCqe entries of the largest completion queue, at most 8,388,608: a page directory with twice as many has no place for the
 *     header
 * @param maxMr memory regions
 * @param maxPd protection domains
 * @param maxUar pages of the user access region, a power of two; one belongs to the kernel
 * @param maxAh address handles; the device only tells the driver, which counts them
 * @param maxReads READs that a queue pair may have outstanding, as requester and as responder, at most 255
 * @param gidTableLength entries of the GID table, at most 255: work requests name one with 8 bits
 * @param maxMessageSize bytes of the largest message, at most 2^31
 * @param maxSrq shared receive queues, 0 for a device that has none
 * @param maxSrqWr work requests in one shared receive queue, at most 65,536
 * @param maxSrqSge elements of a work request in a shared receive queue, at most 251
 */
public record DeviceLimits(
        long maxMrSize,
        int maxQp,
        int maxQpWr,
        int maxSge,
        int maxCq,
        int maxCqe,
        int maxMr,
        int maxPd,
        int maxUar,
        int maxAh,
        int maxReads,
        int gidTableLength,
        long maxMessageSize,
        int maxSrq,
        int maxSrqWr,
        int maxSrqSge) {

    /** Checks every limit against what the interface can express. */
    public DeviceLimits {
        Options.require(maxMrSize >= 1, "maxMrSize", maxMrSize);
        Options.requireRange(maxQp, 3, 0xffff, "maxQp");
        Options.requireRange(maxQpWr, 1, 0x10000, "maxQpWr");
        Options.requireRange(maxSge, 1, 251, "maxSge");
        Options.requireRange(maxCq, 1, 0xffffff, "maxCq");
        Options.requireRange(maxCqe, 1, 1 << 23, "maxCqe");
        Options.requireRange(maxMr, 1, 0xffffff, "maxMr");
        Options.requireRange(maxPd, 1, 0xffffff, "maxPd");
        Options.requireRange(maxUar, 1, 1 << 20, "maxUar");
        Options.require(Integer.bitCount(maxUar) == 1, "maxUar", maxUar);
        Options.requireRange(maxAh, 1, 1 << 24, "maxAh");
        Options.requireRange(maxReads, 1, 255, "maxReads");
        Options.requireRange(gidTableLength, 1, 255, "gidTableLength");
        Options.require(maxMessageSize >= 1 && maxMessageSize <= 1L << 31, "maxMessageSize", maxMessageSize);
        Options.requireRange(maxSrq, 0, 0xffff, "maxSrq");
        Options.requireRange(maxSrqWr, 1, 0x10000, "maxSrqWr");
        Options.requireRange(maxSrqSge, 1, 251, "maxSrqSge");
    }

    /** {@return bytes of BAR2: a page for the kernel and for each user context} */
    public long uarBytes() {
        return (long) maxUar << 12;
    }

    /**
     * Collects the limits that differ from the usual.
     *
     * @param <B> the builder of all the options
     */
    public abstract static sealed class Builder<B extends Builder<B>> permits DeviceConfiguration.Builder {
        private long maxMrSize = 1L << 31;
        private int maxQp = 256;
        private int maxQpWr = 4096;
        private int maxSge = 16;
        private int maxCq = 1024;
        private int maxCqe = 1 << 18;
        private int maxMr = 1 << 16;
        private int maxPd = 1024;
        private int maxUar = 512;
        private int maxAh = 1024;
        private int maxReads = 16;
        private int gidTableLength = 16;
        private long maxMessageSize = 1L << 31;
        private int maxSrq = 256;
        private int maxSrqWr = 4096;
        private int maxSrqSge = 16;

        Builder() {}

        Builder(DeviceLimits from) {
            maxMrSize = from.maxMrSize;
            maxQp = from.maxQp;
            maxQpWr = from.maxQpWr;
            maxSge = from.maxSge;
            maxCq = from.maxCq;
            maxCqe = from.maxCqe;
            maxMr = from.maxMr;
            maxPd = from.maxPd;
            maxUar = from.maxUar;
            maxAh = from.maxAh;
            maxReads = from.maxReads;
            gidTableLength = from.gidTableLength;
            maxMessageSize = from.maxMessageSize;
            maxSrq = from.maxSrq;
            maxSrqWr = from.maxSrqWr;
            maxSrqSge = from.maxSrqSge;
        }

        /** This builder, as what it is. */
        abstract B self();

        final DeviceLimits limits() {
            return new DeviceLimits(
                    maxMrSize,
                    maxQp,
                    maxQpWr,
                    maxSge,
                    maxCq,
                    maxCqe,
                    maxMr,
                    maxPd,
                    maxUar,
                    maxAh,
                    maxReads,
                    gidTableLength,
                    maxMessageSize,
                    maxSrq,
                    maxSrqWr,
                    maxSrqSge);
        }

        /**
         * Sets the largest region, in bytes.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxMrSize(long value) {
            maxMrSize = value;
            return self();
        }

        /**
         * Sets the number of queue pairs.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxQp(int value) {
            maxQp = value;
            return self();
        }

        /**
         * Sets the work requests of one queue.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxQpWr(int value) {
            maxQpWr = value;
            return self();
        }

        /**
         * Sets the elements of one work request.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxSge(int value) {
            maxSge = value;
            return self();
        }

        /**
         * Sets the number of completion queues.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxCq(int value) {
            maxCq = value;
            return self();
        }

        /**
         * Sets the entries of the largest completion queue.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxCqe(int value) {
            maxCqe = value;
            return self();
        }

        /**
         * Sets the number of regions.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxMr(int value) {
            maxMr = value;
            return self();
        }

        /**
         * Sets the number of protection domains.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxPd(int value) {
            maxPd = value;
            return self();
        }

        /**
         * Sets the pages of the user access region.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxUar(int value) {
            maxUar = value;
            return self();
        }

        /**
         * Sets the number of address handles.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxAh(int value) {
            maxAh = value;
            return self();
        }

        /**
         * Sets the outstanding READs of a queue pair.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxReads(int value) {
            maxReads = value;
            return self();
        }

        /**
         * Sets the length of the GID table.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B gidTableLength(int value) {
            gidTableLength = value;
            return self();
        }

        /**
         * Sets the largest message, in bytes.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxMessageSize(long value) {
            maxMessageSize = value;
            return self();
        }

        /**
         * Sets the number of shared receive queues.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxSrq(int value) {
            maxSrq = value;
            return self();
        }

        /**
         * Sets the work requests of one shared receive queue.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxSrqWr(int value) {
            maxSrqWr = value;
            return self();
        }

        /**
         * Sets the elements of a work request in a shared receive queue.
         *
         * @param value as in {@link DeviceLimits}
         * @return this
         */
        public final B maxSrqSge(int value) {
            maxSrqSge = value;
            return self();
        }
    }
}
