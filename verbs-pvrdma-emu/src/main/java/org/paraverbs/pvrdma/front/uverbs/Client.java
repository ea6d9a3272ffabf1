// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A process that has opened the device: what it shares with the emulator, and its context once it has one. The agent's. */
final class Client implements AutoCloseable {
    private static final int CAP_NET_RAW = 13;

    private final int pid;
    private final SharedFile shared;
    private final ProcessMemory memory;
    private final byte[] ticket;
    final Connection commands;
    private @Nullable Connection events;
    private @Nullable ClientContext context;
    private boolean attached;
    private long fence;

    /**
     * A process that says that it is so.
     *
     * @param ticket what it has to show, to get its event connection, and to be believed that the process is its own
     * @throws IOException if its memory cannot be reached
     */
    Client(int pid, int memfd, byte[] ticket, Connection commands) throws IOException {
        this.pid = pid;
        this.ticket = ticket.clone();
        this.commands = commands;
        memory = new ProcessMemory(pid);
        try {
            shared = new SharedFile(pid, memfd);
        } catch (IOException | RuntimeException e) {
            memory.close();
            throw e;
        }
    }

    SharedFile shared() {
        return shared;
    }

    ProcessMemory memory() {
        return memory;
    }

    /** Whether the process has CAP_NET_RAW (capabilities(7), number 13), as proc(5) says. */
    boolean hasNetRaw() throws IOException {
        String mark = "CapEff:";
        for (String line :
                Files.readAllLines(Path.of("/proc", Integer.toString(pid), "status"), StandardCharsets.ISO_8859_1)) {
            if (line.startsWith(mark)) {
                return (Long.parseUnsignedLong(line.substring(mark.length()).strip(), 16) & 1 << CAP_NET_RAW) != 0;
            }
        }
        return false;
    }

    boolean hasTicket(byte[] shown) {
        return Arrays.equals(ticket, shown);
    }

    void events(Connection connection) throws IOException {
        if (events != null) {
            throw new IOException(this + " has an event connection already");
        }
        events = connection;
    }

    @Nullable
    Connection events() {
        return events;
    }

    /**
     * Believes the client: it has put its ticket in the memory of the process that it says it is.
     *
     * @throws IOException if the ticket is not there, there is no event connection, or the shared file can be cut short
     */
    void attach(long address) throws IOException {
        ByteBuffer found = ByteBuffer.allocateDirect(ticket.length).order(ByteOrder.nativeOrder());
        byte[] bytes = new byte[ticket.length];
        if (attached || events == null || !memory.read(address, found)) {
            throw new IOException(this + ": cannot be attached");
        }
        found.flip().get(bytes);
        if (!Arrays.equals(ticket, bytes)) {
            throw new IOException(this + ": its ticket is not in the memory of that process");
        }
        shared.requireSealed();
        attached = true;
    }

    /** Whether its doorbells are to be looked at, and its commands to be carried out. */
    boolean isAttached() {
        return attached;
    }

    void context(ClientContext opened) {
        context = opened;
    }

    @Nullable
    ClientContext context() {
        return context;
    }

    long nextFence() {
        return ++fence;
    }

    /** Gives back all but the context at the driver, which must be closed before, and the connections. */
    @Override
    public void close() {
        ClientContext ended = context;
        if (ended != null) {
            ended.completionQueues.values().forEach(RingObject::close);
            ended.queuePairs.values().forEach(RingObject::close);
            ended.sharedReceiveQueues.values().forEach(RingObject::close);
        }
        shared.close();
        memory.close();
    }

    @Override
    public String toString() {
        return "client process " + pid;
    }
}
