// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

/**
 * What a program asks for when it creates a queue pair. The provider has rounded the sizes, and laid out its rings, before
 * the kernel sees them.
 *
 * @param type of {@link org.paraverbs.pvrdma.abi.QpType}
 * @param protectionDomain handle
 * @param sendQueue handle of the completion queue for sends
 * @param receiveQueue handle of the completion queue for receives
 * @param sharedReceives handle of the shared receive queue that its receives come from, or {@link #OWN_RECEIVES}
 * @param maxSends work requests of the send ring
 * @param maxReceives work requests of the receive ring; 0 if the receives are shared
 * @param maxSendElements elements of a send request
 * @param maxReceiveElements elements of a receive; 0 if the receives are shared
 * @param signalAll whether every send completes with a completion
 */
public record QueuePairRequest(
        int type,
        int protectionDomain,
        int sendQueue,
        int receiveQueue,
        int sharedReceives,
        int maxSends,
        int maxReceives,
        int maxSendElements,
        int maxReceiveElements,
        boolean signalAll) {

    /** In place of the handle of a shared receive queue. */
    public static final int OWN_RECEIVES = -1;

    /** Whether its receives come from a shared receive queue. */
    public boolean hasSharedReceives() {
        return sharedReceives != OWN_RECEIVES;
    }
}
