// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Objects of a context by their handle. Any thread looks up, also those that poll and those that run the device.
 *
 * @param <T> the kind of object
 */
final class HandleTable<T> {
    private final AtomicReferenceArray<@Nullable T> objects;

    HandleTable(int size) {
        objects = new AtomicReferenceArray<>(size);
    }

    /** The object of a handle; null if there is none, whatever the handle is. */
    @Nullable
    T get(int handle) {
        return handle >= 0 && handle < objects.length() ? objects.get(handle) : null;
    }

    void put(int handle, T object) {
        objects.set(handle, object);
    }

    void remove(int handle) {
        objects.set(handle, null);
    }
}
