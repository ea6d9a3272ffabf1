// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.contract;

import org.paraverbs.verbs.contract.TrafficContract;

class EmuTrafficTest extends TrafficContract implements EmuDevices {}
