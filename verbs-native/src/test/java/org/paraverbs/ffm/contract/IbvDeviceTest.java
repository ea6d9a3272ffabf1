// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import org.paraverbs.verbs.contract.DeviceContract;

class IbvDeviceTest extends DeviceContract implements RealDevices {}
