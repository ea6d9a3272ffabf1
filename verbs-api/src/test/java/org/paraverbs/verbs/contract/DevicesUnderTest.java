// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import java.util.Optional;
import org.paraverbs.verbs.CompletionStatus;

/**
 * What a provider tells the contract tests about its devices. A provider extends this interface once, with default
 * methods, and mixes it into its subclasses of the contract:
 *
 * <pre>{@code
 * class EmuWriteTest extends WriteContract implements EmuDevices {}
 * }</pre>
 */
public interface DevicesUnderTest {

    /** The name of a device, as {@code Verbs.open} takes it, with its provider. */
    String firstDevice();

    /** The name of a device that the first can talk to; may be the same. */
    String secondDevice();

    /**
     * Why there is no device to test.
     *
     * @return the reason for which the tests are skipped, or empty if there are devices
     */
    default Optional<String> unavailability() {
        return Optional.empty();
    }

    /**
     * Where the devices are known to answer otherwise than the InfiniBand Architecture Specification has it. The tests
     * then also accept that answer, and report it.
     *
     * @param situation what a test provokes
     * @return the known deviation, or empty if there is none
     */
    default Optional<Deviation> deviation(Situation situation) {
        return Optional.empty();
    }

    /**
     * Whether a send queue can be drained (state SQD).
     *
     * @return false if the devices have no such state
     */
    default boolean drains() {
        return true;
    }

    /**
     * Why receives that are posted in state ERR are never given back, where that is so.
     *
     * @return the reason for which the test of it is skipped, or empty if they are flushed
     */
    default Optional<String> keepsReceivesPostedInError() {
        return Optional.empty();
    }

    /**
     * What the devices do not do although the InfiniBand Architecture Specification has it.
     *
     * @param behaviour what a test asks for
     * @return the reason for which the test of it is skipped, or empty if they do it
     */
    default Optional<String> missing(Behaviour behaviour) {
        return Optional.empty();
    }

    /**
     * By how much less the tests repeat themselves than they do on an emulator on a machine of its own: the system
     * property {@code paraverbs.contract.scale}, 1 by default; 0.01 suits an emulated processor.
     *
     * @return the factor, more than 0
     */
    default double scale() {
        return Double.parseDouble(System.getProperty("paraverbs.contract.scale", "1"));
    }

    /** What the contract tests provoke and devices are known to answer differently. */
    enum Situation {
        /** The local key of a SEND is of another protection domain, or of a closed region. */
        SEND_WITH_WRONG_LOCAL_KEY,
        /** The local key of a receive is wrong: what the receiver gets. */
        RECEIVE_WITH_WRONG_LOCAL_KEY,
        /** The local key of a receive is wrong: what the sender gets. */
        SEND_TO_RECEIVE_WITH_WRONG_LOCAL_KEY,
        /** The target of a READ does not allow to be written. */
        READ_INTO_READ_ONLY_REGION,
        /** A message is longer than its receive: what the receiver gets. */
        RECEIVE_TOO_SMALL,
        /** A message is longer than its receive: what the sender gets. */
        SEND_TO_RECEIVE_TOO_SMALL,
        /** The key of a WRITE with immediate is wrong: what the oldest receive gets. */
        RECEIVE_OF_REFUSED_WRITE
    }

    /** What not every device does. */
    enum Behaviour {
        /** Communication established: the first message while in RTR is an event. */
        COMMUNICATION_ESTABLISHED_EVENT,
        /** A peer's violation of access rights is an event. */
        ACCESS_ERROR_EVENT,
        /** A peer's invalid request is an event. */
        REQUEST_ERROR_EVENT,
        /** A queue pair in error that has taken its last receive of a shared receive queue is an event. */
        LAST_WORK_REQUEST_EVENT,
        /** A message longer than the port allows fails. */
        MESSAGE_TOO_LONG_FAILS,
        /** A datagram longer than its receive fails the receive. */
        DATAGRAM_RECEIVE_TOO_SMALL_FAILS,
        /** A Q_Key with the highest bit set stands for that of the sending queue pair. */
        PRIVILEGED_QKEY,
        /** A failed datagram leads to state SQE, in which receives go on. */
        SEND_QUEUE_ERROR_STATE,
        /** A READ of a queue pair that may have none outstanding fails. */
        READ_WITHOUT_DEPTH_FAILS,
        /** The key of a memory window gives nothing beside the window. */
        WINDOW_BOUNDS,
        /** The completion of a receive tells the key that the message has invalidated. */
        INVALIDATED_KEY_IN_COMPLETION,
        /** A completion queue that overflows is one event. */
        OVERFLOW_REPORTED_ONCE,
        /** A request that fails on its own side lets those complete that are under way before it. */
        EARLIER_REQUESTS_COMPLETE,
        /** A SEND that waits for a receive of the peer is finished before its queue counts as drained. */
        DRAINING_WAITS_FOR_RECEIVER
    }

    /**
     * A known deviation.
     *
     * @param instead what the device answers instead of what the specification has
     * @param reason why that is known and accepted
     */
    record Deviation(CompletionStatus instead, String reason) {}
}
