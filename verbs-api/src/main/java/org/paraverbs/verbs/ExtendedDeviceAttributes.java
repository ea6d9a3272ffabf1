// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * What a device tells beyond {@link DeviceAttributes} ({@code struct ibv_device_attr_ex}, {@code ibv_query_device_ex(3)}). What
 * it does not tell is 0.
 *
 * @param onDemandPaging general capabilities of on-demand paging, raw ({@code enum ibv_odp_general_caps})
 * @param onDemandPagingReliable operations with on-demand paging on RC, raw ({@code enum ibv_odp_transport_cap_bits})
 * @param onDemandPagingUnreliable the same on UC
 * @param onDemandPagingDatagram the same on UD
 * @param completionTimestampMask which bits of a completion's timestamp count; 0 if there are none
 * @param coreClockKilohertz the clock of these timestamps
 * @param capabilityFlags 64 capability flags, raw, the lower ones as in {@link DeviceAttributes#capabilityFlags()}
 * @param maxSegmentation the most bytes of a packet that the device segments for TCP; 0 for none
 * @param segmentationQueuePairTypes the types of queue pairs that do, one bit each
 * @param maxWorkQueues the most work queues of their own ({@code ibv_create_wq(3)})
 * @param rawPacketCapabilities capabilities of raw packet queue pairs, raw ({@code enum ibv_raw_packet_caps})
 * @param maxModerationCount the most completions that a notification can be held back for
 * @param maxModerationMicros the longest time that a notification can be held back, in microseconds
 * @param maxDeviceMemory the bytes of memory on the device
 * @param pciFetchAndAdd the sizes of fetch-and-add over PCI, raw ({@code enum ibv_pci_atomic_op_size})
 * @param pciSwap the same of swap
 * @param pciCompareAndSwap the same of compare-and-swap
 * @param portCount the number of ports, also of devices with more than 255
 */
public record ExtendedDeviceAttributes(
        long onDemandPaging,
        int onDemandPagingReliable,
        int onDemandPagingUnreliable,
        int onDemandPagingDatagram,
        long completionTimestampMask,
        long coreClockKilohertz,
        long capabilityFlags,
        int maxSegmentation,
        int segmentationQueuePairTypes,
        int maxWorkQueues,
        int rawPacketCapabilities,
        int maxModerationCount,
        int maxModerationMicros,
        long maxDeviceMemory,
        int pciFetchAndAdd,
        int pciSwap,
        int pciCompareAndSwap,
        int portCount) {}
