// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.wire;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Gid;

/**
 * What a peer must know of one queue pair, sent as hexadecimal text. With a GID the message has 108 bytes, without one
 * (InfiniBand addressed by LID) 59. The form follows the sender alone, so both sides must agree beforehand.
 *
 * @param lid local identifier, 0 on RoCE
 * @param outstandingReads how many READs and atomics the sender takes at once, 1..65535
 * @param qpn queue pair number, 24 bits
 * @param psn the sender's first packet sequence number, 24 bits
 * @param rkey the key of the sender's buffer
 * @param address where the sender's buffer for this queue pair begins
 * @param gid the GID of the sender's port, or null for the form without
 * @param srqNumber shared receive queue number, 0 except for XRC and DC
 */
public record KeyMessage(
        int lid,
        int outstandingReads,
        int qpn,
        int psn,
        int rkey,
        long address,
        @Nullable Gid gid,
        int srqNumber) {
    /** Size of the message with a GID, in bytes. */
    public static final int BYTES_WITH_GID = 108;

    /** Size of the message without a GID, in bytes. */
    public static final int BYTES_WITHOUT_GID = 59;

    private static final int PREFIX_FIELDS = 6;

    private static final HexFormat HEX = HexFormat.of();

    /** Refuses what would not fit the fixed form: the C parser finds the last fields by their position. */
    public KeyMessage {
        check("lid", lid, 16);
        check("outstanding reads", outstandingReads, 16);
        check("queue pair number", qpn, 24);
        check("packet sequence number", psn, 24);
    }

    private static void check(String name, int value, int bits) {
        if (value >>> bits != 0) {
            throw new IllegalArgumentException(
                    name + " 0x" + Integer.toHexString(value) + " exceeds " + bits + " bits");
        }
    }

    /**
     * Encodes the message, with or without a GID as this record has one or not.
     *
     * @return 108 or 59 bytes
     */
    public byte[] encode() {
        var text = new StringBuilder(BYTES_WITH_GID);
        text.append(String.format(
                Locale.ROOT, "%04x:%04x:%06x:%06x:%08x:%016x:", lid, outstandingReads, qpn, psn, rkey, address));
        if (gid != null) {
            for (byte b : gid.toBytes()) {
                text.append(HEX.toHexDigits(b)).append(':');
            }
        }
        text.append(String.format(Locale.ROOT, "%08x", srqNumber));
        text.append(gid == null ? "\0" : ":\0");
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Decodes a message.
     *
     * @param message 108 or 59 bytes
     * @return its fields
     * @throws PeerException if this is no such message
     */
    public static KeyMessage decode(byte[] message) {
        boolean withGid = message.length == BYTES_WITH_GID;
        String text = new String(message, 0, message.length - 1, StandardCharsets.ISO_8859_1);
        if (message[message.length - 1] != 0 || text.indexOf('\0') >= 0) {
            throw malformed(message, text, withGid ? "" : "; does the peer use GIDs (-x), and this side none?");
        }
        String[] fields = text.split(":", -1);
        int expected = PREFIX_FIELDS + 1 + (withGid ? Gid.BYTES + 1 : 0); // the long form ends with a colon
        if (fields.length != expected || (withGid && !fields[expected - 1].isEmpty())) {
            throw malformed(message, text, "");
        }
        try {
            Gid gid = withGid ? gid(fields) : null;
            return new KeyMessage(
                    (int) hex(fields[0], 16),
                    (int) hex(fields[1], 16),
                    (int) hex(fields[2], 24),
                    (int) hex(fields[3], 24),
                    (int) hex(fields[4], 32),
                    hex(fields[5], 64),
                    gid,
                    (int) hex(fields[withGid ? PREFIX_FIELDS + Gid.BYTES : PREFIX_FIELDS], 32));
        } catch (NumberFormatException e) {
            throw malformed(message, text, "");
        }
    }

    private static Gid gid(String[] fields) {
        var bytes = new byte[Gid.BYTES];
        for (int i = 0; i < bytes.length; i++) {
            String field = fields[PREFIX_FIELDS + i];
            if (field.length() != 2) {
                throw new NumberFormatException(field);
            }
            bytes[i] = (byte) hex(field, 8);
        }
        return Gid.of(bytes);
    }

    /** Unsigned, digits only: {@code Long.parseUnsignedLong} alone would take a sign. */
    private static long hex(String digits, int bits) {
        if (digits.isEmpty() || digits.length() > bits / 4 || !digits.chars().allMatch(KeyMessage::isHexDigit)) {
            throw new NumberFormatException(digits);
        }
        return Long.parseUnsignedLong(digits, 16);
    }

    private static boolean isHexDigit(int c) {
        return Character.digit(c, 16) >= 0 && c < 128;
    }

    private static PeerException malformed(byte[] message, String text, String hint) {
        return new PeerException("the peer sent " + message.length + " bytes that are no queue pair description: \""
                + text.replaceAll("[^ -~]", ".") + "\"" + hint);
    }
}
