// SPDX-License-Identifier: Apache-2.0

/**
 * The provider half: what rdma-core's {@code libvmw_pvrdma} does in a program, and the verbs interface on top of it. It
 * writes work requests in rings and rings doorbells, and takes completions from rings; for everything else it asks {@link
 * org.paraverbs.pvrdma.guest.kernel.PvrdmaDriver}.
 *
 * <p>The data path allocates nothing and takes no lock: a queue is guarded by {@link org.paraverbs.verbs.spi.Gate}, its
 * ring by the JDK, since each ring has a shared arena of its own that is closed with it.
 */
@NullMarked
package org.paraverbs.pvrdma.guest.user;

import org.jspecify.annotations.NullMarked;
