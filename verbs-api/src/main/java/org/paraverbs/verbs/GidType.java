// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** What packets sent with a GID look like ({@code enum ibv_gid_type}). */
public enum GidType {
    /** InfiniBand. */
    INFINIBAND(0),
    /** RoCE version 1: a GRH straight on Ethernet, not routable. */
    ROCE_V1(1),
    /** RoCE version 2: UDP port 4791 on IPv4 or IPv6. */
    ROCE_V2(2),
    /** A code that this version does not know. */
    UNKNOWN(255);

    private static final GidType[] VALUES = values();

    private final int code;

    GidType(int code) {
        this.code = code;
    }

    /** The code of the verbs interface; 255 for {@link #UNKNOWN}. */
    public int code() {
        return code;
    }

    /**
     * The type of a code of the verbs interface.
     *
     * @param code 0 to 2; any other gives {@link #UNKNOWN}
     * @return the type
     */
    public static GidType ofCode(int code) {
        return code >= 0 && code < VALUES.length - 1 ? VALUES[code] : UNKNOWN;
    }
}
