// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import org.paraverbs.verbs.contract.DatagramContract;

class IbvDatagramTest extends DatagramContract implements RealDevices {}
