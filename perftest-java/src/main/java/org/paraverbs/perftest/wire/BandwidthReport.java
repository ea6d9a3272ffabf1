// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.wire;

import java.nio.ByteBuffer;

/**
 * What the two sides of a bandwidth test tell each other at its end, as five messages of eight bytes, big-endian. The
 * bandwidths are in the sender's own unit: MiB/s, or Gb/s with {@code --report_gbits}, so both sides want the same flag.
 *
 * @param size message size in bytes
 * @param iterations messages over all queue pairs
 * @param peak best bandwidth, 0 if not measured
 * @param average bandwidth over the whole test
 * @param messageRate in millions of messages per second
 */
public record BandwidthReport(long size, long iterations, double peak, double average, double messageRate) {
    /** How many messages of {@link #FIELD_BYTES} make a report. */
    public static final int FIELDS = 5;

    /** Size of each message in bytes. */
    public static final int FIELD_BYTES = 8;

    /** What the server of a one-way test sends: it has nothing to report. */
    public static final BandwidthReport NONE = new BandwidthReport(0, 0, 0, 0, 0);

    /**
     * Encodes one field.
     *
     * @param field 0..4, in the order of the record's components
     * @return eight bytes
     */
    public byte[] encode(int field) {
        long bits = switch (field) {
            case 0 -> size;
            case 1 -> iterations;
            case 2 -> Double.doubleToRawLongBits(peak);
            case 3 -> Double.doubleToRawLongBits(average);
            case 4 -> Double.doubleToRawLongBits(messageRate);
            default -> throw new IllegalArgumentException("a report has fields 0..4, not " + field);
        };
        return ByteBuffer.allocate(FIELD_BYTES).putLong(bits).array();
    }

    /**
     * Decodes a report. A peer that measured nothing sends whatever was in its memory, so no value is refused.
     *
     * @param fields the five messages in order
     * @return the report
     */
    public static BandwidthReport decode(byte[][] fields) {
        return new BandwidthReport(
                longAt(fields[0]), longAt(fields[1]), doubleAt(fields[2]), doubleAt(fields[3]), doubleAt(fields[4]));
    }

    private static long longAt(byte[] field) {
        return ByteBuffer.wrap(field).getLong();
    }

    private static double doubleAt(byte[] field) {
        return Double.longBitsToDouble(longAt(field));
    }

    /**
     * Adds the peer's bandwidths to this side's: what a bidirectional test prints. Size and iterations stay this
     * side's.
     *
     * @param other the peer's report, in the same unit
     * @return the sum
     */
    public BandwidthReport plus(BandwidthReport other) {
        return new BandwidthReport(
                size, iterations, peak + other.peak, average + other.average, messageRate + other.messageRate);
    }
}
