// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * What Soft-RoCE of Linux 6.1 sent, as tcpdump wrote it down: frames between two of its devices while the contract tests ran (1 to 45,
 * over IPv4) and ib_send_lat (46 to 49, over IPv6), numbered as Wireshark numbers them. What the tests expect of them is what
 * tshark 4.0 printed.
 */
final class Capture {
    private static final int FILE_HEADER = 24;
    private static final int RECORD_HEADER = 16;
    private static final int LENGTH_OFFSET = 8;

    private static final List<Frame> FRAMES = read();

    /** A frame, from its Ethernet header on. */
    static final class Frame {
        private final int number;
        private final byte[] bytes;

        private Frame(int number, byte[] bytes) {
            this.number = number;
            this.bytes = bytes;
        }

        /** Bytes of the packet, its CRC included. */
        int packetLength() {
            return bytes.length - bth();
        }

        MemorySegment segment() {
            return MemorySegment.ofArray(bytes);
        }

        boolean isIpv4() {
            return EthernetHeader.type(segment(), 0) == EthernetHeader.TYPE_IPV4;
        }

        int ip() {
            return EthernetHeader.SIZE;
        }

        int udp() {
            return ip() + (isIpv4() ? Ipv4Header.SIZE : Ipv6Header.SIZE);
        }

        int bth() {
            return udp() + UdpHeader.SIZE;
        }

        int sourcePort() {
            return UdpHeader.sourcePort(segment(), udp());
        }

        /** The packet, as a socket would give it. */
        ByteBuffer packet() {
            ByteBuffer packet = ByteBuffer.allocateDirect(packetLength());
            return packet.put(0, bytes, bth(), packet.capacity());
        }

        Packet parsed() {
            Packet packet = new Packet();
            if (packet.parse(segment(), bth(), packetLength()) != Packet.Fault.NONE) {
                throw new AssertionError("frame " + number + " cannot be read");
            }
            return packet;
        }

        /** The CRC's object for its addresses. */
        Icrc icrc() {
            MemorySegment s = segment();
            return isIpv4()
                    ? Icrc.ofIpv4(Ipv4Header.source(s, ip()), Ipv4Header.destination(s, ip()))
                    : Icrc.ofIpv6(
                            Ipv6Header.sourceHigh(s, ip()),
                            Ipv6Header.sourceLow(s, ip()),
                            Ipv6Header.destinationHigh(s, ip()),
                            Ipv6Header.destinationLow(s, ip()));
        }

        byte[] slice(long from, int length) {
            return segment().asSlice(from, length).toArray(ValueLayout.JAVA_BYTE);
        }

        @Override
        public String toString() {
            return "frame " + number;
        }
    }

    static List<Frame> frames() {
        return FRAMES;
    }

    static Frame frame(int number) {
        return FRAMES.get(number - 1);
    }

    private static List<Frame> read() {
        try (InputStream in = Capture.class.getResourceAsStream("soft-roce-6.1.pcap")) {
            ByteBuffer file = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
            List<Frame> frames = new ArrayList<>();
            file.position(FILE_HEADER);
            while (file.hasRemaining()) {
                byte[] bytes = new byte[file.getInt(file.position() + LENGTH_OFFSET)];
                file.position(file.position() + RECORD_HEADER).get(bytes);
                frames.add(new Frame(frames.size() + 1, bytes));
            }
            return List.copyOf(frames);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Capture() {}
}
