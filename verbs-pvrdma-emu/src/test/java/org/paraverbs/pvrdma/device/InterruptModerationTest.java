// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.Registers;

/** Interrupts for several completions or events at once: by their number, and by time. */
class InterruptModerationTest {
    private static final long DELAY_NS = 50_000;

    private final Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
    }

    private void moderate(int count) {
        pair.left.device.moderate(InterruptVector.CQ, new InterruptModeration(count, DELAY_NS));
    }

    private void write(int count) {
        for (int i = 0; i < count; i++) {
            pair.leftQp.write(i, pair.leftMr, 0, pair.rightMr, 0, 8);
        }
    }

    private int interrupts() {
        return pair.left.interrupts(InterruptVector.CQ);
    }

    @Test
    void completionsAreCounted() {
        moderate(4);
        pair.leftCq.arm();
        write(3);
        assertThat(interrupts()).isZero();
        assertThat(pair.left.notified()).as("told, but without an interrupt").containsExactly(pair.leftCq.handle);
        write(1);
        assertThat(interrupts()).isEqualTo(1);
        write(10);
        assertThat(interrupts()).as("not armed").isEqualTo(1);
        pair.advanceNs(10 * DELAY_NS);
        assertThat(interrupts()).isEqualTo(1);
    }

    /** The last completions of a burst come after the delay: no wake-up is lost. */
    @Test
    void whatIsLessThanTheCountComesAfterTheDelay() {
        moderate(100);
        write(1);
        pair.advanceNs(7);
        pair.leftCq.arm();
        write(1);
        assertThat(pair.left.device.deadlineNs()).isEqualTo(7 + DELAY_NS);
        pair.advanceNs(DELAY_NS / 2);
        write(1);
        pair.advanceNs(DELAY_NS / 2 - 1);
        assertThat(interrupts()).isZero();
        pair.advanceNs(1);
        assertThat(interrupts()).isEqualTo(1);
        assertThat(pair.left.device.deadlineNs()).isEqualTo(Long.MAX_VALUE);
        pair.leftCq.arm();
        write(1);
        assertThat(pair.left.device.deadlineNs()).as("the time starts again").isEqualTo(7 + 2 * DELAY_NS);
    }

    @Test
    void byTimeAlone() {
        pair.left.device.moderate(InterruptVector.CQ, InterruptModeration.after(Duration.ofNanos(DELAY_NS)));
        pair.leftCq.arm();
        for (int i = 0; i < 1000; i++) {
            write(1);
            pair.leftCq.skip();
        }
        assertThat(interrupts()).isZero();
        pair.advanceNs(DELAY_NS);
        assertThat(interrupts()).isEqualTo(1);
    }

    @Test
    void severalQueuesShareAnInterrupt() {
        moderate(4);
        MockCompletionQueue other = pair.left.createCq(64);
        MockQueuePair qp = pair.left.createQp(pair.leftPd, other, other, 16, 1);
        qp.connect(qp);
        other.arm();
        pair.leftCq.arm();
        write(1);
        qp.write(1, pair.leftMr, 0, pair.leftMr, 0, 8);
        write(1);
        assertThat(interrupts()).isZero();
        qp.write(1, pair.leftMr, 0, pair.leftMr, 0, 8);
        assertThat(interrupts()).isEqualTo(1);
        assertThat(pair.left.notified()).containsExactly(pair.leftCq.handle, other.handle);
        assertThat(pair.left.device.statistics().completionNotifications())
                .isEqualTo(new DeviceStatistics.Interrupts(1, 2, 0));
    }

    @Test
    void whatIsHeldBackIsRaisedWhenModerationIsSwitchedOff() {
        moderate(100);
        pair.leftCq.arm();
        write(2);
        pair.left.device.moderate(InterruptVector.CQ, InterruptModeration.OFF);
        assertThat(interrupts()).isEqualTo(1);
        pair.advanceNs(DELAY_NS);
        assertThat(interrupts()).isEqualTo(1);
        pair.leftCq.arm();
        write(1);
        assertThat(interrupts()).isEqualTo(2);
    }

    @Test
    void aQueueArmedTooLateIsToldAllTheSame() {
        moderate(2);
        // arms in the middle of the round whose completion it must not miss
        pair.left.onRaise = () -> {
            pair.left.onRaise = () -> {};
            pair.leftCq.arm();
        };
        pair.leftCq.arm();
        write(2);
        int first = interrupts();
        pair.advanceNs(DELAY_NS);
        assertThat(first).isEqualTo(1);
        assertThat(interrupts()).isEqualTo(2);
    }

    @Test
    void aMaskedVectorIsRaisedWhenItIsUnmaskedAlsoWithModeration() {
        moderate(2);
        pair.left.device.writeRegister(Registers.IMR, -1);
        pair.leftCq.arm();
        write(1);
        pair.advanceNs(DELAY_NS);
        assertThat(interrupts()).isZero();
        pair.left.device.writeRegister(Registers.IMR, 0);
        assertThat(interrupts()).isEqualTo(1);
    }

    @Test
    void asynchronousEventsHaveTheirOwn() {
        pair.left.device.moderate(InterruptVector.ASYNC, new InterruptModeration(3, DELAY_NS));
        pair.left.device.takePortDown();
        assertThat(pair.left.interrupts(InterruptVector.ASYNC)).isZero();
        pair.left.device.takePortUp();
        assertThat(pair.left.interrupts(InterruptVector.ASYNC)).isEqualTo(1);
        assertThat(pair.left.events())
                .containsExactly(
                        MockDriver.event(EventType.PORT_ERR, 1),
                        MockDriver.event(EventType.PORT_ACTIVE, 1),
                        MockDriver.event(EventType.GID_CHANGE, 1));
        pair.leftCq.arm();
        write(1);
        assertThat(interrupts()).as("completions are not moderated").isEqualTo(1);
    }

    @Test
    void moderationOutlivesAResetAndWhatWasHeldBackDoesNot() {
        moderate(4);
        pair.leftCq.arm();
        write(1);
        pair.left.device.writeRegister(Registers.CTL, DeviceCtl.RESET);
        pair.advanceNs(DELAY_NS);
        assertThat(interrupts()).isZero();
    }

    @Test
    void whatCannotBeModeratedIsSaid() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> pair.left.device.moderate(InterruptVector.RESPONSE, new InterruptModeration(2, DELAY_NS)))
                .withMessageContaining("vector 0");
        assertThatIllegalArgumentException().isThrownBy(() -> pair.left.device.moderate(3, InterruptModeration.OFF));
        assertThatIllegalArgumentException().isThrownBy(() -> new InterruptModeration(0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new InterruptModeration(2, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new InterruptModeration(2, 60_000_000_001L))
                .withMessageContaining("at most a minute");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> InterruptModeration.after(Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageContaining("at most a minute");
        assertThat(InterruptModeration.after(Duration.ofMinutes(1)).delayNs())
                .isEqualTo(InterruptModeration.MAX_DELAY_NS);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> DeviceConfiguration.builder().moderate(InterruptVector.RESPONSE, InterruptModeration.OFF))
                .withMessageContaining("vector 0");
    }

    /** Vector by vector, from power-on, and until the host thinks better of it. */
    @Test
    void aDeviceIsConfiguredWithIt() {
        DeviceConfiguration moderated = DeviceConfiguration.builder()
                .moderate(InterruptVector.CQ, new InterruptModeration(3, DELAY_NS))
                .moderate(InterruptVector.ASYNC, InterruptModeration.after(Duration.ofNanos(2 * DELAY_NS)))
                .build();
        try (Pair other = new Pair(moderated, false, p -> {})) {
            other.leftCq.arm();
            for (int i = 0; i < 2; i++) {
                other.leftQp.write(i, other.leftMr, 0, other.rightMr, 0, 8);
            }
            assertThat(other.left.interrupts(InterruptVector.CQ)).as("2 of 3").isZero();
            other.leftQp.write(2, other.leftMr, 0, other.rightMr, 0, 8);
            assertThat(other.left.interrupts(InterruptVector.CQ)).isEqualTo(1);

            other.left.device.takePortDown();
            other.advanceNs(2 * DELAY_NS - 1);
            assertThat(other.left.interrupts(InterruptVector.ASYNC)).isZero();
            other.advanceNs(1);
            assertThat(other.left.interrupts(InterruptVector.ASYNC)).isEqualTo(1);
            other.left.device.takePortUp();
            assertThat(other.left.interrupts(InterruptVector.ASYNC)).isEqualTo(1);
            other.left.device.moderate(InterruptVector.ASYNC, InterruptModeration.OFF);
            assertThat(other.left.interrupts(InterruptVector.ASYNC)).isEqualTo(2);
        }
    }
}
