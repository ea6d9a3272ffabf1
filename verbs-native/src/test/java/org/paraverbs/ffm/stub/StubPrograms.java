// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.stub;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs every case, the methods of the classes below that are not private, against the stub of libibverbs, and prints a line for each: {@code
 * PASSED} or {@code FAILED}, and why. {@link StubDeviceTest} starts it in a JVM of its own, since
 * a process loads the library once.
 */
final class StubPrograms {
    static final List<Class<?>> CLASSES =
            List.of(ReregistrationCases.class, DmaBufCases.class, XrcCases.class, TimestampCases.class);

    private StubPrograms() {}

    static Stream<Method> cases() {
        return CLASSES.stream()
                .flatMap(cases -> Arrays.stream(cases.getDeclaredMethods()))
                .filter(method -> !Modifier.isPrivate(method.getModifiers()) && !method.isSynthetic());
    }

    static String name(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }

    public static void main(String[] arguments) {
        cases().forEach(method -> {
            try {
                method.invoke(null);
                System.out.println("PASSED " + name(method));
            } catch (InvocationTargetException | IllegalAccessException e) {
                System.out.println("FAILED " + name(method));
                e.printStackTrace();
            }
        });
    }
}
