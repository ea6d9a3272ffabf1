// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WireTest {
    private final String[] window = {"a", "b", "c", "d"};
    private final Wire<String> wire = new Wire<>(window);

    @Test
    void requestsComeInOrderAndAnswersWhenGivenBack() {
        assertThat(wire.arrived()).isNull();
        wire.send(2);
        wire.send(0);
        assertThat(wire.isDrained()).isFalse();
        assertThat(wire.isEmpty()).isFalse();
        assertThat(wire.arrived()).isEqualTo("c");
        wire.take();
        assertThat(wire.arrived()).isEqualTo("a");
        assertThat(wire.answered()).as("taken, not given back").isNull();
        wire.giveBack();
        assertThat(wire.answered()).isEqualTo("c");
        wire.harvest();
        assertThat(wire.answered()).isNull();
        wire.take();
        wire.giveBack();
        assertThat(wire.answered()).isEqualTo("a");
        wire.harvest();
        assertThat(wire.isDrained()).isTrue();
        assertThat(wire.isEmpty()).isTrue();
    }

    @Test
    void itHasRoomForTheWholeWindowAgainAndAgain() {
        for (int turn = 0; turn < 10; turn++) {
            for (int i = 0; i < window.length; i++) {
                wire.send(i);
            }
            for (String request : window) {
                assertThat(wire.arrived()).isEqualTo(request);
                wire.take();
            }
            assertThat(wire.arrived()).isNull();
            wire.giveBack();
            for (String request : window) {
                assertThat(wire.answered()).isEqualTo(request);
                wire.harvest();
            }
        }
    }

    @Test
    void aClosedWireSaysSo() {
        assertThat(wire.isOpen()).isTrue();
        wire.close();
        assertThat(wire.isOpen()).isFalse();
    }
}
