// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * A verb failed. The message says which verb, on which object, with which error number, and what to do next:
 * {@code ibv_modify_qp(QP 0x11, INIT -> RTS): EINVAL; RC goes INIT -> RTR -> RTS, go to ReadyToReceive first}.
 *
 * <p>Misuse of the interface is told by exceptions of the JDK instead: {@link IllegalStateException} (closed),
 * {@link IllegalArgumentException}, {@link IndexOutOfBoundsException}.
 */
public class VerbsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The failed verb. */
    private final String verb;

    /** The raw error number. */
    private final int errno;

    /**
     * A failure with a raw error number, as a system call or a verb gave it.
     *
     * @param verb the name of the verb, as {@code ibv_reg_mr}
     * @param object what it was applied to, in words, possibly empty
     * @param errno the error number
     * @param advice what it means here and what to do next, possibly empty
     */
    public VerbsException(String verb, String object, int errno, String advice) {
        super(text(verb, object, errno, advice));
        this.verb = verb;
        this.errno = errno;
    }

    /**
     * A failure found by ourselves.
     *
     * @param verb the name of the verb, as {@code ibv_reg_mr}
     * @param object what it was applied to, in words, possibly empty
     * @param errno the error that the verb answers with in this case
     * @param advice what it means here and what to do next, possibly empty
     */
    public VerbsException(String verb, String object, Errno errno, String advice) {
        this(verb, object, errno.number(), advice);
    }

    /** The name of the verb that failed, as {@code ibv_modify_qp}. */
    public final String verb() {
        return verb;
    }

    /** The error number, raw; see {@link #code()}. */
    public final int errno() {
        return errno;
    }

    /** The error number as a constant, {@link Errno#UNKNOWN} if this version does not know it. */
    public final Errno code() {
        return Errno.of(errno);
    }

    private static String text(String verb, String object, int errno, String advice) {
        Errno known = Errno.of(errno);
        return verb
                + (object.isEmpty() ? "" : "(" + object + ")")
                + ": "
                + (known == Errno.UNKNOWN ? "errno " + errno : known.name())
                + (advice.isEmpty() ? "" : "; " + advice);
    }
}
