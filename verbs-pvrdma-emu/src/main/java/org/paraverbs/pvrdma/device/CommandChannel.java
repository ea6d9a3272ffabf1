// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.paraverbs.pvrdma.abi.CommandCode.MAX_COMMAND_SIZE;
import static org.paraverbs.pvrdma.abi.CommandCode.MAX_RESPONSE_SIZE;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CommandHeader;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.ResponseHeader;
import org.paraverbs.verbs.Errno;

/**
 * Executes what lies in the command slot. The command is copied out first: the guest may write to the slot meanwhile. The
 * response is put in the response slot when it is complete.
 */
final class CommandChannel {

    private final DeviceCore core;
    private final PortCommands port;
    private final ResourceCommands resources;
    private final QueuePairCommands queuePairs;
    private final SharedReceiveQueueCommands sharedReceiveQueues;

    private final MemorySegment command = MemorySegment.ofArray(new byte[MAX_COMMAND_SIZE]);
    private final MemorySegment response = MemorySegment.ofArray(new byte[MAX_RESPONSE_SIZE]);
    private @Nullable SharedRegionView region;

    CommandChannel(DeviceCore core) {
        this.core = core;
        port = new PortCommands(core);
        resources = new ResourceCommands(core);
        queuePairs = new QueuePairCommands(core);
        sharedReceiveQueues = new SharedReceiveQueueCommands(core);
    }

    void open(SharedRegionView view) {
        region = view;
    }

    /**
     * Executes the command in the slot.
     *
     * @return 0, or the errno number with which it is refused
     * @throws RefusedException if the slots cannot be used
     */
    int execute() throws RefusedException {
        SharedRegionView view = region;
        if (view == null) {
            throw new RefusedException(Errno.ENODEV, "no command slot");
        }
        MemorySegment commandSlot = core.memory.resolve(view.commandSlot(), MAX_COMMAND_SIZE);
        MemorySegment responseSlot = core.memory.resolve(view.responseSlot(), MAX_RESPONSE_SIZE);
        if (commandSlot == null || responseSlot == null) {
            throw new RefusedException(Errno.EFAULT, "the command or the response slot is not mapped any more");
        }
        command.copyFrom(commandSlot);
        response.fill((byte) 0);
        int code = CommandHeader.cmd(command, 0);
        ResponseHeader.response(response, 0, CommandHeader.response(command, 0));
        ResponseHeader.ack(response, 0, CommandCode.ack(code));
        core.counters.commands[Counters.index(code)]++;
        DeviceEvents.Command event = new DeviceEvents.Command();
        event.begin();
        int errno = execute(code, view);
        event.commit(core, CommandCode.name(code), errno);
        if (errno == 0 && CommandCode.isAnswered(code)) {
            responseSlot.copyFrom(response);
            core.interrupts.raise(InterruptVector.RESPONSE);
        }
        return errno;
    }

    private int execute(int code, SharedRegionView view) {
        try {
            dispatch(code, view);
            return 0;
        } catch (RefusedException e) {
            core.refusals.command(code, e);
            return e.errno().number();
        } catch (RuntimeException | InternalError e) {
            // The guest's memory went away under the command.
            core.memoryGone("memory of command", code, e);
            core.refusals.command(
                    code,
                    new RefusedException(Errno.EFAULT, "guest memory cannot be used any more: " + e.getMessage()));
            return Errno.EFAULT.number();
        }
    }

    private void dispatch(int code, SharedRegionView view) throws RefusedException {
        switch (code) {
            case CommandCode.QUERY_PORT -> port.queryPort(command, response);
            case CommandCode.QUERY_PKEY -> port.queryPkey(command, response);
            case CommandCode.CREATE_BIND -> port.createBind(command);
            case CommandCode.DESTROY_BIND -> port.destroyBind(command);
            case CommandCode.CREATE_UC -> resources.createContext(command, response, view.uarPage());
            case CommandCode.DESTROY_UC -> resources.destroyContext(command);
            case CommandCode.CREATE_PD -> resources.createDomain(command, response);
            case CommandCode.DESTROY_PD -> resources.destroyDomain(command);
            case CommandCode.CREATE_MR -> resources.createRegion(command, response);
            case CommandCode.DESTROY_MR -> resources.destroyRegion(command);
            case CommandCode.CREATE_CQ -> resources.createCompletionQueue(command, response);
            case CommandCode.DESTROY_CQ -> resources.destroyCompletionQueue(command);
            case CommandCode.CREATE_QP -> queuePairs.create(command, response);
            case CommandCode.MODIFY_QP -> queuePairs.modify(command, response);
            case CommandCode.QUERY_QP -> queuePairs.query(command, response);
            case CommandCode.DESTROY_QP -> queuePairs.destroy(command);
            case CommandCode.RESIZE_CQ -> resources.resizeCompletionQueue(command, response);
            case CommandCode.CREATE_SRQ -> sharedReceiveQueues.create(command, response);
            case CommandCode.MODIFY_SRQ -> sharedReceiveQueues.modify(command);
            case CommandCode.QUERY_SRQ -> sharedReceiveQueues.query(command, response);
            case CommandCode.DESTROY_SRQ -> sharedReceiveQueues.destroy(command);
            default ->
                throw new RefusedException(
                        Errno.ENOSYS, "there is no command " + code + "; the last is " + (CommandCode.MAX - 1));
        }
    }
}
