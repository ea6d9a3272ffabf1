// SPDX-License-Identifier: Apache-2.0

/**
 * The PVRDMA device: registers, command channel, resource tables, rings, completions, interrupts.
 *
 * <p><b>The seam.</b> Whoever has a guest, in this JVM or outside, gives the device three things and calls five
 * methods; the device cannot tell who it is.
 *
 * <ul>
 *   <li>{@link org.paraverbs.pvrdma.device.GuestMemory}: from DMA addresses to memory.
 *   <li>{@link org.paraverbs.pvrdma.device.InterruptSink}: where interrupt vectors go.
 *   <li>{@link org.paraverbs.pvrdma.link.Fabric}: the network that the device is plugged into.
 *   <li>{@code readRegister}, {@code writeRegister}: BAR1, the control path. They wait for the device's ticket,
 *       so a command has been executed and {@code ERR} is valid when the write to {@code REQUEST} returns.
 *   <li>{@code writeUar}: BAR2, the doorbells, the data path. Never waits: the calling thread runs the device, or
 *       leaves a mark for the thread that does.
 *   <li>{@code doWork}, {@code deadlineNs}: for agents and simulations that run the device themselves.
 * </ul>
 *
 * <p><b>What a driver may rely on.</b>
 *
 * <ul>
 *   <li>A refused command or control write leaves an {@code errno} number in {@code ERR} and no response. Only
 *       MODIFY_QP answers a refusal with {@code err} in its response.
 *   <li>Vector 0 is raised for commands of which {@link org.paraverbs.pvrdma.abi.CommandCode#isAnswered} is
 *       true, before the write to {@code REQUEST} returns.
 *   <li>After DESTROY_QP, and after MODIFY_QP to RESET, the device writes no completion of that queue pair and
 *       touches none of its memory. Completions that lie in a ring already are the guest's: both drivers
 *       sweep them out (provider cq.c {@code pvrdma_cq_clean}), since nobody but the consumer may move them.
 *   <li>A vector that is raised while it is masked is raised when it is unmasked, unless ICR was read meanwhile.
 *   <li>A completion that finds no room is an overrun: one CQ_ERR for the queue, and one QP_FATAL for each queue pair
 *       that loses a completion by it. {@link org.paraverbs.pvrdma.device.HostPolicy#cqGrows} avoids that.
 *   <li>While the port is down or the device is quiesced, nothing goes out or comes in.
 *   <li>After DESTROY_MR neither this device nor a peer touches the region's memory: it may be freed.
 * </ul>
 */
@NullMarked
package org.paraverbs.pvrdma.device;

import org.jspecify.annotations.NullMarked;
