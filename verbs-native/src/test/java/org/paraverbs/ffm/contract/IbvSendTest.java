// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import org.paraverbs.verbs.contract.SendContract;

class IbvSendTest extends SendContract implements RealDevices {}
