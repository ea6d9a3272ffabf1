// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.bench;

import java.lang.foreign.MemorySegment;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.SendQueue;

/** An RDMA WRITE of 1 MiB with its completion, against a copy of the same buffers. */
@State(Scope.Thread)
public class LargeWrite {
    static final int BYTES = 1 << 20;

    private Link link;
    private SendQueue sends;
    private RemoteBuffer remote;
    private MemorySegment source;
    private MemorySegment target;

    @Setup(Level.Trial)
    public void connect() {
        link = new Link(16, BYTES);
        sends = link.here.pair.sendQueue();
        remote = link.there.buffer.remote();
        source = link.here.buffer.memory();
        target = link.there.buffer.memory();
        source.fill((byte) 0x5a);
    }

    /** Shows that what was measured was done. */
    @TearDown(Level.Trial)
    public void check() {
        if (source.mismatch(target) >= 0) {
            throw new IllegalStateException("the target does not hold what was written");
        }
        link.close();
    }

    @Benchmark
    public long write() {
        sends.write(1, remote, 0).local(link.here.buffer, 0, BYTES).signaled();
        sends.post();
        return link.here.await().id();
    }

    /** The baseline. */
    @Benchmark
    public MemorySegment copy() {
        MemorySegment.copy(source, 0, target, 0, BYTES);
        return target;
    }
}
