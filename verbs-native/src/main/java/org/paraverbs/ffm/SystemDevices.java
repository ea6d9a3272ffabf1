// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.paraverbs.verbs.Errno;

/**
 * What the kernel says about RDMA devices in sysfs and in /dev, to explain why libibverbs lists fewer.
 *
 * @param rdmaDevices the devices in /sys/class/infiniband
 * @param userVerbs the file in /dev/infiniband by device, for devices that programs can use at all
 * @param deviceFiles which of these files exist
 */
record SystemDevices(List<String> rdmaDevices, Map<String, String> userVerbs, Set<String> deviceFiles) {

    static final Path DEVICE_FOLDER = Path.of("/dev/infiniband");

    /** Looks at the system. */
    static SystemDevices look() {
        return look(Path.of("/sys/class"), DEVICE_FOLDER);
    }

    static SystemDevices look(Path classes, Path deviceFolder) {
        Map<String, String> userVerbs = new TreeMap<>();
        Path userVerbsClass = classes.resolve("infiniband_verbs");
        for (String file : names(userVerbsClass)) {
            deviceOf(userVerbsClass.resolve(file)).ifPresent(device -> userVerbs.put(device, file));
        }
        Set<String> files = userVerbs.values().stream()
                .filter(file -> Files.exists(deviceFolder.resolve(file)))
                .collect(Collectors.toSet());
        return new SystemDevices(names(classes.resolve("infiniband")), userVerbs, files);
    }

    /** The device of an entry; none for abi_version, which stands beside them, and for one that has gone just now. */
    private static Optional<String> deviceOf(Path entry) {
        try {
            return Optional.of(Files.readString(entry.resolve("ibdev")).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static List<String> names(Path folder) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
        } catch (IOException e) {
            return List.of();
        }
        names.sort(null);
        return names;
    }

    /** Why the library could not even make a list. */
    static String noList(int errno) {
        if (errno == Errno.ENOSYS.number()) {
            return "this kernel has no RDMA support for programs (no /sys/class/infiniband_verbs); load it with"
                    + " 'modprobe ib_uverbs', or boot a kernel that has it";
        }
        Errno known = Errno.of(errno);
        return "libibverbs cannot list devices: " + (known == Errno.UNKNOWN ? "errno " + errno : known.name());
    }

    /**
     * Why the library lists fewer devices than the kernel has, or none at all.
     *
     * @param listed the names that the library lists
     */
    Optional<String> missing(List<String> listed) {
        if (rdmaDevices.isEmpty() && listed.isEmpty()) {
            return Optional.of(
                    "the kernel has no RDMA device; look for an adapter with lspci (15ad:0820 is PVRDMA) and load"
                            + " its module ('modprobe vmw_pvrdma'), or make a software device with 'rdma link add rxe0 type rxe"
                            + " netdev eth0'");
        }
        List<String> unlisted =
                rdmaDevices.stream().filter(device -> !listed.contains(device)).toList();
        if (unlisted.isEmpty()) {
            return Optional.empty();
        }
        String names = String.join(", ", unlisted);
        for (String device : unlisted) {
            String file = userVerbs.get(device);
            if (file == null) {
                return Optional.of("the kernel has " + names + ", but not for programs; run 'modprobe ib_uverbs'");
            }
            if (!deviceFiles.contains(file)) {
                return Optional.of("the kernel has " + names + ", but there is no " + DEVICE_FOLDER.resolve(file)
                        + "; start udev, or give the container --device=" + DEVICE_FOLDER);
            }
        }
        return Optional.of(
                "the kernel has " + names + ", but libibverbs has no driver for it; install it, in the package"
                        + " ibverbs-providers (Debian, Ubuntu) or libibverbs (Fedora, Red Hat, SUSE) of rdma-core");
    }
}
