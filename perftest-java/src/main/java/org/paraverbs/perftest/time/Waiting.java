// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.time;

/** What a thread does between two polls that found nothing. Belongs to one thread. */
public interface Waiting {
    /** Called after each poll that found nothing. Must not allocate. */
    void idle();

    /** Called after a poll that found something. */
    void reset();
}
