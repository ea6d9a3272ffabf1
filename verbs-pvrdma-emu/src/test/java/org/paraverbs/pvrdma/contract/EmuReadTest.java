// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.contract;

import org.paraverbs.verbs.contract.ReadContract;

class EmuReadTest extends ReadContract implements EmuDevices {}
