// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.verbs.QueuePairType;

/** A queue pair. */
final class KernelQueuePair {
    final int handle;
    final int qpn;
    final QueuePairType type;
    final KernelDomain domain;

    /** What cannot go before it. */
    final List<Users> uses;

    final PinnedMemory memory;

    /** One modification or query at a time. */
    final ReentrantLock turn = new ReentrantLock();

    // Guarded by the lock above. The state is what the kernel last heard of.
    int state = QpState.RESET;
    int port;

    KernelQueuePair(
            int handle, int qpn, QueuePairType type, KernelDomain domain, List<Users> uses, PinnedMemory memory) {
        this.handle = handle;
        this.qpn = qpn;
        this.type = type;
        this.domain = domain;
        this.uses = uses;
        this.memory = memory;
    }
}
