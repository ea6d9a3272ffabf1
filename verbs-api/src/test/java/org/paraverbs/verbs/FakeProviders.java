// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.paraverbs.verbs.spi.VerbsProvider;

/** Providers for {@link VerbsTest}, and what runs beside them in a class loader that has nothing else. */
final class FakeProviders {
    private FakeProviders() {}

    /** Answers a call on {@link Verbs} as text, since nothing but text is the same class in both class loaders. */
    public static final class Lookup implements Function<String, String> {
        @Override
        public String apply(String call) {
            try {
                return switch (call) {
                    case "devices" ->
                        Verbs.devices().stream().map(Lookup::fullName).toList().toString();
                    case "unavailability" -> Verbs.unavailability().toString();
                    default -> fullName(Verbs.device(call));
                };
            } catch (VerbsException e) {
                return e.code() + ": " + e.getMessage();
            }
        }

        private static String fullName(Device device) {
            return device.providerName() + ":" + device.name();
        }
    }

    abstract static class Provider implements VerbsProvider {
        private final String name;
        private final boolean emulated;
        private final List<String> deviceNames;

        Provider(String name, boolean emulated, String... deviceNames) {
            this.name = name;
            this.emulated = emulated;
            this.deviceNames = List.of(deviceNames);
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public List<Device> devices() {
            return deviceNames.stream()
                    .map(device -> (Device) new FakeDevice(device, name, emulated))
                    .toList();
        }

        @Override
        public Optional<String> unavailability() {
            return Optional.empty();
        }
    }

    /** An emulator. */
    public static final class Alpha extends Provider {
        /** For the service loader. */
        public Alpha() {
            super("alpha", true, "a0", "shared0");
        }
    }

    /** Real devices. */
    public static final class Beta extends Provider {
        /** For the service loader. */
        public Beta() {
            super("beta", false, "b0", "shared0");
        }
    }

    /** What cannot work here. */
    public static final class Broken extends Provider {
        /** For the service loader. */
        public Broken() {
            super("broken", false);
        }

        @Override
        public Optional<String> unavailability() {
            return Optional.of("no libbroken.so; install it");
        }
    }

    private record FakeDevice(String name, String providerName, boolean emulated) implements Device {
        @Override
        public long guid() {
            return 0;
        }

        @Override
        public Context open() {
            throw new VerbsException("ibv_open_device", name, Errno.EACCES, "ask for permission");
        }
    }
}
