// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ReceiveQueue;
import org.paraverbs.verbs.SendQueue;
import org.paraverbs.verbs.SendWorkRequest;
import org.paraverbs.verbs.WorkCompletion;

/** SEND there, SEND back: a message has arrived when its receive completes. */
final class SendPingPong implements LatencyLoop.PingPong {
    private final Session session;
    private final Settings.Load load;
    private final CompletionWait wait;
    private final CompletionQueue sendCompletions;
    private final CompletionQueue receiveCompletions;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final MemoryRegion region;
    private final long size;
    private final long sendOffset;
    private final long receiveOffset;
    private final boolean inline;

    SendPingPong(Session session, long size, CompletionWait wait) {
        this.session = session;
        this.size = size;
        this.wait = wait;
        load = session.settings().load();
        Resources resources = session.resources();
        sendCompletions = resources.sendCompletions();
        receiveCompletions = resources.receiveCompletions();
        sends = session.queuePair(0).sendQueue();
        receives = session.queuePair(0).receiveQueue();
        region = resources.region();
        sendOffset = resources.buffers().sendOffset(0);
        receiveOffset = resources.buffers().receiveOffset(0);
        inline = size <= resources.inlineSize();
    }

    /** Posts as many receives as the depth allows; before the peer may send. */
    void postReceives() {
        for (int i = 0; i < load.rxDepth(); i++) {
            receives.receive(0).local(region, receiveOffset, size);
        }
        receives.post();
    }

    @Override
    public boolean awaitMessage(long received) {
        @Nullable WorkCompletion completion = wait.next(receiveCompletions);
        if (completion == null) {
            return false;
        }
        if (!completion.isSuccess()) {
            throw CompletionErrors.ofReceive(session, completion, received);
        }
        if (load.isDuration() || received + 1 + load.rxDepth() <= load.iterations()) {
            receives.receive(0).local(region, receiveOffset, size);
            receives.post();
        }
        return true;
    }

    @Override
    public boolean send(long sent, boolean signaled) {
        SendWorkRequest request = sends.send(0);
        if (inline) {
            request.inline(region.memory(), sendOffset, size);
        } else {
            request.local(region, sendOffset, size);
        }
        if (signaled) {
            request.signaled();
        }
        sends.post();
        if (!signaled) {
            return true;
        }
        WorkCompletion completion = wait.next(sendCompletions);
        if (completion != null && !completion.isSuccess()) {
            throw CompletionErrors.ofSend(session, completion, sent + 1, sent);
        }
        return completion != null;
    }
}
