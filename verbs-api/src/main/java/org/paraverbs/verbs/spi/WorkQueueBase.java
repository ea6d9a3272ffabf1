// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.PostException;

/**
 * The rules of a batch, the same for send and receive queues and for all providers: requests are begun one after the
 * other, those beyond the free slots are counted but not written, and posting publishes what was written.
 *
 * <p>A provider writes a request's parts when it is told them, at the number of the request within the batch, and makes
 * them visible to the device in {@link #publish(int)}. It must not look at requests of a batch before that.
 */
abstract class WorkQueueBase {

    private final String verb;
    private final String description;
    private final Gate gate;
    private final int maxElements;
    private final String elementsAdvice;

    /** Requests begun since the last post, written or not. */
    private int begun;

    /** Requests written since the last post: the first ones begun. */
    private int written;

    /** Room in the queue, known since this batch began or since it was last exhausted. */
    private int free;

    /** Whether a request has been begun that can still be described. */
    private boolean describing;

    /** Whether the request being described has a slot. */
    private boolean writing;

    private int elements;
    private int refusal;

    WorkQueueBase(String verb, String description, int maxElements, String elementsAdvice) {
        this.verb = verb;
        this.description = description;
        this.gate = new Gate(description);
        this.maxElements = maxElements;
        this.elementsAdvice = elementsAdvice;
    }

    /** How many slots of the queue are free, those of the batch not being published yet counted as free. */
    protected abstract int freeSlots();

    /**
     * Writes a scatter/gather element of a request of the batch.
     *
     * @param request the number of the request within the batch, from 0
     * @param element the number of the element within the request, from 0
     * @param address the address of the first byte
     * @param length the number of bytes
     * @param lkey the local key
     */
    protected abstract void writeElement(int request, int element, long address, long length, int lkey);

    /**
     * Hands the first requests of the batch to the device. Runs inside the gate.
     *
     * @param count how many, from 1
     * @return how many the device took; after fewer, {@link #refuse(int)} has been called
     */
    protected abstract int publish(int count);

    /**
     * What to do about a refused request.
     *
     * @param errno the error number
     * @return the advice for the exception
     */
    protected abstract String advice(int errno);

    /** Throws, having {@linkplain #withdraw taken out} the request that has been described, if something is missing. */
    void requireDescribed() {}

    /** Completes the writing of the request that has been described; called only if it has a slot. */
    abstract void finish(int request, int elementCount);

    /**
     * Notes why the device took fewer requests than it was given; called by {@link #publish(int)}.
     *
     * @param errno the error number; ENOMEM if the queue was full
     */
    protected final void refuse(int errno) {
        refusal = errno;
    }

    /** Closes the queue: waits until a post that has begun is over, and lets no other begin. */
    public final void closeGate() {
        gate.close();
    }

    /**
     * Waits until a post that is being carried out is over. What a provider has marked as closed before is not posted any
     * more afterwards, if its {@link #publish(int)} looks at the mark.
     */
    public final void awaitPost() {
        try {
            gate.enterInTurn();
        } catch (IllegalStateException e) {
            return; // closed: no post is carried out any more
        }
        gate.exit();
    }

    /**
     * Forgets the batch and lets a provider begin anew with its ring, while no post is carried out: for a queue pair that
     * has been reset.
     *
     * @param renewal what the provider does with its ring
     * @throws IllegalStateException if the queue is closed
     */
    public final void restart(Runnable renewal) {
        gate.enterInTurn();
        try {
            forget();
            renewal.run();
        } finally {
            gate.exit();
        }
    }

    /** Begins a request. */
    final void begin() {
        gate.requireOpen();
        finishDescribed();
        if (written == free) {
            free = freeSlots();
        }
        begun++;
        writing = written < free && begun == written + 1;
        if (writing) {
            written++;
        }
        describing = true;
        elements = 0;
    }

    /** Whether the request being described has a slot, so that its parts are to be written. */
    final boolean writing() {
        if (!describing) {
            gate.requireOpen();
            throw new IllegalStateException("no request of " + description + " has been begun since the last post");
        }
        return writing;
    }

    /** The number of the request being described within the batch. */
    final int current() {
        return written - 1;
    }

    final int elementCount() {
        return elements;
    }

    final void addElement(MemoryRegion region, long offset, long length) {
        boolean write = writing();
        if (!(region instanceof MemoryRegionBase base)) {
            throw withdraw(new IllegalArgumentException("the memory region is not one of a verbs provider"));
        }
        // overflow-safe: offset and length are not negative, so the subtraction cannot wrap
        if (offset < 0 || length < 0 || length > 0xffff_ffffL || offset > base.length() - length) {
            throw withdraw(new IndexOutOfBoundsException("bytes " + offset + " to " + offset + " + " + length
                    + " are not within the " + base.length() + " bytes of " + base));
        }
        if (!base.isOpen()) {
            throw withdraw(new IllegalStateException(base + " is closed"));
        }
        if (elements == maxElements) {
            throw withdraw(new IllegalArgumentException("a request of " + description + " has at most " + maxElements
                    + " elements; ask for more with " + elementsAdvice));
        }
        if (write) {
            writeElement(current(), elements, base.address() + offset, length, base.lkey());
        }
        elements++;
    }

    /** Takes the request being described out of the batch, because its description is wrong. */
    final RuntimeException withdraw(RuntimeException reason) {
        if (describing) {
            describing = false;
            begun--;
            if (writing) {
                written--;
            }
        }
        return reason;
    }

    final void checkDescription(boolean right, String wrong) {
        if (!right) {
            throw withdraw(new IllegalArgumentException(wrong));
        }
    }

    /** See {@link org.paraverbs.verbs.SendQueue#post()}. */
    public final void post() {
        finishDescribed();
        int requested = begun;
        int posted = publishBatch();
        if (posted < requested) {
            throw failure(posted, requested, refusal == 0 ? Errno.ENOMEM.number() : refusal);
        }
    }

    /**
     * See {@link org.paraverbs.verbs.SendQueue#tryPost()}.
     *
     * @return how many requests were posted
     */
    public final int tryPost() {
        finishDescribed();
        int requested = begun;
        int posted = publishBatch();
        if (refusal != 0 && refusal != Errno.ENOMEM.number()) {
            throw failure(posted, requested, refusal);
        }
        return posted;
    }

    /** See {@link org.paraverbs.verbs.SendQueue#abandon()}. */
    public final void abandon() {
        gate.requireOpen();
        forget();
    }

    /**
     * See {@link org.paraverbs.verbs.SendQueue#available()}.
     *
     * @return the number of requests that the queue can take beyond the batch
     */
    public final int available() {
        gate.requireOpen();
        return Math.max(0, freeSlots() - written);
    }

    private int publishBatch() {
        refusal = 0;
        int count = written;
        gate.enter();
        try {
            return count == 0 ? 0 : publish(count);
        } finally {
            gate.exit();
            forget();
        }
    }

    private void finishDescribed() {
        if (describing) {
            requireDescribed();
            describing = false;
            if (writing) {
                finish(current(), elements);
            }
        }
    }

    private void forget() {
        begun = 0;
        written = 0;
        free = 0;
        describing = false;
    }

    private PostException failure(int posted, int requested, int errno) {
        String object = description + ", " + posted + " of " + requested + " requests posted";
        String advice = errno == Errno.ENOMEM.number()
                ? "the queue is full: poll completions first, or create the queue pair with a greater depth; tryPost()"
                        + " answers with the number instead of throwing"
                : advice(errno);
        return new PostException(verb, object, errno, posted, advice);
    }
}
