// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open device ({@code struct ibv_context}) and the owner of everything made from it: closing the context closes
 * everything, newest first. All methods may be called by any thread.
 */
public interface Context extends VerbsResource {

    /** The device that was opened. */
    Device device();

    /**
     * Asks the device for its attributes and limits ({@code ibv_query_device(3)}).
     *
     * @return the attributes
     */
    DeviceAttributes attributes();

    /**
     * Asks the device for what it tells beyond that ({@code ibv_query_device_ex(3)}).
     *
     * @return the attributes
     * @throws UnsupportedVerbException if the provider does not have {@link Feature#EXTENDED_ATTRIBUTES}
     * @throws VerbsException if the device refuses
     */
    default ExtendedDeviceAttributes extendedAttributes() {
        throw UnsupportedVerbException.of("ibv_query_device_ex", this, Feature.EXTENDED_ATTRIBUTES);
    }

    /**
     * Asks for the attributes of a port ({@code ibv_query_port(3)}).
     *
     * @param port from 1 to {@link DeviceAttributes#portCount()}
     * @return the attributes at this moment
     * @throws VerbsException if there is no such port (EINVAL)
     */
    PortAttributes port(int port);

    /**
     * Asks for a GID of a port ({@code ibv_query_gid(3)}).
     *
     * @param port from 1
     * @param index from 0 to {@link PortAttributes#gidTableLength()} - 1
     * @return the GID, {@linkplain Gid#isEmpty() empty} for an unused entry
     * @throws VerbsException if there is no such port or entry
     */
    Gid gid(int port, int index);

    /**
     * The used entries of a port's GID table, in table order ({@code ibv_query_gid_table(3)}).
     *
     * @param port from 1
     * @return the entries that are not empty
     * @throws VerbsException if there is no such port
     */
    List<GidEntry> gids(int port);

    /**
     * Asks for a partition key of a port ({@code ibv_query_pkey(3)}).
     *
     * @param port from 1
     * @param index from 0 to {@link PortAttributes#pkeyTableLength()} - 1
     * @return the key, 0 to 0xffff, in host order
     * @throws VerbsException if there is no such port or entry
     */
    int pkey(int port, int index);

    /**
     * Whether this device and its provider can do something.
     *
     * @param feature what is asked for
     * @return false if using it would be answered with {@link UnsupportedVerbException}
     */
    boolean supports(Feature feature);

    /**
     * The way back to the sender of a datagram ({@code ibv_init_ah_from_wc(3)}).
     *
     * @param port the port that the datagram came in on, from 1
     * @param completion its completion
     * @param globalRouteHeader the first {@value QueuePair#GLOBAL_ROUTE_HEADER_BYTES} bytes that it was received into
     * @return the way, for {@link ProtectionDomain#createAddressHandle}
     * @throws IllegalArgumentException if they are no such header, or its destination is no GID of this port
     * @throws VerbsException if there is no such port
     */
    Route replyRoute(int port, WorkCompletion completion, MemorySegment globalRouteHeader);

    /**
     * Allocates a protection domain ({@code ibv_alloc_pd(3)}).
     *
     * @return the protection domain
     * @throws VerbsException if the device has no more
     */
    ProtectionDomain allocateProtectionDomain();

    /**
     * Opens a domain of extended reliable connections that is this context's alone ({@code ibv_open_xrcd(3)}).
     *
     * @return the domain
     * @throws UnsupportedVerbException if the device does not have {@link Feature#XRC}
     * @throws VerbsException if the device refuses
     */
    default XrcDomain openXrcDomain() {
        throw UnsupportedVerbException.of("ibv_open_xrcd", this, Feature.XRC);
    }

    /**
     * Opens the domain of extended reliable connections that a file stands for, and creates it if it is not there: processes
     * that open the same file share the domain ({@code ibv_open_xrcd(3)}).
     *
     * @param file a file that exists; nothing is read from it or written to it
     * @return the domain
     * @throws UnsupportedVerbException if the device does not have {@link Feature#XRC}
     * @throws VerbsException if the file cannot be opened, or the device refuses
     */
    default XrcDomain openXrcDomain(Path file) {
        throw UnsupportedVerbException.of("ibv_open_xrcd", this, Feature.XRC);
    }

    /**
     * Creates a completion channel, through which the thread of a program sleeps until completions arrive
     * ({@code ibv_create_comp_channel(3)}).
     *
     * @return the channel
     */
    CompletionChannel createCompletionChannel();

    /**
     * Creates a completion queue without a channel ({@code ibv_create_cq(3)}).
     *
     * @param entries the least number of entries, from 1; make it large enough for all outstanding requests of all its
     *     queue pairs, since a queue that overflows is lost
     * @return the completion queue, possibly larger
     * @throws VerbsException if the device refuses
     */
    default CompletionQueue createCompletionQueue(int entries) {
        return createCompletionQueue(entries, null, 0);
    }

    /**
     * Creates a completion queue that notifies through a channel.
     *
     * @param entries as for {@link #createCompletionQueue(int)}
     * @param channel a channel of this context
     * @return the completion queue, possibly larger
     * @throws VerbsException if the device refuses
     */
    default CompletionQueue createCompletionQueue(int entries, CompletionChannel channel) {
        return createCompletionQueue(entries, channel, 0);
    }

    /**
     * Creates a completion queue.
     *
     * @param entries as for {@link #createCompletionQueue(int)}
     * @param channel a channel of this context, or null if the queue is only polled
     * @param completionVector the completion vector, 0 to {@link DeviceAttributes#completionVectors()} - 1
     * @return the completion queue, possibly larger
     * @throws VerbsException if the device refuses
     */
    CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel, int completionVector);

    /**
     * Creates a completion queue whose completions have a {@link WorkCompletion#timestamp()} ({@code ibv_create_cq_ex(3)}).
     * Polling it costs several calls of the library for each completion instead of one for a batch of them.
     *
     * @param entries as for {@link #createCompletionQueue(int)}
     * @param channel as for {@link #createCompletionQueue(int, CompletionChannel, int)}
     * @param completionVector likewise
     * @param clock what the timestamps count
     * @return the completion queue, possibly larger
     * @throws UnsupportedVerbException if the device does not have {@link Feature#COMPLETION_TIMESTAMP}
     * @throws VerbsException if the device refuses; EOPNOTSUPP if it does not have this clock
     */
    default CompletionQueue createTimestampedCompletionQueue(
            int entries, @Nullable CompletionChannel channel, int completionVector, TimestampClock clock) {
        throw UnsupportedVerbException.of("ibv_create_cq_ex", this, Feature.COMPLETION_TIMESTAMP);
    }

    /**
     * Takes the next asynchronous event, if there is one ({@code ibv_get_async_event(3)}). The event needs no
     * acknowledgement.
     *
     * @return the event, or null if none has arrived
     */
    @Nullable
    AsyncEvent pollAsyncEvent();

    /**
     * Waits for the next asynchronous event.
     *
     * @param timeout how long to wait at most
     * @return the event, or null if none arrived in time
     * @throws InterruptedException if the thread was interrupted
     * @throws IllegalStateException if the context is closed, also by another thread in the meantime
     */
    @Nullable
    AsyncEvent awaitAsyncEvent(Duration timeout) throws InterruptedException;
}
