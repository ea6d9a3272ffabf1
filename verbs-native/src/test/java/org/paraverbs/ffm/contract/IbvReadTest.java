// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import org.paraverbs.verbs.contract.ReadContract;

class IbvReadTest extends ReadContract implements RealDevices {}
