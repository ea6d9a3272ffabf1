// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * Not all requests of a batch were accepted ({@code ibv_post_send(3)}, {@code ibv_post_recv(3)}). Those accepted are
 * posted, the others are forgotten; a full queue has the error number ENOMEM. Where a full queue is nothing unusual,
 * use {@link SendQueue#tryPost()}.
 */
public class PostException extends VerbsException {

    private static final long serialVersionUID = 1L;

    /** How many requests were posted. */
    private final int accepted;

    /**
     * A batch that was not accepted as a whole.
     *
     * @param verb {@code ibv_post_send} or {@code ibv_post_recv}
     * @param object the queue pair, in words
     * @param errno the error number
     * @param accepted how many requests, from the first one on, were posted
     * @param advice what it means here and what to do next
     */
    public PostException(String verb, String object, int errno, int accepted, String advice) {
        super(verb, object, errno, advice);
        this.accepted = accepted;
    }

    /** How many requests, from the first one of the batch on, were posted. */
    public final int accepted() {
        return accepted;
    }
}
