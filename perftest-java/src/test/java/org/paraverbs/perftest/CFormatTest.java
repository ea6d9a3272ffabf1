// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expected values are what {@code printf} of Debian's bash prints for the same double. */
class CFormatTest {
    @ParameterizedTest
    @CsvSource({
        "0.125, 2, 0.12", // exactly half: to even, where Java's own format rounds up
        "0.375, 2, 0.38",
        "2.675, 2, 2.67", // the double is a little less than it looks
        "1e21, 0, 1000000000000000000000",
        "0, 2, 0.00",
        "-0.001, 2, -0.00",
        "1234567.5, 6, 1234567.500000"
    })
    void fixedRoundsTheBinaryValue(double value, int digits, String expected) {
        assertThat(CFormat.fixed(value, digits)).isEqualTo(expected);
    }

    @Test
    void fixedPadsOnTheRight() {
        assertThat(CFormat.fixed(0.81, 7, 2)).isEqualTo("0.81   ");
        assertThat(CFormat.fixed(123456.781, 7, 2)).isEqualTo("123456.78");
    }

    @ParameterizedTest
    @CsvSource({
        "656.25, 656.25",
        "1.5, 1.5",
        "100, 100",
        "123456, 123456",
        "1234567, 1.23457e+06",
        "0.0001, 0.0001",
        "0.00001234567, 1.23457e-05",
        "999999.5, 1e+06",
        "0, 0",
        "1e100, 1e+100"
    })
    void generalHasSixDigitsAndNoZerosBehind(double value, String expected) {
        assertThat(CFormat.general(value)).isEqualTo(expected);
    }

    @Test
    void aHostilePeersNumbersArePrintedAsCPrintsThem() {
        assertThat(CFormat.fixed(Double.NaN, 7, 2)).isEqualTo("nan    ");
        assertThat(CFormat.fixed(Double.NEGATIVE_INFINITY, 2)).isEqualTo("-inf");
        assertThat(CFormat.general(Double.POSITIVE_INFINITY)).isEqualTo("inf");
    }
}
