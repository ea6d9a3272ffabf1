// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Valgrind has nothing to say of the preload library. A few programs; with {@code -Dparaverbs.memcheck=all} those of all other tests,
 * too.
 */
class MemcheckTest extends ServerFixture {
    @Override
    String[] required() {
        return new String[] {
            "valgrind", "ibv_devinfo", "ibv_rc_pingpong", "ibv_srq_pingpong", "ibv_ud_pingpong", "ib_atomic_bw"
        };
    }

    @BeforeEach
    void underMemcheck() throws IOException {
        programs.underMemcheck();
    }

    @Test
    void aDeviceIsDescribed() throws Exception {
        programs.start("ibv_devinfo", "-v").succeed();
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ibv_rc_pingpong -g 1 -c -n 30",
                "ibv_srq_pingpong -g 1 -c -e -n 30",
                "ibv_ud_pingpong -g 0 -c -e -n 30",
                "ib_atomic_bw -n 20"
            })
    void pairs(String command) throws Exception {
        succeed(pair(command.split(" ")));
        assertNothingIsLeft();
    }
}
