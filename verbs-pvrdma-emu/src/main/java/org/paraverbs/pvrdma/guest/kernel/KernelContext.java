// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

/** A program's context: what it owns refers to it. */
record KernelContext(int handle, int uarPage, EventListener events) {}
