// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Numbers as C's printf writes them. Java rounds the shortest decimal form half up, C the exact binary value half to
 * even; both sides of a test print the same number, so both must print the same digits.
 */
final class CFormat {
    private static final MathContext SIX_DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);

    private CFormat() {}

    /** {@code %-<width>.<digits>f}: left-aligned, as the result lines have it. */
    static String fixed(double value, int width, int digits) {
        String text = fixed(value, digits);
        return text.length() >= width ? text : text + " ".repeat(width - text.length());
    }

    /** {@code %.<digits>f}. */
    static String fixed(double value, int digits) {
        if (!Double.isFinite(value)) {
            return special(value);
        }
        String sign = value < 0 || 1 / value < 0 ? "-" : "";
        return sign
                + new BigDecimal(Math.abs(value))
                        .setScale(digits, RoundingMode.HALF_EVEN)
                        .toPlainString();
    }

    /** {@code %g}: six significant digits, no trailing zeros, an exponent where that is shorter. */
    static String general(double value) {
        if (!Double.isFinite(value)) {
            return special(value);
        }
        if (value == 0) {
            return "0";
        }
        BigDecimal rounded = new BigDecimal(value).round(SIX_DIGITS);
        int exponent = rounded.precision() - rounded.scale() - 1;
        if (exponent >= -4 && exponent < 6) {
            return plain(rounded);
        }
        String mantissa = plain(rounded.scaleByPowerOfTen(-exponent));
        String digits = Integer.toString(Math.abs(exponent));
        return mantissa + (exponent < 0 ? "e-" : "e+") + (digits.length() < 2 ? "0" : "") + digits;
    }

    private static String plain(BigDecimal value) {
        return value.stripTrailingZeros().toPlainString();
    }

    private static String special(double value) {
        return Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
    }
}
