// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CommandHeader;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.DeviceVersion;
import org.paraverbs.pvrdma.abi.GidType;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.ResponseHeader;
import org.paraverbs.pvrdma.abi.SharedRegion;

/** A device that does what a test tells it, and may behave badly. */
final class ScriptedDevice implements Bars {
    final DmaSpace space = new DmaSpace();
    final InterruptTable interrupts = new InterruptTable();
    final List<Integer> commands = new ArrayList<>();
    final List<String> writes = new ArrayList<>();

    int version = DeviceVersion.QPHANDLE_VERSION;

    /** What is changed of the capabilities that the device offers. */
    Consumer<MemorySegment> capabilities = caps -> {};

    /** What REQUEST leaves in ERR. */
    int refusal;

    int activationRefusal;

    /** What is added to the right ack. */
    int wrongAck;

    boolean silent;

    /** Whether the answer comes from another thread, when the waiting one has noticed that it was interrupted. */
    boolean late;

    /** What is written in a response, after a right header. */
    Consumer<MemorySegment> answer = response -> {};

    private int error;
    private long regionDma;

    @Override
    public int readRegister(int offset) {
        return switch (offset) {
            case Registers.VERSION -> version;
            case Registers.ERR -> error;
            default -> 0;
        };
    }

    @Override
    public void writeRegister(int offset, int value) {
        switch (offset) {
            case Registers.DSRLOW -> regionDma = Integer.toUnsignedLong(value);
            case Registers.DSRHIGH -> {
                regionDma |= (long) value << 32;
                fillIn();
            }
            case Registers.CTL -> {
                writes.add("CTL " + value);
                error = activationRefusal;
            }
            case Registers.IMR -> writes.add("IMR " + value);
            case Registers.REQUEST -> execute();
            default -> throw new AssertionError("register 0x" + Integer.toHexString(offset));
        }
    }

    @Override
    public void writeUar(int page, int offset, int value) {
        throw new AssertionError("the driver rings no doorbell");
    }

    MemorySegment region() {
        return Objects.requireNonNull(space.resolve(regionDma, SharedRegion.SIZE));
    }

    private MemorySegment memory(long dma) {
        return Objects.requireNonNull(space.resolve(dma, 4096));
    }

    MemorySegment commandSlot() {
        return memory(SharedRegion.cmdSlotDma(region(), 0));
    }

    private void fillIn() {
        MemorySegment caps = region().asSlice(SharedRegion.CAPS_OFFSET, DeviceCaps.SIZE);
        DeviceCaps.maxQp(caps, 0, 16);
        DeviceCaps.maxCq(caps, 0, 16);
        DeviceCaps.maxPd(caps, 0, 4);
        DeviceCaps.maxCqe(caps, 0, 256);
        DeviceCaps.maxUar(caps, 0, 8);
        DeviceCaps.maxSrq(caps, 0, 4);
        DeviceCaps.maxSrqWr(caps, 0, 64);
        DeviceCaps.maxSrqSge(caps, 0, 4);
        DeviceCaps.gidTblLen(caps, 0, 4);
        DeviceCaps.maxMrSize(caps, 0, 1L << 31);
        DeviceCaps.maxSge(caps, 0, 4);
        DeviceCaps.maxSgeRd(caps, 0, 3);
        DeviceCaps.physPortCnt(caps, 0, 1);
        DeviceCaps.gidTypes(caps, 0, GidType.ROCE_V2);
        capabilities.accept(caps);
    }

    private void execute() {
        int code = CommandHeader.cmd(commandSlot(), 0);
        commands.add(code);
        error = refusal;
        if (refusal != 0 || silent || !CommandCode.isAnswered(code)) {
            return;
        }
        MemorySegment response = memory(SharedRegion.respSlotDma(region(), 0));
        response.fill((byte) 0);
        ResponseHeader.ack(response, 0, CommandCode.ack(code) + wrongAck);
        answer.accept(response);
        if (late) {
            Thread waiting = Thread.currentThread();
            new Thread(() -> {
                        while (waiting.isInterrupted()) {
                            Thread.onSpinWait();
                        }
                        interrupts.raise(InterruptVector.RESPONSE);
                    })
                    .start();
        } else {
            interrupts.raise(InterruptVector.RESPONSE);
        }
    }

    PvrdmaDriver probe() {
        return probe(PvrdmaDriver.COMMAND_TIMEOUT);
    }

    PvrdmaDriver probe(Duration timeout) {
        return new PvrdmaDriver("emu7", this, interrupts, space, timeout);
    }
}
