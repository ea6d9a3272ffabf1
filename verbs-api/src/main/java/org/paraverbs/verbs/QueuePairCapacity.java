// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * The sizes of a queue pair's queues ({@code struct ibv_qp_cap}).
 *
 * @param maxSends outstanding requests of the send queue
 * @param maxReceives outstanding receives
 * @param maxSendElements scatter/gather elements of a send request
 * @param maxReceiveElements scatter/gather elements of a receive
 * @param maxInlineSize bytes of inline data of a send request
 */
public record QueuePairCapacity(
        int maxSends, int maxReceives, int maxSendElements, int maxReceiveElements, int maxInlineSize) {

    /** Checks that nothing is negative. */
    public QueuePairCapacity {
        if (maxSends < 0 || maxReceives < 0 || maxSendElements < 0 || maxReceiveElements < 0 || maxInlineSize < 0) {
            throw new IllegalArgumentException("a queue pair's sizes cannot be negative: sends " + maxSends
                    + ", receives " + maxReceives + ", send elements " + maxSendElements + ", receive elements "
                    + maxReceiveElements + ", inline size " + maxInlineSize);
        }
    }
}
