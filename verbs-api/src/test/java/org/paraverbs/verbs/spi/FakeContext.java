// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.DeviceAttributes;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.PortAttributes;
import org.paraverbs.verbs.PortState;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.VerbsException;

/** A context whose device is a few lists, and whose resources only write down that they were released. */
final class FakeContext extends ContextBase {

    final List<String> released = new ArrayList<>();
    final List<PortAttributes> ports = new ArrayList<>();
    final List<GidEntry> entries = new ArrayList<>();
    Set<Feature> features = Set.of(Feature.RELIABLE_CONNECTION, Feature.READ);

    FakeContext() {
        super(new FakeDevice());
    }

    /** The device of a fake context: {@code fake0}. */
    private record FakeDevice() implements Device {
        @Override
        public String name() {
            return "fake0";
        }

        @Override
        public String providerName() {
            return "fake";
        }

        @Override
        public long guid() {
            return 1;
        }

        @Override
        public boolean emulated() {
            return true;
        }

        @Override
        public Context open() {
            return new FakeContext();
        }
    }

    /** A resource that uses others. */
    Resource make(String name, ResourceBase... uses) {
        return create(() -> new Resource(this, name), uses);
    }

    /** A resource whose release fails. */
    Resource makeFailing(String name, ResourceBase... uses) {
        Resource resource = make(name, uses);
        resource.fails = true;
        return resource;
    }

    static final class Resource extends ResourceBase {
        private final FakeContext context;
        private final String name;
        volatile boolean fails;

        Resource(FakeContext context, String name) {
            super(context, name + " of fake0");
            this.context = context;
            this.name = name;
        }

        Resource replaceBy(String other, ResourceBase... uses) {
            return replace(() -> new Resource(context, other), uses);
        }

        Resource failToReplace(boolean closing, ResourceBase... uses) {
            return replace(
                    () -> {
                        if (closing) {
                            close();
                        }
                        throw new VerbsException("ibv_change", name, Errno.EINVAL, "");
                    },
                    uses);
        }

        @Override
        protected void release() {
            synchronized (context.released) {
                context.released.add(name);
            }
            if (fails) {
                throw new VerbsException("ibv_destroy", name, Errno.EBUSY, "");
            }
        }
    }

    FakeContext withPort(PortState state, LinkLayer linkLayer, Mtu activeMtu, int lid) {
        int number = ports.size() + 1;
        ports.add(new PortAttributes(
                number, state, Mtu.MTU_4096, activeMtu, 16, 1, 0, 1L << 31, lid, 0, 0, 0, 5, linkLayer));
        return this;
    }

    FakeContext withActivePort() {
        return withPort(PortState.ACTIVE, LinkLayer.ETHERNET, Mtu.MTU_1024, 0);
    }

    FakeContext withGid(GidEntry entry) {
        entries.add(entry);
        return this;
    }

    @Override
    protected void release() {
        released.add("context");
    }

    @Override
    public DeviceAttributes attributes() {
        return new DeviceAttributes(
                "1",
                1,
                1,
                1L << 31,
                4096,
                0,
                0,
                0,
                8,
                64,
                0,
                4,
                4,
                8,
                64,
                8,
                8,
                16,
                4,
                0,
                0,
                0,
                0,
                0,
                1,
                ports.size(),
                1);
    }

    @Override
    public PortAttributes port(int port) {
        if (port < 1 || port > ports.size()) {
            throw new VerbsException("ibv_query_port", "fake0 port " + port, Errno.EINVAL, "");
        }
        return ports.get(port - 1);
    }

    @Override
    public Gid gid(int port, int index) {
        return entries.stream()
                .filter(entry -> entry.port() == port && entry.index() == index)
                .findFirst()
                .map(GidEntry::gid)
                .orElse(Gid.EMPTY);
    }

    @Override
    public List<GidEntry> gids(int port) {
        return entries.stream().filter(entry -> entry.port() == port).toList();
    }

    @Override
    public int pkey(int port, int index) {
        return 0xffff;
    }

    @Override
    public boolean supports(Feature feature) {
        return features.contains(feature);
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel, int vector) {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable AsyncEvent pollAsyncEvent() {
        return null;
    }

    @Override
    public @Nullable AsyncEvent awaitAsyncEvent(Duration timeout) {
        return null;
    }
}
