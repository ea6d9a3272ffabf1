// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class BthTest {
    private static final int FLAGS = 1;
    private static final int MIGRATED = 0x40;

    @Test
    void readsWhatWasCaptured() {
        Capture.Frame frame = Capture.frame(13);
        MemorySegment s = frame.segment();
        long at = frame.bth();
        assertThat(Bth.opcode(s, at)).isEqualTo(Opcode.RC | Opcode.RDMA_WRITE_LAST);
        assertThat(Bth.isSolicited(s, at)).isFalse();
        assertThat(Bth.isMigrated(s, at)).isFalse();
        assertThat(Bth.pad(s, at)).isEqualTo(3);
        assertThat(Bth.version(s, at)).isZero();
        assertThat(Bth.pkey(s, at)).isEqualTo(0xffff);
        assertThat(Bth.isForwardCongested(s, at)).isFalse();
        assertThat(Bth.isBackwardCongested(s, at)).isFalse();
        assertThat(Bth.destinationQpn(s, at)).isEqualTo(0x1b);
        assertThat(Bth.isAckRequested(s, at)).isTrue();
        assertThat(Bth.psn(s, at)).isEqualTo(11351531);
    }

    @Test
    void writesTheSameBytesButForTheStateOfMigration() {
        byte[] bytes = new byte[Bth.SIZE];
        Bth.write(
                MemorySegment.ofArray(bytes),
                0,
                Opcode.RC | Opcode.RDMA_WRITE_LAST,
                false,
                3,
                0xffff,
                0x1b,
                true,
                11351531);
        Capture.Frame frame = Capture.frame(13);
        byte[] captured = frame.slice(frame.bth(), Bth.SIZE);
        captured[FLAGS] |= MIGRATED; // Soft-RoCE says that it has not migrated
        assertThat(bytes).isEqualTo(captured);
    }

    @Test
    void everyFieldStandsForItself() {
        MemorySegment s = MemorySegment.ofArray(new byte[Bth.SIZE]);
        Bth.write(s, 0, Opcode.UD | Opcode.SEND_ONLY, true, 2, 0x8001, 0xabcdef, false, 0x123456);
        assertThat(Bth.opcode(s, 0)).isEqualTo(100);
        assertThat(Bth.isSolicited(s, 0)).isTrue();
        assertThat(Bth.isMigrated(s, 0)).isTrue();
        assertThat(Bth.pad(s, 0)).isEqualTo(2);
        assertThat(Bth.version(s, 0)).isZero();
        assertThat(Bth.pkey(s, 0)).isEqualTo(0x8001);
        assertThat(Bth.destinationQpn(s, 0)).isEqualTo(0xabcdef);
        assertThat(Bth.isAckRequested(s, 0)).isFalse();
        assertThat(Bth.psn(s, 0)).isEqualTo(0x123456);

        Bth.markBackwardCongested(s, 0);
        assertThat(Bth.isBackwardCongested(s, 0)).isTrue();
        assertThat(Bth.isForwardCongested(s, 0)).isFalse();
        assertThat(Bth.destinationQpn(s, 0)).isEqualTo(0xabcdef);
    }

    @Test
    void aNumberOfMoreThan24BitsSpoilsNothingElse() {
        MemorySegment s = MemorySegment.ofArray(new byte[Bth.SIZE]);
        Bth.write(s, 0, Opcode.SEND_ONLY, false, 0, 0xffff, -1, false, -1);
        assertThat(Bth.isForwardCongested(s, 0)).isFalse();
        assertThat(Bth.isAckRequested(s, 0)).isFalse();
        assertThat(Bth.destinationQpn(s, 0)).isEqualTo(0xff_ffff);
    }
}
