// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import org.paraverbs.verbs.contract.ConnectContract;

class IbvConnectTest extends ConnectContract implements RealDevices {}
