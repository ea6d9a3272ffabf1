// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * The attributes and limits of a device ({@code struct ibv_device_attr}, {@code ibv_query_device(3)}).
 *
 * @param firmwareVersion the version of the firmware, free text
 * @param nodeGuid the GUID of the node, the first byte being the most significant
 * @param systemImageGuid the GUID of the system image, likewise
 * @param maxMemoryRegionSize the largest memory region in bytes; unsigned
 * @param pageSizes the supported page sizes, raw bits
 * @param vendorId the IEEE vendor identifier
 * @param vendorPartId the vendor's part identifier
 * @param hardwareVersion the version of the hardware
 * @param maxQueuePairs the largest number of queue pairs
 * @param maxWorkRequests the largest number of outstanding work requests of a queue
 * @param capabilityFlags the device's capability flags, raw
 * @param maxElements the largest number of scatter/gather elements of a request
 * @param maxReadElements the largest number of scatter/gather elements of a READ
 * @param maxCompletionQueues the largest number of completion queues
 * @param maxCompletionEntries the largest number of entries of a completion queue
 * @param maxMemoryRegions the largest number of memory regions
 * @param maxProtectionDomains the largest number of protection domains
 * @param maxReadsAsTarget the largest number of READs and atomics of one queue pair as their target
 * @param maxReadsAsInitiator the largest number of READs and atomics of one queue pair as their initiator
 * @param atomicCapability whether and how atomic operations are supported, raw: 0 none, 1 within the device, 2 global
 * @param maxSharedReceiveQueues the largest number of shared receive queues
 * @param maxSharedReceives the largest number of outstanding receives of a shared receive queue
 * @param maxSharedReceiveElements the largest number of scatter/gather elements of a receive of a shared receive queue
 * @param maxAddressHandles the largest number of address handles
 * @param maxPkeys the largest number of partitions
 * @param portCount the number of ports
 * @param completionVectors the number of completion vectors that completion queues can choose from
 */
public record DeviceAttributes(
        String firmwareVersion,
        long nodeGuid,
        long systemImageGuid,
        long maxMemoryRegionSize,
        long pageSizes,
        int vendorId,
        int vendorPartId,
        int hardwareVersion,
        int maxQueuePairs,
        int maxWorkRequests,
        int capabilityFlags,
        int maxElements,
        int maxReadElements,
        int maxCompletionQueues,
        int maxCompletionEntries,
        int maxMemoryRegions,
        int maxProtectionDomains,
        int maxReadsAsTarget,
        int maxReadsAsInitiator,
        int atomicCapability,
        int maxSharedReceiveQueues,
        int maxSharedReceives,
        int maxSharedReceiveElements,
        int maxAddressHandles,
        int maxPkeys,
        int portCount,
        int completionVectors) {}
