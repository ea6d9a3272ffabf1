// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.WcStatus;

/**
 * Guests that do right and wrong things at random. Whatever they do, every step comes to an end, nobody writes where no region is,
 * others are not disturbed, a reset leaves nothing behind, and what is made afterwards works. Every life has a seed; a bad end is
 * written down, shortened, with the command that shows it again.
 */
class HostileStepsTest {
    /** {@code -Dparaverbs.hostile.steps=10000000} is the long form; {@code -Dparaverbs.hostile.seed} the first seed. */
    private static final long STEPS = Long.getLong("paraverbs.hostile.steps", 200_000);

    private static final long FIRST_SEED = Long.getLong("paraverbs.hostile.seed", 1);
    private static final int STEPS_OF_A_LIFE = 1000;
    private static final Path FINDINGS = Path.of("target", "fuzz");

    @Test
    void nothingBreaksTheDevice() {
        Set<String> seen = new TreeSet<>();
        for (long i = 0; i < STEPS / STEPS_OF_A_LIFE; i++) {
            seen.addAll(HostileRun.live(FIRST_SEED + i, STEPS_OF_A_LIFE, FINDINGS));
        }
        // the steps reach what they are there for
        for (int status : new int[] {
            WcStatus.SUCCESS,
            WcStatus.LOC_LEN_ERR,
            WcStatus.LOC_QP_OP_ERR,
            WcStatus.LOC_PROT_ERR,
            WcStatus.WR_FLUSH_ERR,
            WcStatus.MW_BIND_ERR,
            WcStatus.REM_INV_REQ_ERR,
            WcStatus.REM_ACCESS_ERR,
            WcStatus.REM_OP_ERR,
            WcStatus.RETRY_EXC_ERR,
            WcStatus.RNR_RETRY_EXC_ERR
        }) {
            assertThat(seen).anyMatch(what -> what.matches("completion \\d+ " + status));
        }
    }

    /** What the fuzzer has kept, see docs/fuzzing.md. */
    @Test
    void nothingOfTheCorpusBreaksTheDevice() {
        List<HostileRun> corpus = HostileRun.readAll(Path.of("fuzz", "corpus.txt"));
        assertThat(corpus).hasSizeGreaterThan(100);
        for (HostileRun run : corpus) {
            Throwable failure = run.failure();
            if (failure != null) {
                throw run.keep(failure, FINDINGS, "in the corpus");
            }
        }
    }

    @Test
    void stepsAreText() {
        String text = "devices 18\n# why\ncreate-qp 0 1 2 3\n\npost 1\n\ndevices 3\ntime 0 -1\n";
        assertThat(HostileRun.parseAll(text))
                .extracting(HostileRun::text)
                .containsExactly("devices 18\ncreate-qp 0 1 2 3\npost 1\n", "devices 3\ntime 0 -1\n");
        assertThatIllegalArgumentException().isThrownBy(() -> HostileRun.parseAll("post 1\n"));
        assertThatIllegalArgumentException().isThrownBy(() -> HostileStep.parse("post"));
        assertThatIllegalArgumentException().isThrownBy(() -> HostileStep.parse("pest 1"));
    }

    @Test
    void theSameSeedIsTheSameLife() {
        assertThat(HostileRun.live(7, 300, FINDINGS)).isEqualTo(HostileRun.live(7, 300, FINDINGS));
    }
}
