// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Looks for lives of {@link HostileWorld} that break the device. Guided by what the device shows (each reason for a refusal, each
 * completion, event and state): a life that shows something new is kept, and later ones are bred from those that are kept.
 */
final class Fuzzer {
    /** The folder of the script. */
    private static final Path HOME = Path.of(System.getProperty("paraverbs.fuzz", "."));

    private static final Path FINDINGS = HOME.resolve("../target/fuzz").normalize();
    private static final int MOST_STEPS = 400;
    private static final int MOST_CHANGES = 6;

    private final Random random;
    private final Path corpus;
    private final Path findings;
    private final List<HostileRun> kept = new ArrayList<>();
    private final Set<String> seen = new HashSet<>();
    private long steps;

    private Fuzzer(long seed, Path corpus, Path findings) {
        random = new Random(seed);
        this.corpus = corpus;
        this.findings = findings;
    }

    /**
     * Runs.
     *
     * @param arguments {@code --replay FILE...}, or {@code STEPS [SEED]}
     */
    public static void main(String... arguments) throws IOException {
        if (arguments.length > 1 && arguments[0].equals("--replay")) {
            for (int i = 1; i < arguments.length; i++) {
                for (HostileRun run : HostileRun.readAll(Path.of(arguments[i]))) {
                    Set<String> seen = run.live(FINDINGS);
                    System.out.println(run.steps().size() + " steps: nothing broke, " + seen.size() + " things seen");
                }
            }
            return;
        }
        if (arguments.length < 1 || arguments.length > 2) {
            System.err.println("usage: run STEPS [SEED] | run --replay FILE...");
            System.exit(2);
        }
        long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : System.nanoTime();
        Path root = Path.of(System.getProperty("paraverbs.fuzz", "."));
        new Fuzzer(seed, root.resolve("corpus.txt"), root.resolve("../target/fuzz"))
                .run(Long.parseLong(arguments[0]), seed);
    }

    private void run(long most, long seed) throws IOException {
        if (Files.exists(corpus)) {
            for (HostileRun run : HostileRun.readAll(corpus)) {
                seen.addAll(run.live(findings));
                kept.add(run);
            }
        }
        System.out.println("seed " + seed + "; the corpus of " + kept.size() + " shows " + seen.size() + " things");
        for (long report = most / 10; steps < most; ) {
            HostileRun run = kept.isEmpty() || random.nextInt(8) == 0 ? fresh() : bred();
            tryOut(run);
            if (steps >= report) {
                report += most / 10;
                System.out.println(steps + " steps, " + kept.size() + " lives kept, " + seen.size() + " things seen");
            }
        }
    }

    private void tryOut(HostileRun run) throws IOException {
        steps += run.steps().size();
        Set<String> shown;
        try {
            shown = run.live(findings);
        } catch (RuntimeException | Error failure) {
            throw run.keep(failure, findings, "after " + steps + " steps in all");
        }
        if (!seen.containsAll(shown)) {
            Set<String> fresh = new TreeSet<>(shown);
            fresh.removeAll(seen);
            seen.addAll(shown);
            HostileRun shortest = Shortening.of(run, shorter -> showsAll(shorter, fresh));
            Files.writeString(
                    corpus,
                    HostileRun.comment("shows " + String.join("; ", fresh)) + shortest.text() + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
            kept.add(shortest);
        }
    }

    private boolean showsAll(HostileRun run, Set<String> things) {
        try {
            return run.live(findings).containsAll(things);
        } catch (RuntimeException | Error failure) {
            return false; // a finding of its own, which will come up by itself
        }
    }

    private HostileRun fresh() {
        return HostileRun.drawn(random, MOST_STEPS / 2, new TreeSet<>(), findings, "after " + steps + " steps in all");
    }

    private HostileRun bred() {
        HostileRun parent = any(kept);
        List<HostileStep> steps = new ArrayList<>(parent.steps());
        for (int changes = 1 + random.nextInt(MOST_CHANGES); changes > 0; changes--) {
            int at = random.nextInt(steps.size() + 1);
            switch (random.nextInt(6)) {
                case 0 -> steps.addAll(at, any(kept).steps()); // one life after the beginning of another
                case 1 -> steps.subList(at, steps.size()).clear();
                case 2 -> {
                    if (at < steps.size()) {
                        steps.add(random.nextInt(steps.size()), steps.get(at));
                    }
                }
                case 3 -> {
                    if (at < steps.size()) {
                        steps.remove(at);
                    }
                }
                case 4 -> steps.add(at, new HostileStep(HostileStep.action(random), random.nextInt(2), numbers()));
                default -> {
                    if (at < steps.size()) {
                        steps.set(at, changed(steps.get(at)));
                    }
                }
            }
        }
        int form = random.nextInt(16) == 0 ? random.nextInt(HostileWorld.FORMS) : parent.form();
        return new HostileRun(form, List.copyOf(steps.subList(0, Math.min(steps.size(), MOST_STEPS))));
    }

    private HostileStep changed(HostileStep step) {
        if (step.numbers().isEmpty()) {
            return step;
        }
        List<Long> numbers = new ArrayList<>(step.numbers());
        numbers.set(random.nextInt(numbers.size()), Draws.random(random).any());
        return new HostileStep(step.action(), step.guest(), List.copyOf(numbers));
    }

    private List<Long> numbers() {
        Draws draws = Draws.random(random);
        for (int i = random.nextInt(12); i > 0; i--) {
            draws.any();
        }
        return draws.numbers();
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
