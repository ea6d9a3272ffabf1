// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
            long seed = FIRST_SEED + i;
            HostileRun.drawn(new Random(seed), STEPS_OF_A_LIFE, seen, FINDINGS, "seed " + seed);
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
            Throwable failure = run.failure(FINDINGS);
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
        Set<String> first = new TreeSet<>();
        HostileRun run = HostileRun.drawn(new Random(7), 300, first, FINDINGS, "");
        assertThat(HostileRun.drawn(new Random(7), 300, new TreeSet<>(), FINDINGS, ""))
                .isEqualTo(run);
        assertThat(run.live(FINDINGS)).as("lived again").isEqualTo(first);
    }

    /** A fault is found, shortened to what it takes, and there again when it is replayed. */
    @Test
    void whatIsFoundCanBeShownAgain(@TempDir Path folder) {
        HostileWorld.plantedFault = HostileAction.QUERY;
        try {
            assertThatThrownBy(() -> HostileRun.drawn(new Random(1), 1000, new TreeSet<>(), folder, "seed 1"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("Shortened to 1 steps")
                    .hasMessageContaining("--replay " + folder);
            List<HostileRun> found = HostileRun.readAll(onlyFileOf(folder));
            assertThat(found).hasSize(1);
            assertThat(found.get(0).failure(folder)).hasMessageContaining("planted");
        } finally {
            HostileWorld.plantedFault = null;
        }
    }

    private static Path onlyFileOf(Path folder) {
        File[] files = folder.toFile().listFiles();
        assertThat(files).hasSize(1);
        return files[0].toPath();
    }
}
