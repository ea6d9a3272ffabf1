// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import org.paraverbs.verbs.contract.RequestContract;

class IbvRequestTest extends RequestContract implements RealDevices {}
