// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import java.util.Set;
import org.paraverbs.verbs.Access;

/**
 * What a {@link Side} is made of.
 *
 * @param depth requests that each queue has room for
 * @param elements scatter/gather elements of a request
 * @param inlineSize bytes of inline data asked for
 * @param signalAll whether every send request completes
 * @param memorySize bytes of its memory region
 * @param memoryAccess the rights of its memory region
 * @param withChannel whether its completion queues have a channel
 */
record Shape(
        int depth,
        int elements,
        int inlineSize,
        boolean signalAll,
        long memorySize,
        Set<Access> memoryAccess,
        boolean withChannel) {

    static final Shape DEFAULT = new Shape(
            16, 1, 0, false, 64 << 10, Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ), false);

    Shape depth(int newDepth) {
        return new Shape(newDepth, elements, inlineSize, signalAll, memorySize, memoryAccess, withChannel);
    }

    Shape elements(int newElements) {
        return new Shape(depth, newElements, inlineSize, signalAll, memorySize, memoryAccess, withChannel);
    }

    Shape inline(int newInlineSize) {
        return new Shape(depth, elements, newInlineSize, signalAll, memorySize, memoryAccess, withChannel);
    }

    Shape signalingAll() {
        return new Shape(depth, elements, inlineSize, true, memorySize, memoryAccess, withChannel);
    }

    Shape memory(long newMemorySize, Access... newAccess) {
        return new Shape(depth, elements, inlineSize, signalAll, newMemorySize, Set.of(newAccess), withChannel);
    }

    Shape memory(long newMemorySize) {
        return new Shape(depth, elements, inlineSize, signalAll, newMemorySize, memoryAccess, withChannel);
    }

    Shape channel() {
        return new Shape(depth, elements, inlineSize, signalAll, memorySize, memoryAccess, true);
    }
}
