// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CommandHeader;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.RingState;

/** What a hostile guest does that nobody should: each method is one {@link HostileAction}. */
final class HostileDamage {

    /** The next command has a field that is wrong. */
    static void spoil(HostileGuest guest, Draws draws) {
        long offset = 4L * draws.below(CommandCode.MAX_COMMAND_SIZE / 4);
        int value = (int) draws.any();
        boolean replaces = draws.oneIn(2);
        guest.driver.spoiler = slot -> {
            int was = slot.get(ValueLayout.JAVA_INT, offset);
            slot.set(ValueLayout.JAVA_INT, offset, replaces ? value : was + value % 8);
            guest.wild = true;
            guest.driver.spoiler = nothing -> guest.wild = false;
        };
    }

    /** A command of small numbers, of which many mean something. */
    static void command(HostileGuest guest, Draws draws) {
        int code = draws.below(CommandCode.MAX + 3);
        guest.driver.spoiler = slot -> {
            guest.wild = true;
            guest.driver.spoiler = nothing -> guest.wild = false;
        };
        guest.driver.command(code, s -> {
            for (int i = CommandHeader.SIZE; i < CommandCode.MAX_COMMAND_SIZE; i += 4) {
                if (draws.oneIn(4)) {
                    s.set(ValueLayout.JAVA_INT, i, (int) draws.any());
                } else {
                    s.set(ValueLayout.JAVA_INT, i, draws.below(4));
                }
            }
        });
    }

    static void register(HostileGuest guest, Draws draws) {
        int offset = draws.oneIn(8) ? (int) draws.any() : 4 * draws.below(10);
        if (draws.oneIn(3)) {
            guest.driver.device.readRegister(offset);
        } else if (offset != Registers.CTL) { // RESET has an action of its own
            guest.driver.device.writeRegister(offset, (int) draws.any());
        } else {
            guest.driver.device.writeRegister(offset, draws.oneIn(2) ? DeviceCtl.ACTIVATE : (int) draws.any() | 4);
        }
        guest.driver.device.writeRegister(Registers.IMR, draws.below(4) == 3 ? draws.below(8) : 0);
    }

    static void doorbell(HostileGuest guest, Draws draws) {
        guest.driver.device.writeUar((int) draws.sometimes(draws.below(4)), 4 * draws.below(5), (int) draws.any());
        int offset = 4 * draws.below(3);
        int value = ((int) draws.any() & (7 << 29)) | draws.below(16);
        guest.driver.device.writeUar(0, offset, value);
        guest.driver.device.writeUar(guest.driver.userPage(), offset, value);
    }

    static void corruptIndex(HostileGuest guest, Draws draws) {
        int value = draws.oneIn(2) ? (int) draws.any() : draws.below(64);
        MockQueuePair pair = HostileGuest.any(guest.pairs, draws);
        if (pair != null) {
            corruptIndex(guest, pair, draws.below(4), value);
        }
        if (draws.oneIn(4)) {
            MockCompletionQueue queue = HostileGuest.any(guest.queues, draws);
            if (queue != null) {
                queue.header().set(ValueLayout.JAVA_INT, RingState.RX_OFFSET + RingState.CONS_HEAD_OFFSET, value);
            }
            MockSharedReceiveQueue receives = HostileGuest.any(guest.shared, draws);
            if (receives != null) {
                receives.header().set(ValueLayout.JAVA_INT, 4L * draws.below(4), value);
            }
        }
    }

    /** Indices in the order of the header: of the send ring tail and head, of the receive ring tail and head. */
    private static void corruptIndex(HostileGuest guest, MockQueuePair pair, int which, int value) {
        pair.ring(); // from here on the device has seen what was posted
        boolean first = guest.corrupted.add(pair);
        boolean impossible = which == 0 && first && pair.isImpossibleSendTail(value);
        boolean looks = pair.type == QpType.RC && !guest.standsStill && !guest.lostTrack && pair.state() == QpState.RTS;
        guest.driver.events();
        pair.header().set(ValueLayout.JAVA_INT, 4L * which, value);
        pair.ring();
        DeviceFault.unless(
                !impossible
                        || !looks
                        || (pair.state() == QpState.ERR
                                && guest.driver.events().contains(MockDriver.event(EventType.QP_FATAL, pair.handle))),
                "a queue pair goes on with the impossible index " + value + " in its send ring");
    }

    /** What is written next, or lies where it will be, has a field that is wrong. */
    static void corruptRequest(HostileGuest guest, Draws draws) {
        MockQueuePair pair = HostileGuest.any(guest.pairs, draws);
        if (pair != null) {
            MemorySegment place = switch (draws.below(4)) {
                case 0 -> pair.nextSend();
                case 1 -> pair.anySend(draws.below(64));
                default -> pair.sharesReceives ? pair.nextSend() : pair.anyReceive(draws.below(64));
            };
            place.set(ValueLayout.JAVA_INT, 4L * draws.below((int) place.byteSize() / 4), (int) draws.any());
            HostileProgram.ring(pair, draws);
        }
    }

    static void corruptDirectory(HostileGuest guest, Draws draws) {
        MemorySegment segment = guest.driver.memory.anyDirectory(draws.below(64));
        if (segment != null && segment.scope().isAlive()) {
            segment.set(ValueLayout.JAVA_LONG, 8L * draws.below(8), draws.any());
        }
    }

    static void unmap(HostileGuest guest, Draws draws) {
        MockRegion region = HostileGuest.any(guest.regions, draws);
        MockQueuePair pair = HostileGuest.any(guest.pairs, draws);
        if (pair != null && draws.oneIn(4)) {
            guest.driver.memory.unmap(pair.ringAddress());
        } else if (region != null) {
            guest.driver.memory.unmap(region.pages().addresses()[0]);
        }
    }

    /** Another thread writes into a ring while the device reads it, until a later step. */
    static void scribble(HostileGuest guest, Draws draws) {
        guest.stopScribbling();
        MockQueuePair pair = HostileGuest.any(guest.pairs, draws);
        if (pair != null && draws.oneIn(3)) {
            guest.scribbler = new Scribbler(pair, draws.any());
        }
    }

    private HostileDamage() {}
}
