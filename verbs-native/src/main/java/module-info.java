// SPDX-License-Identifier: Apache-2.0

/** The verbs API on libibverbs. Needs {@code --enable-native-access=org.paraverbs.ffm}. */
module org.paraverbs.ffm {
    requires org.paraverbs.verbs;
    requires static org.jspecify;

    provides org.paraverbs.verbs.spi.VerbsProvider with
            org.paraverbs.ffm.LibibverbsProvider;
}
