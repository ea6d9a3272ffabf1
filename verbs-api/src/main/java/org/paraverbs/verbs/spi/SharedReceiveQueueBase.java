// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.VerbsException;

/** What the shared receive queues of all providers share: their size, and what a limit can be. */
public abstract class SharedReceiveQueueBase extends ResourceBase implements SharedReceiveQueue {

    private final int receives;
    private final int elements;

    /**
     * A shared receive queue.
     *
     * @param context its context
     * @param description what it is, for messages, as {@code SRQ 3 of emu0}
     * @param receives how many receives there is room for
     * @param elements how many elements each can have
     */
    protected SharedReceiveQueueBase(ContextBase context, String description, int receives, int elements) {
        super(context, description);
        this.receives = receives;
        this.elements = elements;
    }

    /**
     * What is asked for, for messages.
     *
     * @param context where
     * @param receives how many receives
     * @param elements how many elements each can have
     * @return the words
     */
    protected static String wanted(ContextBase context, int receives, int elements) {
        return receives + " receives of " + elements + " elements on "
                + context.device().name();
    }

    /**
     * Checks that a queue is asked for that has room for something.
     *
     * @param context where
     * @param receives how many receives
     * @param elements how many elements each can have
     * @throws VerbsException EINVAL if it has not
     */
    protected static void requireRoom(ContextBase context, int receives, int elements) {
        if (receives < 1 || elements < 1) {
            throw new VerbsException(
                    "ibv_create_srq",
                    wanted(context, receives, elements),
                    Errno.EINVAL,
                    "a shared receive queue has room for at least 1 receive of 1 element");
        }
    }

    /**
     * Arms the limit. Called while the queue is open.
     *
     * @param limit 0 to the number of receives
     */
    protected abstract void armLimit(int limit);

    /**
     * Asks for the limit that is armed. Called while the queue is open.
     *
     * @return the limit, 0 if none is
     */
    protected abstract int armedLimit();

    @Override
    public final int receives() {
        return receives;
    }

    @Override
    public final int elements() {
        return elements;
    }

    @Override
    public final void setLimit(int limit) {
        whileOpen(() -> {
            if (limit < 0 || limit > receives) {
                throw new VerbsException(
                        "ibv_modify_srq",
                        limitOf(limit),
                        Errno.EINVAL,
                        "the limit is between 0 and the " + receives + " receives of the queue");
            }
            armLimit(limit);
            return Boolean.TRUE;
        });
    }

    /**
     * The object of a verb that sets the limit, for messages.
     *
     * @param limit the limit
     * @return the queue and the limit
     */
    protected final String limitOf(int limit) {
        return this + ", limit " + limit;
    }

    @Override
    public final int limit() {
        return whileOpen(this::armedLimit);
    }
}
