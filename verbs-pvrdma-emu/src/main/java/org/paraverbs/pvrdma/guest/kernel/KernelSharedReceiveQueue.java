// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

/** A shared receive queue. */
record KernelSharedReceiveQueue(int handle, KernelDomain domain, PinnedMemory memory, Users users) {}
