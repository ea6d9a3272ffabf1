// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When the library is asked to keep registered memory from children. */
class ForkSupportTest {

    @ParameterizedTest
    @CsvSource({
        "auto,   false, 5.11.22-generic, true",
        "auto,   false, 4.18.0-553.el8,  true",
        "auto,   true,  4.18.0-553.el8,  false",
        "auto,   false, 5.12.0,          false",
        "auto,   false, 6.1.0-57-amd64,  false",
        "auto,   false, 6,               false",
        "auto,   false, unknown,         false",
        "always, true,  6.1.0,           true",
        "never,  false, 4.18.0,          false"
    })
    void onlyWhereTheKernelDoesNotCopyOrByWish(String wish, boolean copied, String release, boolean wanted) {
        assertThat(ForkSupport.wanted(wish, copied, release)).isEqualTo(wanted);
    }
}
