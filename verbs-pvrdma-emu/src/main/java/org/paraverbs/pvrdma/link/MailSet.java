// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A set of small numbers into which any thread puts and from which one thread at a time takes: what a device is
 * told while somebody else runs it. Bounded by construction: a number that is in the set already is not put twice.
 */
public final class MailSet {
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] words;

    /** Whether there may be anything; put last and cleared first, so that it is never false for long. */
    private volatile boolean any;

    /** Receives the numbers. */
    @FunctionalInterface
    public interface Reader {
        /** Takes a number. */
        void read(int number);
    }

    /**
     * An empty set.
     *
     * @param limit numbers range from 0 to below this
     */
    public MailSet(int limit) {
        words = new long[(limit + Long.SIZE - 1) / Long.SIZE];
    }

    /** Puts a number; one outside the range is ignored. What the caller wrote before is visible to who takes it. */
    public void put(int number) {
        if (number >= 0 && number >>> 6 < words.length) {
            // pairs with getAndSet in takeAll
            WORD.getAndBitwiseOr(words, number >>> 6, 1L << number);
            any = true;
        }
    }

    /** Whether nothing was put since the last {@link #takeAll}. */
    public boolean isEmpty() {
        return !any;
    }

    /** Takes what is in the set now; what is put meanwhile stays for the next time or comes along. */
    public void takeAll(Reader reader) {
        if (!any) {
            return;
        }
        any = false;
        for (int i = 0; i < words.length; i++) {
            if ((long) WORD.getVolatile(words, i) != 0) {
                long bits = (long) WORD.getAndSet(words, i, 0L);
                while (bits != 0) {
                    reader.read((i << 6) + Long.numberOfTrailingZeros(bits));
                    bits &= bits - 1;
                }
            }
        }
    }
}
