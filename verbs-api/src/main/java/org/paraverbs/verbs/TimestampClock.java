// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** The clock of the timestamps of completions ({@code enum ibv_create_cq_wc_flags}). */
public enum TimestampClock {
    /**
     * The device's own, in ticks of {@link ExtendedDeviceAttributes#coreClockKilohertz()}; the bits of {@link
     * ExtendedDeviceAttributes#completionTimestampMask()} count, and begin anew when they are used up ({@code
     * IBV_WC_EX_WITH_COMPLETION_TIMESTAMP}).
     */
    DEVICE,
    /**
     * The same, told as the system's time in nanoseconds since 1970 ({@code IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK}). Not
     * every device with the other one has it.
     */
    WALL
}
