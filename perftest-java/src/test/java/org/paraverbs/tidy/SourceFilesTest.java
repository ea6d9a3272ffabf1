// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What every source file of the project has and lacks, whatever its language. */
class SourceFilesTest {
    private static final Set<String> SOURCE_SUFFIXES =
            Set.of("java", "c", "h", "S", "sh", "py", "xml", "groovy", "properties");

    // The Maven project's, under the same licence in its long form; the properties are rewritten by its plugin.
    private static final Set<String> WRITTEN_BY_MAVEN =
            Set.of("mvnw", "mvnw.cmd", ".mvn/wrapper/maven-wrapper.properties");

    private static final String LICENCE = "SPDX-License-Identifier: Apache-2.0";

    // Work left undone belongs in the issue tracker. In two pieces, or this file would accuse itself.
    private static final Pattern UNDONE = Pattern.compile("\\b(TO" + "DO|FIX" + "ME)\\b");

    private final ProjectTree tree = ProjectTree.find();

    @Test
    void everySourceFileNamesItsLicenceInItsFirstLines() throws IOException {
        List<String> without = new ArrayList<>();
        for (Path file : sources()) {
            // The second line is the first possible one after an XML declaration or a script's interpreter.
            if (lines(file).stream().limit(2).noneMatch(line -> line.contains(LICENCE))) {
                without.add(tree.name(file));
            }
        }
        assertThat(without)
                .as("source files whose first two lines lack '%s'", LICENCE)
                .isEmpty();
    }

    @Test
    void noSourceFileMarksWorkAsUndone() throws IOException {
        List<String> marked = new ArrayList<>();
        for (Path file : sources()) {
            List<String> lines = lines(file);
            for (int i = 0; i < lines.size(); i++) {
                if (UNDONE.matcher(lines.get(i)).find()) {
                    marked.add(tree.name(file) + ":" + (i + 1) + ": "
                            + lines.get(i).strip());
                }
            }
        }
        assertThat(marked).as("marks of work left undone").isEmpty();
    }

    @Test
    void theSearchFindsTheFilesThatItIsAbout() throws IOException {
        assertThat(sources())
                .extracting(tree::name)
                .contains(
                        "pom.xml",
                        "verbs-api/src/main/java/module-info.java",
                        "native/install-debian-packages.sh",
                        ".mvn/find-jdk",
                        "perftest-java/src/test/java/org/paraverbs/tidy/SourceFilesTest.java")
                .doesNotContain("mvnw");
    }

    private List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Path file : tree.files()) {
            if (!WRITTEN_BY_MAVEN.contains(tree.name(file)) && isSource(file)) {
                sources.add(file);
            }
        }
        return sources;
    }

    private static boolean isSource(Path file) throws IOException {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return dot > 0 ? SOURCE_SUFFIXES.contains(name.substring(dot + 1)) : isScript(file);
    }

    private static boolean isScript(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return in.read() == '#' && in.read() == '!';
        }
    }

    // Not UTF-8, in which a stray byte would be an exception instead of a finding.
    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
    }
}
