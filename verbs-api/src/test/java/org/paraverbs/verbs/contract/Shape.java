// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import java.util.Set;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.QueuePairType;

/**
 * What a {@link Side} is made of.
 *
 * @param type the transport service, of connected queue pairs
 * @param depth requests that each queue has room for
 * @param elements scatter/gather elements of a request
 * @param inlineSize bytes of inline data asked for
 * @param signalAll whether every send request completes
 * @param memorySize bytes of its memory region
 * @param memoryAccess the rights of its memory region
 * @param withChannel whether its completion queues have a channel
 */
record Shape(
        QueuePairType type,
        int depth,
        int elements,
        int inlineSize,
        boolean signalAll,
        long memorySize,
        Set<Access> memoryAccess,
        boolean withChannel) {

    static final Shape DEFAULT = new Shape(
            QueuePairType.RELIABLE_CONNECTION,
            16,
            1,
            0,
            false,
            64 << 10,
            Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ),
            false);

    Shape depth(int newDepth) {
        return new Shape(type, newDepth, elements, inlineSize, signalAll, memorySize, memoryAccess, withChannel);
    }

    Shape elements(int newElements) {
        return new Shape(type, depth, newElements, inlineSize, signalAll, memorySize, memoryAccess, withChannel);
    }

    Shape inline(int newInlineSize) {
        return new Shape(type, depth, elements, newInlineSize, signalAll, memorySize, memoryAccess, withChannel);
    }

    Shape signalingAll() {
        return new Shape(type, depth, elements, inlineSize, true, memorySize, memoryAccess, withChannel);
    }

    Shape memory(long newMemorySize, Access... newAccess) {
        return new Shape(type, depth, elements, inlineSize, signalAll, newMemorySize, Set.of(newAccess), withChannel);
    }

    Shape memory(long newMemorySize) {
        return new Shape(type, depth, elements, inlineSize, signalAll, newMemorySize, memoryAccess, withChannel);
    }

    Shape channel() {
        return new Shape(type, depth, elements, inlineSize, signalAll, memorySize, memoryAccess, true);
    }

    Shape type(QueuePairType newType) {
        return new Shape(newType, depth, elements, inlineSize, signalAll, memorySize, memoryAccess, withChannel);
    }
}
