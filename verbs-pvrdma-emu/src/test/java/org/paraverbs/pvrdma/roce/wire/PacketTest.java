// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.paraverbs.pvrdma.roce.wire.Packet.Fault;

class PacketTest {
    /** Different opcodes among the captured frames. */
    private static final int CAPTURED_OPCODES = 31;

    private final Packet packet = new Packet();

    @Test
    void readsEveryCapturedFrame() {
        assertThat(Capture.frames()).allSatisfy(frame -> {
            MemorySegment s = frame.segment();
            int length = frame.packetLength();
            assertThat(packet.parse(s, frame.bth(), length)).isEqualTo(Fault.NONE);
            assertThat(length).isEqualTo(UdpHeader.length(s, frame.udp()) - UdpHeader.SIZE);
            assertThat(packet.payload() + packet.payloadLength() + Bth.pad(s, frame.bth()) + Icrc.SIZE)
                    .isEqualTo(frame.bth() + length);
        });
        assertThat(Capture.frames().stream()
                        .map(frame -> frame.parsed().opcode())
                        .collect(Collectors.toSet()))
                .hasSize(CAPTURED_OPCODES);
    }

    @ParameterizedTest
    @CsvSource({
        "4, 4, 0", // an empty SEND
        "5, 4, 1", // one byte
        "6, 0, 4096", // the first part of a long one
        "12, 10, 1",
        "14, 11, 0",
        "15, 12, 0",
        "43, 8, 1328",
        "49, 100, 13"
    })
    void findsThePayload(int frame, int opcode, int bytes) {
        Packet captured = Capture.frame(frame).parsed();
        assertThat(captured.opcode()).isEqualTo(opcode);
        assertThat(captured.payloadLength()).isEqualTo(bytes);
    }

    @Test
    void refusesWhatIsTooShortOrNotOfWords() {
        Capture.Frame frame = Capture.frame(12); // a WRITE of one byte
        int length = frame.packetLength();
        for (int cut = 1; cut <= length; cut++) {
            Fault fault = packet.parse(frame.segment(), frame.bth(), length - cut);
            // without its only word of payload there is more padding than payload
            assertThat(fault).isEqualTo(cut == 4 ? Fault.PAYLOAD : Fault.LENGTH);
        }
    }

    @Test
    void refusesAnUnknownOpcodeAndAnotherVersion() {
        byte[] bytes = Capture.frame(4).slice(Capture.frame(4).bth(), Bth.SIZE + Icrc.SIZE);
        MemorySegment s = MemorySegment.ofArray(bytes);
        bytes[Bth.FLAGS_OFFSET] |= 1;
        assertThat(packet.parse(s, 0, bytes.length)).isEqualTo(Fault.VERSION);
        bytes[Bth.FLAGS_OFFSET] = 0;
        for (int opcode = 0; opcode < 256; opcode++) {
            bytes[Bth.OPCODE_OFFSET] = (byte) opcode;
            boolean longer = Opcode.extendedHeaderBytes(opcode) != 0;
            Fault expected = !Opcode.isKnown(opcode) ? Fault.OPCODE : longer ? Fault.LENGTH : Fault.NONE;
            assertThat(packet.parse(s, 0, bytes.length)).as("opcode %d", opcode).isEqualTo(expected);
        }
    }

    @Test
    void refusesAPayloadWhereThereIsNone() {
        byte[] bytes = new byte[Bth.SIZE + Aeth.SIZE + 4 + Icrc.SIZE];
        Bth.write(MemorySegment.ofArray(bytes), 0, Opcode.ACKNOWLEDGE, false, 0, 0xffff, 1, false, 1);
        assertThat(packet.parse(MemorySegment.ofArray(bytes), 0, bytes.length)).isEqualTo(Fault.PAYLOAD);
    }

    @Test
    void refusesMoreThanAnyMtu() {
        byte[] bytes = new byte[Packet.MAX_SIZE + 4];
        MemorySegment s = MemorySegment.ofArray(bytes);
        Bth.write(s, 0, Opcode.RDMA_WRITE_ONLY_WITH_IMMEDIATE, false, 0, 0xffff, 1, false, 1);
        assertThat(packet.parse(s, 0, Packet.MAX_SIZE)).isEqualTo(Fault.NONE);
        assertThat(packet.payloadLength()).isEqualTo(Packet.MAX_PAYLOAD);
        assertThat(packet.parse(s, 0, Packet.MAX_SIZE + 4)).isEqualTo(Fault.LENGTH);
        Bth.write(s, 0, Opcode.SEND_MIDDLE, false, 0, 0xffff, 1, false, 1);
        assertThat(packet.parse(s, 0, Bth.SIZE + Packet.MAX_PAYLOAD + Icrc.SIZE))
                .isEqualTo(Fault.NONE);
        assertThat(packet.parse(s, 0, Bth.SIZE + Packet.MAX_PAYLOAD + 4 + Icrc.SIZE))
                .isEqualTo(Fault.PAYLOAD);
    }

    /** The guarantee of the package: nothing outside the bytes is ever read once they were accepted. */
    @Test
    void whatWasAcceptedLiesWithinItsBytes() {
        SplittableRandom random = new SplittableRandom(17);
        int accepted = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = new byte[random.nextInt(80)];
            random.nextBytes(bytes);
            if (bytes.length > Bth.FLAGS_OFFSET) {
                bytes[Bth.FLAGS_OFFSET] &= (byte) 0xf0;
            }
            MemorySegment s = MemorySegment.ofArray(bytes);
            if (packet.parse(s, 0, bytes.length) == Fault.NONE) {
                accepted++;
                readAll(s);
                assertThat(packet.payloadLength()).isNotNegative();
                assertThat(packet.payload() + packet.payloadLength() + Icrc.SIZE)
                        .isLessThanOrEqualTo(bytes.length);
            }
        }
        assertThat(accepted).isGreaterThan(1000);
    }

    private void readAll(MemorySegment s) {
        int opcode = packet.opcode();
        if (Opcode.hasReth(opcode)) {
            Reth.length(s, packet.reth());
        }
        if (Opcode.hasAtomicEth(opcode)) {
            AtomicEth.compare(s, packet.atomicEth());
        }
        if (Opcode.hasAeth(opcode)) {
            Aeth.msn(s, packet.aeth());
        }
        if (Opcode.hasAtomicAckEth(opcode)) {
            AtomicAckEth.original(s, packet.atomicAckEth());
        }
        if (Opcode.hasDeth(opcode)) {
            Deth.sourceQpn(s, packet.deth());
        }
        if (Opcode.hasImmediate(opcode) || Opcode.hasInvalidate(opcode)) {
            ImmDt.immediate(s, packet.immediateOrInvalidate());
        }
    }
}
