// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

/** Whether the guest is to be told of a completion queue's next completion. Everything here belongs to the ticket's holder. */
final class Arming {
    /** Not armed, armed for solicited or failed completions, armed for any. */
    private static final int IDLE = 0;

    private static final int SOLICITED = 1;
    private static final int ANY = 2;

    private int armed = IDLE;
    private int lastHold = -1;
    private boolean solicitedInHold;

    /**
     * Records that a completion was put.
     *
     * @param solicited whether it was solicited or failed
     * @param hold number of the ticket's hold
     * @return whether the guest is to be told
     */
    boolean completed(boolean solicited, int hold) {
        if (armed == ANY || (armed == SOLICITED && solicited)) {
            armed = IDLE;
            return true;
        }
        if (lastHold != hold) {
            lastHold = hold;
            solicitedInHold = false;
        }
        solicitedInHold |= solicited;
        return false;
    }

    /**
     * Arms the queue. If the ticket was held already when the guest asked, completions of this hold may have come
     * after the guest asked and before this call, so they count: better told once too often than never.
     *
     * @return whether the guest is to be told at once
     */
    boolean arm(boolean solicitedOnly, int hold) {
        if (lastHold == hold && (!solicitedOnly || solicitedInHold)) {
            armed = IDLE;
            return true;
        }
        armed = Math.max(armed, solicitedOnly ? SOLICITED : ANY);
        return false;
    }

    /** For the end of a queue's description. */
    @Override
    public String toString() {
        return armed == ANY ? ", armed" : armed == SOLICITED ? ", armed for solicited" : "";
    }
}
