// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** An RDMA device that can be opened ({@code struct ibv_device}). Immutable, usable by any thread. */
public interface Device {

    /** The name of the device, such as {@code vmw_pvrdma0}, {@code mlx5_0} or {@code emu0}. */
    String name();

    /** The name of the provider that has this device, such as {@code ibv} or {@code emu}. */
    String providerName();

    /** The node GUID of the device as a number whose first byte is the most significant; 0 if it has none. */
    long guid();

    /** Whether the device is emulated by this process, so that no figure measured on it describes hardware. */
    boolean emulated();

    /**
     * Opens the device ({@code ibv_open_device(3)}). A device may be opened any number of times.
     *
     * @return an open context
     * @throws VerbsException if the device cannot be opened; the message says what to do
     */
    Context open();
}
