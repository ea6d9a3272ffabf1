// SPDX-License-Identifier: Apache-2.0

/** The perftest programs in Java. */
module org.paraverbs.perftest {
    requires org.paraverbs.verbs;
    requires info.picocli;
    requires HdrHistogram;
    requires static transitive org.jspecify;

    // picocli fills the annotated fields of Options by reflection.
    opens org.paraverbs.perftest to
            info.picocli;
}
