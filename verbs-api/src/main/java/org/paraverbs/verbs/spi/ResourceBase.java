// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.VerbsResource;

/**
 * A resource of a provider with its place in the creation order of its context. A provider makes one with
 * {@link #create}, naming what it uses, and runs every verb on it inside {@link #whileOpen}.
 */
public abstract class ResourceBase implements VerbsResource {

    private final Ownership ownership;
    private final String description;

    private volatile boolean open = true;

    /** Guarded by the lock of {@link Ownership}, as the two below. */
    long sequence;

    List<ResourceBase> uses = List.of();
    final Set<ResourceBase> dependents = new LinkedHashSet<>();

    /**
     * A context: the first of its resources.
     *
     * @param description what it is, for messages, as {@code context of emu0}
     */
    ResourceBase(String description) {
        this.ownership = new Ownership();
        this.description = description;
    }

    /**
     * A resource of a context.
     *
     * @param context the context
     * @param description what it is, for messages, as {@code QP 0x11 of emu0}
     */
    protected ResourceBase(ContextBase context, String description) {
        this.ownership = ((ResourceBase) context).ownership;
        this.description = description;
    }

    /**
     * Destroys the resource. Called once, after everything that depends on it, while no verb of this context runs.
     * Closes its gates first, and wakes threads that wait inside.
     *
     * @throws org.paraverbs.verbs.VerbsException if the device refuses; the resource counts as closed all the same
     */
    protected abstract void release();

    /**
     * Makes a resource that uses this one and others.
     *
     * @param creation asks the device and makes the object
     * @param others what else it uses, of the same context
     * @param <T> its type
     * @return what the creation answered
     * @throws IllegalStateException if one of them is closed
     */
    protected final <T extends ResourceBase> T create(Supplier<T> creation, ResourceBase... others) {
        ResourceBase[] all = new ResourceBase[others.length + 1];
        all[0] = this;
        System.arraycopy(others, 0, all, 1, others.length);
        return ownership.create(creation, all);
    }

    /**
     * Puts another resource in the place of this one, which counts as closed afterwards and is not released: it lives on in
     * the other. While this runs, no verb of the context does. If the change fails, this resource is as it was, unless the
     * change itself has closed it.
     *
     * @param change asks the device and makes the other object
     * @param uses what the other uses, of the same context
     * @param <T> its type
     * @return what the change answered
     * @throws IllegalStateException if this or one of those is closed, or if something depends on this
     */
    protected final <T extends ResourceBase> T replace(Supplier<T> change, ResourceBase... uses) {
        return ownership.replace(this, change, uses);
    }

    /**
     * Carries out a verb of the control path: the resource is not destroyed in the meantime.
     *
     * @param verb what to do; must neither close resources nor wait for other threads
     * @param <T> the type of its answer
     * @return its answer
     * @throws IllegalStateException if the resource is closed
     */
    protected final <T extends @Nullable Object> T whileOpen(Supplier<T> verb) {
        return ownership.whileOpen(this, verb);
    }

    /**
     * Checks that the resource has not been closed.
     *
     * @throws IllegalStateException if it is closed
     */
    protected final void requireOpen() {
        if (!open) {
            throw new IllegalStateException(description + " is closed");
        }
    }

    final void markClosed() {
        open = false;
    }

    @Override
    public final boolean isOpen() {
        return open;
    }

    @Override
    public final void close() {
        ownership.close(this);
    }

    /** What it is, for messages. */
    @Override
    public final String toString() {
        return description;
    }
}
