// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import org.paraverbs.verbs.contract.WriteContract;

class IbvWriteTest extends WriteContract implements RealDevices {}
