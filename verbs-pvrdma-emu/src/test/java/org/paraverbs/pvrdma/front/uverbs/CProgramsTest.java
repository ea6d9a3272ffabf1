// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** libibverbs, its vmw_pvrdma provider and its example programs, unmodified, on the emulated device. */
class CProgramsTest extends ServerFixture {
    @Override
    String[] required() {
        return new String[] {"ibv_devices", "ibv_devinfo", "ibv_rc_pingpong", "ibv_srq_pingpong", "ibv_ud_pingpong"};
    }

    @Test
    void theDeviceIsListed() throws Exception {
        String list = programs.start("ibv_devices").succeed();
        assertThat(list).containsPattern("vmw_pvrdma0\\s+025056fffe000001");
    }

    @Test
    void theDeviceIsDescribed() throws Exception {
        String text = programs.start("ibv_devinfo", "-v").succeed();
        assertThat(text)
                .containsPattern(
                        "max_qp:\\s+" + server.device().configuration().limits().maxQp() + "\n")
                .containsPattern("atomic_cap:\\s+ATOMIC_HCA")
                .containsPattern("link_layer:\\s+Ethernet")
                .containsPattern("state:\\s+PORT_ACTIVE")
                .contains("::ffff:127.0.0.1, RoCE v2", "fe80::250:56ff:fe00:1, RoCE v2");
        assertNothingIsLeft();
    }

    @Test
    void withoutAnEmulatorThereIsNoDevice() throws Exception {
        server.close();
        CPrograms.Program list = programs.start("ibv_devinfo");
        assertThat(list.await()).isNotZero();
        assertThat(list.output()).contains("No IB devices found");
    }

    @Test
    void aDirectoryThatOthersMayEnterIsRefusedByBothSides() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        CPrograms.Program list = programs.start("ibv_devices");
        list.await(); // what it makes of a machine without RDMA depends on the machine
        assertThat(list.output()).contains("nobody else may enter it").doesNotContain("vmw_pvrdma0");
        server.close();
        assertThatThrownBy(() -> UverbsServer.start(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("rwxr-xr-x");
    }

    @Test
    void aSecondEmulatorInOneDirectoryIsRefused() {
        assertThatThrownBy(() -> UverbsServer.start(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("serves at");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ibv_rc_pingpong -g 1 -c",
                "ibv_rc_pingpong -g 1 -c -e",
                "ibv_rc_pingpong -g 0 -c -s 1000000 -n 30",
                "ibv_srq_pingpong -g 1 -c",
                "ibv_srq_pingpong -g 1 -c -e",
                "ibv_ud_pingpong -g 0 -c",
                "ibv_ud_pingpong -g 0 -c -e"
            })
    void pingPong(String command) throws Exception {
        for (CPrograms.Program program : pair(command.split(" "))) {
            assertThat(program.succeed()).contains("iters in").doesNotContain("invalid data");
        }
        assertNothingIsLeft();
    }

    @Test
    void twoPairsAtOnce() throws Exception {
        List<CPrograms.Program> all = new ArrayList<>(pair("ibv_rc_pingpong", "-g", "1", "-c"));
        all.addAll(pair("ibv_rc_pingpong", "-g", "1", "-c", "-e"));
        for (CPrograms.Program program : all) {
            assertThat(program.succeed()).contains("iters in").doesNotContain("invalid data");
        }
        assertNothingIsLeft();
    }
}
