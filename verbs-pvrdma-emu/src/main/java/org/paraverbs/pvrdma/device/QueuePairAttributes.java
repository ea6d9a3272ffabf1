// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.paraverbs.pvrdma.abi.AhAttr;

/** What MODIFY_QP set, for the data path and for QUERY_QP. */
final class QueuePairAttributes {
    int pathMtu;
    int pathMigState;
    int qkey;
    int firstSendPsn;
    int accessFlags;
    int pkeyIndex;
    int maxReads;
    int maxReadsAsTarget;
    int minRnrTimer;
    int portNum = 1;
    int timeout;
    int retryCount;
    int rnrRetry;

    /** The address vector as the guest gave it. */
    byte[] addressVector = new byte[AhAttr.SIZE];
}
