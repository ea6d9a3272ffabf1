// SPDX-License-Identifier: Apache-2.0

import org.paraverbs.pvrdma.EmulatorProvider;
import org.paraverbs.verbs.spi.VerbsProvider;

/** The PVRDMA device emulator. */
module org.paraverbs.pvrdma {
    requires transitive org.paraverbs.verbs;
    requires jdk.jfr;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports org.paraverbs.pvrdma;
    exports org.paraverbs.pvrdma.device;
    exports org.paraverbs.pvrdma.front.uverbs;
    exports org.paraverbs.pvrdma.link;

    provides VerbsProvider with
            EmulatorProvider;
}
