// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import org.paraverbs.verbs.WorkCompletion;

/** What has requests outstanding under its slot of {@link RequestId}: a queue pair, or a shared receive queue. */
interface RequestOwner {

    /** The account that requests of one direction are in. */
    RequestAccount account(boolean ofReceives);

    /** Notes a completion with an error. */
    void noteFailed(WorkCompletion completion);
}
