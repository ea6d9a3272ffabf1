// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import org.paraverbs.verbs.contract.AtomicsContract;

class IbvAtomicsTest extends AtomicsContract implements RealDevices {}
