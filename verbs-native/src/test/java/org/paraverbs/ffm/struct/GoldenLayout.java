// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The checked-in output of {@code native/layout_probe}. */
record GoldenLayout(Map<String, Long> structSizes, Map<String, Field> fields, Map<String, Long> constants) {

    /** Tests run in the folder of their module. */
    static final Path NATIVE = Path.of("..", "native");

    static final Path FILE = NATIVE.resolve(Path.of("layouts", "x86_64.txt"));

    record Field(String struct, long offset, int size) {}

    static List<String> lines() {
        try {
            return Files.readAllLines(FILE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static GoldenLayout read() {
        Map<String, Long> sizes = new LinkedHashMap<>();
        Map<String, Field> fields = new LinkedHashMap<>();
        Map<String, Long> constants = new LinkedHashMap<>();
        for (String line : lines()) {
            String[] words = line.split(" ", 4);
            switch (words[0]) {
                case "struct" -> sizes.put(words[1], Long.valueOf(words[2]));
                case "field" -> {
                    String struct = words[1].substring(0, words[1].indexOf('.'));
                    fields.put(words[1], new Field(struct, Long.parseLong(words[2]), Integer.parseInt(words[3])));
                }
                case "const" -> constants.put(words[1], Long.valueOf(words[2]));
                default -> throw new IllegalStateException("unknown kind of line: " + line);
            }
        }
        return new GoldenLayout(sizes, fields, constants);
    }
}
