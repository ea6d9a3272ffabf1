// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.device.InterruptSink;

/**
 * Which handler a vector calls. It exists before the device, which is given it at its making, and the driver, which
 * requests the vectors when it probes.
 */
public final class InterruptTable implements InterruptSink {
    private final AtomicReferenceArray<@Nullable Runnable> handlers = new AtomicReferenceArray<>(InterruptVector.COUNT);

    /** A table without handlers: what is raised gets lost. */
    public InterruptTable() {}

    @Override
    public void raise(int vector) {
        Runnable handler = handlers.get(vector);
        if (handler != null) {
            handler.run();
        }
    }

    /** Attaches a handler, which must neither wait nor throw nor call the device. */
    void request(int vector, Runnable handler) {
        handlers.set(vector, handler);
    }

    /** Detaches the handler; a call that has begun may go on for a moment. */
    void free(int vector) {
        handlers.set(vector, null);
    }
}
