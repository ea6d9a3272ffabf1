// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * How a work request ended ({@code enum ibv_wc_status}; the causes follow the InfiniBand Architecture Specification,
 * volume 1, section 11.6.2).
 */
public enum CompletionStatus {
    /** Done. */
    SUCCESS("done", ""),
    /** The local buffers are too small for the message, or the message is longer than the port allows. */
    LOCAL_LENGTH_ERROR(
            "local length error",
            "the posted receive is smaller than the message, or the message is longer than the port allows"),
    /** The request was invalid for the queue pair. */
    LOCAL_QUEUE_PAIR_OPERATION_ERROR(
            "local QP operation error",
            "the work request is inconsistent with its queue pair, or the device could not carry it out"),
    /** End-to-end context error (unused by current devices). */
    LOCAL_EE_CONTEXT_OPERATION_ERROR("local EE context operation error", "an unused kind of error"),
    /** A local key, range or access right was wrong. */
    LOCAL_PROTECTION_ERROR(
            "local protection error",
            "an element lies outside its memory region, the lkey is stale or of another protection domain, or a"
                    + " receive or READ target lacks LOCAL_WRITE"),
    /** The queue pair was in error, so the request was given back undone. */
    WORK_REQUEST_FLUSHED(
            "work request flushed", "the queue pair had failed before: look at QueuePair.firstError() for the reason"),
    /** A memory window could not be bound. */
    MEMORY_WINDOW_BIND_ERROR("memory window bind error", "the memory region does not allow binding a window"),
    /** The peer's answer was not what the protocol allows. */
    BAD_RESPONSE_ERROR("bad response", "the peer answered with an opcode that does not fit the request"),
    /** What a WRITE with immediate that used up a receive was to write is not allowed. */
    LOCAL_ACCESS_ERROR(
            "local access error",
            "a peer's WRITE with immediate took the receive, and its key, range or access right was wrong"),
    /** The peer found the request invalid. */
    REMOTE_INVALID_REQUEST_ERROR(
            "remote invalid request",
            "the peer's queue pair lacks the right to this operation, the message is longer than its receive, an"
                    + " atomic operation's address is not aligned, or too many READs were outstanding"),
    /** The peer refused access. */
    REMOTE_ACCESS_ERROR(
            "remote access error",
            "the rkey is stale or of another protection domain, the range lies outside the peer's region, or the"
                    + " peer's region lacks the access right"),
    /** The peer could not carry out the request. */
    REMOTE_OPERATION_ERROR("remote operation error", "the peer failed while it carried the request out"),
    /** The peer did not answer. */
    RETRY_EXCEEDED(
            "transport retry counter exceeded",
            "the peer did not acknowledge: it is gone or not yet ready to receive, its number or GID is wrong, the"
                    + " RoCE versions differ, or the network drops packets"),
    /** The peer had no receive posted. */
    RNR_RETRY_EXCEEDED(
            "RNR retry counter exceeded", "the peer had no receive posted in time: post receives before connecting"),
    /** An error of the unused kind RDD. */
    LOCAL_RDD_VIOLATION_ERROR("local RDD violation", "an unused kind of error"),
    /** An error of the unused kind RDD. */
    REMOTE_INVALID_RD_REQUEST("remote invalid RD request", "an unused kind of error"),
    /** The peer aborted the operation. */
    REMOTE_ABORTED_ERROR("remote aborted", "the peer aborted the operation"),
    /** An error of the unused kind EE context. */
    INVALID_EE_CONTEXT_NUMBER("invalid EE context number", "an unused kind of error"),
    /** An error of the unused kind EE context. */
    INVALID_EE_CONTEXT_STATE("invalid EE context state", "an unused kind of error"),
    /** The device failed. */
    FATAL_ERROR("fatal error", "the device failed; close the context"),
    /** The response did not arrive in time. */
    RESPONSE_TIMEOUT_ERROR("response timeout", "the response did not arrive in time"),
    /** Any other error. */
    GENERAL_ERROR("general error", "the device says no more; see the vendor error"),
    /** A tag matching error. */
    TAG_MATCHING_ERROR("tag matching error", "tag matching failed"),
    /** Tag matching finished without data. */
    TAG_MATCHING_RENDEZVOUS_INCOMPLETE("tag matching rendezvous incomplete", "the rendezvous was not carried out"),
    /** A code that this version does not know, see {@link WorkCompletion#rawStatus()}. */
    UNKNOWN("unknown status", "this version does not know the code");

    private static final CompletionStatus[] VALUES = values();

    private final String words;
    private final String cause;

    CompletionStatus(String words, String cause) {
        this.words = words;
        this.cause = cause;
    }

    /** The status in words, as in {@code transport retry counter exceeded}. */
    public String words() {
        return words;
    }

    /** What usually causes it, empty for {@link #SUCCESS}. */
    public String cause() {
        return cause;
    }

    /**
     * The status of a code of the verbs interface. Allocates nothing.
     *
     * @param code 0 to 23; any other gives {@link #UNKNOWN}
     * @return the status
     */
    public static CompletionStatus ofCode(int code) {
        return code >= 0 && code < VALUES.length - 1 ? VALUES[code] : UNKNOWN;
    }
}
