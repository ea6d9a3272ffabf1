// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class IbverbsLibraryTest {

    @Test
    void theMessageForTheUsualLibraryNamesThePackages() {
        assertThat(IbverbsLibrary.notLoaded("libibverbs.so.1"))
                .contains("package libibverbs1 (Debian")
                .contains("libibverbs (Fedora");
    }

    @Test
    void anotherSystemIsToldWhatWorksThere() {
        assertThat(IbverbsLibrary.platformReason("Linux", "amd64")).isNull();
        assertThat(IbverbsLibrary.platformReason("Mac OS X", "aarch64"))
                .contains("Mac OS X on aarch64")
                .contains("verbs-pvrdma-emu");
    }

    @Test
    void theFlagNamesTheModuleOfTheCaller() {
        assertThat(IbverbsLibrary.noNativeAccess(Object.class.getModule()))
                .endsWith("--enable-native-access=java.base");
        assertThat(IbverbsLibrary.noNativeAccess(IbverbsLibraryTest.class.getModule()))
                .endsWith("ALL-UNNAMED");
    }
}
