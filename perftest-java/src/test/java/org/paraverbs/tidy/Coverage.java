// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.tidy;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.lang.model.element.Modifier;

/**
 * Which test covers what: the {@code @Covers} annotations of all tests beside what the code has, and the reasons for what
 * is not covered.
 */
final class Coverage {
    /** The one place for what no test covers, with the reason. */
    static final String REASONS = "perftest-java/src/test/resources/org/paraverbs/tidy/not-covered.txt";

    private static final Set<String> TESTS = Set.of("Test", "ParameterizedTest", "Property", "RepeatedTest", "Example");

    private final Map<CoveredSubject, Map<String, Set<String>>> tests = new EnumMap<>(CoveredSubject.class);
    private final Map<CoveredSubject, Map<String, String>> reasons = new EnumMap<>(CoveredSubject.class);
    private final Map<String, Set<String>> runners = new TreeMap<>();
    private final List<String> faults = new ArrayList<>();

    private Coverage() {}

    static Coverage of(ProjectTree tree) {
        Coverage coverage = new Coverage();
        for (CoveredSubject subject : CoveredSubject.values()) {
            Map<String, Set<String>> rows = new LinkedHashMap<>();
            subject.rows(tree).forEach(row -> rows.put(row, new TreeSet<>()));
            coverage.tests.put(subject, rows);
            coverage.reasons.put(subject, new LinkedHashMap<>());
        }
        List<Path> files = tree.files().stream()
                .filter(file -> tree.name(file).contains("src/test/java/")
                        && file.toString().endsWith(".java"))
                .sorted()
                .toList();
        List<ClassTree> types = JavaSources.types(files);
        coverage.findRunners(types);
        types.forEach(type -> coverage.addTests(type, JavaSources.name(type)));
        coverage.readReasons(tree.resolve(REASONS));
        coverage.check();
        return coverage;
    }

    /** Each abstract class with tests, and the classes that inherit them. */
    private void findRunners(List<ClassTree> types) {
        for (ClassTree type : types) {
            Tree parent = type.getExtendsClause();
            if (parent != null && !isAbstract(type)) {
                runners.computeIfAbsent(parent.toString(), name -> new TreeSet<>())
                        .add(JavaSources.name(type));
            }
        }
    }

    private void addTests(ClassTree type, String name) {
        for (MethodTree method : JavaSources.methods(type)) {
            String test = name + "." + method.getName();
            for (AnnotationTree annotation : method.getModifiers().getAnnotations()) {
                for (CoveredSubject subject : CoveredSubject.values()) {
                    if (subject.isNamed(JavaSources.name(annotation))) {
                        addTest(type, method, test, subject, JavaSources.values(annotation));
                    }
                }
            }
        }
        JavaSources.nested(type).forEach(inner -> addTests(inner, name + "." + JavaSources.name(inner)));
    }

    private void addTest(ClassTree type, MethodTree method, String test, CoveredSubject subject, List<String> covered) {
        List<String> annotations = method.getModifiers().getAnnotations().stream()
                .map(JavaSources::name)
                .toList();
        if (annotations.stream().noneMatch(TESTS::contains) || annotations.contains("Disabled")) {
            faults.add(test + " has " + subject.annotation() + " but is no test that runs");
            return;
        }
        if (isAbstract(type) && !runners.containsKey(JavaSources.name(type))) {
            faults.add(test + " has " + subject.annotation() + ", but no class inherits " + JavaSources.name(type));
            return;
        }
        for (String row : covered) {
            Set<String> of = rows(subject).get(row);
            if (of == null) {
                faults.add(test + " has " + subject.annotation() + "(\"" + row + "\"), but the code has no such "
                        + subject.noun());
            } else {
                of.add(test);
            }
        }
    }

    // subject, row or row* | reason
    private void readReasons(Path file) {
        try {
            for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    readReason(line);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readReason(String line) {
        String[] parts = line.split("\\|", -1);
        if (parts.length != 3 || parts[2].isBlank()) {
            faults.add(REASONS + " has a line that is not 'SUBJECT | row | reason': " + line);
            return;
        }
        CoveredSubject subject = CoveredSubject.valueOf(parts[0].strip());
        String row = parts[1].strip();
        if (!rows(subject).containsKey(row)) {
            faults.add(REASONS + " names " + row + ", but the code has no such " + subject.noun());
        } else if (!rows(subject).get(row).isEmpty()) {
            faults.add(REASONS + " says that " + row + " is not covered, but it is, by "
                    + rows(subject).get(row) + ": take the line out");
        } else {
            reasonsFor(subject).put(row, parts[2].strip());
        }
    }

    private void check() {
        for (CoveredSubject subject : CoveredSubject.values()) {
            rows(subject).forEach((row, covering) -> {
                if (covering.isEmpty() && !reasonsFor(subject).containsKey(row)) {
                    faults.add("no test has " + subject.annotation() + " for " + row);
                }
            });
        }
    }

    /** What is wrong with the annotations and reasons, each a sentence. */
    List<String> faults() {
        return List.copyOf(faults);
    }

    /** The things of a subject with the tests that cover each. */
    Map<String, Set<String>> rows(CoveredSubject subject) {
        return tests.getOrDefault(subject, Map.of());
    }

    private Map<String, String> reasonsFor(CoveredSubject subject) {
        return reasons.getOrDefault(subject, Map.of());
    }

    /** The page {@code docs/coverage.md}. */
    String page() {
        StringBuilder page = new StringBuilder("""
                # What the tests cover

                Made from the `@Covers` annotations of the tests and from the code, which says what there is to cover; do not edit.
                `CoveragePageTest` fails when this page is stale, and says how to refresh it. A test whose class is called
                `...Contract` runs on every provider, see the last table and [contract tests](contract-tests.md).
                """);
        for (CoveredSubject subject : CoveredSubject.values()) {
            Map<String, Set<String>> rows = rows(subject);
            long covered = rows.values().stream().filter(of -> !of.isEmpty()).count();
            page.append("\n## ").append(subject.title()).append("\n\n");
            page.append(covered)
                    .append(" of ")
                    .append(rows.size())
                    .append(" are covered.\n\n| ")
                    .append(subject.noun())
                    .append(" | covered by |\n|---|---|\n");
            rows.forEach((row, of) -> page.append("| `")
                    .append(row)
                    .append("` | ")
                    .append(of.isEmpty() ? "not covered: " + reasonsFor(subject).get(row) : list(of))
                    .append(" |\n"));
        }
        page.append("\n## Who runs the contract\n\n| contract | runs as |\n|---|---|\n");
        runners.forEach((contract, by) -> {
            if (contract.endsWith("Contract")) {
                page.append("| `")
                        .append(contract)
                        .append("` | ")
                        .append(list(by))
                        .append(" |\n");
            }
        });
        return page.toString();
    }

    private static String list(Set<String> names) {
        return "`" + String.join("`, `", names) + "`";
    }

    private static boolean isAbstract(ClassTree type) {
        return type.getModifiers().getFlags().contains(Modifier.ABSTRACT);
    }
}
