// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.pvrdma.device.PvrdmaDevice;
import org.paraverbs.pvrdma.guest.kernel.Bars;
import org.paraverbs.pvrdma.guest.kernel.DmaSpace;
import org.paraverbs.pvrdma.guest.kernel.InterruptTable;
import org.paraverbs.pvrdma.guest.kernel.PvrdmaDriver;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.verbs.Gid;

/**
 * Serves an emulated device to programs that use libibverbs, each of which has it as its own {@code /dev/infiniband/uverbs0} by the
 * library in {@code native/preload}. The programs are processes of the same user, and each has a context of its own on the
 * one device, so that they can connect to each other.
 *
 * <p>Everything is done by one thread, which also runs the device: it looks for doorbells in memory that it shares with the
 * programs, yields when there are more programs than cores, and sleeps when there is nothing to do.
 */
public final class UverbsServer implements AutoCloseable {
    /** The device's name, which the provider of rdma-core goes by no more than users do. */
    public static final String DEVICE = "vmw_pvrdma0";

    /** Enough for a thousand programs at once; handles must fit in the doorbells that are shared with programs. */
    private static final int MANY = 4096;

    private static final int CONTEXTS = 2048;
    private static final int BACKLOG = 1024;

    /**
     * ::ffff:127.0.0.1. For an address handle libibverbs looks for the interface that has the address of the own GID, and for the way to
     * the other one, in the tables of the machine's network: this one is in those of every machine.
     */
    private static final Gid LOOPBACK = new Gid(0, 0xffff_7f00_0001L);

    private static final long LINK_LOCAL = 0xfe80_0000_0000_0000L;

    private final Path socket;
    private final Path pidFile;
    private final PvrdmaDevice device;
    private final PvrdmaDriver driver;
    private final Agent agent;
    private final Thread thread;

    private UverbsServer(Path directory) throws IOException {
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        requireOwn(directory);
        socket = directory.resolve("socket");
        pidFile = directory.resolve("pid");
        requireFree(socket);
        DmaSpace memory = new DmaSpace();
        InterruptTable interrupts = new InterruptTable();
        device = new PvrdmaDevice(configuration(), memory, interrupts, new Fabric());
        Bars bars = Bars.of(device);
        driver = new PvrdmaDriver(DEVICE, bars, interrupts, memory, PvrdmaDriver.COMMAND_TIMEOUT);
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            driver.addGid(0, LOOPBACK);
            driver.addGid(1, new Gid(LINK_LOCAL, device.configuration().nodeGuid()));
            new SysfsTree(directory.resolve("sysfs"), driver).write();
            listener.bind(UnixDomainSocketAddress.of(socket), BACKLOG);
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
            listener.configureBlocking(false);
            Selector selector = Selector.open();
            listener.register(selector, SelectionKey.OP_ACCEPT);
            agent = new Agent(driver, bars, listener, selector);
        } catch (IOException | RuntimeException e) {
            listener.close();
            driver.close();
            device.close();
            throw e;
        }
        thread = new Thread(agent::run, "pvrdma-emu");
        thread.setDaemon(true);
        thread.start();
        Files.writeString(pidFile, ProcessHandle.current().pid() + "\n"); // programs can connect
    }

    private static DeviceConfiguration configuration() {
        return DeviceConfiguration.builder()
                .maxQp(MANY)
                .maxCq(MANY)
                .maxSrq(MANY)
                .maxPd(MANY)
                .maxUar(CONTEXTS)
                .build();
    }

    /** Who else may enter it, or has made it, could stand between programs and emulator. */
    private static void requireOwn(Path directory) throws IOException {
        PosixFileAttributes attributes = Files.readAttributes(directory, PosixFileAttributes.class);
        boolean open = attributes.permissions().stream()
                .anyMatch(right -> !right.name().startsWith("OWNER_"));
        if (open || !attributes.owner().equals(Files.getOwner(Path.of("/proc/self")))) {
            throw new IOException(
                    directory + " belongs to " + attributes.owner() + " and is "
                            + PosixFilePermissions.toString(attributes.permissions())
                            + ": it has to be this user's, and nobody else's to enter (chmod 700), or name another in PVRDMA_EMU");
        }
    }

    /** A socket that nobody answers at is left from an emulator that has ended. */
    private static void requireFree(Path socket) throws IOException {
        if (!Files.exists(socket)) {
            return;
        }
        try (SocketChannel other = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            Files.deleteIfExists(
                    socket.resolveSibling("pid")); // until there is a new one, nobody is to take this for it
            Files.delete(socket);
            return;
        }
        throw new IOException("an emulator serves at " + socket + " already: use it, or name another directory");
    }

    /**
     * Starts to serve.
     *
     * @param directory where socket and device files go, which is made if it does not exist; only its owner may enter it
     * @return the server
     * @throws IOException if the directory cannot be used, or another emulator serves there
     */
    public static UverbsServer start(Path directory) throws IOException {
        return new UverbsServer(directory.toAbsolutePath());
    }

    /** The device that is served: its port, its limits, and what it has done. */
    public PvrdmaDevice device() {
        return device;
    }

    /** How many processes have the device open. */
    public int clients() {
        return agent.clients();
    }

    /** How many connections there are, those of nobody yet among them; two for each client. */
    int connections() {
        return agent.connections();
    }

    /** Waits until the server is closed. */
    public void await() throws InterruptedException {
        thread.join();
    }

    /** Ends: clients find their device gone. */
    @Override
    public void close() {
        agent.stop();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        driver.close();
        device.close();
        try {
            Files.deleteIfExists(pidFile);
            Files.deleteIfExists(socket);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
