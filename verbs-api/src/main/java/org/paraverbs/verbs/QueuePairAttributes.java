// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a queue pair as the device has them ({@code struct ibv_qp_attr}, {@code ibv_query_qp(3)}). What has
 * not been set yet in the queue pair's state is 0 or null.
 *
 * @param state the state
 * @param capacity the sizes of its queues
 * @param access what peers may do through it
 * @param pkeyIndex the index of the partition key
 * @param port the port, 0 before INIT
 * @param mtu the path MTU, null before RTR
 * @param route the way to the peer, null before RTR
 * @param remoteQpn the peer's queue pair number
 * @param qkey the Q_Key that datagrams must carry to be received; 0 but for UD
 * @param receivePsn the packet sequence number expected next
 * @param sendPsn the packet sequence number sent next
 * @param maxReadsAsTarget how many READs and atomics of the peer may be outstanding here
 * @param maxReadsAsInitiator how many READs and atomics may be outstanding at the peer
 * @param rnrTimer how long the peer is asked to wait when it finds no receive
 * @param timeout how long to wait for an acknowledgement
 * @param retries how often to send again when no acknowledgement comes
 * @param rnrRetries how often to send again when the peer has no receive, 7 for without end
 */
public record QueuePairAttributes(
        QueuePairState state,
        QueuePairCapacity capacity,
        Set<Access> access,
        int pkeyIndex,
        int port,
        @Nullable Mtu mtu,
        @Nullable Route route,
        int remoteQpn,
        int qkey,
        int receivePsn,
        int sendPsn,
        int maxReadsAsTarget,
        int maxReadsAsInitiator,
        RnrTimer rnrTimer,
        AckTimeout timeout,
        int retries,
        int rnrRetries) {}
