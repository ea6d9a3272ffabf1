// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.contract;

import org.paraverbs.verbs.contract.QueuePairContract;

class EmuQueuePairTest extends QueuePairContract implements EmuDevices {}
