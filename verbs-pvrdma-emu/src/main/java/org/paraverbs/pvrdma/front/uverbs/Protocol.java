// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.lang.foreign.ValueLayout;

/**
 * What the preload library and the emulator say to each other: the other side of {@code native/preload/protocol.h}, where it is
 * explained. Both run on one machine, so numbers have its byte order.
 */
final class Protocol {
    static final int MAGIC = 0x3145_5650;
    static final int VERSION = 3;

    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** {@code struct hello}. */
    static final class Hello {
        static final int SIZE = 40;
        static final int MAGIC_AT = 0;
        static final int VERSION_AT = 4;
        static final int ROLE_AT = 8;
        static final int PID_AT = 12;
        static final int MEMFD_AT = 16;
        static final int FLAGS_AT = 20;
        static final int TICKET_AT = 24;

        static final int COMMANDS = 0;
        static final int EVENTS = 1;
        static final int COPIES = 2;

        /** In the flags: the client wants to copy itself. */
        static final int WANTS_COPIES = 1;

        private Hello() {}
    }

    /** {@code struct welcome}. */
    static final class Welcome {
        static final int SIZE = 32;
        static final int ERROR_AT = 0;
        static final int EMULATOR_PID_AT = 4;
        static final int TICKET_AT = 8;
        static final int COPIES_AT = 24;

        private Welcome() {}
    }

    /** {@code struct request}. */
    static final class Request {
        static final int SIZE = 32;
        static final int TYPE_AT = 0;
        static final int BYTES_AT = 4;
        static final int ARGUMENTS_AT = 8;

        static final int ATTACH = 1;
        static final int COMMAND = 2;

        private Request() {}
    }

    /** {@code struct reply}. */
    static final class Reply {
        static final int SIZE = 32;
        static final int ERROR_AT = 0;
        static final int BYTES_AT = 4;
        static final int COMPLETIONS_TOLD_AT = 8;
        static final int EVENTS_TOLD_AT = 16;
        static final int FENCE_AT = 24;

        private Reply() {}
    }

    /** {@code struct event}. */
    static final class Event {
        static final int SIZE = 24;

        static final int COMPLETION = 1;
        static final int ASYNC = 2;
        static final int FENCE = 3;

        private Event() {}
    }

    /** Bytes of a request's payload at most, and of a reply's. */
    static final int MAX_PAYLOAD = 4096;

    /** Which doorbell was rung. */
    static final int BELL_SEND = 0;

    static final int BELL_RECEIVE = 1;
    static final int BELL_ARM = 2;
    static final int BELL_ARM_SOLICITED = 3;
    static final int BELLS = 4;

    /** Handles of queue pairs and completion queues are below this. */
    static final int BELL_HANDLES = 8192;

    /** In the index that a queue was armed with: the client waits until this bit is gone. */
    static final int ARMING = 0x8000_0000;

    static final int BELL_WORDS = BELL_HANDLES / Long.SIZE;
    static final int BELL_SUMMARY_WORDS = BELL_WORDS / Long.SIZE;

    static final int PAGE = 4096;

    /** Where {@code struct shared_page} lies in the memfd; behind it {@code bell_pages} and {@code armed_pages}. */
    static final long SHARED_PAGE = PAGE;

    /** Where {@code struct copy_area} lies: a page, and the data. */
    static final long COPY_AREA = 11L * PAGE;

    /** What a client copies at once at most. */
    static final int COPY_BYTES = 16 * PAGE;

    /** Where rings begin. */
    static final long RINGS = COPY_AREA + PAGE + COPY_BYTES;

    private Protocol() {}
}
