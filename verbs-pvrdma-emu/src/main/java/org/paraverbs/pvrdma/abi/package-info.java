// SPDX-License-Identifier: Apache-2.0

/**
 * The PVRDMA device interface as it lies in memory: registers, the device shared region, commands, rings, work
 * requests, completions, doorbells.
 *
 * <p>A struct is a class of statics over a segment and the offset where the struct begins. Offsets are constants
 * beside the accessors, {@code PD_HANDLE_OFFSET} for {@code pd_handle}; a nested struct has an offset only and a
 * class of its own. A getter and its setter have the same name. Command structs leave out their header
 * ({@link org.paraverbs.pvrdma.abi.CommandHeader}, {@link org.paraverbs.pvrdma.abi.ResponseHeader}), which lies
 * at the same offset.
 *
 * <p>The numbers are those of the Linux driver's {@code pvrdma_dev_api.h}, {@code pvrdma_verbs.h}, {@code
 * pvrdma_ring.h} and of {@code rdma/vmw_pvrdma-abi.h}. A test compares every one with what a C compiler says
 * ({@code native/layouts/pvrdma.txt}).
 */
@NullMarked
package org.paraverbs.pvrdma.abi;

import org.jspecify.annotations.NullMarked;
