// SPDX-License-Identifier: Apache-2.0
/** RDMA verbs for Java: the typed interface, without a device. A provider module brings the devices. */
module org.paraverbs.verbs {
    requires static transitive org.jspecify;

    exports org.paraverbs.verbs;
    exports org.paraverbs.verbs.spi;

    uses org.paraverbs.verbs.spi.VerbsProvider;
}
