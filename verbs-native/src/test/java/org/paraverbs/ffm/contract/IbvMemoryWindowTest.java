// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import org.paraverbs.verbs.contract.MemoryWindowContract;

class IbvMemoryWindowTest extends MemoryWindowContract implements RealDevices {}
