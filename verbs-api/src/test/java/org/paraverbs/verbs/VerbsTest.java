// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.paraverbs.verbs.contract.Covers;
import org.paraverbs.verbs.spi.VerbsProvider;

/** Finding devices by their names, among the providers that the service loader finds. */
class VerbsTest {

    @TempDir
    Path folder;

    @Test
    void devicesOfAllProvidersAreListedRealOnesFirst() throws Exception {
        assertThat(call("devices", FakeProviders.Alpha.class, FakeProviders.Beta.class))
                .isEqualTo("[beta:b0, beta:shared0, alpha:a0, alpha:shared0]");
        assertThat(call("devices")).isEqualTo("[]");
    }

    @Test
    void aBareNameIsLookedUpInAllProviders() throws Exception {
        assertThat(call("a0", FakeProviders.Alpha.class, FakeProviders.Beta.class))
                .isEqualTo("alpha:a0");
        assertThat(call("b0", FakeProviders.Alpha.class, FakeProviders.Beta.class))
                .isEqualTo("beta:b0");
    }

    @Test
    void aNameThatTwoProvidersHaveNeedsOneOfThem() throws Exception {
        assertThat(call("shared0", FakeProviders.Alpha.class, FakeProviders.Beta.class))
                .isEqualTo(
                        "EINVAL: ibv_open_device(shared0): EINVAL; several providers have a device of that name, put the"
                                + " provider's before it: alpha:shared0, beta:shared0");
        assertThat(call("beta:shared0", FakeProviders.Alpha.class, FakeProviders.Beta.class))
                .isEqualTo("beta:shared0");
    }

    @Test
    void anUnknownNameIsAnsweredWithTheDevicesAndWithWhatDoesNotWork() throws Exception {
        for (String name : new String[] {"c0", "alpha:b0", "alpha:", "", "A0"}) {
            assertThat(call(name, FakeProviders.Alpha.class, FakeProviders.Broken.class, FakeProviders.Beta.class))
                    .startsWith("ENODEV: ibv_open_device" + (name.isEmpty() ? "" : "(" + name + ")") + ": ENODEV;")
                    .endsWith("; no such device; devices present: beta:b0, beta:shared0, alpha:a0, alpha:shared0;"
                            + " broken: no libbroken.so; install it");
        }
    }

    @Test
    void anUnknownProviderIsAnsweredWithTheProviders() throws Exception {
        assertThat(call("gamma:a0", FakeProviders.Alpha.class, FakeProviders.Beta.class))
                .isEqualTo(
                        "ENODEV: ibv_open_device(gamma:a0): ENODEV; no such device; there is no provider 'gamma', there"
                                + " is: alpha, beta");
    }

    @Test
    void withoutAProviderThereIsAWayToGetOne() throws Exception {
        assertThat(call("emu0"))
                .isEqualTo(
                        "ENODEV: ibv_open_device(emu0): ENODEV; no such device; no verbs provider is on the class path"
                                + " or module path: add verbs-native for real devices or verbs-pvrdma-emu for emulated ones");
        assertThat(call("b0", FakeProviders.Broken.class))
                .endsWith("devices present: none; broken: no libbroken.so; install it");
    }

    @Test
    @Covers.Verb("Verbs.unavailability")
    void whatDoesNotWorkSaysWhy() throws Exception {
        assertThat(call("unavailability", FakeProviders.Alpha.class, FakeProviders.Broken.class))
                .isEqualTo("[broken: no libbroken.so; install it]");
        assertThat(call("unavailability", FakeProviders.Alpha.class)).isEqualTo("[]");
    }

    /**
     * In a class loader of its own: {@link Verbs} loads its providers once, and these must not turn up in the tests of
     * real ones.
     */
    private String call(String call, Class<?>... providers) throws Exception {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(
                services.resolve(VerbsProvider.class.getName()),
                Arrays.stream(providers).map(Class::getName).collect(Collectors.joining("\n")));
        URL[] classPath = {folder.toUri().toURL(), location(Verbs.class), location(VerbsTest.class)};
        try (URLClassLoader loader = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
            Object lookup = loader.loadClass(FakeProviders.Lookup.class.getName())
                    .getConstructor()
                    .newInstance();
            assertThat(lookup).isNotInstanceOf(FakeProviders.Lookup.class);
            @SuppressWarnings("unchecked")
            Function<String, String> function = (Function<String, String>) lookup;
            return function.apply(call);
        }
    }

    private static URL location(Class<?> owner) {
        return owner.getProtectionDomain().getCodeSource().getLocation();
    }
}
