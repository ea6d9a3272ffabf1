// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.util.function.Predicate;
import org.paraverbs.ffm.lib.MemoryVerbs;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.verbs.DeviceAttributes;
import org.paraverbs.verbs.Feature;

/** What a device can do: by its attributes, by what is known of its driver, and else by trying it. */
final class FeatureSupport {
    private final DeviceAttributes attributes;
    private final boolean reliableConnections;
    private final boolean iwarp;
    private final boolean hasMulticast;
    private final Predicate<Feature> attempt;

    /**
     * The features of an open device.
     *
     * @param transport {@code enum ibv_transport_type}
     * @param maxMulticastGroups by the attributes of the device
     * @param attributes its other attributes
     * @param attempt tries a feature, see {@link FeatureProbe#supports}
     */
    FeatureSupport(int transport, int maxMulticastGroups, DeviceAttributes attributes, Predicate<Feature> attempt) {
        this.attributes = attributes;
        this.reliableConnections = transport == IbvConstants.IBV_TRANSPORT_IB;
        this.iwarp = transport == IbvConstants.IBV_TRANSPORT_IWARP;
        this.hasMulticast = maxMulticastGroups > 0 && !Advice.isPvrdma(attributes);
        this.attempt = attempt;
    }

    /** Whether the device and its provider can do something. */
    boolean supports(Feature feature) {
        return switch (feature) {
            // iWARP connects by rdma_cm only; EFA and usNIC have no reliable connections.
            case RELIABLE_CONNECTION -> reliableConnections;
            case READ ->
                reliableConnections && attributes.maxReadsAsTarget() > 0 && attributes.maxReadsAsInitiator() > 0;
            // The vmw_pvrdma driver gives every queue pair an inline size of 0.
            case INLINE -> !Advice.isPvrdma(attributes);
            case COMPLETION_CHANNEL, ASYNC_EVENTS -> true;
            case ATOMICS -> reliableConnections && attributes.atomicCapability() != IbvConstants.IBV_ATOMIC_NONE;
            // The vmw_pvrdma driver has RC and UD only, and complains in the kernel's log when it is asked.
            case UNRELIABLE_CONNECTION -> reliableConnections && !Advice.isPvrdma(attributes) && attempt.test(feature);
            case UNRELIABLE_DATAGRAM -> !iwarp && attempt.test(feature);
            case RESIZE_COMPLETION_QUEUE -> attempt.test(feature);
            case SHARED_RECEIVE_QUEUE -> attributes.maxSharedReceiveQueues() > 0;
            case MULTICAST -> hasMulticast && supports(Feature.UNRELIABLE_DATAGRAM);
            case EXTENDED_ATTRIBUTES, COMPLETION_TIMESTAMP -> attempt.test(feature);
            // The vmw_pvrdma driver passes on the address of the memory alone.
            case REGISTER_AT_ADDRESS -> !Advice.isPvrdma(attributes) && MemoryVerbs.registersAtAddress();
            // The vmw_pvrdma provider has no such operations.
            case REREGISTRATION, DMA_BUF -> !Advice.isPvrdma(attributes) && attempt.test(feature);
            case XRC -> (attributes.capabilityFlags() & IbvConstants.IBV_DEVICE_XRC) != 0 && attempt.test(feature);
            // The vmw_pvrdma provider hands on the opcodes unchanged, which mean other operations to the device.
            case MEMORY_WINDOW ->
                reliableConnections
                        && !Advice.isPvrdma(attributes)
                        && (attributes.capabilityFlags()
                                        & (IbvConstants.IBV_DEVICE_MEM_WINDOW_TYPE_2A
                                                | IbvConstants.IBV_DEVICE_MEM_WINDOW_TYPE_2B))
                                != 0;
        };
    }
}
