// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.paraverbs.pvrdma.abi.Grh;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.WcFlags;
import org.paraverbs.pvrdma.abi.WcOpcode;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;

/** A UD queue pair on each device, with the same Q_Key. */
abstract class DatagramFixture {
    static final int QKEY = 0x1111_1111;
    static final int MTU = 1024;
    static final int DEPTH = 16;

    Pair pair;
    MockQueuePair sender;
    MockQueuePair receiver;

    DatagramFixture() {
        use(DeviceConfiguration.defaults());
    }

    void use(DeviceConfiguration configuration) {
        if (pair != null) {
            pair.close();
        }
        pair = new Pair(configuration, false, p -> {});
        sender = pair.left.createQp(QpType.UD, pair.leftPd, pair.leftCq, pair.leftCq, null, DEPTH, 2);
        receiver = pair.right.createQp(QpType.UD, pair.rightPd, pair.rightCq, pair.rightCq, null, DEPTH, 2);
        sender.ready(QKEY, false);
        receiver.ready(QKEY, false);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    void send(long wrId, int length) {
        sender.datagram(wrId, receiver, QKEY, pair.leftMr, 0, length);
    }

    void assertSent(long wrId, int length) {
        assertThat(pair.leftCq.poll())
                .isEqualTo(new Completion(wrId, sender.handle, WcOpcode.SEND, WcStatus.SUCCESS, length, 0, 0, 0));
    }

    void assertReceived(long wrId, int length) {
        assertThat(pair.rightCq.poll())
                .isEqualTo(new Completion(
                        wrId,
                        receiver.handle,
                        WcOpcode.RECV,
                        WcStatus.SUCCESS,
                        Grh.SIZE + length,
                        0,
                        sender.qpn,
                        WcFlags.GRH));
    }

    void assertDropped() {
        assertThat(pair.rightCq.poll()).isNull();
        assertThat(receiver.state()).isEqualTo(QpState.RTS);
        assertThat(pair.right.events()).isEmpty();
    }

    byte[] received(long offset, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = pair.rightMr.get(offset + i);
        }
        return bytes;
    }

    /** Sends 8 bytes by a work request that the test has changed. */
    void change(Consumer<MemorySegment> change) {
        MemorySegment place = sender.nextSend();
        sender.putDatagram(
                WrOpcode.SEND,
                1,
                SendFlags.SIGNALED,
                0,
                pair.right.gidLow,
                receiver.qpn,
                QKEY,
                pair.leftMr.start(),
                8,
                pair.leftMr.lkey());
        change.accept(place);
        sender.ring();
    }
}
