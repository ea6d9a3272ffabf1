// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

/** The only place that asks the machine for the time. */
enum RealClock implements Clock {
    INSTANCE;

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }
}
