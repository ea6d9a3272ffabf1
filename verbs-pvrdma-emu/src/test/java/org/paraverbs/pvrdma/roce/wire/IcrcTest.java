// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The CRC that Soft-RoCE computed is the judge: Wireshark shows it and does not check it. */
class IcrcTest {
    private static final int HERE = 0x7f000001;
    private static final int THERE = 0x7f000002;
    private static final int PORT = 49152;

    /** The fewest of all flips of a bit that must be noticed when the identification is not known: see {@link Icrc}. */
    private static final double NOTICED = 0.999;

    static Iterable<Capture.Frame> frames() {
        return Capture.frames();
    }

    @ParameterizedTest
    @MethodSource("frames")
    void acceptsWhatSoftRoceSentAndFindsItsIdentification(Capture.Frame frame) {
        ByteBuffer packet = frame.packet();
        int identification = frame.isIpv4() ? Ipv4Header.identification(frame.segment(), frame.ip()) : 0;
        assertThat(frame.icrc().check(packet, packet.capacity(), frame.sourcePort()))
                .isEqualTo(identification);
    }

    @ParameterizedTest
    @MethodSource("frames")
    void refusesItWithOneBitFlipped(Capture.Frame frame) {
        ByteBuffer packet = frame.packet();
        Icrc icrc = frame.icrc();
        int flips = 0;
        int noticed = 0;
        for (int bit = 0; bit < packet.capacity() * Byte.SIZE; bit++) {
            int at = bit / Byte.SIZE;
            if (at == Bth.CONGESTION_OFFSET) {
                continue; // what the network may change
            }
            byte before = packet.get(at);
            packet.put(at, (byte) (before ^ 1 << bit % Byte.SIZE));
            int found = icrc.check(packet, packet.capacity(), frame.sourcePort());
            packet.clear();
            packet.put(at, before);
            flips++;
            if (found == Icrc.WRONG) {
                noticed++;
            } else {
                assertThat(frame.isIpv4())
                        .as("with nothing unknown every flip is noticed")
                        .isTrue();
            }
        }
        assertThat(noticed).isGreaterThanOrEqualTo((int) (flips * NOTICED));
    }

    @Test
    void whatWeSealIsAcceptedAndEveryFlippedBitOfItIsNoticed() {
        SplittableRandom random = new SplittableRandom(6);
        for (int length : new int[] {Bth.SIZE, Bth.SIZE + 4, 64, 1052, Packet.MAX_SIZE - Icrc.SIZE}) {
            ByteBuffer packet = random(random, length);
            Icrc icrc = Icrc.ofIpv4(HERE, THERE);
            int sealed = icrc.seal(packet, length, PORT);
            assertThat(sealed).isEqualTo(length + Icrc.SIZE);
            assertThat(icrc.check(packet, sealed, PORT)).isZero();

            int misled = 0;
            for (int bit = 0; bit < sealed * Byte.SIZE; bit += 7) {
                if (bit / Byte.SIZE == Bth.CONGESTION_OFFSET) {
                    continue;
                }
                flip(packet, bit);
                // a changed packet can only pass for one of another identification
                assertThat(icrc.check(packet, sealed, PORT)).isNotZero();
                misled += icrc.check(packet, sealed, PORT) == Icrc.WRONG ? 0 : 1;
                flip(packet, bit);
            }
            assertThat(misled).isLessThan(sealed / 100 + 2);
        }
    }

    @Test
    void doesNotMindTheOrderOfTheBuffer() {
        ByteBuffer big = random(new SplittableRandom(1), 40);
        ByteBuffer little = ByteBuffer.allocate(big.capacity()).put(0, big, 0, big.capacity());
        Icrc.ofIpv4(HERE, THERE).seal(big, 40, PORT);
        Icrc.ofIpv4(HERE, THERE).seal(little.order(ByteOrder.LITTLE_ENDIAN), 40, PORT);
        assertThat(little.clear()).isEqualTo(big.clear());
    }

    @Test
    void coversAddressesAndPort() {
        ByteBuffer packet = random(new SplittableRandom(2), 40);
        Icrc icrc = Icrc.ofIpv4(HERE, THERE);
        int right = icrc.compute(packet, 40, PORT);
        assertThat(icrc.compute(packet, 40, PORT + 1)).isNotEqualTo(right);
        assertThat(Icrc.ofIpv4(HERE, THERE + 1).compute(packet, 40, PORT)).isNotEqualTo(right);
        assertThat(Icrc.ofIpv4(HERE - 1, THERE).compute(packet, 40, PORT)).isNotEqualTo(right);
        int six = Icrc.ofIpv6(1, 2, 3, 4).compute(packet, 40, PORT);
        assertThat(Icrc.ofIpv6(1, 2, 3, 5).compute(packet, 40, PORT)).isNotEqualTo(six);
        assertThat(Icrc.ofIpv6(1, 2, 4, 4).compute(packet, 40, PORT)).isNotEqualTo(six);
        assertThat(Icrc.ofIpv6(1, 3, 3, 4).compute(packet, 40, PORT)).isNotEqualTo(six);
        assertThat(Icrc.ofIpv6(2, 2, 3, 4).compute(packet, 40, PORT)).isNotEqualTo(six);
    }

    @Test
    void leavesOutWhatTheNetworkMayChange() {
        ByteBuffer packet = random(new SplittableRandom(3), 40);
        Icrc icrc = Icrc.ofIpv4(HERE, THERE);
        int right = icrc.compute(packet, 40, PORT);
        packet.clear();
        Bth.markBackwardCongested(MemorySegment.ofBuffer(packet), 0);
        assertThat(icrc.compute(packet, 40, PORT)).isEqualTo(right);
    }

    private static ByteBuffer random(SplittableRandom random, int length) {
        byte[] bytes = new byte[length + Icrc.SIZE];
        random.nextBytes(bytes);
        return ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
    }

    private static void flip(ByteBuffer packet, int bit) {
        packet.clear();
        int at = bit / Byte.SIZE;
        packet.put(at, (byte) (packet.get(at) ^ 1 << bit % Byte.SIZE));
    }
}
