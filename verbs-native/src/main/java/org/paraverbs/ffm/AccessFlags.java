// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.util.EnumSet;
import java.util.Set;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.verbs.Access;

/** Access rights as {@code enum ibv_access_flags}. */
final class AccessFlags {
    private AccessFlags() {}

    static int of(Set<Access> rights) {
        int flags = 0;
        for (Access right : rights) {
            flags |= flag(right);
        }
        return flags;
    }

    /** The remote rights alone; allocates nothing, for the data path. */
    static int remote(Set<Access> rights) {
        return (rights.contains(Access.REMOTE_WRITE) ? IbvConstants.IBV_ACCESS_REMOTE_WRITE : 0)
                | (rights.contains(Access.REMOTE_READ) ? IbvConstants.IBV_ACCESS_REMOTE_READ : 0)
                | (rights.contains(Access.REMOTE_ATOMIC) ? IbvConstants.IBV_ACCESS_REMOTE_ATOMIC : 0);
    }

    /** The rights in a mask; bits that this version does not know are left out. */
    static Set<Access> toSet(int flags) {
        Set<Access> rights = EnumSet.noneOf(Access.class);
        for (Access right : Access.values()) {
            if ((flags & flag(right)) != 0) {
                rights.add(right);
            }
        }
        return rights;
    }

    private static int flag(Access right) {
        return switch (right) {
            case LOCAL_WRITE -> IbvConstants.IBV_ACCESS_LOCAL_WRITE;
            case REMOTE_WRITE -> IbvConstants.IBV_ACCESS_REMOTE_WRITE;
            case REMOTE_READ -> IbvConstants.IBV_ACCESS_REMOTE_READ;
            case REMOTE_ATOMIC -> IbvConstants.IBV_ACCESS_REMOTE_ATOMIC;
            case MEMORY_WINDOW_BIND -> IbvConstants.IBV_ACCESS_MW_BIND;
        };
    }
}
