// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A process that has opened the device: what it shares with the emulator, and its context once it has one. The agent's. */
final class Client implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Client.class);

    private static final int CAP_NET_RAW = 13;

    private final int pid;
    private final SharedFile shared;
    private final ClientMemory memory;
    private final byte[] ticket;
    final Connection commands;
    private @Nullable Connection events;
    private @Nullable Connection copies;
    private @Nullable ClientContext context;
    private boolean attached;
    private long fence;

    /**
     * A process that says that it is so.
     *
     * @param copies whether it wants to copy from and to its memory itself; it has to where we may not
     * @param ticket what it has to show, to get its event connection, and to be believed that the process is its own
     * @throws IOException if its memory cannot be reached
     */
    Client(int pid, int memfd, boolean copies, byte[] ticket, Connection commands) throws IOException {
        this.pid = pid;
        this.ticket = ticket.clone();
        this.commands = commands;
        shared = new SharedFile(pid, memfd);
        try {
            memory = copies ? new CopiedMemory(pid, shared) : processMemory(pid, shared);
        } catch (IOException | RuntimeException e) {
            shared.close();
            throw e;
        }
    }

    private static ClientMemory processMemory(int pid, SharedFile shared) throws IOException {
        try {
            return new ProcessMemory(pid);
        } catch (AccessDeniedException e) {
            LOG.info("The memory of process {} may not be reached from here (Yama?): it copies itself", pid);
            return new CopiedMemory(pid, shared);
        }
    }

    /** Whether it has to copy from and to its memory, and needs a third connection for that. */
    boolean copies() {
        return memory instanceof CopiedMemory;
    }

    /** The third connection. */
    void copies(Connection connection) throws IOException {
        if (copies != null || !(memory instanceof CopiedMemory copied)) {
            throw new IOException(this + " needs no connection for copies");
        }
        copies = connection;
        copied.connected(connection.channel());
    }

    /** The connections besides that of its commands. */
    List<Connection> others() {
        return Stream.of(events, copies).filter(Objects::nonNull).toList();
    }

    SharedFile shared() {
        return shared;
    }

    ClientMemory memory() {
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
        if (attached || events == null || (copies() && copies == null)) {
            throw new IOException(this + ": cannot be attached");
        }
        if (!Arrays.equals(ticket, copies() ? shared.ticket(ticket.length) : read(address, ticket.length))) {
            throw new IOException(this + ": its ticket is not in the memory of that process");
        }
        shared.requireSealed();
        attached = true;
    }

    private byte[] read(long address, int bytes) {
        ByteBuffer found = ByteBuffer.allocateDirect(bytes);
        byte[] read = new byte[memory.read(address, found) ? bytes : 0];
        found.flip().get(read);
        return read;
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
        memory.close();
        shared.close();
    }

    @Override
    public String toString() {
        return "client process " + pid;
    }
}
