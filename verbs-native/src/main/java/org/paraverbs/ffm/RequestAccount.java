// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

/** The account of a queue's outstanding requests, as far as posting and polling need it. */
interface RequestAccount {

    /** Counts the first requests of the batch as posted, before the device may complete them. */
    void post(int count);

    /** Takes back the last of the requests counted as posted: the device refused them. */
    void retract(int count);

    /**
     * Whether an id of the device belongs to an outstanding request of this queue. If it does, the caller, who polls, has to
     * {@link #complete} it.
     */
    boolean claim(long id);

    /**
     * Frees the slot of a completed request.
     *
     * @param id of the device, {@linkplain #claim claimed}
     * @return the user's id
     */
    long complete(long id);
}
