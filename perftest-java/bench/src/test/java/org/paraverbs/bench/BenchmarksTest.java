// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.options.TimeValue;

/** Each benchmark runs and does what it claims, which it checks itself; how long it takes decides nothing here. */
class BenchmarksTest {

    @Test
    void allRun() throws Exception {
        assertThat(Report.measure(1, TimeValue.milliseconds(20), 0))
                .containsOnlyKeys(
                        "LargeWrite.copy",
                        "LargeWrite.write",
                        "RoundTrip.send",
                        "RoundTrip.word",
                        "SmallWrites.copy",
                        "SmallWrites.write",
                        "SmallWrites.writeSingly")
                .allSatisfy((name, times) -> assertThat(times).hasSize(1).doesNotContain(0));
    }
}
