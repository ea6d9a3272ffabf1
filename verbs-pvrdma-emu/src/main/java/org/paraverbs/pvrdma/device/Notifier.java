// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.link.MailSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a device tells its guest: completions, for which queues it wants to be told, asynchronous events, and the interrupts for
 * both. Belongs to the ticket's holder, but for the doorbells.
 */
final class Notifier {
    private static final Logger LOG = LoggerFactory.getLogger(Notifier.class);

    private static final String RING = "the ring of completion queue";

    /** How long to wait for the guest to make room in a ring. */
    private static final long RETRY_NS = 1_000_000;

    private final DeviceCore core;
    private final Interrupts interrupts;

    private final MailSet armedAny;
    private final MailSet armedSolicited;
    private final MailSet polled;
    private final MailSet untold;
    private final MailSet holding;
    private final MailSet.Reader armAny = handle -> arm(handle, false);
    private final MailSet.Reader armSolicited = handle -> arm(handle, true);
    private final MailSet.Reader tellAgain = this::tellAgain;
    private final MailSet.Reader publishHeld = this::publishHeld;

    private @Nullable NotificationRing asyncRing;
    private @Nullable NotificationRing completionRing;
    private boolean raiseCompletion;
    private boolean raiseAsync;
    private long newCompletions;
    private long newEvents;
    private boolean eventLost;
    private long retryNs = Long.MAX_VALUE;

    Notifier(DeviceCore core, Interrupts interrupts) {
        this.core = core;
        this.interrupts = interrupts;
        int queues = core.configuration.limits().maxCq();
        armedAny = new MailSet(queues);
        armedSolicited = new MailSet(queues);
        polled = new MailSet(queues);
        untold = new MailSet(queues);
        holding = new MailSet(queues);
    }

    // --- doorbells; any thread

    /** A completion queue was armed; {@link #serveAlert} must follow. */
    void armed(int handle, boolean solicitedOnly) {
        (solicitedOnly ? armedSolicited : armedAny).put(handle);
    }

    /**
     * A completion queue was found empty.
     *
     * @return whether the device has completions for it that found no room before; then {@link #serveAlert} must follow
     */
    boolean polled(int handle) {
        CompletionQueue queue = core.completionQueues.get(handle);
        if (queue == null || !queue.isHolding()) {
            return false;
        }
        polled.put(handle);
        return true;
    }

    // --- completions

    /**
     * Writes a completion. A queue that has no room has overrun: the guest is told once of the queue, and of each queue pair whose
     * completion is lost by it; false is returned, upon which the queue pair must stop.
     *
     * @param sourceQpn number of the queue pair that it came from, 0 if there is none
     */
    boolean complete(
            CompletionQueue queue,
            QueuePair pair,
            long wrId,
            int opcode,
            int status,
            long byteLength,
            int immediate,
            int flags,
            boolean solicited,
            int sourceQpn) {
        if (queue.isFailed()) {
            lose(pair);
            return false;
        }
        boolean put;
        try {
            put = queue.put(wrId, pair.handle, opcode, status, byteLength, immediate, sourceQpn, flags);
        } catch (RuntimeException | InternalError e) {
            core.memoryGone(RING, queue.handle, e);
            put = false;
        }
        if (!put) {
            queue.fail();
            event(EventType.CQ_ERR, queue.handle);
            lose(pair);
            return false;
        }
        core.counters.completions++;
        if (status != WcStatus.SUCCESS) {
            core.counters.failedCompletions++;
            if (DeviceEvents.FailedCompletion.isWanted()) {
                DeviceEvents.FailedCompletion.commit(core, queue.handle, pair.qpn, wrId, opcode, status);
            }
        }
        if (queue.isHolding()) {
            core.counters.heldBack++;
            holding.put(queue.handle);
            retryLater();
        }
        if (queue.arming.completed(solicited, core.currentHold())) {
            tell(queue.handle);
        }
        if (raiseCompletion || interrupts.isHeld(InterruptVector.CQ)) {
            newCompletions++;
        }
        return true;
    }

    /** A completion of a queue pair could not be delivered. One that is in error already only loses flushes. */
    private void lose(QueuePair pair) {
        if (pair.state != QpState.ERR && pair.state != QpState.RESET) {
            event(EventType.QP_FATAL, pair.handle);
        }
    }

    /** Puts completions that were held back into the ring, as far as there is room now. */
    private void publishHeld(int handle) {
        CompletionQueue queue = core.completionQueues.get(handle);
        if (queue == null || !queue.isHolding()) {
            return;
        }
        int waiting = queue.heldBack();
        boolean sound;
        try {
            sound = queue.publishHeld();
        } catch (RuntimeException | InternalError e) {
            core.memoryGone(RING, handle, e);
            sound = false;
        }
        if (!sound) {
            queue.fail();
            event(EventType.CQ_ERR, handle);
            return;
        }
        // They were told of when they came; who has armed the queue since then is told again rather than never.
        if (queue.heldBack() != waiting && queue.arming.completed(true, core.currentHold())) {
            tell(handle);
        }
        if (queue.isHolding()) {
            holding.put(handle);
            retryLater();
        }
    }

    private void arm(int handle, boolean solicitedOnly) {
        publishHeld(handle);
        CompletionQueue queue = core.completionQueues.get(handle);
        if (queue != null && queue.arming.arm(solicitedOnly, core.currentHold())) {
            tell(handle);
        }
    }

    private void tell(int handle) {
        NotificationRing ring = completionRing;
        boolean told;
        try {
            told = ring != null && ring.putCompletionQueue(handle);
        } catch (RuntimeException | InternalError e) {
            core.memoryGone("the notification ring, for completion queue", handle, e);
            told = false;
        }
        if (told) {
            raiseCompletion = true;
        } else {
            untold.put(handle);
            retryLater();
        }
    }

    private void tellAgain(int handle) {
        if (core.completionQueues.get(handle) != null) { // it may have gone meanwhile
            tell(handle);
        }
    }

    private void retryLater() {
        if (retryNs == Long.MAX_VALUE) {
            retryNs = core.nowNs() + RETRY_NS;
            core.armDeadline(retryNs);
        }
    }

    // --- asynchronous events

    /** Tells the guest of an asynchronous event. */
    void event(int type, int info) {
        NotificationRing ring = asyncRing;
        boolean told;
        try {
            told = ring != null && ring.putEvent(type, info);
        } catch (RuntimeException | InternalError e) {
            core.memoryGone("the event ring, for event", type, e);
            told = false;
        }
        if (told) {
            raiseAsync = true;
            newEvents++;
            core.counters.events++;
            return;
        }
        core.counters.lostEvents++;
        if (!eventLost) {
            eventLost = true; // a guest that does not look must not fill the log
            LOG.warn("Asynchronous event {} for {} and others are lost: the driver's ring has no room", type, info);
        }
    }

    // --- rounds

    void serveAlert() {
        polled.takeAll(publishHeld);
        armedAny.takeAll(armAny);
        armedSolicited.takeAll(armSolicited);
    }

    void serveDeadlines(long nowNs) {
        if (retryNs <= nowNs) {
            retryNs = Long.MAX_VALUE;
            untold.takeAll(tellAgain);
            holding.takeAll(publishHeld);
        }
        interrupts.serveDeadlines(nowNs);
        core.armDeadline(deadlineNs());
    }

    /** Raises the interrupts for what the round has brought, or holds them back. */
    void finishRound() {
        if (raiseAsync) {
            raiseAsync = false;
            interrupts.raise(InterruptVector.ASYNC, newEvents, now(InterruptVector.ASYNC));
            newEvents = 0;
            core.armDeadline(interrupts.deadlineNs());
        }
        if (raiseCompletion) {
            raiseCompletion = false;
            interrupts.raise(InterruptVector.CQ, Math.max(1, newCompletions), now(InterruptVector.CQ));
            newCompletions = 0;
            core.armDeadline(interrupts.deadlineNs());
        } else if (newCompletions != 0) {
            interrupts.add(InterruptVector.CQ, newCompletions);
            newCompletions = 0;
        }
    }

    /** Asking for the time costs more than raising an interrupt. */
    private long now(int vector) {
        return interrupts.isModerated(vector) ? core.nowNs() : 0;
    }

    /** When {@link #serveDeadlines} must be called next. */
    private long deadlineNs() {
        return Math.min(retryNs, interrupts.deadlineNs());
    }

    // --- control

    boolean isActive() {
        return asyncRing != null;
    }

    void activate(NotificationRing async, NotificationRing completions) {
        asyncRing = async;
        completionRing = completions;
    }

    /** As after power-on. */
    void clear() {
        asyncRing = null;
        completionRing = null;
        raiseAsync = false;
        raiseCompletion = false;
        newCompletions = 0;
        newEvents = 0;
        eventLost = false;
        retryNs = Long.MAX_VALUE;
        untold.takeAll(handle -> {});
        holding.takeAll(handle -> {});
        interrupts.reset();
    }
}
