// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.paraverbs.pvrdma.device.ForeignMemory;

/**
 * The memory of another process, through {@code /proc/PID/mem} (proc(5)): whatever it has there, and it stays that process's own.
 * Needs the right to trace the process.
 */
final class ProcessMemory implements AutoCloseable {
    /** What opens the file again after the interrupt of a thread has closed it; the process may be another by then. */
    private static final int START_TIME_FIELD = 22;

    private final Path process;
    private final String startTime;
    private volatile FileChannel memory;
    private volatile boolean closed;
    private volatile boolean gone;

    ProcessMemory(int pid) throws IOException {
        process = Path.of("/proc", Integer.toString(pid));
        startTime = startTime();
        memory = open();
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(process.resolve("mem"), StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Tells a process from a later one with its number. */
    private String startTime() throws IOException {
        String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
        // the second field is the program's name, which may contain blanks and brackets
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return fields[START_TIME_FIELD - 3];
    }

    boolean read(long address, ByteBuffer into) {
        return transfer(address, into, false);
    }

    boolean write(long address, ByteBuffer from) {
        return transfer(address, from, true);
    }

    private boolean transfer(long address, ByteBuffer buffer, boolean out) {
        boolean interrupted = false;
        try {
            long start = address - buffer.position();
            while (buffer.hasRemaining()) {
                FileChannel file = memory;
                try {
                    long at = start + buffer.position();
                    int moved = out ? file.write(buffer, at) : file.read(buffer, at);
                    if (moved <= 0) {
                        gone = true; // there is no address space any more; an address that is none is an exception
                        return false;
                    }
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                    reopen(file);
                } catch (ClosedChannelException e) {
                    reopen(file);
                }
            }
            return true;
        } catch (IOException | IllegalArgumentException e) {
            return false; // nothing there, or no process any more; a negative address is nobody's
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized void reopen(FileChannel stale) throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        if (memory.equals(stale)) {
            FileChannel fresh = open();
            if (!startTime().equals(startTime)) {
                fresh.close();
                throw new ClosedChannelException();
            }
            memory = fresh;
        }
    }

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
        try (BufferedReader maps = Files.newBufferedReader(process.resolve("maps"), StandardCharsets.ISO_8859_1)) {
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

    private record Range(ProcessMemory of, long address, long byteSize) implements ForeignMemory {
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
            return of.gone;
        }

        @Override
        public ForeignMemory slice(long offset, long length) {
            return offset == 0 && length == byteSize ? this : new Range(of, address + offset, length);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        try {
            memory.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
