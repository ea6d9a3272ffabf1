// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import java.util.List;
import java.util.Optional;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.spi.VerbsProvider;

/**
 * Provider {@code emu}: two emulated PVRDMA devices, {@code emu0} and {@code emu1}, that talk to each other inside this JVM.
 * They come to life when they are opened first, and stay; a program that wants devices of its own makes an {@link
 * EmulatedMachine}.
 */
public final class EmulatorProvider implements VerbsProvider {
    static final String NAME = "emu";

    /** One for the JVM, like the machine that a real provider finds itself on. */
    private static final EmulatedMachine MACHINE = EmulatedMachine.builder().build();

    /** The machine of {@code emu0} and {@code emu1}, for tests of what its host does to them. */
    static EmulatedMachine machine() {
        return MACHINE;
    }

    /** For the service loader. */
    public EmulatorProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Device> devices() {
        return MACHINE.devices();
    }

    @Override
    public Optional<String> unavailability() {
        return Optional.empty();
    }
}
