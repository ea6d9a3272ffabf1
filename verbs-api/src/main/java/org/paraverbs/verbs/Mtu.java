// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** A maximum transfer unit of the transport: the payload bytes of one packet ({@code enum ibv_mtu}). */
public enum Mtu {
    /** 256 bytes. */
    MTU_256(1, 256),
    /** 512 bytes. */
    MTU_512(2, 512),
    /** 1024 bytes. */
    MTU_1024(3, 1024),
    /** 2048 bytes. */
    MTU_2048(4, 2048),
    /** 4096 bytes. */
    MTU_4096(5, 4096);

    private static final Mtu[] VALUES = values();

    private final int code;
    private final int bytes;

    Mtu(int code, int bytes) {
        this.code = code;
        this.bytes = bytes;
    }

    /** The size in bytes: 256 to 4096. */
    public int bytes() {
        return bytes;
    }

    /** The code of the verbs interface: 1 for 256 bytes to 5 for 4096 bytes. */
    public int code() {
        return code;
    }

    /**
     * The MTU of a code.
     *
     * @param code 1 to 5
     * @return the MTU
     * @throws IllegalArgumentException if there is none with that code
     */
    public static Mtu ofCode(int code) {
        if (code < 1 || code > VALUES.length) {
            throw new IllegalArgumentException("MTU code " + code + " is not one of 1 (256 bytes) to 5 (4096 bytes)");
        }
        return VALUES[code - 1];
    }

    /**
     * The MTU of a size.
     *
     * @param bytes 256, 512, 1024, 2048 or 4096
     * @return the MTU
     * @throws IllegalArgumentException if there is none of that size
     */
    public static Mtu ofBytes(int bytes) {
        for (Mtu mtu : VALUES) {
            if (mtu.bytes() == bytes) {
                return mtu;
            }
        }
        throw new IllegalArgumentException("an MTU is 256, 512, 1024, 2048 or 4096 bytes, not " + bytes);
    }

    /** The smaller of two MTUs. */
    public static Mtu min(Mtu left, Mtu right) {
        return left.compareTo(right) <= 0 ? left : right;
    }
}
