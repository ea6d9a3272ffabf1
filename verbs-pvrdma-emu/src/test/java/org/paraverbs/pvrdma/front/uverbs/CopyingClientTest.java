// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Programs whose memory the emulator does not read and write itself, as where Yama forbids it. */
class CopyingClientTest extends ServerFixture {
    private static final Map<String, String> COPIES = Map.of("PVRDMA_EMU_COPIES", "1");

    @Override
    String[] required() {
        return new String[] {"ibv_rc_pingpong", "ibv_ud_pingpong", "ib_write_bw", "ib_atomic_lat"};
    }

    @ParameterizedTest
    @CsvSource({
        "ibv_rc_pingpong -g 0 -c, true, true",
        "ibv_rc_pingpong -g 0 -c, true, false",
        "ibv_rc_pingpong -g 0 -c -e, false, true",
        "ibv_rc_pingpong -g 0 -c -s 1000001 -n 20, true, true",
        "ibv_ud_pingpong -g 0 -c, true, true",
        "ib_write_bw -n 50, true, true",
        "ib_read_lat -n 20, true, false",
        "ib_atomic_lat -n 20, true, true"
    })
    void runsAsOthersDo(String command, boolean server, boolean client) throws Exception {
        List<String> words = new ArrayList<>(List.of(command.split(" ", -1)));
        List<CPrograms.Program> pair =
                programs.pair(server ? COPIES : Map.of(), words, client ? COPIES : Map.of(), words);
        for (CPrograms.Program program : pair) {
            assertThat(program.succeed()).doesNotContain("invalid data");
        }
        assertNothingIsLeft();
    }
}
