// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.paraverbs.pvrdma.device.ForeignMemory;

/** The memory of a client process, whatever it has there, which stays that process's own. Any thread that runs the device. */
abstract class ClientMemory implements AutoCloseable {
    private final Path mappings;

    ClientMemory(int pid) {
        mappings = Path.of("/proc", Integer.toString(pid), "maps");
    }

    /** As {@link ForeignMemory#read}. */
    abstract boolean read(long address, ByteBuffer into);

    /** As {@link ForeignMemory#write}. */
    abstract boolean write(long address, ByteBuffer from);

    /** As {@link ForeignMemory#isGone}. */
    abstract boolean isGone();

    @Override
    public abstract void close();

    /**
     * Whether the process may use a range in this way itself. Writing through {@code /proc/PID/mem} does not ask.
     *
     * @param length at least 1
     */
    boolean allows(long address, long length, boolean writing) throws IOException {
        long covered = address;
        long end = address + length;
        if (address < 0 || end < address) {
            return false;
        }
        try (BufferedReader maps = Files.newBufferedReader(mappings, StandardCharsets.ISO_8859_1)) {
            // ascending, as in: 7f0000000000-7f0000001000 rw-p 00000000 ...
            for (String line = maps.readLine(); line != null && covered < end; line = maps.readLine()) {
                int dash = line.indexOf('-');
                int blank = line.indexOf(' ', dash);
                long from = Long.parseUnsignedLong(line, 0, dash, 16);
                long to = Long.parseUnsignedLong(line, dash + 1, blank, 16);
                if (to > covered && to > 0) {
                    boolean usable = line.charAt(blank + 1) == 'r' && (!writing || line.charAt(blank + 2) == 'w');
                    if (from > covered || !usable) {
                        return false;
                    }
                    covered = to;
                }
            }
        }
        return covered >= end;
    }

    /** A range of the memory. */
    ForeignMemory range(long address, long length) {
        return new Range(this, address, length);
    }

    private record Range(ClientMemory of, long address, long byteSize) implements ForeignMemory {
        @Override
        public boolean read(long offset, ByteBuffer into) {
            return of.read(address + offset, into);
        }

        @Override
        public boolean write(long offset, ByteBuffer from) {
            return of.write(address + offset, from);
        }

        @Override
        public boolean isGone() {
            return of.isGone();
        }

        @Override
        public ForeignMemory slice(long offset, long length) {
            return offset == 0 && length == byteSize ? this : new Range(of, address + offset, length);
        }
    }
}
