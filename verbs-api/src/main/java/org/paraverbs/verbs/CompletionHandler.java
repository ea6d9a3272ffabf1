// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** Is given completions by {@link CompletionQueue#poll(CompletionHandler, int)}. Keep it in a field, so that polling allocates nothing. */
@FunctionalInterface
public interface CompletionHandler {

    /**
     * Handles a completion.
     *
     * @param completion a view that is valid during this call only
     */
    void onCompletion(WorkCompletion completion);
}
