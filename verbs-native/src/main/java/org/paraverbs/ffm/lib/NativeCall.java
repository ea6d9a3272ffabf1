// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;

/**
 * The three ways in which functions of libibverbs and of the C library say that they failed, made exceptions. For the
 * control plane; the data path looks at return values itself. Each method repeats a call that a signal interrupted
 * ({@code EINTR}): such a call did nothing.
 */
public final class NativeCall {

    /** A signal per call is rare; this many in a row are a defect, and a loop must end. */
    private static final int ATTEMPTS_MAX = 1000;

    private NativeCall() {}

    /** A call that answers with a pointer or a number and leaves {@code errno} in the segment that it is given. */
    @FunctionalInterface
    public interface Capturing<T> {
        T call(MemorySegment errno);
    }

    /** Where a function answers with 0 or an error number: modify, query, destroy. */
    public static void zero(String verb, String object, IntFunction<String> advice, IntSupplier call) {
        int result = call.getAsInt();
        for (int attempt = 1; result == Errno.EINTR.number() && attempt < ATTEMPTS_MAX; attempt++) {
            result = call.getAsInt();
        }
        if (result != 0) {
            throw new VerbsException(verb, object, result, advice.apply(result));
        }
    }

    /** Where a function answers with NULL and {@code errno}: open, allocate, register, create. */
    public static long nonNull(String verb, String object, IntFunction<String> advice, Capturing<Long> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = CapturedErrno.allocate(arena);
            long pointer = call.call(errno);
            for (int attempt = 1; pointer == 0 && interrupted(errno) && attempt < ATTEMPTS_MAX; attempt++) {
                pointer = call.call(errno);
            }
            if (pointer == 0) {
                throw failure(verb, object, advice, errno);
            }
            return pointer;
        }
    }

    /** Where a function answers with a negative number and {@code errno}: {@code ibv_get_cq_event}, {@code poll}. */
    public static int nonNegative(String verb, String object, IntFunction<String> advice, Capturing<Integer> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = CapturedErrno.allocate(arena);
            int result = call.call(errno);
            for (int attempt = 1; result < 0 && interrupted(errno) && attempt < ATTEMPTS_MAX; attempt++) {
                result = call.call(errno);
            }
            if (result < 0) {
                throw failure(verb, object, advice, errno);
            }
            return result;
        }
    }

    /**
     * The same for a descriptor that does not block.
     *
     * @return false if there is nothing to take yet ({@code EAGAIN})
     */
    public static boolean available(String verb, String object, IntFunction<String> advice, Capturing<Integer> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = CapturedErrno.allocate(arena);
            int result = call.call(errno);
            for (int attempt = 1; result < 0 && interrupted(errno) && attempt < ATTEMPTS_MAX; attempt++) {
                result = call.call(errno);
            }
            if (result < 0 && CapturedErrno.get(errno) != Errno.EAGAIN.number()) {
                throw failure(verb, object, advice, errno);
            }
            return result >= 0;
        }
    }

    /** What a function answered, and {@code errno} after it. */
    public record Answer(int code, int errno) {}

    /** Where a function answers with codes of its own, and what it did cannot be repeated: {@code ibv_rereg_mr}. */
    public static Answer once(Capturing<Integer> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = CapturedErrno.allocate(arena);
            return new Answer(call.call(errno), CapturedErrno.get(errno));
        }
    }

    private static boolean interrupted(MemorySegment errno) {
        return CapturedErrno.get(errno) == Errno.EINTR.number();
    }

    private static VerbsException failure(
            String verb, String object, IntFunction<String> advice, MemorySegment captured) {
        int errno = CapturedErrno.get(captured);
        return new VerbsException(verb, object, errno, advice.apply(errno));
    }
}
