// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.DeviceAttributes;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.PortAttributes;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.Transition;

/** What an error number means for a verb, and what to do next: the last part of each message. */
final class Advice {
    private static final int VENDOR_VMWARE = 0x15ad;
    private static final int PART_PVRDMA = 0x0820;

    /** The driver's page directory ends there: 512 times 512 pages (Linux, vmw_pvrdma, PVRDMA_PAGE_DIR_MAX_PAGES). */
    private static final long PVRDMA_REGION_MAX = 1L << 30;

    /** Of a route without a GID where there is nothing but Ethernet. */
    static final String NO_PEER_GID = "on Ethernet the route needs the GID of the peer, see Route.to";

    private static final String NO_ATOMICS =
            "REMOTE_ATOMIC was asked for, and the device has no atomics; ask Context.supports(Feature.ATOMICS) before";

    private final DeviceAttributes device;

    Advice(DeviceAttributes device) {
        this.device = device;
    }

    /** Whether the device is VMware's paravirtual one, whose driver answers in its own way. */
    static boolean isPvrdma(DeviceAttributes device) {
        return device.vendorId() == VENDOR_VMWARE && device.vendorPartId() == PART_PVRDMA;
    }

    static String open(int errno, Path path) {
        return switch (Errno.of(errno)) {
            case EACCES, EPERM ->
                "this user may not open " + path
                        + "; make it readable and writable for the user by a udev rule or chmod,"
                        + " or run as a user who may";
            case ENOENT, ENXIO, ENODEV ->
                "there is no " + path + "; start udev, or give the container --device=" + SystemDevices.DEVICE_FOLDER;
            case EMFILE -> "the process has too many open files, see 'ulimit -n'";
            default -> "the driver in user space could not open the device; see the last lines of 'dmesg'";
        };
    }

    /** What holds for any verb that asks the device. */
    String general(int errno) {
        return switch (Errno.of(errno)) {
            case EIO, ENODEV -> "the device was removed or failed; close the context";
            case EFAULT ->
                isPvrdma(device)
                        ? "on PVRDMA any refusal of the device looks like this; see 'failed to write request' in 'dmesg'"
                        : "";
            case ETIMEDOUT ->
                isPvrdma(device)
                        ? "the device did not answer, or a signal arrived during the command: try once more"
                        : "";
            case EBUSY -> "something still uses it";
            default -> "";
        };
    }

    String release(int errno) {
        return general(errno);
    }

    String port(int errno) {
        return errno == Errno.EINVAL.number() ? "the device has ports 1 to " + device.portCount() : general(errno);
    }

    String registration(int errno, long byteSize, Set<Access> rights) {
        return switch (Errno.of(errno)) {
            case ENOMEM ->
                pinning(
                        byteSize,
                        "the device has room for " + device.maxMemoryRegions()
                                + " regions, or the system is out of memory");
            case EINVAL, EFAULT -> {
                if (Long.compareUnsigned(byteSize, device.maxMemoryRegionSize()) > 0) {
                    yield "the device registers at most " + Long.toUnsignedString(device.maxMemoryRegionSize())
                            + " bytes at once; register several regions";
                }
                if (isPvrdma(device) && byteSize > PVRDMA_REGION_MAX) {
                    yield "the vmw_pvrdma driver registers at most 1 GiB at once; register several regions";
                }
                if (asksForMissingAtomics(rights)) {
                    yield NO_ATOMICS;
                }
                String known = general(errno);
                yield known.isEmpty() ? "the memory must be mapped, and writable if LOCAL_WRITE is asked for" : known;
            }
            case EOPNOTSUPP ->
                asksForMissingAtomics(rights) ? NO_ATOMICS : "the device does not support one of the access rights";
            default -> general(errno);
        };
    }

    String dmaBuf(int errno, long byteSize, Set<Access> rights) {
        return switch (Errno.of(errno)) {
            case EBADF -> "that is no open file descriptor";
            case EINVAL -> "the descriptor may not be a dma-buf, or the part may reach beyond its end";
            default -> registration(errno, byteSize, rights);
        };
    }

    private static boolean isRefusal(int errno) {
        return errno == Errno.EINVAL.number() || errno == Errno.EFAULT.number() || errno == Errno.EOPNOTSUPP.number();
    }

    /** Some drivers take the right all the same, and the device refuses. */
    private boolean asksForMissingAtomics(Set<Access> rights) {
        return device.atomicCapability() == 0 && rights.contains(Access.REMOTE_ATOMIC);
    }

    String completionQueue(int errno, int entries, int vector) {
        return switch (Errno.of(errno)) {
            case EINVAL -> {
                if (entries < 1 || entries > device.maxCompletionEntries()) {
                    yield "a completion queue of this device has 1 to " + device.maxCompletionEntries() + " entries";
                }
                if (vector < 0 || vector >= device.completionVectors()) {
                    yield "the device has completion vectors 0 to " + (device.completionVectors() - 1);
                }
                yield general(errno);
            }
            case ENOMEM ->
                pinning(
                        0,
                        "the device has room for " + device.maxCompletionQueues()
                                + " completion queues, or the system is out of memory");
            default -> general(errno);
        };
    }

    String extendedCompletionQueue(int errno, int entries, int vector) {
        return errno == Errno.EOPNOTSUPP.number()
                ? "the device or its provider does not have what is to be told with each completion, this clock perhaps"
                : completionQueue(errno, entries, vector);
    }

    String multicast(int errno, Gid group) {
        return errno == Errno.EINVAL.number()
                ? group
                        + " may be no multicast GID (ff00::/8 or a mapped IPv4 one), or the queue pair is not in that group"
                : general(errno);
    }

    String resizing(int errno, int entries) {
        boolean withinLimits = entries >= 1 && entries <= device.maxCompletionEntries();
        return errno == Errno.EINVAL.number() && withinLimits
                ? "there may be more completions in the queue than that: poll first"
                : completionQueue(errno, entries, 0);
    }

    String sharedReceiveQueue(int errno, int receives, int elements) {
        List<String> beyond = new ArrayList<>();
        beyond(beyond, "receives", receives, device.maxSharedReceives());
        beyond(beyond, "elements of a receive", elements, device.maxSharedReceiveElements());
        return switch (Errno.of(errno)) {
            case EINVAL, EFAULT, ENOMEM -> {
                if (!beyond.isEmpty()) {
                    yield String.join("; ", beyond);
                }
                yield errno == Errno.ENOMEM.number()
                        ? pinning(
                                0,
                                "the device has room for " + device.maxSharedReceiveQueues()
                                        + " shared receive queues, or the system is out of memory")
                        : general(errno);
            }
            default -> general(errno);
        };
    }

    String queuePair(int errno, QueuePairSpec spec) {
        return switch (Errno.of(errno)) {
            // EFAULT and ENOMEM are how some drivers say the same.
            case EINVAL, EFAULT -> {
                String beyond = beyondLimits(spec);
                yield beyond.isEmpty() ? queuePairOtherwise(errno, spec) : beyond;
            }
            case ENOMEM -> {
                String beyond = beyondLimits(spec);
                yield beyond.isEmpty()
                        ? pinning(
                                0,
                                "the device has room for " + device.maxQueuePairs()
                                        + " queue pairs, of this and of other programs, or the system is out of memory")
                        : beyond;
            }
            default -> general(errno);
        };
    }

    private String queuePairOtherwise(int errno, QueuePairSpec spec) {
        int inline = spec.capacity().maxInlineSize();
        String known = general(errno);
        return inline > 0 && known.isEmpty()
                ? "the device may not have room for " + inline
                        + " bytes of inline data, which it tells nobody: try less"
                : known;
    }

    private String beyondLimits(QueuePairSpec spec) {
        List<String> beyond = new ArrayList<>();
        beyond(beyond, "send requests", spec.capacity().maxSends(), device.maxWorkRequests());
        beyond(beyond, "receives", spec.capacity().maxReceives(), device.maxWorkRequests());
        beyond(beyond, "elements of a send request", spec.capacity().maxSendElements(), device.maxElements());
        beyond(beyond, "elements of a receive", spec.capacity().maxReceiveElements(), device.maxElements());
        return String.join("; ", beyond);
    }

    private static void beyond(List<String> beyond, String what, int asked, int limit) {
        if (asked > limit) {
            beyond.add(asked + " " + what + " were asked for and the device has at most " + limit);
        }
    }

    private static String pinning(long byteSize, String otherwise) {
        return MemoryLockLimit.ofThisProcess()
                .flatMap(limit -> limit.advice(byteSize))
                .orElse(otherwise);
    }

    String addressHandle(int errno, Route route, PortAttributes port) {
        if (errno == Errno.ENOMEM.number()) {
            return "the device has room for " + device.maxAddressHandles()
                    + " address handles, or the system is out of memory";
        }
        String way = route(errno, route, port);
        return way.isEmpty() ? general(errno) : way;
    }

    /** Where the state table finds nothing wrong, the attributes have values that the device refuses. */
    String transition(int errno, Transition transition, PortAttributes port) {
        return switch (transition) {
            case Transition.ReadyToReceive ready -> connection(errno, ready.route(), ready.mtu(), port);
            case Transition.UnreliableReadyToReceive ready -> connection(errno, ready.route(), ready.mtu(), port);
            case Transition.Init init when isRefusal(errno) && asksForMissingAtomics(init.access()) -> NO_ATOMICS;
            case Transition.Init init
            when errno == Errno.EINVAL.number() -> binding(init.port(), init.pkeyIndex(), port);
            case Transition.DatagramInit init
            when errno == Errno.EINVAL.number() -> binding(init.port(), init.pkeyIndex(), port);
            default -> general(errno);
        };
    }

    private String binding(int portNumber, int pkeyIndex, PortAttributes port) {
        return "port " + portNumber + " of " + device.portCount() + ", or pkey index " + pkeyIndex + " of "
                + port.pkeyTableLength() + ", may not exist";
    }

    private String connection(int errno, Route route, Mtu mtu, PortAttributes port) {
        if (errno == Errno.EINVAL.number() && mtu.compareTo(port.activeMtu()) > 0) {
            return "the path MTU of " + mtu.bytes() + " bytes is more than the port's "
                    + port.activeMtu().bytes();
        }
        String way = route(errno, route, port);
        return way.isEmpty() ? general(errno) : way;
    }

    static String tooManyReads(int asked, int limit) {
        return asked + " outstanding READs were asked for and the device has at most " + limit;
    }

    private static String route(int errno, Route route, PortAttributes port) {
        return switch (Errno.of(errno)) {
            case ENODATA ->
                "entry " + route.sourceGidIndex() + " of the GID table of port " + port.port()
                        + " is empty; Context.gids lists the used ones";
            case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH ->
                "the network has no way to "
                        + route.destination().toInetAddress().getHostAddress()
                        + ": it may be link-local, in another network, or not answer to ARP or neighbour discovery";
            case EINVAL ->
                "entry " + route.sourceGidIndex() + " of the GID table may not go with the peer's GID "
                        + route.destination() + ", or port " + route.port() + " may not exist";
            default -> "";
        };
    }
}
