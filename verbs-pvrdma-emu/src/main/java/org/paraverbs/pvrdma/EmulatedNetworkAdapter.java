// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import org.paraverbs.pvrdma.device.PvrdmaDevice;
import org.paraverbs.pvrdma.guest.kernel.PvrdmaDriver;
import org.paraverbs.verbs.Gid;

/**
 * The network adapter that an emulated device is paired with, as far as the guest's system and the device's driver are
 * concerned: whether its interface is up, and its addresses, each of which is a GID. All methods may be called by any thread.
 */
public final class EmulatedNetworkAdapter {
    private final PvrdmaDevice device;
    private final PvrdmaDriver driver;

    EmulatedNetworkAdapter(PvrdmaDevice device, PvrdmaDriver driver) {
        this.device = device;
        this.driver = driver;
    }

    /**
     * Takes the interface down ({@code ip link set down}). The hypervisor makes the device stand still, see {@link
     * PvrdmaDevice#quiesce}, and both device and driver tell every context of PORT_ERR.
     */
    public void takeDown() {
        device.quiesce();
        driver.onNetworkDown();
    }

    /**
     * Takes the interface up. The driver has the device go on with its work, and both tell every context of PORT_ACTIVE;
     * where the device did not stand still, only the driver does.
     */
    public void takeUp() {
        driver.onNetworkUp();
    }

    /**
     * Gives the interface an address. Every context is told of GID_CHANGE.
     *
     * @param index where the GID goes in the port's table; what was there is replaced
     * @param gid the GID of the address, see {@link Gid#of(java.net.InetAddress)}
     * @throws org.paraverbs.verbs.VerbsException EINVAL if there is no such index, EFAULT if the device refuses,
     *     ENODEV if the machine has been closed
     */
    public void addAddress(int index, Gid gid) {
        driver.addGid(index, gid);
    }

    /**
     * Takes an address from the interface. Every context is told of GID_CHANGE.
     *
     * @param index the index of the GID
     * @throws org.paraverbs.verbs.VerbsException EINVAL if there is no such index, ENODATA if the entry is empty, EFAULT if
     *     the device refuses, ENODEV if the machine has been closed
     */
    public void removeAddress(int index) {
        driver.removeGid(index);
    }
}
