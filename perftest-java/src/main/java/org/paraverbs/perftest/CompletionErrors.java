// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.util.Locale;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.WorkCompletion;

/** What is said of a completion that failed: the C programs' words, which scripts look for, and what they mean. */
final class CompletionErrors {
    private CompletionErrors() {}

    static PerftestException ofSend(Session session, WorkCompletion completion, long posted, long completed) {
        return of(session, completion, "\nscnt=" + posted + ", ccnt=" + completed);
    }

    static PerftestException ofReceive(Session session, WorkCompletion completion, long received) {
        return of(session, completion, "\nrcnt=" + received);
    }

    private static PerftestException of(Session session, WorkCompletion completion, String counts) {
        CompletionRecord failed = firstError(session, completion);
        String text = "Completion with error at " + session.sideName()
                + String.format(
                        Locale.ROOT,
                        "\n Failed status %d: wr_id %d syndrom 0x%x",
                        failed.rawStatus(),
                        failed.id(),
                        failed.vendorError())
                + counts + "\n" + failed.status().words() + ": "
                + failed.status().cause()
                + (session.peerHasLeft() ? "\nthe peer has left; its own messages say why" : "");
        boolean bandwidth = session.settings().program().isBandwidth();
        return new PerftestException(text, bandwidth ? PerftestException.FAILED : PerftestException.RUN_FAILED);
    }

    /** The flushed requests behind a failed one say nothing; the one before them does. */
    private static CompletionRecord firstError(Session session, WorkCompletion completion) {
        int qpn = completion.qpn();
        for (QueuePair queuePair : session.resources().queuePairs()) {
            CompletionRecord first = queuePair.firstError();
            if (queuePair.qpn() == qpn && first != null) {
                return first;
            }
        }
        return completion.copy();
    }
}
