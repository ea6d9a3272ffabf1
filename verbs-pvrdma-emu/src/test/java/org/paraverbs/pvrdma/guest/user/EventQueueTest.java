// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.contract.Covers;

/** The events that a program has not read. */
class EventQueueTest {

    private final EventQueue events =
            new EventQueue("emu7", new HandleTable<>(4), new HandleTable<>(4), new HandleTable<>(4));

    @Test
    @Covers.Event(AsyncEventType.DEVICE_FATAL)
    void eventsComeInOrderAndSayWhatTheyConcern() throws InterruptedException {
        events.onPortEvent(EventType.PORT_ERR, 1);
        events.onPortEvent(EventType.DEVICE_FATAL, 1);
        events.onQueuePairEvent(EventType.QP_FATAL, 3);
        events.onCompletionQueueEvent(EventType.CQ_ERR, 99);
        events.onSharedReceiveQueueEvent(EventType.SRQ_ERR, 2);
        events.onPortEvent(EventType.GID_CHANGE, 1);
        events.onPortEvent(99, 1);

        assertThat(events.poll()).isEqualTo(new AsyncEvent.OfPort(AsyncEventType.PORT_ERROR, 10, 1));
        assertThat(events.await(Duration.ZERO)).isEqualTo(new AsyncEvent.OfDevice(AsyncEventType.DEVICE_FATAL, 8));
        assertThat(events.poll()).isEqualTo(new AsyncEvent.OfQueuePair(AsyncEventType.QUEUE_PAIR_FATAL, 1, null));
        assertThat(events.poll())
                .isEqualTo(new AsyncEvent.OfCompletionQueue(AsyncEventType.COMPLETION_QUEUE_ERROR, 0, null));
        assertThat(events.poll())
                .isEqualTo(new AsyncEvent.OfSharedReceiveQueue(AsyncEventType.SHARED_RECEIVE_QUEUE_ERROR, 14, null));
        assertThat(events.poll()).isEqualTo(new AsyncEvent.OfPort(AsyncEventType.GID_CHANGE, 18, 1));
        assertThat(events.poll()).isEqualTo(new AsyncEvent.OfPort(AsyncEventType.UNKNOWN, 99, 1));
        assertThat(events.poll()).isNull();
        assertThat(events.await(Duration.ofNanos(1))).isNull();
    }

    @Test
    void aProgramThatReadsNoEventsDoesNotFillTheMemory() {
        for (int i = 0; i < 10_000; i++) {
            events.onPortEvent(EventType.PORT_ACTIVE, 1);
        }
        int read = 0;
        while (events.poll() != null) {
            read++;
        }
        assertThat(read).isEqualTo(4096);
        events.onPortEvent(EventType.PORT_ERR, 1);
        assertThat(events.poll()).isNotNull();
    }
}
