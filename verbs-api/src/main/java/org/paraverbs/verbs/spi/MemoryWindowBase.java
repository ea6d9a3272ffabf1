// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import org.paraverbs.verbs.MemoryWindow;

/** What the memory windows of all providers share: the key, whose lowest 8 bits change with each bind. */
public abstract class MemoryWindowBase extends ResourceBase implements MemoryWindow {

    /** The part of a remote key that its owner chooses ({@code ibv_inc_rkey(3)}). */
    private static final int VARIANT = 0xff;

    /** Written by the thread that describes binds. */
    private volatile int rkey;

    /**
     * A window that is not bound.
     *
     * @param context its context
     * @param rkey the key that it was allocated with
     */
    protected MemoryWindowBase(ContextBase context, int rkey) {
        super(context, "memory window of " + context.device().name());
        this.rkey = rkey;
    }

    @Override
    public final int rkey() {
        return rkey;
    }

    /** Takes the next key, for a bind that is being described. */
    final int advance() {
        int next = (rkey & ~VARIANT) | ((rkey + 1) & VARIANT);
        rkey = next;
        return next;
    }
}
