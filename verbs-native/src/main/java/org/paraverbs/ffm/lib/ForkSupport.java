// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.paraverbs.ffm.lib.Native.INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.struct.IbvConstants;

/**
 * Whether registered memory survives a {@code fork(2)} of this process ({@code ibv_fork_init(3)}). Kernels since Linux 5.12
 * copy pinned pages for the child. Older ones copy them for whoever writes first, which may be the parent, whose writes the
 * device then no longer sees; there the library can keep the child from sharing them, if that is asked for before anything
 * else, at the price of a {@code madvise} for each registration.
 *
 * <p>The JDK itself starts programs without copying the address space; native code in the process may do otherwise.
 */
final class ForkSupport {

    /** The system property: {@code auto} where the kernel does not copy, {@code always}, or {@code never}. */
    static final String PROPERTY = "org.paraverbs.ffm.fork";

    private ForkSupport() {}

    /**
     * Does what the property says; before anything else is called.
     *
     * @param lookup the library
     * @return why the library may not be used, or null
     */
    static @Nullable String start(SymbolLookup lookup) {
        String wish = System.getProperty(PROPERTY, "auto");
        if (!wish.equals("auto") && !wish.equals("always") && !wish.equals("never")) {
            return "the system property " + PROPERTY + " is '" + wish + "'; it may be auto, always or never";
        }
        MemorySegment status = lookup.find("ibv_is_fork_initialized").orElse(null);
        boolean copiedByKernel = status != null && call(status) == IbvConstants.IBV_FORK_UNNEEDED;
        if (!wanted(wish, copiedByKernel, System.getProperty("os.version", ""))) {
            return null;
        }
        MemorySegment init = lookup.find("ibv_fork_init").orElse(null);
        int errno = init == null ? -1 : call(init);
        return errno == 0 || !wish.equals("always")
                ? null
                : "ibv_fork_init failed with error " + errno + ", and the system property " + PROPERTY
                        + " asks for it: remove the property, or start no child processes";
    }

    /**
     * Whether to ask the library for it.
     *
     * @param wish the value of the property
     * @param copiedByKernel whether the kernel says that it copies; it does not say so where it has no RDMA
     * @param release the release of the kernel, for libraries that do not ask it
     */
    static boolean wanted(String wish, boolean copiedByKernel, String release) {
        return switch (wish) {
            case "always" -> true;
            case "never" -> false;
            default -> !copiedByKernel && isBefore(release, 5, 12);
        };
    }

    private static boolean isBefore(String release, int major, int minor) {
        String[] numbers = release.split("[^0-9]+", 3);
        try {
            int first = Integer.parseInt(numbers[0]);
            int second = numbers.length > 1 ? Integer.parseInt(numbers[1]) : 0;
            return first < major || (first == major && second < minor);
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static int call(MemorySegment function) {
        MethodHandle handle = Native.function(function, FunctionDescriptor.of(INT));
        try {
            return (int) handle.invokeExact();
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }
}
