// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The project's files as a checkout has them, without what tools and builds leave behind. */
final class ProjectTree {
    // In any folder: outputs, editors' settings, and the version control system's own files.
    private static final Set<String> NOT_OURS =
            Set.of(".git", "target", ".idea", ".vscode", ".settings", "__pycache__", "node_modules");

    private final Path root;

    private ProjectTree(Path root) {
        this.root = root;
    }

    /** Finds the project from the folder that the test runs in, which is a module's. */
    static ProjectTree find() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.exists(folder.resolve(".mvn/find-jdk"))) {
                return new ProjectTree(folder);
            }
        }
        throw new IllegalStateException("No folder above " + Path.of("").toAbsolutePath()
                + " has .mvn/find-jdk: run this test in the checkout");
    }

    Path resolve(String path) {
        return root.resolve(path);
    }

    /** The path of a file as messages should show it. */
    String name(Path file) {
        return root.relativize(file).toString();
    }

    List<Path> files() {
        List<Path> found = new ArrayList<>();
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    return NOT_OURS.contains(folder.getFileName().toString())
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (attributes.isRegularFile()) {
                        found.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }
}
