// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Flags of a send work request, the same bits as {@code enum ibv_send_flags}.
 */
public final class SendFlags {
    public static final int FENCE = 0x1;
    public static final int SIGNALED = 0x2;
    public static final int SOLICITED = 0x4;
    public static final int INLINE = 0x8;
    public static final int IP_CSUM = 0x10;

    private SendFlags() {}
}
