// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.util.List;
import java.util.Optional;
import org.paraverbs.ffm.lib.IbverbsLibrary;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.spi.VerbsProvider;

/** The devices of libibverbs: {@code ibv}. */
public final class LibibverbsProvider implements VerbsProvider {

    /** What stands before the name of a device to choose this provider. */
    public static final String NAME = "ibv";

    /** For {@link java.util.ServiceLoader}; the library is loaded when devices are asked for. */
    public LibibverbsProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Device> devices() {
        if (IbverbsLibrary.unavailability().isPresent()) {
            return List.of();
        }
        try {
            return DeviceList.forEach(NativeDevice::new);
        } catch (VerbsException e) {
            // No list, as on a kernel without RDMA: unavailability() says why.
            return List.of();
        }
    }

    @Override
    public Optional<String> unavailability() {
        Optional<String> library = IbverbsLibrary.unavailability();
        if (library.isPresent()) {
            return library;
        }
        try {
            return SystemDevices.look().missing(DeviceList.forEach(DeviceList::name));
        } catch (VerbsException e) {
            return Optional.of(SystemDevices.noList(e.errno()));
        }
    }
}
