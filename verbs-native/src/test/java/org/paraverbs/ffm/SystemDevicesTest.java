// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.paraverbs.verbs.Errno;

class SystemDevicesTest {

    @Test
    void aKernelWithoutRdmaIsToldTheModule() {
        assertThat(SystemDevices.noList(Errno.ENOSYS.number()))
                .contains("no RDMA support")
                .contains("modprobe ib_uverbs");
    }

    @Test
    void otherFailuresOfListingAreNamed() {
        assertThat(SystemDevices.noList(Errno.EMFILE.number())).contains("EMFILE");
        assertThat(SystemDevices.noList(4711)).contains("errno 4711");
    }

    @Test
    void noDeviceAtAllIsToldWhatToLookFor() {
        SystemDevices none = new SystemDevices(List.of(), Map.of(), Set.of());
        assertThat(none.missing(List.of()))
                .hasValueSatisfying(reason -> assertThat(reason)
                        .contains("no RDMA device")
                        .contains("lspci")
                        .contains("modprobe vmw_pvrdma")
                        .contains("rdma link add rxe0"));
    }

    @Test
    void allListedIsWell() {
        SystemDevices one = new SystemDevices(List.of("rxe0"), Map.of("rxe0", "uverbs0"), Set.of("uverbs0"));
        assertThat(one.missing(List.of("rxe0"))).isEmpty();
    }

    @Test
    void aDeviceWithoutDriverIsToldThePackage() {
        SystemDevices two = new SystemDevices(
                List.of("rxe0", "vmw_pvrdma0"),
                Map.of("rxe0", "uverbs0", "vmw_pvrdma0", "uverbs1"),
                Set.of("uverbs0", "uverbs1"));
        assertThat(two.missing(List.of("rxe0")))
                .hasValueSatisfying(reason -> assertThat(reason)
                        .contains("the kernel has vmw_pvrdma0, but libibverbs has no driver")
                        .contains("ibverbs-providers"));
    }

    @Test
    void aDeviceWithoutFileIsToldAboutContainers() {
        SystemDevices hidden = new SystemDevices(List.of("rxe0"), Map.of("rxe0", "uverbs0"), Set.of());
        assertThat(hidden.missing(List.of()))
                .hasValueSatisfying(reason -> assertThat(reason)
                        .contains("no /dev/infiniband/uverbs0")
                        .contains("--device=/dev/infiniband"));
    }

    @Test
    void aDeviceForTheKernelOnlyIsToldTheModule() {
        SystemDevices kernelOnly = new SystemDevices(List.of("rxe0"), Map.of(), Set.of());
        assertThat(kernelOnly.missing(List.of()))
                .hasValueSatisfying(reason -> assertThat(reason).contains("modprobe ib_uverbs"));
    }

    @Test
    void looksAtSysfs(@TempDir Path root) throws IOException {
        Path entry = root.resolve("class/infiniband_verbs/uverbs3");
        Files.createDirectories(entry);
        Files.writeString(entry.resolve("ibdev"), "mlx5_0\n");
        Files.writeString(root.resolve("class/infiniband_verbs/abi_version"), "6\n");
        Files.createDirectories(root.resolve("class/infiniband/mlx5_0"));
        Path deviceFolder = Files.createDirectories(root.resolve("dev"));

        SystemDevices seen = SystemDevices.look(root.resolve("class"), deviceFolder);
        assertThat(seen).isEqualTo(new SystemDevices(List.of("mlx5_0"), Map.of("mlx5_0", "uverbs3"), Set.of()));

        Files.createFile(deviceFolder.resolve("uverbs3"));
        assertThat(SystemDevices.look(root.resolve("class"), deviceFolder).deviceFiles())
                .containsExactly("uverbs3");
    }

    @Test
    void aMachineWithoutSysfsHasNone(@TempDir Path root) {
        assertThat(SystemDevices.look(root, root)).isEqualTo(new SystemDevices(List.of(), Map.of(), Set.of()));
    }
}
