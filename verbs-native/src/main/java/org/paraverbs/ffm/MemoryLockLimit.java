// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How much memory this process may pin (RLIMIT_MEMLOCK). The buffers of queue pairs and completion queues are pinned like
 * registered memory, so with a small limit they fail with ENOMEM as well, in containers above all.
 *
 * @param bytes the soft limit, -1 for none
 * @param pinnedBytes what is pinned already
 * @param exempt whether the process may exceed the limit (CAP_IPC_LOCK)
 */
record MemoryLockLimit(long bytes, long pinnedBytes, boolean exempt) {
    private static final Path PROCESS = Path.of("/proc/self");
    private static final int CAP_IPC_LOCK = 14;

    /** The limit of this process, if the kernel tells it. */
    static Optional<MemoryLockLimit> ofThisProcess() {
        try {
            return parse(Files.readAllLines(PROCESS.resolve("limits")), Files.readAllLines(PROCESS.resolve("status")));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** From the lines of /proc/PID/limits and /proc/PID/status, proc(5). */
    static Optional<MemoryLockLimit> parse(List<String> limits, List<String> status) {
        String name = "Max locked memory";
        for (String line : limits) {
            if (line.startsWith(name)) {
                String soft = line.substring(name.length()).strip().split("\\s+", 2)[0];
                long bytes = soft.equals("unlimited") ? -1 : Long.parseLong(soft);
                long capabilities = Long.parseUnsignedLong(field(status, "CapEff", "0"), 16);
                long pinnedKilobytes =
                        Long.parseLong(field(status, "VmPin", "0 kB").split(" ", 2)[0]);
                return Optional.of(
                        new MemoryLockLimit(bytes, pinnedKilobytes * 1024, (capabilities >>> CAP_IPC_LOCK & 1) != 0));
            }
        }
        return Optional.empty();
    }

    private static String field(List<String> status, String name, String otherwise) {
        return status.stream()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse(otherwise);
    }

    /**
     * What to do about memory that could not be pinned, if this limit may be the reason.
     *
     * @param neededBytes how much was to be pinned, 0 if not known
     */
    Optional<String> advice(long neededBytes) {
        if (bytes < 0 || exempt || (neededBytes > 0 && pinnedBytes + neededBytes <= bytes)) {
            return Optional.empty();
        }
        String need = neededBytes > 0 ? neededBytes + " bytes are needed" : "queues are pinned as well";
        return Optional.of("this process may pin " + bytes + " bytes (RLIMIT_MEMLOCK), has pinned " + pinnedBytes
                + ", and " + need
                + ": run 'ulimit -l unlimited' before java, or set LimitMEMLOCK=infinity for a service"
                + " or --ulimit memlock=-1 for a container; a change of limits.conf needs a new login");
    }
}
