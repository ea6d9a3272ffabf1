// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.spi.SendOperation;

/**
 * What a test covers: the annotations of which {@code docs/coverage.md} is made. They stand on test methods, of contract
 * classes and of any other test. Only those belong there whose check would fail if the thing named were wrong, not all that
 * a test happens to call.
 */
public final class Covers {

    /** Methods of the verbs interface, as {@code QueuePair.modify}, and steps, as {@code Transition.Init}. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.SOURCE)
    public @interface Verb {
        /** Their names. */
        String[] value();
    }

    /** Operations of a send queue. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.SOURCE)
    public @interface Operation {
        /** The operations. */
        SendOperation[] value();
    }

    /** Completion statuses that the test provokes. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.SOURCE)
    public @interface Status {
        /** The statuses. */
        CompletionStatus[] value();
    }

    /** Asynchronous events that the test provokes. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.SOURCE)
    public @interface Event {
        /** The types. */
        AsyncEventType[] value();
    }

    /** Limits to which the test goes, and beyond: {@code DeviceAttributes.maxQueuePairs}. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.SOURCE)
    public @interface Limit {
        /** Their names. */
        String[] value();
    }

    /** Commands of the PVRDMA device, as {@code CREATE_SRQ}. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.SOURCE)
    public @interface Command {
        /** Their names. */
        String[] value();
    }

    /** Registers of the PVRDMA device, as {@code DSRHIGH}. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.SOURCE)
    public @interface Register {
        /** Their names. */
        String[] value();
    }

    /** Opcodes of work requests of the PVRDMA device, as {@code RDMA_READ}. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.SOURCE)
    public @interface WorkRequest {
        /** Their names. */
        String[] value();
    }

    private Covers() {}
}
