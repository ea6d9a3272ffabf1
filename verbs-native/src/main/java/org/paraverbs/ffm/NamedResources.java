// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.ffm.struct.IbvSendWr;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.spi.ResourceBase;

/**
 * What the requests of a batch point to beside memory of ours: address handles, memory windows and their regions. The library
 * looks into their structs when a batch is posted, so what was closed since a request was described may not be among them.
 * Whoever closes one marks it and then waits for the posts that are being carried out ({@link NativeContext#awaitPosts}).
 */
final class NamedResources {
    private static final AtomicLong POSTS = new AtomicLong();

    private final NativeQueuePair pair;
    private final MemorySegment requests;
    private final RequestBatch batch;

    /** By the number of the request; empty where there can be none of the kind. */
    private final @Nullable NativeAddressHandle[] destinations;

    private final @Nullable NativeMemoryWindow[] windows;
    private final @Nullable NativeMemoryRegion[] regions;

    /** Whether the batch may have binds; they are rare. */
    private boolean binds;

    /** What has cut the last post short: a resource that was closed or bound twice. */
    private @Nullable ResourceBase culprit;

    NamedResources(NativeQueuePair pair, MemorySegment requests, RequestBatch batch, int capacity, boolean hasWindows) {
        boolean datagrams = pair.type() == QueuePairType.UNRELIABLE_DATAGRAM;
        int bindable = hasWindows && !datagrams ? capacity : 0;
        this.pair = pair;
        this.requests = requests;
        this.batch = batch;
        this.destinations = new NativeAddressHandle[datagrams ? capacity : 0];
        this.windows = new NativeMemoryWindow[bindable];
        this.regions = new NativeMemoryRegion[bindable];
    }

    void destination(int request, NativeAddressHandle handle) {
        destinations[request] = handle;
    }

    void binding(int request, NativeMemoryWindow window, NativeMemoryRegion region) {
        windows[request] = window;
        regions[request] = region;
        binds = true;
    }

    /** How many of the first requests name nothing that has been closed. Inside the gate. */
    int usable(int count) {
        culprit = null;
        if (destinations.length > 0) {
            return reachable(count);
        }
        return binds ? bindable(count) : count;
    }

    private int reachable(int count) {
        for (int request = 0; request < count; request++) {
            NativeAddressHandle destination = destinations[request];
            if (destination == null || !destination.isOpen()) {
                culprit = destination;
                return request;
            }
        }
        return count;
    }

    private int bindable(int count) {
        long post = POSTS.incrementAndGet();
        for (int request = 0; request < count; request++) {
            if (isBind(request)) {
                NativeMemoryWindow window = windows[request];
                NativeMemoryRegion region = regions[request];
                if (window == null || region == null || !region.isOpen()) {
                    culprit = region;
                    return request;
                }
                if (!window.isUsable() || !window.prepare(post)) {
                    culprit = window;
                    return request;
                }
            }
        }
        return count;
    }

    /** Notes that the first requests were posted. Inside the gate. */
    void posted(int count) {
        if (!binds) {
            return;
        }
        binds = false;
        for (int request = 0; request < count; request++) {
            NativeMemoryWindow window = windows[request];
            NativeMemoryRegion region = regions[request];
            if (isBind(request) && window != null && region != null) {
                window.posted(IbvSendWr.bindMwRkey(requests, batch.at(request)), pair, region);
            }
        }
    }

    private boolean isBind(int request) {
        return IbvSendWr.opcode(requests, batch.at(request)) == IbvConstants.IBV_WR_BIND_MW;
    }

    /** Why the last post was cut short; empty if it was not because of what it names. */
    String fault() {
        ResourceBase reason = culprit;
        if (reason == null) {
            return "";
        }
        return reason instanceof NativeMemoryWindow window && window.isUsable()
                ? "the " + reason + " is bound twice in one batch: post in between"
                : "the " + reason + " has been closed since the request was described";
    }
}
