// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.contract;

import org.paraverbs.verbs.contract.StatusContract;

class EmuStatusTest extends StatusContract implements EmuDevices {}
