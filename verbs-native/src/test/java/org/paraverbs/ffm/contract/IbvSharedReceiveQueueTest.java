// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import org.paraverbs.verbs.contract.SharedReceiveQueueContract;

class IbvSharedReceiveQueueTest extends SharedReceiveQueueContract implements RealDevices {}
