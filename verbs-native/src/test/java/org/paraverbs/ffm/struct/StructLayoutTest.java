// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.paraverbs.ffm.struct.GoldenLayout.Field;

/**
 * Compares the Java side with what the layout probe printed: every accessor must touch the bytes of its C field, all of
 * them and no others. Runs everywhere, since it needs no library.
 */
class StructLayoutTest {
    private static final GoldenLayout GOLDEN = GoldenLayout.read();

    static final List<Class<?>> STRUCTS = List.of(
            IbvAhAttr.class,
            IbvAsyncEvent.class,
            IbvCompChannel.class,
            IbvContext.class,
            IbvCq.class,
            IbvCqEx.class,
            IbvCqInitAttrEx.class,
            IbvDevice.class,
            IbvDeviceAttr.class,
            IbvDeviceAttrEx.class,
            IbvGidEntry.class,
            IbvGlobalRoute.class,
            IbvMr.class,
            IbvMw.class,
            IbvPortAttr.class,
            IbvQp.class,
            IbvQpAttr.class,
            IbvQpCap.class,
            IbvQpInitAttr.class,
            IbvQpInitAttrEx.class,
            IbvRecvWr.class,
            IbvSendWr.class,
            IbvSge.class,
            IbvSrq.class,
            IbvSrqAttr.class,
            IbvSrqInitAttr.class,
            IbvSrqInitAttrEx.class,
            IbvWc.class,
            IbvXrcdInitAttr.class,
            Pollfd.class);

    @ParameterizedTest
    @FieldSource("STRUCTS")
    void sizeIsThatOfC(Class<?> struct) throws ReflectiveOperationException {
        assertThat(struct.getField("SIZE").getLong(null))
                .isEqualTo(GOLDEN.structSizes().get(cName(struct)));
    }

    @ParameterizedTest
    @FieldSource("STRUCTS")
    void accessorsTouchExactlyTheirField(Class<?> struct) throws ReflectiveOperationException {
        Map<String, Field> fields = fieldsByJavaName(cName(struct));
        List<Method> accessors = Arrays.stream(struct.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .toList();
        assertThat(accessors).isNotEmpty();
        for (Method accessor : accessors) {
            Field field = fields.get(accessor.getName());
            assertThat(field).as("the C field of %s", accessor).isNotNull();
            check(struct.getField("SIZE").getLong(null), accessor, Objects.requireNonNull(field));
        }
    }

    @Test
    void extendedVerbsAreFoundBeforeTheContext() {
        Field queryPort = Objects.requireNonNull(GOLDEN.fields().get("verbs_context.query_port"));
        Field sz = Objects.requireNonNull(GOLDEN.fields().get("verbs_context.sz"));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(VerbsContext.REACH, 8);
            memory.set(ValueLayout.JAVA_LONG, VerbsContext.REACH + queryPort.offset(), 0x1234);
            memory.set(ValueLayout.JAVA_LONG, VerbsContext.REACH + sz.offset(), 648);
            assertThat(VerbsContext.queryPort(memory)).isEqualTo(0x1234);
            assertThat(VerbsContext.sz(memory)).isEqualTo(648);
            assertThat(VerbsContext.hasQueryPort(memory)).isTrue();

            Field extended = Objects.requireNonNull(GOLDEN.fields().get("verbs_context.query_device_ex"));
            assertThat(VerbsContext.hasQueryDeviceEx(memory)).isFalse();
            memory.set(ValueLayout.JAVA_LONG, VerbsContext.REACH + extended.offset(), 0x5678);
            assertThat(VerbsContext.queryDeviceEx(memory)).isEqualTo(0x5678);
            assertThat(VerbsContext.hasQueryDeviceEx(memory)).isTrue();

            Map<String, Function<MemorySegment, Long>> operations = Map.of(
                    "create_cq_ex", VerbsContext::createCqEx,
                    "create_qp_ex", VerbsContext::createQpEx,
                    "create_srq_ex", VerbsContext::createSrqEx,
                    "get_srq_num", VerbsContext::getSrqNum,
                    "open_xrcd", VerbsContext::openXrcd,
                    "close_xrcd", VerbsContext::closeXrcd);
            operations.forEach((name, operation) -> {
                long offset = Objects.requireNonNull(GOLDEN.fields().get("verbs_context." + name))
                        .offset();
                memory.set(ValueLayout.JAVA_LONG, VerbsContext.REACH + offset, offset);
                assertThat(operation.apply(memory)).as(name).isEqualTo(offset);
                memory.set(ValueLayout.JAVA_LONG, VerbsContext.REACH + sz.offset(), IbvContext.SIZE - offset - 1);
                assertThat(operation.apply(memory)).as(name).isZero();
                memory.set(ValueLayout.JAVA_LONG, VerbsContext.REACH + sz.offset(), 648);
            });

            memory.set(ValueLayout.JAVA_LONG, VerbsContext.REACH + sz.offset(), 647);
            assertThat(VerbsContext.hasQueryPort(memory)).isFalse();
        }
    }

    @ParameterizedTest
    @FieldSource("CONSTANT_CLASSES")
    void constantsAreThoseOfC(Class<?> constants) throws IllegalAccessException {
        for (java.lang.reflect.Field constant : constants.getFields()) {
            assertThat(GOLDEN.constants()).containsEntry(constant.getName(), (long) constant.getInt(null));
        }
        assertThat(constants.getFields()).isNotEmpty();
    }

    static final List<Class<?>> CONSTANT_CLASSES = List.of(IbvConstants.class, LinuxConstants.class);

    private static void check(long structSize, Method accessor, Field field) throws ReflectiveOperationException {
        boolean takesOffset = accessor.getParameterCount() > 1
                && accessor.getParameterTypes()[1] == long.class
                && !isPlainSetter(accessor);
        long at = takesOffset ? 2 * structSize : 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(4 * structSize, 8);
            MemorySegment bytes = memory.asSlice(at + field.offset(), field.size());
            if (accessor.getReturnType() == void.class) {
                set(accessor, memory, takesOffset, at);
                MemorySegment expected = arena.allocate(memory.byteSize());
                expected.asSlice(at + field.offset(), field.size()).fill((byte) 0xff);
                assertThat(memory.mismatch(expected))
                        .as("bytes written by %s", accessor)
                        .isEqualTo(-1);
            } else if (accessor.getReturnType() == MemorySegment.class) {
                MemorySegment slice = (MemorySegment) get(accessor, memory, takesOffset, at);
                assertThat(slice).as("slice of %s", accessor).isEqualTo(bytes);
            } else if (accessor.getReturnType() == String.class) {
                memory.fill((byte) 'y');
                bytes.fill((byte) 'x');
                assertThat(get(accessor, memory, takesOffset, at)).isEqualTo("x".repeat(field.size()));
                bytes.set(ValueLayout.JAVA_BYTE, 2, (byte) 0);
                assertThat(get(accessor, memory, takesOffset, at)).isEqualTo("xx");
            } else {
                bytes.fill((byte) 0xff);
                long allOnes = field.size() < 4 ? (1L << (8 * field.size())) - 1 : -1;
                assertThat(((Number) get(accessor, memory, takesOffset, at)).longValue())
                        .as("all ones read by %s", accessor)
                        .isEqualTo(allOnes);
                memory.fill((byte) 0xff);
                bytes.fill((byte) 0);
                assertThat(((Number) get(accessor, memory, takesOffset, at)).longValue())
                        .as("zeros read by %s", accessor)
                        .isZero();
            }
        }
    }

    /** Whether the second argument of a two-argument method is the value of an 8-byte field, not a position. */
    private static boolean isPlainSetter(Method accessor) {
        return accessor.getReturnType() == void.class && accessor.getParameterCount() == 2;
    }

    private static Object get(Method accessor, MemorySegment memory, boolean takesOffset, long at)
            throws ReflectiveOperationException {
        return takesOffset ? accessor.invoke(null, memory, at) : accessor.invoke(null, memory);
    }

    private static void set(Method accessor, MemorySegment memory, boolean takesOffset, long at)
            throws ReflectiveOperationException {
        Class<?> type = accessor.getParameterTypes()[accessor.getParameterCount() - 1];
        Number allOnes = -1;
        if (type == long.class) {
            allOnes = -1L;
        }
        if (takesOffset) {
            accessor.invoke(null, memory, at, allOnes);
        } else {
            accessor.invoke(null, memory, allOnes);
        }
    }

    /** {@code IbvSendWr} is {@code ibv_send_wr}. */
    private static String cName(Class<?> struct) {
        return struct.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
    }

    /** {@code wr.rdma.remote_addr} is {@code rdmaRemoteAddr}: wrappers that only name a union are left out. */
    private static Map<String, Field> fieldsByJavaName(String struct) {
        Map<String, Field> byName = new LinkedHashMap<>();
        GOLDEN.fields().forEach((name, field) -> {
            if (field.struct().equals(struct)) {
                String path = name.substring(struct.length() + 1).replaceFirst("^(ops|element|wr)\\.", "");
                String[] words = path.split("[._]", -1);
                String java = words[0]
                        + Arrays.stream(words)
                                .skip(1)
                                .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
                                .collect(Collectors.joining());
                byName.put(java, field);
            }
        });
        return byName;
    }
}
