// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page on Soft-RoCE lists every difference that the contract tests can be told of, each once, in their order. */
class DifferencesPageTest {
    private static final Pattern ROW = Pattern.compile("^\\| `([A-Z_]+)` \\|", Pattern.MULTILINE);

    private final ProjectTree tree = ProjectTree.find();

    @Test
    void everyDifferenceIsListed() throws IOException {
        Path source = tree.resolve("verbs-api/src/test/java/org/paraverbs/verbs/contract/DevicesUnderTest.java");
        ClassTree devices = JavaSources.types(List.of(source)).getFirst();
        List<String> differences = JavaSources.nested(devices).stream()
                .filter(type -> List.of("Situation", "Behaviour").contains(JavaSources.name(type)))
                .flatMap(type -> JavaSources.enumConstants(type).stream())
                .toList();
        String page = Files.readString(tree.resolve("docs/soft-roce.md"));
        assertThat(differences).contains("RECEIVE_TOO_SMALL", "WINDOW_BOUNDS");
        assertThat(ROW.matcher(page).results().map(row -> row.group(1)).toList())
                .containsExactlyElementsOf(differences);
    }
}
