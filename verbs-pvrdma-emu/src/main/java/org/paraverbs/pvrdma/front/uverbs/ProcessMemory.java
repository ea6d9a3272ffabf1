// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Memory that is reached through {@code /proc/PID/mem} (proc(5)), which needs the right to trace the process. */
final class ProcessMemory extends ClientMemory {
    /** What opens the file again after the interrupt of a thread has closed it; the process may be another by then. */
    private static final int START_TIME_FIELD = 22;

    private final Path process;
    private final String startTime;
    private volatile FileChannel memory;
    private volatile boolean closed;
    private volatile boolean gone;

    ProcessMemory(int pid) throws IOException {
        super(pid);
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

    @Override
    boolean read(long address, ByteBuffer into) {
        return transfer(address, into, false);
    }

    @Override
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

    @Override
    boolean isGone() {
        return gone;
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
