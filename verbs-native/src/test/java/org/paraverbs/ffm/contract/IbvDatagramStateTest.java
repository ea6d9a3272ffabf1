// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import org.paraverbs.verbs.contract.DatagramStateContract;

class IbvDatagramStateTest extends DatagramStateContract implements RealDevices {}
