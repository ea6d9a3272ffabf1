// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The README's first program is the one that the consumer test compiles and runs. */
class ReadmeTest {
    private static final Pattern JAVA_BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private static final String PROGRAM =
            "verbs-api/consumer-test/src/it/module-path/src/main/java/consumer/FirstWrite.java";

    private final ProjectTree tree = ProjectTree.find();

    @Test
    void theFirstProgramIsTheOneThatIsTested() throws IOException {
        // The tested one has to lie in a package, since it is in a module.
        String tested =
                Files.readString(tree.resolve(PROGRAM)).replaceFirst("(?s)^// SPDX[^\n]*\n.*?package consumer;\n", "");
        // The README breaks lines where its reader wants them, the formatter where it does.
        assertThat(firstProgram()).isEqualToIgnoringWhitespace(tested);
    }

    @Test
    void theFirstProgramIsShort() throws IOException {
        assertThat(firstProgram().lines()).hasSizeLessThanOrEqualTo(30);
    }

    private String firstProgram() throws IOException {
        Matcher block = JAVA_BLOCK.matcher(Files.readString(tree.resolve("README.md")));
        assertThat(block.find()).as("a Java program in the README").isTrue();
        return block.group(1);
    }
}
