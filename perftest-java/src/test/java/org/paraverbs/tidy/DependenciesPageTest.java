// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** docs/dependencies.md and the POMs say the same: every library and plugin, its version, and why it is there. */
class DependenciesPageTest {
    private static final String PAGE = "docs/dependencies.md";

    // | `group:artifact` | version | reason |
    private static final Pattern ROW = Pattern.compile("\\|\\s*`([^`]+:[^`]+)`\\s*\\|([^|]*)\\|([^|]*)\\|\\s*");

    private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^}]+)}");

    private static final Set<String> DECLARATIONS = Set.of("dependency", "plugin", "path", "parent", "extension");

    private final ProjectTree tree = ProjectTree.find();

    private record Row(String version, String reason) {}

    @Test
    void everyDependencyAndPluginIsOnThePageAndNothingElseIs() throws Exception {
        assertThat(rows().keySet())
                .containsExactlyInAnyOrderElementsOf(declared().keySet());
    }

    @Test
    void thePageGivesTheVersionsOfThePoms() throws Exception {
        Map<String, Row> rows = rows();
        List<String> wrong = new ArrayList<>();
        declared().forEach((name, versions) -> {
            Row row = rows.get(name);
            // A version that comes with an imported BOM is in no POM of ours; the page then names the BOM.
            if (row != null && !versions.isEmpty() && !versions.equals(Set.of(row.version()))) {
                wrong.add(name + ": the page has " + row.version() + ", the POMs have " + versions);
            }
        });
        assertThat(wrong).isEmpty();
    }

    @Test
    void everyRowHasAReason() throws IOException {
        assertThat(rows())
                .allSatisfy((name, row) -> assertThat(row.reason()).as(name).isNotBlank());
    }

    private Map<String, Row> rows() throws IOException {
        Map<String, Row> rows = new TreeMap<>();
        for (String line : Files.readAllLines(tree.resolve(PAGE))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                rows.put(
                        row.group(1), new Row(row.group(2).strip(), row.group(3).strip()));
            }
        }
        return rows;
    }

    /** What the POMs name, without our own modules: {@code group:artifact} to the versions that are written down. */
    private Map<String, Set<String>> declared() throws Exception {
        Map<String, String> properties = new HashMap<>();
        List<Element> poms = new ArrayList<>();
        for (Path file : tree.files()) {
            if (file.getFileName().toString().equals("pom.xml")) {
                poms.add(DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(file.toFile())
                        .getDocumentElement());
            }
        }
        assertThat(poms).as("POMs found").hasSizeGreaterThan(4);
        for (Element pom : poms) {
            Element declarations = child(pom, "properties");
            if (declarations != null) {
                children(declarations).forEach(p -> properties.put(p.getTagName(), p.getTextContent()));
            }
        }
        Map<String, Set<String>> declared = new TreeMap<>();
        poms.forEach(pom -> collect(pom, properties, declared));
        return declared;
    }

    private static void collect(Element element, Map<String, String> properties, Map<String, Set<String>> into) {
        if (DECLARATIONS.contains(element.getTagName())) {
            add(text(element, "groupId"), text(element, "artifactId"), text(element, "version"), properties, into);
        } else if (element.getTagName().equals("palantirJavaFormat")) {
            // Spotless takes the formatter by its version alone.
            add("com.palantir.javaformat", "palantir-java-format", text(element, "version"), properties, into);
        }
        children(element).forEach(child -> collect(child, properties, into));
    }

    private static void add(
            @Nullable String group,
            @Nullable String artifact,
            @Nullable String version,
            Map<String, String> properties,
            Map<String, Set<String>> into) {
        assertThat(group).as("groupId of %s", artifact).isNotNull();
        if ("org.paraverbs".equals(group)) {
            return;
        }
        Set<String> versions = into.computeIfAbsent(group + ":" + artifact, name -> new TreeSet<>());
        if (version != null) {
            Matcher property = PROPERTY.matcher(version);
            versions.add(property.matches() ? properties.getOrDefault(property.group(1), version) : version);
        }
    }

    private static @Nullable String text(Element parent, String name) {
        Element child = child(parent, name);
        return child == null ? null : child.getTextContent().strip();
    }

    private static @Nullable Element child(Element parent, String name) {
        return children(parent).stream()
                .filter(child -> child.getTagName().equals(name))
                .findFirst()
                .orElse(null);
    }

    private static List<Element> children(Element parent) {
        List<Element> children = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element) {
                children.add(element);
            }
        }
        return children;
    }
}
