// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.CreateQp;
import org.paraverbs.pvrdma.abi.Grh;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.WcFlags;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.pvrdma.link.VirtualClock;
import org.paraverbs.verbs.Errno;

/** The queue pair number 1, as the kernel's MAD layer sets it up on each device: management datagrams, by DMA addresses. */
class GeneralServicesTest {
    private static final int GSI_QKEY = 0x8001_0000;
    private static final int MAD = 256;
    private static final int RECEIVES = 512;

    private final Fabric fabric = new Fabric(new VirtualClock());
    private Kernel left;
    private Kernel right;

    /** What ib_mad makes. */
    private static final class Kernel {
        final MockDriver driver;
        final int pd;
        final MockCompletionQueue cq;
        final MockQueuePair gsi;
        final int lkey;
        final MockMemory.Pages buffers;

        Kernel(Fabric fabric, int host, DeviceConfiguration configuration) {
            driver = MockDriver.booted(fabric, host, configuration);
            pd = driver.createPd();
            cq = driver.createCq(1024);
            gsi = driver.createQp(QpType.GSI, pd, cq, cq, null, RECEIVES, 2);
            lkey = CreateMr.Response.lkey(
                    driver.succeed(CommandCode.CREATE_MR, s -> {
                        CreateMr.pdHandle(s, 0, pd);
                        CreateMr.accessFlags(s, 0, 1);
                        CreateMr.flags(s, 0, CreateMr.FLAG_DMA);
                        CreateMr.length(s, 0, -1);
                    }),
                    0);
            buffers = driver.memory.pages(2);
            gsi.ready(GSI_QKEY, true);
            for (int i = 0; i < RECEIVES - 1; i++) {
                gsi.receive(i, buffers.first(), Grh.SIZE + MAD, lkey);
            }
        }

        void send(Kernel to, int opcode) {
            gsi.putDatagram(
                            opcode,
                            9,
                            SendFlags.SIGNALED,
                            0,
                            to.driver.gidLow,
                            1,
                            GSI_QKEY,
                            buffers.addresses()[1],
                            MAD,
                            lkey)
                    .ring();
        }
    }

    private void boot(int version) {
        DeviceConfiguration configuration =
                DeviceConfiguration.builder().version(version).build();
        left = new Kernel(fabric, 1, configuration);
        right = new Kernel(fabric, 2, configuration);
    }

    @AfterEach
    void close() {
        left.driver.close();
        right.driver.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 18, 19, 20})
    void managementDatagramsReachQueuePairOne(int version) {
        boot(version);
        assertThat(left.gsi.qpn).isEqualTo(1);
        left.buffers.segments()[1].fill((byte) 0x77);
        left.send(right, WrOpcode.SEND);
        assertThat(left.cq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(right.cq.poll())
                .extracting(
                        Completion::wrId,
                        Completion::status,
                        Completion::byteLength,
                        Completion::sourceQpn,
                        Completion::flags)
                .containsExactly(0L, WcStatus.SUCCESS, Grh.SIZE + MAD, 1, WcFlags.GRH | WcFlags.WITH_NETWORK_HDR_TYPE);
        assertThat(right.buffers.segments()[0].get(ValueLayout.JAVA_BYTE, Grh.SIZE + MAD - 1))
                .isEqualTo((byte) 0x77);
    }

    @Test
    void thereIsOnePerPort() {
        boot(20);
        assertThat(create(left, left.pd)).isEqualTo(Errno.EBUSY.number());
        assertThat(left.gsi.destroy()).isZero();
        left.send(right, WrOpcode.SEND);
        assertThat(right.cq.poll()).as("of one that is gone").isNull();
        right.send(left, WrOpcode.SEND);
        assertThat(right.cq.poll().status()).as("to one that is gone").isEqualTo(WcStatus.SUCCESS);
        assertThat(create(left, left.pd)).isZero();
    }

    @Test
    void itIsTheKernels() {
        boot(20);
        assertThat(left.gsi.destroy()).isZero();
        assertThat(create(left, left.driver.createUserPd())).isEqualTo(Errno.EPERM.number());
    }

    private static int create(Kernel kernel, int pd) {
        MockMemory.Pages ring = kernel.driver.memory.pages(3);
        return kernel.driver.command(CommandCode.CREATE_QP, s -> {
            CreateQp.pdirDma(s, 0, kernel.driver.memory.directory(ring.addresses()));
            CreateQp.pdHandle(s, 0, pd);
            CreateQp.sendCqHandle(s, 0, kernel.cq.handle);
            CreateQp.recvCqHandle(s, 0, kernel.cq.handle);
            CreateQp.maxSendWr(s, 0, 4);
            CreateQp.maxRecvWr(s, 0, 4);
            CreateQp.maxSendSge(s, 0, 1);
            CreateQp.maxRecvSge(s, 0, 1);
            CreateQp.totalChunks(s, 0, 3);
            CreateQp.sendChunks(s, 0, 1);
            CreateQp.qpType(s, 0, QpType.GSI);
        });
    }

    /** As the kernel's driver, which lets nothing else through. */
    @Test
    void itSendsWithoutImmediate() {
        boot(20);
        left.send(right, WrOpcode.SEND_WITH_IMM);
        assertThat(left.cq.poll().status()).isEqualTo(WcStatus.LOC_QP_OP_ERR);
        assertThat(left.gsi.state()).isEqualTo(QpState.SQE);
    }

    @Test
    void aProgramsQkeyDoesNotReachIt() {
        boot(20);
        int pd = left.driver.createUserPd();
        MockQueuePair program = left.driver.createQp(QpType.UD, pd, left.cq, left.cq, null, 4, 1);
        program.ready(0x1234, false);
        MockRegion mr = left.driver.createMr(pd, 100, 0, 0);
        program.datagram(1, right.gsi, GSI_QKEY, mr, 0, 8);
        assertThat(left.cq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(right.cq.poll())
                .as("the high bit asks for the queue pair's own key")
                .isNull();
    }
}
