// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.util.Objects;
import java.util.Set;

/**
 * One step of a queue pair from state to state ({@code ibv_modify_qp(3)}). The record is the attribute mask: what a
 * record holds is given to the device and nothing else, so the first steps have one record for each type of queue pair.
 */
public sealed interface Transition {

    /** The state that the step leads to. */
    QueuePairState target();

    /**
     * RESET (or INIT) to INIT of a connected queue pair (RC, UC): binds it to a port.
     *
     * @param port from 1
     * @param pkeyIndex the index of the partition key, from 0
     * @param access what peers may do through this queue pair
     */
    record Init(int port, int pkeyIndex, Set<Access> access) implements Transition {
        /** Copies the set. */
        public Init {
            access = Set.copyOf(access);
        }

        @Override
        public QueuePairState target() {
            return QueuePairState.INIT;
        }
    }

    /**
     * RESET (or INIT) to INIT of a datagram queue pair (UD).
     *
     * @param port from 1
     * @param pkeyIndex the index of the partition key, from 0
     * @param qkey the Q_Key that datagrams must carry to be received
     */
    record DatagramInit(int port, int pkeyIndex, int qkey) implements Transition {
        @Override
        public QueuePairState target() {
            return QueuePairState.INIT;
        }
    }

    /** INIT to RTR of a datagram queue pair (UD): enables the receiving half. */
    record DatagramReadyToReceive() implements Transition {
        @Override
        public QueuePairState target() {
            return QueuePairState.READY_TO_RECEIVE;
        }
    }

    /**
     * RTR to RTS of a datagram queue pair (UD): enables the sending half.
     *
     * @param psn the packet sequence number to start with, 24 bits
     */
    record DatagramReadyToSend(int psn) implements Transition {
        /** Checks the range. */
        public DatagramReadyToSend {
            requireBits("packet sequence number", psn, 24);
        }

        @Override
        public QueuePairState target() {
            return QueuePairState.READY_TO_SEND;
        }
    }

    /**
     * INIT to RTR of an unreliable connection (UC), and of the sending end of XRC: connects the receiving half.
     *
     * @param route the way to the peer
     * @param remoteQpn the peer's queue pair number, 24 bits
     * @param psn the packet sequence number that the peer starts with, 24 bits
     * @param mtu the path MTU, the same on both sides
     */
    record UnreliableReadyToReceive(Route route, int remoteQpn, int psn, Mtu mtu) implements Transition {
        /** Checks the ranges. */
        public UnreliableReadyToReceive {
            Objects.requireNonNull(route, "route");
            Objects.requireNonNull(mtu, "mtu");
            requireBits("remote queue pair number", remoteQpn, 24);
            requireBits("packet sequence number", psn, 24);
        }

        @Override
        public QueuePairState target() {
            return QueuePairState.READY_TO_RECEIVE;
        }
    }

    /**
     * RTR to RTS of an unreliable connection (UC): enables the sending half.
     *
     * @param psn the packet sequence number to start with, 24 bits
     */
    record UnreliableReadyToSend(int psn) implements Transition {
        /** Checks the range. */
        public UnreliableReadyToSend {
            requireBits("packet sequence number", psn, 24);
        }

        @Override
        public QueuePairState target() {
            return QueuePairState.READY_TO_SEND;
        }
    }

    /**
     * INIT to RTR of a reliable connection (RC), and of the receiving end of XRC: connects the receiving half.
     *
     * @param route the way to the peer
     * @param remoteQpn the peer's queue pair number, 24 bits
     * @param psn the packet sequence number that the peer starts with, 24 bits
     * @param mtu the path MTU, the same on both sides
     * @param maxReads how many READs and atomics of the peer may be outstanding here, 0 to 255
     *     ({@code max_dest_rd_atomic})
     * @param rnrTimer how long the peer is asked to wait when it finds no receive
     */
    record ReadyToReceive(Route route, int remoteQpn, int psn, Mtu mtu, int maxReads, RnrTimer rnrTimer)
            implements Transition {
        /** Checks the ranges. */
        public ReadyToReceive {
            Objects.requireNonNull(route, "route");
            Objects.requireNonNull(mtu, "mtu");
            Objects.requireNonNull(rnrTimer, "rnrTimer");
            requireBits("remote queue pair number", remoteQpn, 24);
            requireBits("packet sequence number", psn, 24);
            requireBits("number of outstanding reads", maxReads, 8);
        }

        @Override
        public QueuePairState target() {
            return QueuePairState.READY_TO_RECEIVE;
        }
    }

    /**
     * RTR to RTS of a reliable connection (RC), and of the sending end of XRC: enables the sending half.
     *
     * @param psn the packet sequence number to start with, 24 bits
     * @param timeout how long to wait for an acknowledgement
     * @param retries how often to send again when none comes, 0 to 7
     * @param rnrRetries how often to send again when the peer has no receive, 0 to 6, or 7 for without end
     * @param maxReads how many READs and atomics to have outstanding at the peer, 0 to 255 ({@code max_rd_atomic})
     */
    record ReadyToSend(int psn, AckTimeout timeout, int retries, int rnrRetries, int maxReads) implements Transition {
        /** Checks the ranges. */
        public ReadyToSend {
            Objects.requireNonNull(timeout, "timeout");
            requireBits("packet sequence number", psn, 24);
            requireBits("retry count", retries, 3);
            requireBits("RNR retry count", rnrRetries, 3);
            requireBits("number of outstanding reads", maxReads, 8);
        }

        @Override
        public QueuePairState target() {
            return QueuePairState.READY_TO_SEND;
        }
    }

    /**
     * RTR to RTS of the receiving end of XRC, which receives from RTR on.
     *
     * @param psn the packet sequence number to start with, 24 bits
     * @param timeout how long to wait for an acknowledgement
     */
    record XrcReceiveReadyToSend(int psn, AckTimeout timeout) implements Transition {
        /** Checks the range. */
        public XrcReceiveReadyToSend {
            Objects.requireNonNull(timeout, "timeout");
            requireBits("packet sequence number", psn, 24);
        }

        @Override
        public QueuePairState target() {
            return QueuePairState.READY_TO_SEND;
        }
    }

    /**
     * RTS to SQD: finishes what has begun and starts nothing new.
     *
     * @param raiseEvent whether to raise {@link AsyncEventType#SEND_QUEUE_DRAINED} when done
     */
    record DrainSend(boolean raiseEvent) implements Transition {
        @Override
        public QueuePairState target() {
            return QueuePairState.SEND_QUEUE_DRAINED;
        }
    }

    /** SQD (or SQE, of UC and UD) to RTS: goes on with the attributes it had. */
    record Resume() implements Transition {
        @Override
        public QueuePairState target() {
            return QueuePairState.READY_TO_SEND;
        }
    }

    /** Any state to ERR: flushes all requests. */
    record ToError() implements Transition {
        @Override
        public QueuePairState target() {
            return QueuePairState.ERROR;
        }
    }

    /** Any state to RESET: forgets all requests, without completions. */
    record ToReset() implements Transition {
        @Override
        public QueuePairState target() {
            return QueuePairState.RESET;
        }
    }

    private static void requireBits(String what, int value, int bits) {
        if (value >>> bits != 0) {
            throw new IllegalArgumentException(what + " " + value + " is not between 0 and " + ((1 << bits) - 1));
        }
    }
}
