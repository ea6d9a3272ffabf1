// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.device.DeviceStatistics;

/** libibverbs, its vmw_pvrdma provider and its example programs, unmodified, on the emulated device. */
class CProgramsTest {
    @TempDir
    private Path directory;

    private UverbsServer server;
    private CPrograms programs;

    @BeforeEach
    void start() throws IOException {
        CPrograms.require("ibv_devices", "ibv_devinfo", "ibv_rc_pingpong", "ibv_srq_pingpong", "ibv_ud_pingpong");
        server = UverbsServer.start(directory);
        programs = new CPrograms(directory);
    }

    @AfterEach
    void close() throws IOException {
        if (server != null) {
            programs.close();
            server.close();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Two processes of a program that takes the port of the server by -p, and its name as the last argument. */
    private List<CPrograms.Program> pair(String... command) throws IOException, InterruptedException {
        String port = Integer.toString(freePort());
        List<String> words = new ArrayList<>(Arrays.asList(command));
        words.addAll(List.of("-p", port));
        CPrograms.Program first = programs.start(words.toArray(String[]::new));
        first.awaitListening(Integer.parseInt(port));
        words.add("127.0.0.1");
        return List.of(first, programs.start(words.toArray(String[]::new)));
    }

    private void assertNothingIsLeft() throws InterruptedException {
        while (server.clients() != 0) { // the emulator notices the end of a process a moment later
            Thread.sleep(1);
        }
        DeviceStatistics statistics = server.device().statistics();
        assertThat(statistics.use())
                .allSatisfy(use -> assertThat(use.used()).as(use.limit()).isZero());
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
                .containsPattern("max_qp:\\s+" + server.device().configuration().maxQp() + "\n")
                .containsPattern("atomic_cap:\\s+ATOMIC_HCA")
                .containsPattern("link_layer:\\s+Ethernet")
                .containsPattern("state:\\s+PORT_ACTIVE")
                .contains("fe80::250:56ff:fe00:1, RoCE v2", "::ffff:192.0.2.1, RoCE v2");
        assertNothingIsLeft();
    }

    @Test
    void withoutAnEmulatorThereIsNoDevice() throws Exception {
        server.close();
        CPrograms.Program list = programs.start("ibv_devinfo");
        assertThat(list.await()).isNotZero();
        assertThat(list.output()).contains("No IB devices found");
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
