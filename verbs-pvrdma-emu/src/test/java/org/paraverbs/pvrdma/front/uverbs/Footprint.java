// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What the emulator, which runs in this process, holds of the machine: file descriptors, mapped files of clients, threads, heap. */
record Footprint(long descriptors, long mappings, int threads, long heap) {
    /** What the JVM and the test framework may take meanwhile for themselves. */
    private static final long DESCRIPTORS_OF_OTHERS = 8;

    private static final int THREADS_OF_OTHERS = 4;
    private static final long HEAP_OF_OTHERS = 8 << 20;

    static Footprint now() throws IOException {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"));
                Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return new Footprint(
                    descriptors.count(),
                    maps.filter(line -> line.contains("memfd:vmw_pvrdma")).count(),
                    ManagementFactory.getThreadMXBean().getThreadCount(),
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
    }

    /** Asserts that nothing has been added for clients that have come and gone since {@code before}. */
    void assertNoMoreThan(Footprint before) {
        assertThat(mappings).as("mapped files of clients").isEqualTo(before.mappings);
        assertThat(descriptors).as("descriptors").isLessThanOrEqualTo(before.descriptors + DESCRIPTORS_OF_OTHERS);
        assertThat(threads).as("threads").isLessThanOrEqualTo(before.threads + THREADS_OF_OTHERS);
        assertThat(heap).as("heap").isLessThanOrEqualTo(before.heap + HEAP_OF_OTHERS);
    }
}
