// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Everything that was made from one context: who uses what, in creation order.
 *
 * <p>Creating, asking and changing share a lock; closing excludes them. So nothing is destroyed under a verb that is
 * being carried out, and nothing is made on what is being destroyed. The data path does not come here.
 */
final class Ownership {

    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private long created;

    <T extends ResourceBase> T create(Supplier<T> creation, ResourceBase... uses) {
        lock.readLock().lock();
        try {
            for (ResourceBase used : uses) {
                used.requireOpen();
            }
            T resource = creation.get();
            enter(resource, uses);
            return resource;
        } finally {
            lock.readLock().unlock();
        }
    }

    private void enter(ResourceBase resource, ResourceBase... uses) {
        synchronized (this) {
            resource.sequence = ++created;
            for (ResourceBase used : uses) {
                used.dependents.add(resource);
            }
        }
        resource.uses = List.of(uses);
    }

    /** The change may close the resource; the lock lets it. */
    <T extends ResourceBase> T replace(ResourceBase old, Supplier<T> change, ResourceBase... uses) {
        lock.writeLock().lock();
        try {
            old.requireOpen();
            for (ResourceBase used : uses) {
                used.requireOpen();
            }
            if (!old.dependents.isEmpty()) {
                throw new IllegalStateException(old + " is in use by " + old.dependents);
            }
            T replacement = change.get();
            enter(replacement, uses);
            for (ResourceBase used : old.uses) {
                used.dependents.remove(old);
            }
            old.markClosed();
            return replacement;
        } finally {
            lock.writeLock().unlock();
        }
    }

    <T extends @Nullable Object> T whileOpen(ResourceBase resource, Supplier<T> action) {
        lock.readLock().lock();
        try {
            resource.requireOpen();
            return action.get();
        } finally {
            lock.readLock().unlock();
        }
    }

    void close(ResourceBase resource) {
        RuntimeException failure = null;
        lock.writeLock().lock();
        try {
            if (!resource.isOpen()) {
                return;
            }
            for (ResourceBase closing : newestFirst(resource)) {
                failure = closeOne(closing, failure);
            }
        } finally {
            lock.writeLock().unlock();
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** What depends on a resource, and itself: an object uses only older ones, so this order is always legal. */
    private static List<ResourceBase> newestFirst(ResourceBase resource) {
        Set<ResourceBase> found = new LinkedHashSet<>();
        List<ResourceBase> toVisit = new ArrayList<>(List.of(resource));
        while (!toVisit.isEmpty()) {
            ResourceBase visited = toVisit.remove(toVisit.size() - 1);
            if (found.add(visited)) {
                toVisit.addAll(visited.dependents);
            }
        }
        List<ResourceBase> ordered = new ArrayList<>(found);
        ordered.sort(Comparator.comparingLong((ResourceBase closing) -> closing.sequence)
                .reversed());
        return ordered;
    }

    private static @Nullable RuntimeException closeOne(ResourceBase closing, @Nullable RuntimeException earlier) {
        for (ResourceBase used : closing.uses) {
            used.dependents.remove(closing);
        }
        try {
            closing.markClosed();
            closing.release();
        } catch (RuntimeException e) {
            if (earlier == null) {
                return e;
            }
            earlier.addSuppressed(e);
        }
        return earlier;
    }
}
