// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryLockLimitTest {
    private static final List<String> LIMITED = List.of(
            "Limit                     Soft Limit           Hard Limit           Units     ",
            "Max open files            1024                 1048576              files     ",
            "Max locked memory         65536                131072               bytes     ");

    private static final List<String> UNLIMITED =
            List.of("Max locked memory         unlimited            unlimited            bytes     ");

    private static final List<String> USER = List.of("VmPin:\t      16 kB", "CapEff:\t0000000000000000");
    private static final List<String> ROOT = List.of("VmPin:\t       0 kB", "CapEff:\t000001ffffffffff");

    @Test
    void readsWhatTheKernelSays() {
        assertThat(MemoryLockLimit.parse(LIMITED, USER)).contains(new MemoryLockLimit(65536, 16384, false));
        assertThat(MemoryLockLimit.parse(UNLIMITED, ROOT)).contains(new MemoryLockLimit(-1, 0, true));
        assertThat(MemoryLockLimit.parse(LIMITED, List.of())).contains(new MemoryLockLimit(65536, 0, false));
        assertThat(MemoryLockLimit.parse(List.of("something else"), USER)).isEmpty();
    }

    @Test
    void theLimitAndTheNeedAreTold() {
        assertThat(new MemoryLockLimit(65536, 16384, false).advice(1 << 20))
                .hasValueSatisfying(advice -> assertThat(advice)
                        .contains(
                                "may pin 65536 bytes (RLIMIT_MEMLOCK), has pinned 16384, and 1048576 bytes are needed")
                        .contains("ulimit -l unlimited")
                        .contains("new login"));
    }

    @Test
    void queuesHaveNoKnownNeed() {
        assertThat(new MemoryLockLimit(0, 0, false).advice(0))
                .hasValueSatisfying(advice -> assertThat(advice).contains("queues are pinned as well"));
    }

    @Test
    void aLimitThatCannotBeTheReasonIsNotBlamed() {
        assertThat(new MemoryLockLimit(65536, 0, false).advice(65536)).isEmpty();
        assertThat(new MemoryLockLimit(65536, 0, true).advice(1 << 20)).isEmpty();
        assertThat(new MemoryLockLimit(-1, 0, false).advice(1 << 20)).isEmpty();
    }

    @Test
    void thisProcessHasOne() {
        assertThat(MemoryLockLimit.ofThisProcess()).isPresent();
    }
}
