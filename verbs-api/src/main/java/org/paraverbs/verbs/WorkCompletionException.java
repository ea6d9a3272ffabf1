// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** A work request completed with an error, found by {@link WorkCompletion#requireSuccess()}. */
public class WorkCompletionException extends VerbsException {

    private static final long serialVersionUID = 1L;

    /** The failed completion. */
    private final transient CompletionRecord completion;

    /**
     * A failed completion.
     *
     * @param completion a copy of it
     */
    public WorkCompletionException(CompletionRecord completion) {
        super(
                "ibv_poll_cq",
                completion.toString(),
                Errno.EIO,
                completion.status().cause());
        this.completion = completion;
    }

    /** The completion: request, status, vendor error, queue pair. */
    public final CompletionRecord completion() {
        return completion;
    }
}
