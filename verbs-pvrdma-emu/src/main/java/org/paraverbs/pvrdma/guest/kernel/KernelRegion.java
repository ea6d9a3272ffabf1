// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

/** A memory region. */
record KernelRegion(int handle, KernelDomain domain, PinnedMemory memory) {}
