// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * Programs under valgrind's memcheck, and what it says of the preload library: of accesses outside of what is allocated, of values
 * that nobody has set, of memory that is lost. What it says of programs, of libibverbs and of the provider is theirs.
 */
final class Memcheck {
    private static final Path PRELOAD =
            Path.of("../native/preload").toAbsolutePath().normalize();

    private final Path logs;

    /** Valgrind, which writes into a directory. */
    Memcheck(Path logs) {
        this.logs = logs;
    }

    /** A command, and the processes that it starts, under valgrind. */
    List<String> around(List<String> command) {
        List<String> words = new ArrayList<>(List.of(
                "valgrind",
                "--quiet",
                "--trace-children=yes",
                "--leak-check=full",
                "--show-leak-kinds=definite",
                "--num-callers=30",
                "--fullpath-after=",
                "--suppressions=" + PRELOAD.resolve("memcheck.supp"),
                "--log-file=" + logs.resolve("%p.log")));
        words.addAll(command);
        return words;
    }

    /** What was said of the library, if anything; empty lines are between one thing and the next. */
    List<String> complaints() throws IOException {
        List<String> found = new ArrayList<>();
        boolean any = false;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(logs, "*.log")) {
            for (Path file : files) {
                any = true;
                StringJoiner text = new StringJoiner("\n");
                for (String line : Files.readAllLines(file)) {
                    if (!line.matches("==\\d+== ")) {
                        text.add(line);
                        continue;
                    }
                    keepIfOurs(text.toString(), found);
                    text = new StringJoiner("\n");
                }
                keepIfOurs(text.toString(), found);
            }
        }
        if (!any) {
            throw new IOException("valgrind has written nothing into " + logs);
        }
        return found;
    }

    /** The library is built with its sources' full names. */
    private static void keepIfOurs(String text, List<String> found) {
        if (text.contains(PRELOAD + "/")) {
            found.add(text);
        }
    }
}
