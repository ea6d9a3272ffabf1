// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

/** A protection domain. */
record KernelDomain(int handle, KernelContext context, Users users) {}
