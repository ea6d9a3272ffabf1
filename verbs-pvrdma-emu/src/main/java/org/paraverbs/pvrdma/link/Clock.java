// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

/**
 * Where the emulator's time comes from: {@link #real()} or, in tests and simulations, a {@link VirtualClock}. Nothing else in the emulator reads a
 * clock, so that one program runs in real and in virtual time.
 */
public interface Clock {
    /** {@return nanoseconds from some fixed moment; never goes back, and any thread may ask} */
    long nanoTime();

    /** {@return the machine's clock} */
    static Clock real() {
        return RealClock.INSTANCE;
    }
}
