// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce;

import org.paraverbs.pvrdma.abi.WcStatus;

/**
 * What a request came back with. The negative ones are those of the acknowledge extended header (IBTA volume 1,
 * section 9.7.5.2); {@link #LOST} and {@link #REQUESTER_FAULT} are what a link inside one process knows at once
 * and a wire would leave to a timeout or would not carry.
 */
public enum Reply {
    /** Executed. */
    ACKNOWLEDGE,
    /** A READ was admitted; the data can be fetched. */
    READ_RESPONSE,
    /** An atomic operation was executed; what was there before comes with the answer. */
    ATOMIC_RESPONSE,
    /** There was no receive request; come back after the time named with it. */
    RNR_NAK,
    /** Ahead of the expected packet sequence number. */
    NAK_SEQUENCE_ERROR,
    /** Longer than the receive request, or more than the responder allows. */
    NAK_INVALID_REQUEST,
    /** The remote key, the range or the access was refused. */
    NAK_REMOTE_ACCESS_ERROR,
    /** The responder failed on its own side. */
    NAK_REMOTE_OPERATIONAL_ERROR,
    /** Nobody answers. */
    LOST,
    /** The requester's own memory was gone when it was to be read. */
    REQUESTER_FAULT;

    private static final Reply[] VALUES = values();

    /** A number for the reply within this process; {@link #of} takes it back. */
    @SuppressWarnings("EnumOrdinal") // leaves neither the process nor this package
    int code() {
        return ordinal();
    }

    static Reply of(int code) {
        return VALUES[code];
    }

    /** The completion status that a fatal reply means for the requester. */
    public int status() {
        return switch (this) {
            case NAK_INVALID_REQUEST -> WcStatus.REM_INV_REQ_ERR;
            case NAK_REMOTE_ACCESS_ERROR -> WcStatus.REM_ACCESS_ERR;
            case NAK_REMOTE_OPERATIONAL_ERROR -> WcStatus.REM_OP_ERR;
            case REQUESTER_FAULT -> WcStatus.LOC_PROT_ERR;
            case ACKNOWLEDGE, READ_RESPONSE, ATOMIC_RESPONSE -> WcStatus.SUCCESS;
            case RNR_NAK, NAK_SEQUENCE_ERROR, LOST -> throw new IllegalStateException(this + " is not final");
        };
    }
}
