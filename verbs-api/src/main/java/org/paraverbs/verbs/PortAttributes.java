// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * The attributes of a port ({@code struct ibv_port_attr}, {@code ibv_query_port(3)}).
 *
 * @param port the port, from 1
 * @param state the logical state; data flows only when it is {@link PortState#ACTIVE}
 * @param maxMtu the largest MTU of the port
 * @param activeMtu the MTU in use: the upper bound for path MTUs
 * @param gidTableLength the number of entries of the GID table
 * @param pkeyTableLength the number of entries of the partition key table
 * @param capabilityFlags the port's capability flags, raw
 * @param maxMessageSize the largest message in bytes
 * @param lid the local identifier on InfiniBand; 0 on Ethernet
 * @param subnetManagerLid the LID of the subnet manager on InfiniBand
 * @param activeWidth the raw code of the link width
 * @param activeSpeed the raw code of the link speed
 * @param physicalState the raw code of the physical state: 5 is link up, 3 is disabled
 * @param linkLayer the link below the port
 */
public record PortAttributes(
        int port,
        PortState state,
        Mtu maxMtu,
        Mtu activeMtu,
        int gidTableLength,
        int pkeyTableLength,
        int capabilityFlags,
        long maxMessageSize,
        int lid,
        int subnetManagerLid,
        int activeWidth,
        int activeSpeed,
        int physicalState,
        LinkLayer linkLayer) {}
