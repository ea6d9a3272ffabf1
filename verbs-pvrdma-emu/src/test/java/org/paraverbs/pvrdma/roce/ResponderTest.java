// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.roce.Responder.Verdict.DROP;
import static org.paraverbs.pvrdma.roce.Responder.Verdict.DUPLICATE;
import static org.paraverbs.pvrdma.roce.Responder.Verdict.EXECUTE;
import static org.paraverbs.pvrdma.roce.Responder.Verdict.SEQUENCE_ERROR;

import org.junit.jupiter.api.Test;

class ResponderTest {
    private final Responder responder = new Responder(3);

    @Test
    void expectsOneNumberAfterTheOther() {
        responder.start(0xff_fffe);
        assertThat(responder.arrived(0xff_fffe)).isEqualTo(EXECUTE);
        responder.executed(3);
        assertThat(responder.expectedPsn()).isEqualTo(1);
        assertThat(responder.arrived(1)).isEqualTo(EXECUTE);
    }

    @Test
    void earlierNumbersAreDuplicatesWithinHalfOfAllNumbers() {
        responder.start(100);
        assertThat(responder.arrived(99)).isEqualTo(DUPLICATE);
        assertThat(responder.arrived(100 - (1 << 23) & 0xff_ffff)).isEqualTo(DUPLICATE);
        assertThat(responder.arrived(100 + (1 << 23) - 1)).isEqualTo(SEQUENCE_ERROR);
    }

    @Test
    void oneSequenceErrorUntilTheExpectedNumberComes() {
        responder.start(100);
        assertThat(responder.arrived(101)).isEqualTo(SEQUENCE_ERROR);
        assertThat(responder.arrived(102)).isEqualTo(DROP);
        assertThat(responder.arrived(100)).isEqualTo(EXECUTE);
        responder.executed(1);
        assertThat(responder.arrived(102)).isEqualTo(SEQUENCE_ERROR);
    }

    @Test
    void theLastAtomicResultsAreRemembered() {
        responder.start(100);
        assertThat(responder.remembers(0))
                .as("nothing yet, not even of number 0")
                .isFalse();
        for (int psn = 100; psn < 105; psn++) {
            responder.atomicExecuted(psn, psn * 10L);
        }
        assertThat(responder.remembers(101)).as("overwritten").isFalse();
        for (int psn = 102; psn < 105; psn++) {
            assertThat(responder.remembers(psn)).isTrue();
            assertThat(responder.original(psn)).isEqualTo(psn * 10L);
        }
        responder.start(100);
        assertThat(responder.remembers(104)).as("of another connection").isFalse();
    }

    @Test
    void whatFollowsADeclinedRequestIsDropped() {
        responder.start(100);
        assertThat(responder.arrived(100)).isEqualTo(EXECUTE);
        responder.declined();
        assertThat(responder.arrived(101)).isEqualTo(DROP);
        assertThat(responder.arrived(100)).isEqualTo(EXECUTE);
    }
}
