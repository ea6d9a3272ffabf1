// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.paraverbs.verbs.spi.VerbsProvider;

/**
 * The way in: the RDMA devices of all providers that are on the class path or module path.
 *
 * <p>A provider is found by {@link ServiceLoader}. A provider that cannot work on this machine does not throw: it lists
 * no device and says why, see {@link #unavailability()}.
 */
public final class Verbs {

    private Verbs() {}

    /**
     * The devices of all providers, real ones before emulated ones, in the order of their providers
     * ({@code ibv_get_device_list(3)}).
     *
     * @return the devices present at this moment, possibly none
     */
    public static List<Device> devices() {
        List<Device> devices = new ArrayList<>();
        for (VerbsProvider provider : providers()) {
            devices.addAll(provider.devices());
        }
        devices.sort((left, right) -> Boolean.compare(left.emulated(), right.emulated()));
        return List.copyOf(devices);
    }

    /**
     * Opens a device by its name ({@code ibv_open_device(3)}).
     *
     * @param deviceName the name of the device, {@code vmw_pvrdma0} say, looked up in all providers; or the names of a
     *     provider and of one of its devices, as in {@code emu:emu0} or {@code ibv:vmw_pvrdma0}
     * @return an open context
     * @throws VerbsException if there is no such device (ENODEV; the message lists the devices there are and why a
     *     provider has none), if more than one provider has one (EINVAL), or if it cannot be opened
     */
    public static Context open(String deviceName) {
        return device(deviceName).open();
    }

    /**
     * Finds a device by its name without opening it.
     *
     * @param deviceName as for {@link #open(String)}
     * @return the device
     * @throws VerbsException as {@link #open(String)}, but for failures of opening
     */
    public static Device device(String deviceName) {
        Objects.requireNonNull(deviceName, "deviceName");
        int colon = deviceName.indexOf(':');
        String providerName = colon < 0 ? "" : deviceName.substring(0, colon);
        String bareName = deviceName.substring(colon + 1);
        List<VerbsProvider> providers = providers();
        List<Device> found = new ArrayList<>();
        for (VerbsProvider provider : providers) {
            if (providerName.isEmpty() || provider.name().equals(providerName)) {
                for (Device device : provider.devices()) {
                    if (device.name().equals(bareName)) {
                        found.add(device);
                    }
                }
            }
        }
        if (found.isEmpty()) {
            throw notFound(deviceName, providerName, providers);
        }
        if (found.size() > 1) {
            throw new VerbsException(
                    "ibv_open_device",
                    deviceName,
                    Errno.EINVAL,
                    "several providers have a device of that name, put the provider's before it: "
                            + found.stream()
                                    .map(device -> device.providerName() + ":" + device.name())
                                    .collect(Collectors.joining(", ")));
        }
        return found.get(0);
    }

    /**
     * Why providers have no devices: one sentence for each provider that cannot work on this machine, as
     * {@code ibv: no libibverbs.so.1 was found; install ...}.
     *
     * @return the sentences, none if every provider works
     */
    public static List<String> unavailability() {
        return unavailability(providers());
    }

    private static List<String> unavailability(List<VerbsProvider> providers) {
        List<String> reasons = new ArrayList<>();
        for (VerbsProvider provider : providers) {
            provider.unavailability().ifPresent(reason -> reasons.add(provider.name() + ": " + reason));
        }
        return List.copyOf(reasons);
    }

    private static VerbsException notFound(String deviceName, String providerName, List<VerbsProvider> providers) {
        StringBuilder advice = new StringBuilder("no such device");
        if (providers.isEmpty()) {
            advice.append("; no verbs provider is on the class path or module path: add verbs-native for real devices"
                    + " or verbs-pvrdma-emu for emulated ones");
        } else if (!providerName.isEmpty()
                && providers.stream().noneMatch(provider -> provider.name().equals(providerName))) {
            advice.append("; there is no provider '")
                    .append(providerName)
                    .append("', there is: ")
                    .append(providers.stream().map(VerbsProvider::name).collect(Collectors.joining(", ")));
        } else {
            List<String> names = devices().stream()
                    .map(device -> device.providerName() + ":" + device.name())
                    .collect(Collectors.toList());
            advice.append("; devices present: ").append(names.isEmpty() ? "none" : String.join(", ", names));
            for (String reason : unavailability(providers)) {
                advice.append("; ").append(reason);
            }
        }
        return new VerbsException("ibv_open_device", deviceName, Errno.ENODEV, advice.toString());
    }

    private static List<VerbsProvider> providers() {
        return ProvidersHolder.PROVIDERS;
    }

    /** Loaded once: a provider holds the state of its library or of its emulated machine. */
    private static final class ProvidersHolder {
        static final List<VerbsProvider> PROVIDERS =
                ServiceLoader.load(VerbsProvider.class, Verbs.class.getClassLoader()).stream()
                        .map(ServiceLoader.Provider::get)
                        .toList();
    }
}
