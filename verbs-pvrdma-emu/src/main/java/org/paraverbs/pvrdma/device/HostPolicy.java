// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.Objects;

/**
 * What the host makes of a device behind the guest's back: the guest reads nothing of it in the capabilities, and runs into it.
 *
 * @param qpElsewhere how many of the {@link DeviceLimits#maxQp} queue pairs other users of the physical device hold, fewer than
 *     there are, as with NFS over RDMA on the same host
 * @param cqGrows whether completion queues grow as needed, so that they do not overrun: a completion that finds its ring full
 *     is held back by the device, in order, until the consumer has made room. The consumer tells of room by the doorbells
 *     that it rings anyway (it found the queue empty, it arms it); besides, the device looks every millisecond
 * @param maxHeldBack completions that one queue holds back at most, 64 bytes each; beyond that it overruns after all
 * @param guestMemory bytes of memory that the guest has, of which a share can be registered
 * @param maxRegisteredPercent the share, 1 to 100
 * @param eventModeration how the interrupts for asynchronous events (vector 1) are moderated, until {@link
 *     PvrdmaDevice#moderate} changes it
 * @param completionModeration the same for completions (vector 2)
 */
public record HostPolicy(
        int qpElsewhere,
        boolean cqGrows,
        int maxHeldBack,
        long guestMemory,
        int maxRegisteredPercent,
        InterruptModeration eventModeration,
        InterruptModeration completionModeration) {

    /** Checks the ranges. */
    public HostPolicy {
        Options.require(qpElsewhere >= 0, "qpElsewhere", qpElsewhere);
        Options.requireRange(maxHeldBack, 1, 1 << 24, "maxHeldBack");
        Options.require(guestMemory >= 1, "guestMemory", guestMemory);
        Options.requireRange(maxRegisteredPercent, 1, 100, "maxRegisteredPercent");
        Objects.requireNonNull(eventModeration, "eventModeration");
        Objects.requireNonNull(completionModeration, "completionModeration");
    }

    /** {@return bytes that may be registered in all: the share of the guest's memory} */
    public long maxRegistered() {
        return guestMemory / 100 * maxRegisteredPercent + guestMemory % 100 * maxRegisteredPercent / 100;
    }
}
