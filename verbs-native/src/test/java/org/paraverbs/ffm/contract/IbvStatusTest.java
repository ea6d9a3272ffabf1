// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import org.paraverbs.verbs.contract.StatusContract;

class IbvStatusTest extends StatusContract implements RealDevices {}
