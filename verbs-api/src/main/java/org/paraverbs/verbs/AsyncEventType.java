// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** The kinds of asynchronous events ({@code enum ibv_event_type}, {@code ibv_get_async_event(3)}). */
public enum AsyncEventType {
    /** A completion queue overflowed or failed; it is lost. */
    COMPLETION_QUEUE_ERROR,
    /** A queue pair failed without a completion that says so. */
    QUEUE_PAIR_FATAL,
    /** The peer's request was invalid. */
    QUEUE_PAIR_REQUEST_ERROR,
    /** The peer violated access rights. */
    QUEUE_PAIR_ACCESS_ERROR,
    /** The first packet of a peer arrived before the queue pair was ready to send. */
    COMMUNICATION_ESTABLISHED,
    /** The send queue has been drained. */
    SEND_QUEUE_DRAINED,
    /** The connection moved to the alternate path. */
    PATH_MIGRATED,
    /** The connection failed to move to the alternate path. */
    PATH_MIGRATION_ERROR,
    /** The device failed; close the context. */
    DEVICE_FATAL,
    /** A port became active. */
    PORT_ACTIVE,
    /** A port became inactive. */
    PORT_ERROR,
    /** The LID of a port changed. */
    LID_CHANGE,
    /** The partition key table of a port changed. */
    PKEY_CHANGE,
    /** The subnet manager changed. */
    SUBNET_MANAGER_CHANGE,
    /** A shared receive queue failed. */
    SHARED_RECEIVE_QUEUE_ERROR,
    /** A shared receive queue ran below its limit. */
    SHARED_RECEIVE_QUEUE_LIMIT_REACHED,
    /** The queue pair in error has consumed its last receive of a shared receive queue. */
    LAST_WORK_REQUEST_REACHED,
    /** The subnet manager asks for re-registration. */
    CLIENT_REREGISTER,
    /** The GID table of a port changed. */
    GID_CHANGE,
    /** A work queue failed. */
    WORK_QUEUE_FATAL,
    /** A code that this version does not know, see {@link AsyncEvent#rawType()}. */
    UNKNOWN;

    private static final AsyncEventType[] VALUES = values();

    /**
     * The type of a code of the verbs interface.
     *
     * @param code 0 to 19; any other gives {@link #UNKNOWN}
     * @return the type
     */
    public static AsyncEventType ofCode(int code) {
        return code >= 0 && code < VALUES.length - 1 ? VALUES[code] : UNKNOWN;
    }
}
