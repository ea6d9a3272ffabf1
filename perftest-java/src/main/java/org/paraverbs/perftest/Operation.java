// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.util.Set;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.SendQueue;
import org.paraverbs.verbs.SendWorkRequest;

/** What a test does with its messages: the one thing in which programs of the same shape differ. */
enum Operation {
    SEND("Send", 0, true) {
        @Override
        SendWorkRequest begin(SendQueue queue, long id, RemoteBuffer remote, long offset) {
            return queue.send(id);
        }

        @Override
        Set<Access> queuePairAccess() {
            return Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        }
    },

    WRITE("RDMA_Write", 2, false) {
        @Override
        SendWorkRequest begin(SendQueue queue, long id, RemoteBuffer remote, long offset) {
            return queue.write(id, remote, offset);
        }

        @Override
        Set<Access> queuePairAccess() {
            return Set.of(Access.REMOTE_WRITE);
        }
    };

    private final String title;
    private final int negotiationCode;
    private final boolean twoSided;

    Operation(String title, int negotiationCode, boolean twoSided) {
        this.title = title;
        this.negotiationCode = negotiationCode;
        this.twoSided = twoSided;
    }

    /**
     * Begins one message. Called in the measured loops.
     *
     * @param queue where to post it
     * @param id comes back in the completion
     * @param remote the peer's buffer; unused by SEND
     * @param offset where in the peer's buffer; unused by SEND
     */
    abstract SendWorkRequest begin(SendQueue queue, long id, RemoteBuffer remote, long offset);

    /** What the peer may do through the queue pair. */
    abstract Set<Access> queuePairAccess();

    /** Its name in the banner. */
    String title() {
        return title;
    }

    /** Its code in the comparison of parameters. */
    int negotiationCode() {
        return negotiationCode;
    }

    /** Whether the peer must post a receive for each message. */
    boolean isTwoSided() {
        return twoSided;
    }
}
