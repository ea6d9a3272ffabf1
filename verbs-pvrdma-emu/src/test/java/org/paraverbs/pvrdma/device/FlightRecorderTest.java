// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.DestroyPd;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.WcStatus;

/** What a device tells a flight recorder. That it costs nothing without one is what {@link AllocationTest} shows. */
class FlightRecorderTest {
    private static final String PREFIX = "org.paraverbs.pvrdma.";

    @TempDir
    Path folder;

    private List<RecordedEvent> record(Runnable action, String... names) throws IOException {
        try (Recording recording = new Recording()) {
            for (String name : names) {
                recording.enable(PREFIX + name).withoutThreshold();
            }
            recording.start();
            action.run();
            recording.stop();
            Path file = folder.resolve("recording.jfr");
            recording.dump(file);
            return RecordingFile.readAllEvents(file);
        }
    }

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(PREFIX + name))
                .toList();
    }

    @Test
    void everythingThatADeviceTells() throws IOException {
        try (Pair pair = new Pair(DeviceConfiguration.builder().maxPd(1).build(), false, p -> {})) {
            List<RecordedEvent> events = record(
                    () -> {
                        pair.left.command(CommandCode.CREATE_PD, s -> {});
                        pair.left.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, 99));
                        pair.leftCq.arm();
                        pair.leftQp.write(41, pair.leftMr, 0, pair.rightMr, 0, 8);
                        pair.leftQp.write(42, pair.leftMr, 0, pair.rightMr, Pair.REGION, 8);
                        pair.leftQp.toState(QpState.RESET);
                    },
                    "Command",
                    "LimitRefused",
                    "Round",
                    "Interrupt",
                    "FailedCompletion",
                    "QueuePairState");

            RecordedEvent command = named(events, "Command").getFirst();
            assertThat(command.getString("command")).isEqualTo("CREATE_PD");
            assertThat(command.getInt("errno")).isEqualTo(12);
            assertThat(command.getString("reason")).contains("max_pd is 1");
            assertThat(command.getString("device")).isEqualTo("PVRDMA device 00:50:56:00:00:01");
            assertThat(named(events, "LimitRefused")).hasSize(1);
            assertThat(named(events, "LimitRefused").getFirst().getString("limit"))
                    .isEqualTo("max_pd");

            RecordedEvent failed = named(events, "FailedCompletion").getFirst();
            assertThat(failed.getLong("wrId")).isEqualTo(42);
            assertThat(failed.getInt("status")).isEqualTo(WcStatus.REM_ACCESS_ERR);
            assertThat(failed.getInt("qpn")).isEqualTo(pair.leftQp.qpn);

            assertThat(named(events, "Interrupt"))
                    .extracting(event -> event.getInt("vector"))
                    .containsExactly(2, 1, 0);
            assertThat(named(events, "Round").stream()
                            .mapToLong(event -> event.getLong("completions"))
                            .sum())
                    .isEqualTo(2);
            assertThat(named(events, "QueuePairState"))
                    .extracting(
                            event -> event.getInt("qpn") + ": " + event.getInt("from") + " -> " + event.getInt("to"))
                    .contains(
                            pair.leftQp.qpn + ": " + QpState.RTS + " -> " + QpState.ERR,
                            pair.rightQp.qpn + ": " + QpState.RTS + " -> " + QpState.ERR,
                            pair.leftQp.qpn + ": " + QpState.ERR + " -> " + QpState.RESET);
        }
    }

    @Test
    void whatNobodyAskedForIsNotRecorded() throws IOException {
        try (Pair pair = new Pair()) {
            List<RecordedEvent> events =
                    record(() -> pair.leftQp.write(41, pair.leftMr, 0, pair.rightMr, 0, 8), "FailedCompletion");
            assertThat(named(events, "Round")).isEmpty();
            assertThat(named(events, "FailedCompletion")).isEmpty();
        }
    }
}
