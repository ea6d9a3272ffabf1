// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The first message: the program version as text, 16 bytes padded with NUL. It is the number that
 * {@code ib_write_bw --version} prints (6.06 for perftest 4.5), not the package's.
 *
 * @param text the number as it was sent, such as "6.06"
 */
public record ProgramVersion(String text) {
    /** Size of the message in bytes. */
    public static final int BYTES = 16;

    /**
     * What this program announces. From 6.28 on, two programs compare their parameters in a further message whose size
     * depends on how the C program was built; a peer that hears 6.06 leaves that out and speaks as 4.5 does.
     */
    public static final ProgramVersion OURS = new ProgramVersion("6.06");

    /** Below this the messages that follow had other sizes; the C programs refuse it too. */
    private static final double OLDEST = 5.70;

    /** This one release compares parameters whatever the peer announced; 6.29 asks the peer's version first. */
    private static final double UNCONDITIONAL_NEGOTIATION = 6.28;

    private static final Pattern NUMBER = Pattern.compile("\\d{1,4}(\\.\\d{1,8})?");

    /**
     * Encodes the message.
     *
     * @return 16 bytes
     */
    public byte[] encode() {
        return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), BYTES);
    }

    /**
     * Decodes the message and refuses a peer that this program cannot speak to.
     *
     * @param message 16 bytes
     * @return the peer's version
     * @throws PeerException if this is no version, or one that is too old
     */
    public static ProgramVersion decode(byte[] message) {
        int end = 0;
        while (end < message.length && message[end] != 0) {
            end++;
        }
        String text = new String(message, 0, end, StandardCharsets.ISO_8859_1);
        // The C side reads the number with atof, so letters may follow it in a build of somebody's own.
        Matcher number = NUMBER.matcher(text);
        if (!number.lookingAt()) {
            throw new PeerException("the peer is no perftest program: instead of a version number it sent "
                    + HexFormat.ofDelimiter(" ").formatHex(message) + " (\"" + printable(text) + "\")");
        }
        var version = new ProgramVersion(number.group());
        if (version.number() < OLDEST) {
            throw new PeerException("the peer's perftest is too old: program version " + version.text
                    + ", and 5.70 is the oldest that works (its --version prints the number; package 4.4 has it)");
        }
        return version;
    }

    /**
     * Tells whether this peer will send its parameters although it was told version 6.06.
     *
     * @return true for version 6.28 alone
     */
    public boolean negotiatesWithEveryone() {
        return number() == UNCONDITIONAL_NEGOTIATION;
    }

    private double number() {
        return Double.parseDouble(text);
    }

    private static String printable(String text) {
        return text.replaceAll("[^ -~]", ".");
    }
}
