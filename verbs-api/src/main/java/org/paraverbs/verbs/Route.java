// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.util.Objects;

/**
 * The way to a peer ({@code struct ibv_ah_attr} with {@code struct ibv_global_route}).
 *
 * @param port the local port, from 1
 * @param sourceGidIndex the index of the local GID, 0 to 255
 * @param destination the peer's GID; empty on InfiniBand without a global route
 * @param destinationLid the peer's LID on InfiniBand, 0 to 0xffff; 0 on Ethernet
 * @param hopLimit the hop limit or time to live, 0 to 255
 * @param trafficClass the traffic class (DSCP and ECN bits), 0 to 255
 * @param flowLabel the flow label, 20 bits
 * @param serviceLevel the service level, 0 to 15 on InfiniBand, 0 to 7 (priority) on Ethernet
 */
public record Route(
        int port,
        int sourceGidIndex,
        Gid destination,
        int destinationLid,
        int hopLimit,
        int trafficClass,
        int flowLabel,
        int serviceLevel) {

    /** Checks the ranges. */
    public Route {
        Objects.requireNonNull(destination, "destination");
        check("port", port, 1, 255);
        check("source GID index", sourceGidIndex, 0, 255);
        check("destination LID", destinationLid, 0, 0xffff);
        check("hop limit", hopLimit, 0, 255);
        check("traffic class", trafficClass, 0, 255);
        check("flow label", flowLabel, 0, 0xfffff);
        check("service level", serviceLevel, 0, 15);
    }

    /**
     * The route to a peer by its GID, hop limit 255.
     *
     * @param port the local port, from 1
     * @param sourceGidIndex the index of the local GID
     * @param destination the peer's GID
     * @return the route
     */
    public static Route to(int port, int sourceGidIndex, Gid destination) {
        return new Route(port, sourceGidIndex, destination, 0, 255, 0, 0, 0);
    }

    /** The same to a LID. */
    public Route withDestinationLid(int lid) {
        return new Route(port, sourceGidIndex, destination, lid, hopLimit, trafficClass, flowLabel, serviceLevel);
    }

    /** The same with a traffic class, 0 to 255. */
    public Route withTrafficClass(int newTrafficClass) {
        return new Route(
                port, sourceGidIndex, destination, destinationLid, hopLimit, newTrafficClass, flowLabel, serviceLevel);
    }

    /** The same with a service level, 0 to 15. */
    public Route withServiceLevel(int newServiceLevel) {
        return new Route(
                port, sourceGidIndex, destination, destinationLid, hopLimit, trafficClass, flowLabel, newServiceLevel);
    }

    /** Whether packets carry a global route header: always on Ethernet. */
    public boolean isGlobal() {
        return !destination.isEmpty();
    }

    private static void check(String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + " " + value + " is not between " + min + " and " + max);
        }
    }
}
