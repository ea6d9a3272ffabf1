// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.verbs.Errno;

/** BAR1: the registers, and the life of the device from power-on to reset. */
final class RegisterFile {

    private static final long LOW_HALF = 0xffff_ffffL;

    private final DeviceCore core;
    private final CommandChannel commands;

    // Written by the holder of the ticket for control; read by any thread.
    private volatile int error;
    private volatile long macAddress;
    private int sharedRegionLow;
    private @Nullable SharedRegionView sharedRegion;
    private boolean active;

    RegisterFile(DeviceCore core) {
        this.core = core;
        this.commands = new CommandChannel(core);
        this.macAddress = core.configuration.macAddress();
    }

    /** Reads a register; never waits. */
    int read(int offset) {
        return switch (offset) {
            case Registers.VERSION -> core.configuration.version();
            case Registers.ERR -> error;
            case Registers.ICR -> core.interrupts.takeCauses();
            case Registers.IMR -> core.interrupts.mask();
            case Registers.MACL -> (int) macAddress;
            case Registers.MACH -> (int) (macAddress >>> Integer.SIZE);
            default -> 0;
        };
    }

    /** Writes a register; the caller holds the ticket for control. */
    void write(int offset, int value) {
        try {
            switch (offset) {
                case Registers.DSRLOW -> sharedRegionLow = value;
                case Registers.DSRHIGH -> {
                    takeSharedRegion((long) value << Integer.SIZE | (sharedRegionLow & LOW_HALF));
                    error = 0;
                }
                case Registers.CTL -> {
                    control(value);
                    error = 0;
                }
                case Registers.REQUEST -> {
                    requireActive();
                    error = commands.execute();
                }
                case Registers.IMR -> core.interrupts.mask(value);
                case Registers.MACL -> macAddress = (macAddress & ~LOW_HALF) | (value & LOW_HALF);
                case Registers.MACH -> macAddress = (long) (value & 0xffff) << Integer.SIZE | (macAddress & LOW_HALF);
                default -> {}
            }
        } catch (RefusedException e) {
            core.counters.refusedControls++;
            core.refusals.record(
                    offset == Registers.REQUEST ? "REQUEST" : offset == Registers.CTL ? "CTL" : "DSRHIGH", e);
            error = e.errno().number();
        } catch (RuntimeException | InternalError e) {
            // The guest's memory went away under the shared region or the slots.
            core.memoryGone("memory for register", offset, e);
            core.counters.refusedControls++;
            error = Errno.EFAULT.number();
        }
    }

    private void takeSharedRegion(long address) throws RefusedException {
        if (active) {
            throw new RefusedException(Errno.EBUSY, "the device is active; reset it before it gets another region");
        }
        sharedRegion = null;
        SharedRegionView region = SharedRegionView.read(core.configuration, core.memory, address);
        // An older driver on a newer device goes on speaking its own version: it cannot know of a longer response.
        core.version(Math.min(region.driverVersion(), core.configuration.version()));
        sharedRegion = region;
    }

    private void control(int value) throws RefusedException {
        switch (value) {
            case DeviceCtl.ACTIVATE -> activate();
            case DeviceCtl.UNQUIESCE -> {
                requireActive();
                core.traffic.unquiesce();
            }
            case DeviceCtl.RESET -> reset();
            default -> throw RefusedException.invalid("no such control value: " + value);
        }
    }

    private void activate() throws RefusedException {
        SharedRegionView region = sharedRegion;
        if (region == null) {
            throw RefusedException.invalid("no shared region");
        }
        if (active) {
            throw new RefusedException(Errno.EBUSY, "active already");
        }
        if (core.memory.resolve(region.commandSlot(), CommandCode.MAX_COMMAND_SIZE) == null
                || core.memory.resolve(region.responseSlot(), CommandCode.MAX_RESPONSE_SIZE) == null) {
            throw new RefusedException(Errno.EFAULT, "the command or the response slot is not mapped");
        }
        NotificationRing async = NotificationRing.ofEvents(core.memory, region.asyncDirectory(), region.asyncPages());
        NotificationRing completions =
                NotificationRing.ofCompletions(core.memory, region.completionDirectory(), region.completionPages());
        if (async == null || completions == null) {
            throw RefusedException.invalid("notification rings of " + region.asyncPages() + " and "
                    + region.completionPages() + " pages: not 2 to 512 pages, or not mapped");
        }
        core.activate(async, completions);
        commands.open(region);
        active = true;
    }

    private void requireActive() throws RefusedException {
        if (!active) {
            throw new RefusedException(Errno.ENODEV, "the device is not active");
        }
    }

    /** As after power-on. */
    void reset() {
        active = false;
        sharedRegionLow = 0;
        sharedRegion = null;
        macAddress = core.configuration.macAddress();
        core.clear();
    }
}
