// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What {@link MemoryRegion#reregister} changes of a region; what is null stays as it is. The parts that are there are the
 * {@code flags} of {@code ibv_rereg_mr(3)}.
 *
 * @param memory the memory ({@code IBV_REREG_MR_CHANGE_TRANSLATION})
 * @param domain the protection domain ({@code IBV_REREG_MR_CHANGE_PD})
 * @param access the rights ({@code IBV_REREG_MR_CHANGE_ACCESS})
 */
public record Reregistration(
        @Nullable MemorySegment memory,
        @Nullable ProtectionDomain domain,
        @Nullable Set<Access> access) {

    /**
     * Takes a copy of the rights.
     *
     * @throws IllegalArgumentException if nothing is changed
     */
    public Reregistration {
        if (memory == null && domain == null && access == null) {
            throw new IllegalArgumentException("a re-registration changes the memory, the domain or the rights");
        }
        access = access == null ? null : Set.copyOf(access);
    }

    /**
     * Other memory, of any size.
     *
     * @param memory as for {@link ProtectionDomain#register}
     * @return the change
     */
    public static Reregistration ofMemory(MemorySegment memory) {
        return new Reregistration(memory, null, null);
    }

    /**
     * Another protection domain.
     *
     * @param domain a domain of the same context
     * @return the change
     */
    public static Reregistration ofDomain(ProtectionDomain domain) {
        return new Reregistration(null, domain, null);
    }

    /**
     * Other rights.
     *
     * @param access all rights that the region has afterwards
     * @return the change
     */
    public static Reregistration ofAccess(Access... access) {
        return new Reregistration(null, null, set(access));
    }

    /**
     * The same with another protection domain.
     *
     * @param newDomain a domain of the same context
     * @return the change
     */
    public Reregistration withDomain(ProtectionDomain newDomain) {
        return new Reregistration(memory, newDomain, access);
    }

    /**
     * The same with other rights.
     *
     * @param newAccess all rights that the region has afterwards
     * @return the change
     */
    public Reregistration withAccess(Access... newAccess) {
        return new Reregistration(memory, domain, set(newAccess));
    }

    private static Set<Access> set(Access... access) {
        Set<Access> rights = EnumSet.noneOf(Access.class);
        rights.addAll(Arrays.asList(access));
        return rights;
    }
}
