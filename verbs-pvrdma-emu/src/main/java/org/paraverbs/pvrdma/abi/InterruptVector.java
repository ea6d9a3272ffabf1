// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * MSI-X vectors. The cause bit in ICR and IMR is {@code 1 << vector}.
 */
public final class InterruptVector {
    /** A response lies in the response slot. */
    public static final int RESPONSE = 0;
    /** Asynchronous events lie in the async ring. */
    public static final int ASYNC = 1;
    /** Handles lie in the completion notification ring. */
    public static final int CQ = 2;

    /** Number of vectors. */
    public static final int COUNT = 3;

    private InterruptVector() {}
}
