// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** A queue pair was asked for a transition that the specification does not have ({@code ibv_modify_qp(3)}). */
public class QueuePairStateException extends VerbsException {

    private static final long serialVersionUID = 1L;

    /** The state that the queue pair was in. */
    private final QueuePairState from;

    /** The state that was asked for. */
    private final QueuePairState to;

    /**
     * A refused transition.
     *
     * @param object the queue pair and the transition, in words
     * @param errno the error number of the verb
     * @param from the state that the queue pair was in
     * @param to the state that was asked for
     * @param advice the way that the specification has
     */
    public QueuePairStateException(String object, int errno, QueuePairState from, QueuePairState to, String advice) {
        super("ibv_modify_qp", object, errno, advice);
        this.from = from;
        this.to = to;
    }

    /** The state that the queue pair was in. */
    public final QueuePairState from() {
        return from;
    }

    /** The state that was asked for. */
    public final QueuePairState to() {
        return to;
    }
}
