// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.verbs.Mtu;

class MessagesTest {
    @Test
    void theVersionIsTextPaddedWithNul() {
        assertThat(ProgramVersion.OURS.encode()).isEqualTo(HexFormat.of().parseHex("362e3036" + "00".repeat(12)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.70", "5.94", "6.06", "6.28", "6.29", "6.1", "7"})
    void takesEveryVersionFrom570On(String version) {
        assertThat(ProgramVersion.decode(version(version)).text()).isEqualTo(version);
    }

    @Test
    void ignoresWhatAtofIgnores() {
        assertThat(ProgramVersion.decode(version("6.06-mine")).text()).isEqualTo("6.06");
    }

    @Test
    void refusesAnOlderVersionByNumber() {
        assertThatThrownBy(() -> ProgramVersion.decode(version("5.60")))
                .isInstanceOf(PeerException.class)
                .hasMessageContaining("5.60")
                .hasMessageContaining("too old");
    }

    @Test
    void showsWhatCameInsteadOfAVersion() {
        byte[] request = "GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII);
        assertThatThrownBy(() -> ProgramVersion.decode(request))
                .isInstanceOf(PeerException.class)
                .hasMessageContaining("47 45 54")
                .hasMessageContaining("GET / HTTP/1.1..");
    }

    @ParameterizedTest
    @CsvSource({"6.27,false", "6.28,true", "6.29,false", "6.06,false"})
    void onlyOneReleaseComparesParametersWithEveryone(String version, boolean expected) {
        assertThat(new ProgramVersion(version).negotiatesWithEveryone()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"5,3,3", "3,5,3", "5,5,5", "5,0,5", "4,9,4", "4,-,4"})
    void theSmallerMtuIsUsedAndAWrongOneIgnored(int own, char remote, int expected) {
        assertThat(PathMtu.agree(Mtu.ofCode(own), new byte[] {(byte) remote, 0}))
                .isEqualTo(Mtu.ofCode(expected));
    }

    @Test
    void anMtuIsADigitAndANul() {
        assertThat(PathMtu.encode(Mtu.MTU_4096)).containsExactly('5', 0);
    }

    @Test
    void aReportIsFiveBigEndianMessages() {
        var report = new BandwidthReport(65536, 5000, 0.81, 0.15, 0.000155);
        assertThat(report.encode(0)).isEqualTo(HexFormat.of().parseHex("0000000000010000"));
        assertThat(report.encode(1)).isEqualTo(HexFormat.of().parseHex("0000000000001388"));
        // 0.15 is 0x3fc3333333333333 as an IEEE double.
        assertThat(report.encode(3)).isEqualTo(HexFormat.of().parseHex("3fc3333333333333"));
        var fields = new byte[BandwidthReport.FIELDS][];
        Arrays.setAll(fields, report::encode);
        assertThat(BandwidthReport.decode(fields)).isEqualTo(report);
    }

    @Test
    void bothDirectionsAddUp() {
        var own = new BandwidthReport(1024, 200, 0.5, 0.25, 0.125);
        var remote = new BandwidthReport(2048, 300, 1, 2, 4);
        assertThat(own.plus(remote)).isEqualTo(new BandwidthReport(1024, 200, 1.5, 2.25, 4.125));
    }

    @Test
    void parametersLieWhereTheCStructureHasThem() {
        ByteBuffer message = ByteBuffer.wrap(parameters(4).encode(Negotiation.BYTES));
        assertThat(message.capacity()).isEqualTo(320);
        assertThat(message.getInt(8)).as("verb").isEqualTo(2);
        assertThat(message.getInt(12)).as("test").isEqualTo(1);
        assertThat(message.getInt(24)).as("MB/s").isEqualTo(1);
        assertThat(message.getLong(32)).as("size").isEqualTo(65536);
        assertThat(message.getLong(40)).as("iterations").isEqualTo(5000);
        assertThat(message.getInt(52)).as("queue pairs").isEqualTo(4);
        assertThat(message.getInt(56)).as("duration").isEqualTo(5);
    }

    @Test
    void aDifferenceOfParametersIsNamed() {
        byte[] remote = parameters(4).encode(Negotiation.SHORT_BYTES);
        parameters(4).requireEqual(remote);
        assertThatThrownBy(() -> parameters(2).requireEqual(remote))
                .isInstanceOf(PeerException.class)
                .hasMessageContaining("number of queue pairs mismatch: local=2, remote=4");
    }

    private static Negotiation parameters(int queuePairs) {
        return new Negotiation(2, true, false, false, false, 65536, 5000, queuePairs, 5);
    }

    private static byte[] version(String text) {
        return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), ProgramVersion.BYTES);
    }
}
