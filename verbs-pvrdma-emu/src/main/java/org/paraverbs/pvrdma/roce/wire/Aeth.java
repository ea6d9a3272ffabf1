// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.lang.foreign.MemorySegment;

/**
 * The acknowledge extended transport header (IBTA volume 1, section 9.3.5): a syndrome, which is a kind in the upper three bits of
 * a byte and a value in the lower five (section 9.7.5.1.2, table 45), and the message sequence number.
 */
public final class Aeth {
    /** Bytes of the header. */
    public static final int SIZE = 4;

    /** Kind: acknowledged; the value is the credit count. */
    public static final int ACK = 0;

    /** Kind: no receive; the value is the timer code. */
    public static final int RNR_NAK = 1;

    /** Kind: refused; the value is one of the codes below. */
    public static final int NAK = 3;

    /** Code of a {@link #NAK}: ahead of the expected packet sequence number. */
    public static final int SEQUENCE_ERROR = 0;

    /** Code of a {@link #NAK}: invalid request. */
    public static final int INVALID_REQUEST = 1;

    /** Code of a {@link #NAK}: remote access error. */
    public static final int REMOTE_ACCESS_ERROR = 2;

    /** Code of a {@link #NAK}: remote operational error. */
    public static final int REMOTE_OPERATIONAL_ERROR = 3;

    /** The credit count of a responder that does not count (section 9.7.7.2.1, table 48). */
    public static final int NO_CREDIT_COUNT = 31;

    private static final int KIND_SHIFT = 5;
    private static final int VALUE_MASK = 0x1f;

    /** {@link #ACK}, {@link #RNR_NAK}, {@link #NAK}, or a reserved number below 8. */
    public static int kind(MemorySegment s, long base) {
        return Fields.u8(s, base) >>> KIND_SHIFT;
    }

    /** Credit count, timer code or NAK code, 5 bits. */
    public static int value(MemorySegment s, long base) {
        return Fields.u8(s, base) & VALUE_MASK;
    }

    /** Messages that the responder has completed, 24 bits. */
    public static int msn(MemorySegment s, long base) {
        return Fields.low24(s, base);
    }

    public static void write(MemorySegment s, long base, int kind, int value, int msn) {
        Fields.byteAnd24(s, base, (kind << KIND_SHIFT) | (value & VALUE_MASK), msn);
    }

    private Aeth() {}
}
