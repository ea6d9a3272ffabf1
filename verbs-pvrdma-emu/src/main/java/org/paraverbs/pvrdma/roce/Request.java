// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce;

/**
 * A request on its way: what the transport needs to know of a work request. The device's subclass adds what it
 * needs to carry it out. Objects are made once and used again.
 *
 * <p>The requester's owner writes everything but the reply, and publishes the request by putting it on the wire. The
 * responder's owner reads it, writes the reply, and publishes that by taking the request off the wire.
 */
public abstract class Request {
    /** {@link #status}: not finished. */
    static final int PENDING = -1;

    private long length;
    private boolean awaitsData;
    private boolean local;
    private int depth;
    private boolean fenced;
    private int status;
    private int psn;
    private int packets;
    /** Code of the reply: storing a reference would cost the garbage collector's barrier for each request. */
    private int reply = Reply.LOST.code();

    private int rnrTimer;

    /** For subclasses. */
    protected Request() {}

    /**
     * Makes this a new request.
     *
     * @param length bytes of the message
     * @param awaitsData whether it is a READ or an atomic operation: answered with data
     * @param fenced whether it must wait for earlier requests that are answered with data
     */
    public final void begin(long length, boolean awaitsData, boolean fenced) {
        this.length = length;
        this.awaitsData = awaitsData;
        this.local = false;
        this.fenced = fenced;
        this.status = PENDING;
    }

    /** Makes this a request that is carried out on the requester's side, when all before it are finished. */
    public final void beginLocal() {
        begin(0, false, false);
        local = true;
    }

    /** Whether it never goes to the responder. */
    public final boolean isLocal() {
        return local;
    }

    /** Finishes the request with a status of its own side before it was ever sent. */
    public final void refuse(int wcStatus) {
        status = wcStatus;
    }

    /** Bytes of the message. */
    public final long length() {
        return length;
    }

    /** Whether it is a READ or an atomic operation: answered with data, and limited in number. */
    public final boolean awaitsData() {
        return awaitsData;
    }

    /**
     * How many requests that await data, this one counted, were under way when it was sent: what the responder needs to
     * hold at once for this connection.
     */
    public final int depth() {
        return depth;
    }

    final void depth(int underWay) {
        depth = underWay;
    }

    /** First packet sequence number. */
    public final int psn() {
        return psn;
    }

    /** Packets that it counts as. */
    public final int packets() {
        return packets;
    }

    /** The status of a finished request. */
    public final int status() {
        return status;
    }

    /** Whether {@link #status} is known. */
    public final boolean isFinished() {
        return status != PENDING;
    }

    /** What the responder answered. */
    public final Reply reply() {
        return Reply.of(reply);
    }

    /** The time code that came with {@link Reply#RNR_NAK}. */
    public final int rnrTimer() {
        return rnrTimer;
    }

    /** Answers; for the responder's owner. */
    public final void reply(Reply answer) {
        reply = answer.code();
    }

    /** Answers with {@link Reply#RNR_NAK} and a time code; for the responder's owner. */
    public final void replyNotReady(int timer) {
        rnrTimer = timer;
        reply = Reply.RNR_NAK.code();
    }

    final boolean isFenced() {
        return fenced;
    }

    final boolean isPending() {
        return status == PENDING;
    }

    final void number(int firstPsn, int count) {
        psn = firstPsn;
        packets = count;
    }

    final void finish(int wcStatus) {
        status = wcStatus;
    }
}
