// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.Tree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.lang.model.element.Modifier;

/** What there is to be covered, as the code has it: each subject is a table of the page, and each row one thing. */
enum CoveredSubject {
    VERB("Verbs", "method or step", "Verb"),
    OPERATION("Operations of a send queue", "operation", "Operation"),
    STATUS("Completion statuses", "status", "Status"),
    EVENT("Asynchronous events", "event", "Event"),
    LIMIT("Limits", "limit", "Limit"),
    COMMAND("Commands of the PVRDMA device", "command", "Command"),
    REGISTER("Registers of the PVRDMA device", "register", "Register"),
    WORK_REQUEST("Work requests of the PVRDMA device", "opcode", "WorkRequest");

    private static final String VERBS = "verbs-api/src/main/java/org/paraverbs/verbs";
    private static final String PVRDMA = "verbs-pvrdma-emu/src/main/java/org/paraverbs/pvrdma";

    private final String title;
    private final String noun;
    private final String annotation;

    CoveredSubject(String title, String noun, String annotation) {
        this.title = title;
        this.noun = noun;
        this.annotation = annotation;
    }

    /** The heading of its table. */
    String title() {
        return title;
    }

    /** What one row is. */
    String noun() {
        return noun;
    }

    /** Whether an annotation, by its name in the source, is that of this subject. */
    boolean isNamed(String annotationName) {
        return annotationName.endsWith("Covers." + annotation);
    }

    /** How the annotation is written. */
    String annotation() {
        return "@Covers." + annotation;
    }

    /** The rows that the code asks for, in its order. */
    Set<String> rows(ProjectTree tree) {
        return switch (this) {
            case VERB -> verbs(tree);
            case OPERATION -> enumeration(tree, "spi/SendOperation");
            case STATUS -> enumeration(tree, "CompletionStatus");
            case EVENT -> enumeration(tree, "AsyncEventType");
            case LIMIT -> limits(tree);
            case COMMAND -> commands(tree);
            case REGISTER -> registers(tree);
            case WORK_REQUEST -> constants(tree, "abi/WrOpcode");
        };
    }

    /** Every method of every public interface of the verbs, the steps of queue pairs, and the ways in. */
    private static Set<String> verbs(ProjectTree tree) {
        Path folder = tree.resolve(VERBS);
        List<Path> files = tree.files().stream()
                .filter(file -> folder.equals(file.getParent()))
                .filter(file -> !file.endsWith("package-info.java"))
                .sorted()
                .toList();
        Set<String> rows = new LinkedHashSet<>();
        for (ClassTree type : JavaSources.types(files)) {
            String name = JavaSources.name(type);
            boolean isInterface = type.getKind() == Tree.Kind.INTERFACE;
            if (isInterface || name.equals("Verbs")) {
                Set<Modifier> hidden =
                        isInterface ? Set.of(Modifier.PRIVATE, Modifier.STATIC) : Set.of(Modifier.PRIVATE);
                JavaSources.methods(type).stream()
                        .filter(method ->
                                Collections.disjoint(method.getModifiers().getFlags(), hidden))
                        .forEach(method -> rows.add(name + "." + method.getName()));
            }
            if (name.equals("Transition")) {
                JavaSources.nested(type).forEach(step -> rows.add(name + "." + JavaSources.name(step)));
            }
        }
        return rows;
    }

    private static Set<String> limits(ProjectTree tree) {
        Set<String> rows = new LinkedHashSet<>();
        for (String file : List.of(
                VERBS + "/DeviceAttributes.java",
                VERBS + "/PortAttributes.java",
                VERBS + "/QueuePairCapacity.java",
                PVRDMA + "/device/DeviceLimits.java",
                PVRDMA + "/device/HostPolicy.java")) {
            for (ClassTree type : JavaSources.types(List.of(tree.resolve(file)))) {
                JavaSources.primitiveComponents(type).stream()
                        .filter(name -> name.matches("max.*|.*(Length|Count|Vectors)"))
                        .forEach(name -> rows.add(JavaSources.name(type) + "." + name));
            }
        }
        return rows;
    }

    private static Set<String> commands(ProjectTree tree) {
        Set<String> rows = constants(tree, "abi/CommandCode");
        // not commands but how many there are and how long they get
        rows.removeIf(name -> name.startsWith("MAX"));
        return rows;
    }

    private static Set<String> registers(ProjectTree tree) {
        Set<String> rows = constants(tree, "abi/Registers");
        rows.remove("SIZE");
        return rows;
    }

    private static Set<String> constants(ProjectTree tree, String type) {
        return new LinkedHashSet<>(JavaSources.constants(single(tree, PVRDMA + "/" + type + ".java")));
    }

    private static Set<String> enumeration(ProjectTree tree, String type) {
        return new LinkedHashSet<>(JavaSources.enumConstants(single(tree, VERBS + "/" + type + ".java")));
    }

    private static ClassTree single(ProjectTree tree, String file) {
        List<ClassTree> types = new ArrayList<>(JavaSources.types(List.of(tree.resolve(file))));
        if (types.size() != 1) {
            throw new IllegalStateException(file + " has " + types.size() + " types, not one");
        }
        return types.getFirst();
    }
}
