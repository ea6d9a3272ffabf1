// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.fake;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.DeviceAttributes;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.PageSize;
import org.paraverbs.verbs.PortAttributes;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.WorkCompletion;

final class FakeContext implements Context, ProtectionDomain {
    private final FakeDevice device;
    private final Arena arena = Arena.ofShared();
    private final AtomicBoolean open = new AtomicBoolean(true);
    private final List<FakeQueuePair> queuePairs = new java.util.concurrent.CopyOnWriteArrayList<>();

    FakeContext(FakeDevice device) {
        this.device = device;
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public DeviceAttributes attributes() {
        return new DeviceAttributes(
                "", 0, 0, 1L << 31, 0, 0, 0, 1, 64, 1 << 14, 0, 4, 4, 64, 1 << 16, 64, 64, 16, 16, 0, 0, 0, 0, 0, 1, 1,
                1);
    }

    @Override
    public PortAttributes port(int port) {
        return device.port(port);
    }

    @Override
    public Gid gid(int port, int index) {
        return Gid.EMPTY;
    }

    @Override
    public List<GidEntry> gids(int port) {
        return device.gids;
    }

    @Override
    public int pkey(int port, int index) {
        return 0xffff;
    }

    @Override
    public boolean supports(Feature feature) {
        return feature != Feature.INLINE || device.maxInlineSize > 0;
    }

    @Override
    public Route replyRoute(int port, WorkCompletion completion, MemorySegment globalRouteHeader) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return this;
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        return new FakeChannel();
    }

    @Override
    public CompletionQueue createCompletionQueue(
            int entries, @Nullable CompletionChannel channel, int completionVector) {
        return new FakeCompletionQueue(entries, (FakeChannel) channel);
    }

    @Override
    public MemoryRegion allocate(long byteSize, PageSize pageSize, Access... access) {
        int key = FakeDevice.NUMBERS.incrementAndGet();
        var region = new FakeMemoryRegion(arena.allocate(byteSize, 4096), key, Set.of(access));
        FakeDevice.REGIONS.put(key, region);
        return region;
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Access... access) {
        throw new UnsupportedOperationException();
    }

    @Override
    public QueuePair createQueuePair(QueuePairSpec spec) {
        device.specs.add(spec);
        var queuePair = new FakeQueuePair(device, spec);
        queuePairs.add(queuePair);
        return queuePair;
    }

    @Override
    public @Nullable AsyncEvent pollAsyncEvent() {
        return null;
    }

    @Override
    public @Nullable AsyncEvent awaitAsyncEvent(Duration timeout) {
        return null;
    }

    @Override
    public boolean isOpen() {
        return open.get();
    }

    @Override
    public void close() {
        if (open.compareAndSet(true, false)) {
            queuePairs.forEach(FakeQueuePair::close);
            device.openContexts.decrementAndGet();
        }
    }

    /** Notifications in the order in which they came. */
    static final class FakeChannel implements CompletionChannel {
        final BlockingQueue<CompletionQueue> notified = new LinkedBlockingQueue<>();

        @Override
        public @Nullable CompletionQueue poll() {
            return notified.poll();
        }

        @Override
        public @Nullable CompletionQueue await(Duration timeout) throws InterruptedException {
            return notified.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    static final class FakeCompletionQueue implements CompletionQueue {
        private final ConcurrentLinkedQueue<CompletionRecord> completions = new ConcurrentLinkedQueue<>();
        private final int entries;
        private final @Nullable FakeChannel channel;
        private final AtomicBoolean armed = new AtomicBoolean();

        FakeCompletionQueue(int entries, @Nullable FakeChannel channel) {
            this.entries = entries;
            this.channel = channel;
        }

        void add(CompletionRecord completion) {
            completions.add(completion);
            if (completions.size() > entries) {
                throw new IllegalStateException("the completion queue of " + entries + " entries overflows");
            }
            if (channel != null && armed.compareAndSet(true, false)) {
                channel.notified.add(this);
            }
        }

        @Override
        public int entries() {
            return entries;
        }

        @Override
        public @Nullable CompletionChannel channel() {
            return channel;
        }

        @Override
        public @Nullable WorkCompletion poll() {
            CompletionRecord completion = completions.poll();
            if (completion != null) {
                FakeQueuePair.polled(completion);
            }
            return completion;
        }

        @Override
        public void requestNotification(boolean solicitedOnly) {
            armed.set(true);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
