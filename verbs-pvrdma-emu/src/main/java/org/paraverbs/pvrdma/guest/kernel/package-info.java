// SPDX-License-Identifier: Apache-2.0

/**
 * The driver half: what Linux's {@code vmw_pvrdma} module does for a device, and the parts of the verbs core that a
 * program's calls go through on their way to it.
 *
 * <p>It has two kinds of users, programs of this JVM and a server for other processes, so it talks in handles, addresses
 * and the layouts of {@link org.paraverbs.pvrdma.abi}, not in objects of the verbs interface. Errors are {@link
 * org.paraverbs.verbs.VerbsException}s with the number that the kernel would give.
 *
 * <ul>
 *   <li>{@link org.paraverbs.pvrdma.guest.kernel.PvrdmaDriver}: one for each device, from probing to removal.
 *   <li>{@link org.paraverbs.pvrdma.guest.kernel.DmaSpace}: what the device may touch, as an IOMMU has it.
 *   <li>{@link org.paraverbs.pvrdma.guest.kernel.Bars}, {@link org.paraverbs.pvrdma.guest.kernel.InterruptTable}: the
 *       wires between driver and device.
 * </ul>
 *
 * <p>Interrupt handlers run on the thread that runs the device: they never wait, and those that tell of completions
 * allocate nothing.
 */
@NullMarked
package org.paraverbs.pvrdma.guest.kernel;

import org.jspecify.annotations.NullMarked;
