// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Types of asynchronous events, the same numbers as {@code enum ibv_event_type}.
 */
public final class EventType {
    public static final int CQ_ERR = 0;
    public static final int QP_FATAL = 1;
    public static final int QP_REQ_ERR = 2;
    public static final int QP_ACCESS_ERR = 3;
    public static final int COMM_EST = 4;
    public static final int SQ_DRAINED = 5;
    public static final int DEVICE_FATAL = 8;
    public static final int PORT_ACTIVE = 9;
    public static final int PORT_ERR = 10;
    public static final int SRQ_ERR = 14;
    public static final int SRQ_LIMIT_REACHED = 15;
    public static final int QP_LAST_WQE_REACHED = 16;
    public static final int GID_CHANGE = 18;

    private EventType() {}
}
