// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code .mvn/find-jdk}: which JDK the build and the launchers run on, with made-up JDKs in a folder of the test. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "a shell script")
class JdkSelectionTest {
    private final ProjectTree tree = ProjectTree.find();

    @TempDir
    private Path folder;

    private record Result(int status, String output, String errors) {}

    @Test
    void javaHomeComesFirstIfItIsNewEnough() throws Exception {
        Path chosen = jdk("chosen", "22.0.2");
        jdk(".jdks/newer", "99");
        assertThat(findJdk(Map.of("JAVA_HOME", chosen.toString()))).isEqualTo(found(chosen));
    }

    @Test
    void anOldJavaHomeGivesWayToTheJavaOnThePath() throws Exception {
        Path old = jdk("old", "17.0.15");
        Path onPath = jdk("on-path", "25");
        Result result = findJdk(Map.of("JAVA_HOME", old.toString(), "PATH", onPath.resolve("bin") + ":/usr/bin:/bin"));
        assertThat(result).isEqualTo(found(onPath));
    }

    @Test
    void elseTheNewestOfTheUsualPlacesIsTaken() throws Exception {
        jdk(".jdks/a", "97.0.1");
        Path newest = jdk(".sdkman/candidates/java/b", "99.0.1");
        jdk(".jdks/c", "98.0.1");
        assertThat(findJdk(Map.of())).isEqualTo(found(newest));
    }

    @Test
    void theVariablesOfCiServicesAreLookedAt() throws Exception {
        Path named = jdk("named", "99");
        assertThat(findJdk(Map.of("JAVA_HOME_99_X64", named.toString()))).isEqualTo(found(named));
    }

    @Test
    void aFolderWithoutACompilerIsNoJdk() throws Exception {
        Path runtimeOnly = jdk("runtime-only", "99");
        Files.delete(runtimeOnly.resolve("bin/javac"));
        assertThat(findJdk(Map.of("JAVA_HOME", runtimeOnly.toString())).output())
                .isNotEqualTo(runtimeOnly.toString());
    }

    @Test
    void aVersionIsAskedForWhereTheReleaseFileIsMissing() throws Exception {
        Path silent = jdk("silent", "99");
        Files.delete(silent.resolve("release"));
        Files.writeString(silent.resolve("bin/java"), "#!/bin/sh\necho 'openjdk version \"23-ea\" 2024-09-17' >&2\n");
        assertThat(findJdk(Map.of("JAVA_HOME", silent.toString()))).isEqualTo(found(silent));
    }

    @Test
    void theWrapperAsksBeforeItStartsMaven() throws IOException {
        assertThat(Files.readString(tree.resolve("mvnw")))
                .contains("JAVA_HOME=$(\"$(dirname \"$0\")/.mvn/find-jdk\") || exit 1\nexport JAVA_HOME\n");
    }

    private static Result found(Path home) {
        return new Result(0, home.toString(), "");
    }

    private Path jdk(String name, String version) throws IOException {
        Path bin = Files.createDirectories(folder.resolve(name).resolve("bin"));
        for (String tool : new String[] {"java", "javac"}) {
            Path file = Files.writeString(bin.resolve(tool), "#!/bin/sh\nexit 1\n");
            assertThat(file.toFile().setExecutable(true)).isTrue();
        }
        Files.writeString(bin.resolveSibling("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"" + version + "\"\n");
        return bin.getParent();
    }

    private Result findJdk(Map<String, String> environment) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(tree.resolve(".mvn/find-jdk").toString());
        builder.environment().clear();
        builder.environment().put("HOME", folder.toString());
        builder.environment().put("PATH", "/usr/bin:/bin");
        builder.environment().putAll(environment);
        Path errors = folder.resolve("errors");
        Process process = builder.redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output.strip(), Files.readString(errors));
    }
}
