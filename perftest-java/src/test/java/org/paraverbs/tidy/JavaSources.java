// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.tidy;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewArrayTree;
import com.sun.source.tree.PrimitiveTypeTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Java sources as the compiler's own parser sees them. Parsing needs no class path, so that one module can look at the
 * sources of all.
 */
final class JavaSources {
    private JavaSources() {}

    /** The top-level types of files. */
    static List<ClassTree> types(List<Path> files) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<ClassTree> types = new ArrayList<>();
        try (var manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
            for (CompilationUnitTree unit : task.parse()) {
                for (Tree type : unit.getTypeDecls()) {
                    if (type instanceof ClassTree classTree) {
                        types.add(classTree);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return types;
    }

    static String name(ClassTree type) {
        return type.getSimpleName().toString();
    }

    static List<MethodTree> methods(ClassTree type) {
        return members(type, MethodTree.class).stream()
                .filter(method -> method.getReturnType() != null)
                .toList();
    }

    static List<ClassTree> nested(ClassTree type) {
        return members(type, ClassTree.class);
    }

    /** The names of an enum's constants, in order. */
    static List<String> enumConstants(ClassTree type) {
        // a constant is a variable of the enum's own type that the enum makes
        return members(type, VariableTree.class).stream()
                .filter(field -> field.getType() instanceof IdentifierTree fieldType
                        && fieldType.getName().contentEquals(type.getSimpleName())
                        && !field.getModifiers().getFlags().contains(Modifier.PRIVATE))
                .map(field -> field.getName().toString())
                .toList();
    }

    /** The names of the public {@code int} constants of a class, in order. */
    static List<String> constants(ClassTree type) {
        return members(type, VariableTree.class).stream()
                .filter(field -> field.getModifiers().getFlags().contains(Modifier.PUBLIC)
                        && field.getModifiers().getFlags().contains(Modifier.STATIC))
                .map(field -> field.getName().toString())
                .toList();
    }

    /** The names of a record's components of a primitive type, in order. */
    static List<String> primitiveComponents(ClassTree type) {
        return members(type, VariableTree.class).stream()
                .filter(field -> !field.getModifiers().getFlags().contains(Modifier.STATIC)
                        && field.getType() instanceof PrimitiveTypeTree)
                .map(field -> field.getName().toString())
                .toList();
    }

    /** The last part of an annotation's name, with what stands before it: {@code Test}, {@code Covers.Verb}. */
    static String name(AnnotationTree annotation) {
        return annotation.getAnnotationType().toString();
    }

    /** The strings and names that an annotation is given, each without what qualifies it. */
    static List<String> values(AnnotationTree annotation) {
        List<String> values = new ArrayList<>();
        for (ExpressionTree argument : annotation.getArguments()) {
            collect(argument instanceof AssignmentTree assignment ? assignment.getExpression() : argument, values);
        }
        return values;
    }

    private static void collect(ExpressionTree expression, List<String> values) {
        switch (expression) {
            case NewArrayTree array -> array.getInitializers().forEach(element -> collect(element, values));
            case LiteralTree literal -> values.add(String.valueOf(literal.getValue()));
            case IdentifierTree identifier -> values.add(identifier.getName().toString());
            case MemberSelectTree select -> values.add(select.getIdentifier().toString());
            default -> throw new IllegalArgumentException("no string, name or list of them: " + expression);
        }
    }

    private static <T extends Tree> List<T> members(ClassTree type, Class<T> kind) {
        List<T> members = new ArrayList<>();
        for (Tree member : type.getMembers()) {
            if (kind.isInstance(member)) {
                members.add(kind.cast(member));
            }
        }
        return members;
    }
}
