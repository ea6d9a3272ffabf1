// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import org.paraverbs.verbs.contract.XrcContract;

class IbvXrcTest extends XrcContract implements RealDevices {}
