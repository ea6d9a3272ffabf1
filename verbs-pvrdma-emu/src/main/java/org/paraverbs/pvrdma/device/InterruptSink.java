// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

/** Takes the device's interrupts. */
@FunctionalInterface
public interface InterruptSink {
    /**
     * Raises a vector. Called by whatever thread runs the device, while it runs it: must not block, throw, or
     * call the device. What the interrupt tells of is visible to the thread that this method wakes.
     *
     * @param vector one of {@link org.paraverbs.pvrdma.abi.InterruptVector}
     */
    void raise(int vector);
}
