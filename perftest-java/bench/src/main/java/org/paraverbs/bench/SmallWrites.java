// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.bench;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.SendQueue;

/** RDMA WRITEs of 8 bytes in post lists of 64, the last one signaled; for scale, copies of 8 bytes. */
@State(Scope.Thread)
public class SmallWrites {
    static final int LIST = 64;
    static final long BYTES = 8;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private Link link;
    private SendQueue sends;
    private RemoteBuffer remote;
    private MemorySegment source;
    private MemorySegment target;
    private long next;

    @Setup(Level.Trial)
    public void connect() {
        link = new Link(2 * LIST, LIST * BYTES);
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
    @OperationsPerInvocation(LIST)
    public long write() {
        for (int i = 0; i < LIST - 1; i++) {
            sends.write(i, remote, i * BYTES).local(link.here.buffer, i * BYTES, BYTES);
        }
        sends.write(LIST - 1, remote, (LIST - 1) * BYTES)
                .local(link.here.buffer, (LIST - 1) * BYTES, BYTES)
                .signaled();
        sends.post();
        return link.here.await().id();
    }

    /** The same, each with a doorbell and a completion of its own. */
    @Benchmark
    public long writeSingly() {
        long at = next++ % LIST * BYTES;
        sends.write(1, remote, at).local(link.here.buffer, at, BYTES).signaled();
        sends.post();
        return link.here.await().id();
    }

    /** For scale: with a release for each, as a WRITE has, so that the compiler does not make one copy of them. */
    @Benchmark
    @OperationsPerInvocation(LIST)
    public MemorySegment copy() {
        for (int i = 0; i < LIST; i++) {
            WORD.setRelease(target, i * BYTES, (long) WORD.get(source, i * BYTES));
        }
        return target;
    }
}
