// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.Cqne;
import org.paraverbs.pvrdma.abi.Eqe;
import org.paraverbs.pvrdma.abi.EventType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the driver does when the device has news (pvrdma_main.c). Runs on the thread that runs the device: waits for
 * nothing, and for completions allocates nothing.
 */
final class InterruptHandlers {
    private static final Logger LOG = LoggerFactory.getLogger(InterruptHandlers.class);

    private final NotificationRing events;
    private final NotificationRing completions;
    private final CompletionQueues completionQueues;
    private final SharedReceiveQueues sharedReceiveQueues;
    private final QueuePairs queuePairs;
    private final Contexts contexts;
    private final int ports;
    private final HandlerCount running;

    private final NotificationRing.Reader eventReader = this::readEvent;
    private final NotificationRing.Reader completionReader = this::readCompletion;

    InterruptHandlers(
            DeviceShare share,
            CompletionQueues completionQueues,
            SharedReceiveQueues sharedReceiveQueues,
            QueuePairs queuePairs,
            Contexts contexts,
            int ports,
            HandlerCount running) {
        this.events = share.eventRing();
        this.completions = share.completionRing();
        this.completionQueues = completionQueues;
        this.sharedReceiveQueues = sharedReceiveQueues;
        this.queuePairs = queuePairs;
        this.contexts = contexts;
        this.ports = ports;
        this.running = running;
    }

    /** Vector 1. */
    void onEvents() {
        running.begin();
        try {
            events.drain(eventReader);
        } finally {
            running.end();
        }
    }

    /** Vector 2. */
    void onCompletions() {
        running.begin();
        try {
            completions.drain(completionReader);
        } finally {
            running.end();
        }
    }

    private void readCompletion(MemorySegment ring, long at) {
        KernelCompletionQueue queue = completionQueues.ofDevice(Cqne.info(ring, at));
        if (queue != null && queue.onCompletion() != null) {
            queue.onCompletion().run();
        }
    }

    private void readEvent(MemorySegment ring, long at) {
        int type = Eqe.type(ring, at);
        int info = Eqe.info(ring, at);
        switch (type) {
            case EventType.QP_FATAL,
                    EventType.QP_REQ_ERR,
                    EventType.QP_ACCESS_ERR,
                    EventType.COMM_EST,
                    EventType.SQ_DRAINED,
                    EventType.QP_LAST_WQE_REACHED -> {
                KernelQueuePair pair = queuePairs.ofDevice(info);
                if (pair != null) {
                    pair.domain.context().events().onQueuePairEvent(type, pair.handle);
                }
            }
            case EventType.CQ_ERR -> {
                KernelCompletionQueue queue = completionQueues.ofDevice(info);
                if (queue != null) {
                    queue.context().events().onCompletionQueueEvent(type, queue.handle());
                }
            }
            case EventType.SRQ_ERR, EventType.SRQ_LIMIT_REACHED -> {
                KernelSharedReceiveQueue queue = sharedReceiveQueues.ofDevice(info);
                if (queue != null) {
                    queue.domain().context().events().onSharedReceiveQueueEvent(type, queue.handle());
                }
            }
            case EventType.PORT_ACTIVE, EventType.PORT_ERR, EventType.GID_CHANGE -> {
                if (info >= 1 && info <= ports) {
                    contexts.tellAll(type, info);
                } else {
                    LOG.warn("An event {} of port {}, which does not exist", type, info);
                }
            }
            case EventType.DEVICE_FATAL -> contexts.tellAll(type, 1);
            // The rest concerns InfiniBand.
            default -> LOG.debug("An event of type {} is ignored", type);
        }
    }
}
