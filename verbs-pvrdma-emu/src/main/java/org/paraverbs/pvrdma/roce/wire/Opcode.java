// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

/**
 * What a packet is (IBTA volume 1, section 9.2.1, table 38): the service in the upper three bits, the operation in the lower
 * five. The operations have the same numbers in all services, which have different ones of them.
 */
public final class Opcode {
    /** Service: reliable connection. */
    public static final int RC = 0x00;

    /** Service: unreliable connection. */
    public static final int UC = 0x20;

    /** Service: unreliable datagram. */
    public static final int UD = 0x60;

    /** Mask of the service. */
    public static final int SERVICE_MASK = 0xe0;

    /** Mask of the operation. */
    public static final int OPERATION_MASK = 0x1f;

    public static final int SEND_FIRST = 0;
    public static final int SEND_MIDDLE = 1;
    public static final int SEND_LAST = 2;
    public static final int SEND_LAST_WITH_IMMEDIATE = 3;
    public static final int SEND_ONLY = 4;
    public static final int SEND_ONLY_WITH_IMMEDIATE = 5;
    public static final int RDMA_WRITE_FIRST = 6;
    public static final int RDMA_WRITE_MIDDLE = 7;
    public static final int RDMA_WRITE_LAST = 8;
    public static final int RDMA_WRITE_LAST_WITH_IMMEDIATE = 9;
    public static final int RDMA_WRITE_ONLY = 10;
    public static final int RDMA_WRITE_ONLY_WITH_IMMEDIATE = 11;
    public static final int RDMA_READ_REQUEST = 12;
    public static final int RDMA_READ_RESPONSE_FIRST = 13;
    public static final int RDMA_READ_RESPONSE_MIDDLE = 14;
    public static final int RDMA_READ_RESPONSE_LAST = 15;
    public static final int RDMA_READ_RESPONSE_ONLY = 16;
    public static final int ACKNOWLEDGE = 17;
    public static final int ATOMIC_ACKNOWLEDGE = 18;
    public static final int COMPARE_SWAP = 19;
    public static final int FETCH_ADD = 20;
    public static final int SEND_LAST_WITH_INVALIDATE = 22;
    public static final int SEND_ONLY_WITH_INVALIDATE = 23;

    /** The packet by which a receiver tells a sender of congestion (IBTA annex A17, section A17.9.3); a service of its own. */
    public static final int CONGESTION_NOTIFICATION = 0x81;

    /** Bytes behind the base transport header of a {@link #CONGESTION_NOTIFICATION}, of no meaning. */
    public static final int CONGESTION_NOTIFICATION_BYTES = 16;

    private static final int VALID = 1;
    private static final int FIRST = 1 << 1;
    private static final int LAST = 1 << 2;
    private static final int RETH = 1 << 3;
    private static final int IMMEDIATE = 1 << 4;
    private static final int INVALIDATE = 1 << 5;
    private static final int AETH = 1 << 6;
    private static final int ATOMIC_ETH = 1 << 7;
    private static final int ATOMIC_ACK_ETH = 1 << 8;
    private static final int DETH = 1 << 9;
    private static final int PAYLOAD = 1 << 10;
    private static final int RESPONSE = 1 << 11;
    private static final int SIZE_SHIFT = 16;

    private static final int ONLY = FIRST | LAST;

    /** By opcode: the bits above, and the bytes of the extended headers. */
    private static final int[] FORMS = new int[256];

    static {
        for (int service : new int[] {RC, UC}) {
            form(service | SEND_FIRST, FIRST | PAYLOAD);
            form(service | SEND_MIDDLE, PAYLOAD);
            form(service | SEND_LAST, LAST | PAYLOAD);
            form(service | SEND_LAST_WITH_IMMEDIATE, LAST | IMMEDIATE | PAYLOAD);
            form(service | SEND_ONLY, ONLY | PAYLOAD);
            form(service | SEND_ONLY_WITH_IMMEDIATE, ONLY | IMMEDIATE | PAYLOAD);
            form(service | RDMA_WRITE_FIRST, FIRST | RETH | PAYLOAD);
            form(service | RDMA_WRITE_MIDDLE, PAYLOAD);
            form(service | RDMA_WRITE_LAST, LAST | PAYLOAD);
            form(service | RDMA_WRITE_LAST_WITH_IMMEDIATE, LAST | IMMEDIATE | PAYLOAD);
            form(service | RDMA_WRITE_ONLY, ONLY | RETH | PAYLOAD);
            form(service | RDMA_WRITE_ONLY_WITH_IMMEDIATE, ONLY | RETH | IMMEDIATE | PAYLOAD);
        }
        form(RC | RDMA_READ_REQUEST, ONLY | RETH);
        form(RC | RDMA_READ_RESPONSE_FIRST, FIRST | AETH | PAYLOAD | RESPONSE);
        form(RC | RDMA_READ_RESPONSE_MIDDLE, PAYLOAD | RESPONSE);
        form(RC | RDMA_READ_RESPONSE_LAST, LAST | AETH | PAYLOAD | RESPONSE);
        form(RC | RDMA_READ_RESPONSE_ONLY, ONLY | AETH | PAYLOAD | RESPONSE);
        form(RC | ACKNOWLEDGE, ONLY | AETH | RESPONSE);
        form(RC | ATOMIC_ACKNOWLEDGE, ONLY | AETH | ATOMIC_ACK_ETH | RESPONSE);
        form(RC | COMPARE_SWAP, ONLY | ATOMIC_ETH);
        form(RC | FETCH_ADD, ONLY | ATOMIC_ETH);
        form(RC | SEND_LAST_WITH_INVALIDATE, LAST | INVALIDATE | PAYLOAD);
        form(RC | SEND_ONLY_WITH_INVALIDATE, ONLY | INVALIDATE | PAYLOAD);
        form(UD | SEND_ONLY, ONLY | DETH | PAYLOAD);
        form(UD | SEND_ONLY_WITH_IMMEDIATE, ONLY | DETH | IMMEDIATE | PAYLOAD);
        form(CONGESTION_NOTIFICATION, ONLY | PAYLOAD);
    }

    private static void form(int opcode, int bits) {
        int size = ((bits & RETH) != 0 ? Reth.SIZE : 0)
                + ((bits & IMMEDIATE) != 0 ? ImmDt.SIZE : 0)
                + ((bits & INVALIDATE) != 0 ? Ieth.SIZE : 0)
                + ((bits & AETH) != 0 ? Aeth.SIZE : 0)
                + ((bits & ATOMIC_ETH) != 0 ? AtomicEth.SIZE : 0)
                + ((bits & ATOMIC_ACK_ETH) != 0 ? AtomicAckEth.SIZE : 0)
                + ((bits & DETH) != 0 ? Deth.SIZE : 0);
        FORMS[opcode] = VALID | bits | (size << SIZE_SHIFT);
    }

    private static boolean has(int opcode, int bit) {
        return (FORMS[opcode & 0xff] & bit) != 0;
    }

    /** Whether it is one that these services have. */
    public static boolean isKnown(int opcode) {
        return has(opcode, VALID);
    }

    /** {@link #RC}, {@link #UC} or {@link #UD} of a known opcode. */
    public static int service(int opcode) {
        return opcode & SERVICE_MASK;
    }

    /** The operation of a known opcode. */
    public static int operation(int opcode) {
        return opcode & OPERATION_MASK;
    }

    /** Whether a message begins with this packet. */
    public static boolean isFirst(int opcode) {
        return has(opcode, FIRST);
    }

    /** Whether a message ends with this packet. */
    public static boolean isLast(int opcode) {
        return has(opcode, LAST);
    }

    /** Whether a responder sends it. */
    public static boolean isResponse(int opcode) {
        return has(opcode, RESPONSE);
    }

    public static boolean hasReth(int opcode) {
        return has(opcode, RETH);
    }

    public static boolean hasImmediate(int opcode) {
        return has(opcode, IMMEDIATE);
    }

    public static boolean hasInvalidate(int opcode) {
        return has(opcode, INVALIDATE);
    }

    public static boolean hasAeth(int opcode) {
        return has(opcode, AETH);
    }

    public static boolean hasAtomicEth(int opcode) {
        return has(opcode, ATOMIC_ETH);
    }

    public static boolean hasAtomicAckEth(int opcode) {
        return has(opcode, ATOMIC_ACK_ETH);
    }

    public static boolean hasDeth(int opcode) {
        return has(opcode, DETH);
    }

    /** Whether a payload may follow the headers; it may be empty. */
    public static boolean mayHavePayload(int opcode) {
        return has(opcode, PAYLOAD);
    }

    /** Bytes of the extended headers, which follow the {@link Bth}. */
    public static int extendedHeaderBytes(int opcode) {
        return FORMS[opcode & 0xff] >>> SIZE_SHIFT;
    }

    private Opcode() {}
}
