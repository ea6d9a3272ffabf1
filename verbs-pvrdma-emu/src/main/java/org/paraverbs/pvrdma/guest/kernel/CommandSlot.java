// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CommandHeader;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.ResponseHeader;
import org.paraverbs.pvrdma.guest.kernel.KernelPages.Page;
import org.paraverbs.verbs.Errno;

/**
 * The one command slot and the one response slot of a device: one command at a time. A refusal is in register ERR when
 * the write to REQUEST returns; a response is announced by vector 0, for those commands whose response the driver waits
 * for (pvrdma_cmd.c).
 */
final class CommandSlot {
    private final Bars bars;
    private final Page command;
    private final Page response;
    private final long timeoutNs;
    private final ReentrantLock turn = new ReentrantLock();

    /** A permit for each vector 0. */
    private final Semaphore answered = new Semaphore(0);

    CommandSlot(Bars bars, Page command, Page response, Duration timeout) {
        this.bars = bars;
        this.command = command;
        this.response = response;
        this.timeoutNs = timeout.toNanos();
    }

    /** The handler of vector 0. */
    void onResponse() {
        answered.release();
    }

    /** Carries out a command whose response nobody waits for. */
    void tell(Call call, int code, Consumer<MemorySegment> request) {
        turn.lock();
        try {
            post(call, code, request);
        } finally {
            turn.unlock();
        }
    }

    /** Why the device refused the last command, if it says so; meant for those that read a response. */
    @Nullable
    String lastRefusal() {
        return bars.lastRefusal();
    }

    /** Carries out a command and reads its response. */
    <T extends @Nullable Object> T ask(
            Call call, int code, Consumer<MemorySegment> request, Function<MemorySegment, T> answer) {
        turn.lock();
        try {
            answered.drainPermits();
            post(call, code, request);
            awaitAnswer(call, code);
            int ack = ResponseHeader.ack(response.memory(), 0);
            if (ack != CommandCode.ack(code)) {
                throw call.failure(
                        Errno.EFAULT,
                        "the device answered " + CommandCode.name(code) + " with 0x" + Integer.toHexString(ack)
                                + " instead of 0x" + Integer.toHexString(CommandCode.ack(code))
                                + ": a fault of the device");
            }
            return answer.apply(response.memory());
        } finally {
            turn.unlock();
        }
    }

    private void post(Call call, int code, Consumer<MemorySegment> request) {
        MemorySegment slot = command.memory();
        slot.asSlice(0, CommandCode.MAX_COMMAND_SIZE).fill((byte) 0);
        CommandHeader.cmd(slot, 0, code);
        request.accept(slot);
        bars.writeRegister(Registers.REQUEST, 0);
        int refusal = bars.readRegister(Registers.ERR);
        if (refusal != 0) {
            throw call.refused(CommandCode.name(code), refusal, bars.lastRefusal());
        }
    }

    private void awaitAnswer(Call call, int code) {
        // An emulated device has answered before it returned from the write to REQUEST.
        if (answered.tryAcquire()) {
            return;
        }
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    if (answered.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS)) {
                        return;
                    }
                    throw call.failure(
                            Errno.ETIMEDOUT,
                            "the device did not answer " + CommandCode.name(code) + " in "
                                    + TimeUnit.NANOSECONDS.toMillis(timeoutNs)
                                    + " ms: it raised no interrupt on vector 0");
                } catch (InterruptedException e) {
                    // Linux would give up; a thread of Java is often interrupted on purpose, and the answer will come
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
