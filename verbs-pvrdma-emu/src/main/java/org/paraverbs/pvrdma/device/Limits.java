// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.List;
import java.util.stream.Stream;

/** The limits that a device holds its guest to. */
final class Limits {
    // How many there may be, or how much in all.
    final Limit contexts;
    final Limit domains;
    final Limit regions;
    final Limit registeredBytes;
    final Limit completionQueues;
    final Limit queuePairs;
    final Limit sharedReceiveQueues;

    // How large one may be.
    final Limit regionSize;
    final Limit completionQueueEntries;
    final Limit sharedReceiveQueueEntries;
    final Limit sharedReceiveQueueElements;
    final Limit gidIndex;
    private final Limit workRequests;
    private final Limit elements;
    final Limit uarPage;

    Limits(DeviceConfiguration configuration) {
        contexts = new Limit(
                "max_uar",
                "user contexts (the kernel has the first page)",
                configuration.limits().maxUar() - 1,
                "maxUar");
        domains =
                new Limit("max_pd", "protection domains", configuration.limits().maxPd(), "maxPd");
        regions = new Limit("max_mr", "memory regions", configuration.limits().maxMr(), "maxMr");
        registeredBytes = new Limit(
                "registered memory (" + configuration.host().maxRegisteredPercent() + " % of the guest's)",
                "bytes to register",
                configuration.host().maxRegistered(),
                "maxRegisteredPercent or guestMemory");
        completionQueues =
                new Limit("max_cq", "completion queues", configuration.limits().maxCq(), "maxCq");
        queuePairs = new Limit(
                "max_qp",
                "queue pairs",
                configuration.limits().maxQp(),
                configuration.host().qpElsewhere(),
                "maxQp or lower qpElsewhere");
        sharedReceiveQueues = new Limit(
                "max_srq", "shared receive queues", configuration.limits().maxSrq(), "maxSrq");
        regionSize = new Limit(
                "max_mr_size", "bytes in a region", configuration.limits().maxMrSize(), "maxMrSize");
        completionQueueEntries = new Limit(
                "max_cqe",
                "entries of a completion queue",
                configuration.limits().maxCqe(),
                "maxCqe");
        sharedReceiveQueueEntries = new Limit(
                "max_srq_wr",
                "work requests in a shared receive queue",
                configuration.limits().maxSrqWr(),
                "maxSrqWr");
        sharedReceiveQueueElements = new Limit(
                "max_srq_sge",
                "elements of a work request in a shared receive queue",
                configuration.limits().maxSrqSge(),
                "maxSrqSge");
        workRequests = new Limit(
                "max_qp_wr", "work requests in a queue", configuration.limits().maxQpWr(), "maxQpWr");
        elements = new Limit(
                "max_sge", "elements of a work request", configuration.limits().maxSge(), "maxSge");
        gidIndex = new Limit(
                "gid_tbl_len - 1", "as index of a GID", configuration.limits().gidTableLength() - 1, "gidTableLength");
        uarPage = new Limit(
                "max_uar - 1",
                "as page of the user access region",
                configuration.limits().maxUar() - 1,
                "maxUar");
    }

    /** Refuses a queue pair that is larger than one may be. */
    void requireWithin(QueuePairSize size) throws RefusedException {
        workRequests.requireWithin(Integer.toUnsignedLong(size.maxSendWr()));
        workRequests.requireWithin(Integer.toUnsignedLong(size.maxRecvWr()));
        elements.requireWithin(Integer.toUnsignedLong(size.maxSendSge()));
        elements.requireWithin(Integer.toUnsignedLong(size.maxRecvSge()));
    }

    List<DeviceStatistics.Use> use() {
        return Stream.of(contexts, domains, regions, registeredBytes, completionQueues, queuePairs, sharedReceiveQueues)
                .map(Limit::use)
                .toList();
    }
}
