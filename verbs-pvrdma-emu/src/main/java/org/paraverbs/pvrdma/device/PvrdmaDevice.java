// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.Objects;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.link.Fabric;

/**
 * A PVRDMA device, as a driver sees it: registers, doorbells, and memory. See the package description for what
 * a driver may rely on. All methods may be called by any thread.
 */
public final class PvrdmaDevice implements AutoCloseable {
    private final DeviceCore core;
    private final RegisterFile registers;
    private boolean closed;

    /**
     * A device in the state after power-on: interrupts masked, no shared region.
     *
     * @param configuration what the device can do
     * @param memory the guest's memory
     * @param interrupts where interrupts go
     * @param fabric the network that the device is plugged into
     */
    public PvrdmaDevice(
            DeviceConfiguration configuration, GuestMemory memory, InterruptSink interrupts, Fabric fabric) {
        core = new DeviceCore(configuration, memory, interrupts, fabric);
        registers = new RegisterFile(core);
        fabric.attach(core);
    }

    /** What the device can do. */
    public DeviceConfiguration configuration() {
        return core.configuration;
    }

    /**
     * Reads a register of BAR1. Never waits: what a write to a register has set is there when the write returns.
     *
     * @param offset a constant of {@link Registers}; any other offset reads as 0
     * @return the register
     */
    public int readRegister(int offset) {
        return registers.read(offset);
    }

    /**
     * Writes a register of BAR1. Waits while another thread runs the device. When it returns from a write to
     * {@link Registers#CTL} or {@link Registers#REQUEST}, the request has been executed and {@link
     * Registers#ERR} is valid.
     *
     * @param offset a constant of {@link Registers}; writes to any other offset are ignored
     * @param value what to write
     */
    public void writeRegister(int offset, int value) {
        core.enter();
        try {
            if (!closed) {
                registers.write(offset, value);
            }
        } finally {
            core.leave();
        }
    }

    /**
     * Rings a doorbell. Runs the device on the calling thread, or leaves a mark for the thread that runs it; never
     * waits. The caller's earlier writes to rings are visible to the device.
     *
     * <p>A page rings for the objects of its user context, and page 0 for those of the kernel: a page is what a program can write to
     * without its kernel, and handles can be guessed. What rings for another's object, or for one that is not there, is counted
     * as ignored and does nothing.
     *
     * @param page page of the user access region: 0 for the kernel, the context's otherwise
     * @param offset one of the offsets of {@link Doorbell}; others are ignored
     * @param value handle and bits
     */
    public void writeUar(int page, int offset, int value) {
        int handle = value & Doorbell.HANDLE_MASK;
        if (offset == Doorbell.QP_OFFSET && hasQueuePair(page, handle)) {
            ringQueuePair(handle, value);
        } else if (offset == Doorbell.CQ_OFFSET && hasCompletionQueue(page, handle)) {
            ringCompletionQueue(handle, value);
        } else if (offset == Doorbell.SRQ_OFFSET
                && (value & Doorbell.SRQ_RECV) != 0
                && hasSharedReceiveQueue(page, handle)) {
            // nothing to do: receives are looked for when a message comes
            core.counters.doorbell(Counters.SHARED_RECEIVE);
        } else {
            core.counters.doorbell(Counters.IGNORED);
        }
    }

    private boolean hasQueuePair(int page, int handle) {
        QueuePair pair = core.queuePairs.get(handle);
        return pair != null && pair.uarPage == page;
    }

    private boolean hasCompletionQueue(int page, int handle) {
        CompletionQueue queue = core.completionQueues.get(handle);
        return queue != null && queue.uarPage == page;
    }

    private boolean hasSharedReceiveQueue(int page, int handle) {
        SharedReceiveQueue queue = core.sharedReceiveQueues.get(handle);
        return queue != null && UserContext.pageOf(queue.pd.context) == page;
    }

    private void ringQueuePair(int handle, int value) {
        if ((value & Doorbell.QP_SEND) != 0) {
            core.counters.doorbell(Counters.SEND);
            core.ringSends(handle);
        } else if ((value & Doorbell.QP_RECV) != 0) {
            core.counters.doorbell(Counters.RECEIVE);
            core.ringReceives(handle);
        } else {
            core.counters.doorbell(Counters.IGNORED);
        }
    }

    private void ringCompletionQueue(int handle, int value) {
        if ((value & (Doorbell.CQ_ARM | Doorbell.CQ_ARM_SOL)) != 0) {
            boolean solicitedOnly = (value & Doorbell.CQ_ARM) == 0;
            core.counters.doorbell(solicitedOnly ? Counters.ARM_SOLICITED : Counters.ARM);
            core.ringArm(handle, solicitedOnly);
        } else if ((value & Doorbell.CQ_POLL) != 0) {
            core.counters.doorbell(Counters.POLL);
            core.ringPoll(handle);
        } else {
            core.counters.doorbell(Counters.IGNORED);
        }
    }

    /**
     * Does what is to be done: timeouts up to {@code nowNs}, marks that doorbells left, and what comes of it on this
     * and other devices. Returns at once when another thread runs the device; that one does it then.
     *
     * @param nowNs the fabric clock's time
     */
    public void doWork(long nowNs) {
        core.runDue(nowNs);
    }

    /** When {@link #doWork} must be called next, on the fabric's clock; {@link Long#MAX_VALUE} if never. */
    public long deadlineNs() {
        return core.deadlineNs();
    }

    /**
     * Takes the port down, as when its cable is pulled: nothing gets through any more, and queue pairs at both ends run into their
     * timeouts. Raises PORT_ERR. Waits while another thread runs the device.
     */
    public void takePortDown() {
        setPort(false);
    }

    /**
     * Takes the port up. What is offered again from now on gets through. Raises PORT_ACTIVE and GID_CHANGE. Waits while another thread
     * runs the device.
     */
    public void takePortUp() {
        setPort(true);
    }

    private void setPort(boolean up) {
        core.enter();
        try {
            if (!closed) {
                core.traffic.port(up);
            }
        } finally {
            core.leave();
        }
    }

    /**
     * Quiesces the device, as a hypervisor does when the paired network adapter goes down or the guest is to stand still. What
     * peers have answered is completed; then, when this returns, neither the device nor a peer touches the memory of queue pairs:
     * what the guest posts waits, timers stand still, and peers run into their timeouts. Commands are executed. Raises PORT_ERR.
     *
     * <p>The driver ends this by writing {@link org.paraverbs.pvrdma.abi.DeviceCtl#UNQUIESCE} to CTL, as Linux does when the
     * adapter comes up (pvrdma_main.c): work goes on where it stopped, and PORT_ACTIVE is raised. A reset ends it too. Waits while
     * another thread runs the device.
     */
    public void quiesce() {
        core.enter();
        try {
            if (!closed) {
                core.traffic.quiesce();
            }
        } finally {
            core.leave();
        }
    }

    /** Whether traffic flows: the port is up and the device is not quiesced. */
    public boolean isPortActive() {
        return core.port.isFlowing();
    }

    /**
     * Sets how the interrupts of a vector are moderated; what was held back so far is raised. At first they are as the {@link
     * HostPolicy} has it. Waits while
     * another thread runs the device.
     *
     * @param vector 1 for asynchronous events, 2 for completions
     * @param how the moderation; {@link InterruptModeration#OFF} for none
     * @throws IllegalArgumentException for another vector: vector 0 tells a driver that sleeps of the response to its one command
     */
    public void moderate(int vector, InterruptModeration how) {
        InterruptModeration.requireModerated(vector);
        Objects.requireNonNull(how, "how");
        core.enter();
        try {
            core.interrupts.moderate(vector, how);
        } finally {
            core.leave();
        }
    }

    /**
     * What the device has done so far, and how much of its limits is in use. Waits while another thread runs the device; must not be
     * called by what the device calls.
     *
     * @return a snapshot
     */
    public DeviceStatistics statistics() {
        core.enter();
        try {
            return DeviceStatistics.of(core);
        } finally {
            core.leave();
        }
    }

    /** Unplugs the device and frees what it holds; peers find nobody. Later writes are ignored. */
    @Override
    public void close() {
        core.enter();
        try {
            if (!closed) {
                closed = true;
                core.fabric().detach(core);
                registers.reset();
            }
        } finally {
            core.leave();
        }
    }
}
