// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launchers in a tree that has everything but the project: Maven, the JDK and its search are scripts that tell how
 * they were called.
 */
@Timeout(300)
class LauncherTest {
    @TempDir
    Path temporary;

    private Path tree;

    private record Result(int status, List<String> out, String err) {}

    @BeforeEach
    void layTree() throws IOException {
        // A blank in the path: quoting is what scripts get wrong.
        tree = temporary.resolve("the tree");
        Path bin = tree.resolve("perftest-java/bin");
        Files.createDirectories(bin);
        Files.createDirectories(tree.resolve("perftest-java/src/main"));
        try (var launchers = Files.list(Path.of("bin"))) {
            for (Path launcher : launchers.toList()) {
                Files.copy(launcher, bin.resolve(launcher.getFileName()));
            }
        }
        Path jdk = tree.resolve("jdk");
        script("jdk/bin/java", "for argument in \"$@\"; do echo \"$argument\"; done");
        script(".mvn/find-jdk", "echo '" + jdk + "'");
        script(
                "mvnw",
                "echo built >>\"" + tree.resolve("builds") + "\"",
                "echo maven speaks",
                "mkdir -p perftest-java/target/lib",
                "touch perftest-java/target/perftest-java-1.jar perftest-java/target/perftest-java-1-javadoc.jar");
        Files.createFile(tree.resolve("pom.xml"));
    }

    @Test
    void buildsOnFirstUseAndSaysSoOnStandardError() throws Exception {
        Result first = run("ib_write_bw", "--size", "2 K");
        assertThat(first.status).isZero();
        assertThat(first.err).contains("ib_write_bw: building", "maven speaks");
        assertThat(first.out)
                .contains("--enable-native-access=org.paraverbs.ffm")
                .endsWith("org.paraverbs.perftest/org.paraverbs.perftest.Main", "ib_write_bw", "--size", "2 K");
        Result second = run("ib_send_lat");
        assertThat(second.err).isEmpty();
        assertThat(second.out).endsWith("ib_send_lat");
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void theModulePathIsTheProgramsJarAndItsLibraries() throws Exception {
        List<String> arguments = run("ib_write_bw").out;
        assertThat(arguments.get(arguments.indexOf("--module-path") + 1))
                .isEqualTo(tree.resolve("perftest-java/target/perftest-java-1.jar") + ":"
                        + tree.resolve("perftest-java/target/lib"));
    }

    @Test
    void worksThroughASymbolicLinkFromAnyFolder() throws Exception {
        Path link = temporary.resolve("link");
        Files.createSymbolicLink(link, tree.resolve("perftest-java/bin/ib_send_lat"));
        Result result = run(temporary, Map.of(), List.of(link.toString(), "-V"));
        assertThat(result.status).isZero();
        assertThat(result.out).endsWith("ib_send_lat", "-V");
    }

    @Test
    void buildsAgainWhenASourceIsNewer() throws Exception {
        run("ib_write_bw");
        Path source = Files.createFile(tree.resolve("perftest-java/src/main/New.java"));
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(5)));
        assertThat(run("ib_write_bw").err).contains("building");
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void neverBuildsIfToldSo() throws Exception {
        Map<String, String> environment = Map.of("PARAVERBS_BUILD", "never");
        Result unbuilt = run(tree, environment, command("ib_write_bw"));
        assertThat(unbuilt.status).isEqualTo(1);
        assertThat(unbuilt.err).contains("not built yet");
        run("ib_write_bw");
        Path source = Files.createFile(tree.resolve("perftest-java/src/main/New.java"));
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(5)));
        assertThat(run(tree, environment, command("ib_write_bw")).status).isZero();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void theJvmGetsTheOptionsOfTheEnvironment() throws Exception {
        Map<String, String> environment = Map.of("PARAVERBS_JAVA_OPTIONS", "-Xmx64m -Da=b");
        Result result = run(tree, environment, command("ib_write_bw"));
        assertThat(result.out).containsSubsequence("-Xmx64m", "-Da=b", "--module-path");
    }

    @Test
    void aFailedBuildIsTold() throws Exception {
        script("mvnw", "exit 3");
        Result result = run("ib_write_bw");
        assertThat(result.status).isEqualTo(1);
        assertThat(result.err).contains("the build failed");
        assertThat(result.out).isEmpty();
    }

    @Test
    void withoutAJdkTheSearchsWordsAreTheLast() throws Exception {
        script(".mvn/find-jdk", "echo 'found none' >&2", "exit 1");
        Result result = run("ib_write_bw");
        assertThat(result.status).isEqualTo(1);
        assertThat(result.err).isEqualTo("found none\n");
    }

    @Test
    void standardErrorInAFileIsNoTerminal() throws Exception {
        assertThat(run("ib_write_bw").out).contains("-Dorg.paraverbs.perftest.terminal=false");
    }

    @Test
    void twoAtOnceBuildOnce() throws Exception {
        script(
                "mvnw",
                "echo built >>\"" + tree.resolve("builds") + "\"",
                "sleep 1",
                "mkdir -p perftest-java/target/lib",
                "touch perftest-java/target/perftest-java-1.jar");
        Process server = start(tree, Map.of(), command("ib_write_bw"));
        Process client = start(tree, Map.of(), command("ib_write_bw", "localhost"));
        assertThat(server.waitFor()).isZero();
        assertThat(client.waitFor()).isZero();
        assertThat(builds()).isEqualTo(1);
    }

    private void script(String name, String... lines) throws IOException {
        Path file = tree.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private long builds() throws IOException {
        return Files.readAllLines(tree.resolve("builds")).size();
    }

    private List<String> command(String launcher, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(tree.resolve("perftest-java/bin").resolve(launcher).toString());
        command.addAll(List.of(arguments));
        return command;
    }

    private Result run(String launcher, String... arguments) throws Exception {
        return run(tree, Map.of(), command(launcher, arguments));
    }

    private Result run(Path folder, Map<String, String> environment, List<String> command) throws Exception {
        Process process = start(folder, environment, command);
        // Both are short enough to wait in the pipe while the other one is read.
        List<String> out = new String(process.getInputStream().readAllBytes(), UTF_8)
                .lines()
                .toList();
        String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
        return new Result(process.waitFor(), out, err);
    }

    private static Process start(Path folder, Map<String, String> environment, List<String> command)
            throws IOException {
        var builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }
}
