// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import org.paraverbs.verbs.contract.LibraryContract;

class IbvLibraryTest extends LibraryContract implements RealDevices {}
