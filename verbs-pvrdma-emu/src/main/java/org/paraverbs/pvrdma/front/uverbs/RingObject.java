// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.util.Arrays;

/** A queue of a client, whose rings lie in its shared file. The agent's. */
final class RingObject implements AutoCloseable {
    /** No completion channel. */
    static final int NO_CHANNEL = -1;

    /** What it was created with, in the order of the response. */
    private final int[] capacity;

    final Rings rings;
    final ClientContext owner;
    final int handle;

    /** What the program knows it by in events. */
    final long userHandle;

    /** The completion channel as the client names it. */
    final int channel;

    /** Events that the client was sent. */
    long completionsTold;

    long eventsTold;

    RingObject(ClientContext owner, int handle, long userHandle, Rings rings, int channel, int... capacity) {
        this.owner = owner;
        this.handle = handle;
        this.userHandle = userHandle;
        this.rings = rings;
        this.channel = channel;
        this.capacity = Arrays.copyOf(capacity, capacity.length);
    }

    int capacity(int index) {
        return capacity[index];
    }

    /** Unmaps the rings, when the device has forgotten them. */
    @Override
    public void close() {
        rings.close();
    }
}
