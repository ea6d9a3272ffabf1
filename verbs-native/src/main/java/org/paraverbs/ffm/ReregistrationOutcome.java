// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.verbs.Reregistration;

/** What has become of a region after {@code ibv_rereg_mr(3)}: the man page says it for each code. */
enum ReregistrationOutcome {
    /** The new region is valid. */
    REPLACED,
    /** The old region is valid, nothing has changed. */
    KEPT,
    /** Neither is to be used any more; what is left is to be deregistered. */
    LOST;

    /**
     * What a code means.
     *
     * @param code 0, or of {@code enum ibv_rereg_mr_err_code}
     * @return the outcome; of a code that this version does not know, the one that promises least
     */
    static ReregistrationOutcome of(int code) {
        return switch (code) {
            // The old pages stay out of child processes: ibv_dereg_mr ignores that failure, too.
            case 0, IbvConstants.IBV_REREG_MR_ERR_DO_FORK_OLD -> REPLACED;
            case IbvConstants.IBV_REREG_MR_ERR_INPUT, IbvConstants.IBV_REREG_MR_ERR_DONT_FORK_NEW -> KEPT;
            default -> LOST;
        };
    }

    /**
     * What to do next.
     *
     * @param code of a failure
     * @param reason what the error number means, possibly empty
     */
    static String advice(int code, String reason) {
        String what = switch (code) {
            case IbvConstants.IBV_REREG_MR_ERR_INPUT -> "the library refused the arguments, the region is as it was";
            case IbvConstants.IBV_REREG_MR_ERR_DONT_FORK_NEW ->
                "the new memory cannot be kept out of child processes (madvise), is it mapped?; the region is as it was";
            case IbvConstants.IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW ->
                "the region was lost on the way and has been closed, and the new memory stays out of child processes:"
                        + " register the memory from the start";
            default -> "the region was lost on the way and has been closed: register the memory from the start";
        };
        return reason.isEmpty() ? what : reason + "; " + what;
    }

    /** {@code enum ibv_rereg_mr_flags}. */
    static int flags(Reregistration change) {
        return (change.memory() == null ? 0 : IbvConstants.IBV_REREG_MR_CHANGE_TRANSLATION)
                | (change.domain() == null ? 0 : IbvConstants.IBV_REREG_MR_CHANGE_PD)
                | (change.access() == null ? 0 : IbvConstants.IBV_REREG_MR_CHANGE_ACCESS);
    }
}
