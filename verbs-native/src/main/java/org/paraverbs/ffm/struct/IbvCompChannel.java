// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_comp_channel}: a completion channel, {@code ibv_create_comp_channel(3)}. */
public final class IbvCompChannel {
    public static final long SIZE = 16;

    private static final long FD = 8;

    private IbvCompChannel() {}

    public static int fd(MemorySegment channel) {
        return channel.get(JAVA_INT, FD);
    }
}
