// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;

/**
 * {@code libibverbs.so.1} as it was loaded into this process, or the reason why it was not.
 *
 * <p><b>Symbol versions.</b> The library exports many functions twice, {@code NAME@IBVERBS_1.0} for programs linked
 * before 2006 and {@code NAME@@IBVERBS_1.1}. A {@link SymbolLookup} asks {@code dlsym}, which never chooses a version
 * that is hidden ({@code @}), so it finds what a C program linked today gets; {@code SymbolVersionTest} checks that.
 * <b>Macros.</b> For {@code ibv_query_port} and {@code ibv_reg_mr} a C program of today does not call the symbol of that
 * name at all: see {@link DeviceVerbs#queryPort} and {@link MemoryVerbs#registerMemory}. {@code ibv_get_device_list}
 * is a macro for statically linked programs only.
 */
public final class IbverbsLibrary {

    /** The system property that names another library file, for tests and unusual installations. */
    public static final String NAME_PROPERTY = "org.paraverbs.ffm.library";

    /** The version in the name is the ABI: the plain {@code libibverbs.so} comes with development packages only. */
    static final String DEFAULT_NAME = "libibverbs.so.1";

    private static final String NAME = System.getProperty(NAME_PROPERTY, DEFAULT_NAME);
    private static final @Nullable SymbolLookup LOOKUP;
    private static final @Nullable String UNAVAILABILITY;

    static {
        SymbolLookup lookup = null;
        String reason = platformReason(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
        if (reason == null) {
            try {
                lookup = load(NAME);
                if (lookup.find("ibv_get_device_list").isEmpty()) {
                    reason = notOurs(NAME);
                } else {
                    reason = ForkSupport.start(lookup);
                }
            } catch (IllegalArgumentException e) {
                reason = notLoaded(NAME);
            } catch (IllegalCallerException e) {
                reason = noNativeAccess(IbverbsLibrary.class.getModule());
            }
        }
        LOOKUP = lookup;
        UNAVAILABILITY = reason;
    }

    private IbverbsLibrary() {}

    /** Why the library cannot be used on this machine: one sentence that says what to do, or nothing if it can. */
    public static Optional<String> unavailability() {
        return Optional.ofNullable(UNAVAILABILITY);
    }

    /** The name or path of the library that was loaded. */
    public static String name() {
        return NAME;
    }

    @SuppressWarnings("restricted")
    private static SymbolLookup load(String name) {
        return SymbolLookup.libraryLookup(name, Arena.global());
    }

    static @Nullable String platformReason(String system, String architecture) {
        if (system.equals("Linux") && architecture.equals("amd64")) {
            return null;
        }
        return "this binding knows libibverbs on Linux on x86-64 only, and this is " + system + " on " + architecture
                + "; emulated devices (verbs-pvrdma-emu) work on any system";
    }

    static String notLoaded(String name) {
        String advice = name.equals(DEFAULT_NAME)
                ? "install it, in the package libibverbs1 (Debian, Ubuntu, SUSE) or libibverbs (Fedora, Red Hat) of rdma-core"
                : "the system property " + NAME_PROPERTY + " names it: check the path, or remove the property to use "
                        + DEFAULT_NAME;
        return "the library " + name + " was not found or is not one for this machine; " + advice;
    }

    static String notOurs(String name) {
        return "the library " + name + " is not libibverbs, it has no ibv_get_device_list; correct or remove the system"
                + " property " + NAME_PROPERTY;
    }

    static String noNativeAccess(Module module) {
        String name = module.isNamed() ? module.getName() : "ALL-UNNAMED";
        return "native access is denied to the FFM binding; start java with --enable-native-access=" + name;
    }

    /** The address of an exported function, or null where this release of the library has none of that name. */
    static @Nullable MemorySegment find(String name) {
        SymbolLookup lookup = LOOKUP;
        if (lookup == null) {
            throw new VerbsException(name, "", Errno.ENOSYS, unavailability().orElse(""));
        }
        return lookup.find(name).orElse(null);
    }

    /** A handle for an exported function; linked when first used, so that a missing one harms nobody else. */
    static MethodHandle function(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        MemorySegment address = find(name);
        if (address == null) {
            throw new VerbsException(
                    name, "", Errno.ENOSYS, NAME + " has no such function; is it the libibverbs of rdma-core?");
        }
        return Native.function(address, descriptor, options);
    }
}
