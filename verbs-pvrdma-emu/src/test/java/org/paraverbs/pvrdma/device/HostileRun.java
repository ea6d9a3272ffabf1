// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A life of a {@link HostileWorld}: which devices it has, and the steps, of which those at the end go without saying. As a text it is a
 * line with the number of the form, and a line for each step.
 *
 * @param form which devices, see {@link HostileWorld}
 * @param steps what is done
 */
record HostileRun(int form, List<HostileStep> steps) {
    /** Tells where a life that ended badly was written. */
    static final String REPLAY = "verbs-pvrdma-emu/fuzz/run --replay ";

    private static final int LONGEST_COMMENT = 150;
    private static final String FORM = "devices ";
    private static final char COMMENT = '#';

    /**
     * Lives a life drawn at random, and gives it. A bad end is written to a file, shortened, which the error names.
     *
     * @param seen gets what the device has shown
     */
    static HostileRun drawn(Random random, int steps, Set<String> seen, Path findings, String origin) {
        int form = random.nextInt(HostileWorld.FORMS);
        List<HostileStep> taken = new ArrayList<>();
        try (HostileWorld world = new HostileWorld(form);
                Hangs watch = new Hangs(() -> new HostileRun(form, List.copyOf(taken)), findings)) {
            for (int i = 0; i < steps; i++) {
                HostileAction action = HostileStep.action(random);
                int guest = random.nextInt(HostileWorld.GUESTS);
                Draws draws = Draws.random(random);
                try {
                    world.take(action, guest, draws);
                } finally {
                    taken.add(new HostileStep(action, guest, draws.numbers()));
                }
                watch.progress();
            }
            world.finish();
            seen.addAll(world.seen());
            return new HostileRun(form, List.copyOf(taken));
        } catch (RuntimeException | Error failure) {
            throw new HostileRun(form, List.copyOf(taken)).keep(failure, findings, origin);
        }
    }

    /** Lives it again. */
    Set<String> live(Path findings) {
        try (HostileWorld world = new HostileWorld(form);
                Hangs watch = new Hangs(() -> this, findings)) {
            for (HostileStep step : steps) {
                world.take(step);
                watch.progress();
            }
            world.finish();
            return world.seen();
        }
    }

    @Nullable
    Throwable failure(Path findings) {
        try {
            live(findings);
            return null;
        } catch (RuntimeException | Error failure) {
            return failure;
        }
    }

    /** Writes a life with a bad end down, as short as can be. */
    AssertionError keep(Throwable failure, Path findings, String origin) {
        HostileRun shortest =
                failure(findings) == null ? this : Shortening.of(this, run -> run.failure(findings) != null);
        Path file = shortest.write(findings, "finding", failure.toString());
        return new AssertionError(
                "After " + steps.size() + " steps (" + origin + "): " + failure + ". Shortened to "
                        + shortest.steps.size() + " steps; again with: " + REPLAY + file.toAbsolutePath(),
                failure);
    }

    Path write(Path folder, String name, String comment) {
        try {
            Files.createDirectories(folder);
            String text = text();
            Path file = folder.resolve(name + "-" + Integer.toHexString(text.hashCode()) + ".txt");
            Files.writeString(file, comment(comment) + text);
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String comment(String comment) {
        String line = comment.lines().findFirst().orElse("");
        return "# " + (line.length() > LONGEST_COMMENT ? line.substring(0, LONGEST_COMMENT) + "..." : line) + "\n";
    }

    String text() {
        return FORM + form + "\n" + HostileStep.text(steps);
    }

    /** The lives in a file, one after the other. */
    static List<HostileRun> readAll(Path file) {
        try {
            return parseAll(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Empty lines and those that begin with a number sign are left out. */
    static List<HostileRun> parseAll(String text) {
        List<HostileRun> runs = new ArrayList<>();
        int form = -1;
        List<HostileStep> steps = new ArrayList<>();
        for (String line : text.lines().map(String::strip).toList()) {
            if (line.startsWith(FORM)) {
                if (form >= 0) {
                    runs.add(new HostileRun(form, List.copyOf(steps)));
                    steps.clear();
                }
                form = Integer.parseInt(line.substring(FORM.length()).strip());
            } else if (!line.isEmpty() && line.charAt(0) != COMMENT) {
                if (form < 0) {
                    throw new IllegalArgumentException(
                            "a life begins with a line that says which devices: " + FORM + "N");
                }
                steps.add(HostileStep.parse(line));
            }
        }
        if (form >= 0) {
            runs.add(new HostileRun(form, List.copyOf(steps)));
        }
        return List.copyOf(runs);
    }
}
