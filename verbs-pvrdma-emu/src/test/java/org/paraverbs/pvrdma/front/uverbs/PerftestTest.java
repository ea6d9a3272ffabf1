// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The perftest programs in C, unmodified, each as two processes on the emulated device. */
class PerftestTest extends ServerFixture {
    @Override
    String[] required() {
        return new String[] {
            "ib_write_bw",
            "ib_send_bw",
            "ib_read_bw",
            "ib_atomic_bw",
            "ib_write_lat",
            "ib_send_lat",
            "ib_read_lat",
            "ib_atomic_lat"
        };
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ib_write_bw -n 100",
                "ib_send_bw -n 100",
                "ib_read_bw -n 100",
                "ib_atomic_bw -n 100",
                "ib_write_lat -n 50",
                "ib_send_lat -n 50",
                "ib_read_lat -n 50",
                "ib_atomic_lat -n 50",
                "ib_write_bw -a -n 20",
                "ib_send_bw -a -n 20",
                "ib_write_bw -q 4 -n 100",
                "ib_send_bw -q 4 -n 100",
                "ib_write_bw -b -n 100",
                "ib_send_bw -b -n 100",
                "ib_send_bw -e -n 100",
                "ib_send_bw --use-srq -n 100",
                "ib_send_bw -c UD -s 1024 -n 100",
                "ib_send_lat -c UD -n 50"
            })
    void runs(String command) throws Exception {
        succeed(pair(command.split(" ")));
        assertNothingIsLeft();
    }
}
