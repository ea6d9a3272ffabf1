// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** The link below a port ({@code link_layer} of {@code struct ibv_port_attr}). */
public enum LinkLayer {
    /** Not said; InfiniBand by convention. */
    UNSPECIFIED,
    /** InfiniBand: peers are addressed by LID, GIDs are optional. */
    INFINIBAND,
    /** Ethernet (RoCE): peers are addressed by GID. */
    ETHERNET,
    /** A code that this version does not know. */
    UNKNOWN;

    private static final LinkLayer[] VALUES = values();

    /**
     * The link layer of a code of the verbs interface.
     *
     * @param code 0 to 2; any other gives {@link #UNKNOWN}
     * @return the link layer
     */
    public static LinkLayer ofCode(int code) {
        return code >= 0 && code < VALUES.length - 1 ? VALUES[code] : UNKNOWN;
    }
}
