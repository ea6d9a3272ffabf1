// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.ffm.lib.Native;
import org.paraverbs.ffm.struct.IbvRecvWr;
import org.paraverbs.ffm.struct.IbvSendWr;
import org.paraverbs.ffm.struct.IbvSge;
import org.paraverbs.verbs.Errno;

/** A function of ours in the place of a provider's {@code post_send}: walks the list as a provider does. */
class RequestBatchTest {
    private static final long PAIR = 0x1234;
    private static final int CAPACITY = 8;

    private final Arena arena = Arena.ofConfined();
    private final RequestRing ring = new RequestRing(RequestId.queue(1, 1, false), CAPACITY);
    private final RequestBatch batch = new RequestBatch(function(), PAIR, CAPACITY, 2, IbvSendWr.SIZE);

    /** What was posted, by call: the ids that the provider saw. */
    private final List<List<Long>> calls = new ArrayList<>();

    private final List<String> elements = new ArrayList<>();

    /** How many requests the provider takes in each call, and what it answers if that is fewer than it was given. */
    private int[] takes = {CAPACITY};

    private int answer;
    private boolean pointsToRefused = true;

    @AfterEach
    void free() {
        arena.close();
    }

    @SuppressWarnings("restricted")
    private MemorySegment function() {
        try {
            MethodHandle handle = MethodHandles.lookup()
                    .bind(this, "post", MethodType.methodType(int.class, long.class, long.class, long.class));
            return Linker.nativeLinker()
                    .upcallStub(
                            handle,
                            FunctionDescriptor.of(
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG),
                            arena);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the function of this test", e);
        }
    }

    @SuppressWarnings("unused") // called by the stub
    private int post(long pair, long first, long firstRefused) {
        assertThat(pair).isEqualTo(PAIR);
        List<Long> seen = new ArrayList<>();
        int limit = takes[Math.min(calls.size(), takes.length - 1)];
        calls.add(seen);
        long request = first;
        while (request != 0) {
            MemorySegment fields = Native.struct(request, IbvSendWr.SIZE);
            if (seen.size() == limit) {
                Native.struct(firstRefused, Long.BYTES).set(ValueLayout.JAVA_LONG, 0, pointsToRefused ? request : 0);
                return answer;
            }
            seen.add(IbvSendWr.wrId(fields, 0));
            MemorySegment list = Native.struct(IbvSendWr.sgList(fields, 0), 2 * IbvSge.SIZE);
            for (int i = 0; i < IbvSendWr.numSge(fields, 0); i++) {
                elements.add(IbvSge.addr(list, i * IbvSge.SIZE) + "+"
                        + Integer.toUnsignedLong(IbvSge.length(list, i * IbvSge.SIZE)) + "/"
                        + IbvSge.lkey(list, i * IbvSge.SIZE));
            }
            request = IbvSendWr.next(fields, 0);
        }
        return 0;
    }

    /** Describes requests with ids from 100 on and no elements, and answers what the device is to see of them. */
    private List<Long> describe(int count) {
        List<Long> ids = new ArrayList<>();
        for (int request = 0; request < count; request++) {
            long id = ring.describe(request, 100 + request);
            batch.describe(request, id, 0);
            ids.add(id);
        }
        return ids;
    }

    @Test
    void aBatchIsOneCall() {
        List<Long> ids = describe(5);
        assertThat(batch.isOf(ring)).isTrue();
        assertThat(batch.post(5, ring)).isEqualTo(5);
        assertThat(calls).containsExactly(ids);
        assertThat(ring.free()).isEqualTo(CAPACITY - 5);
    }

    @Test
    void theListIsMendedAfterACut() {
        describe(2);
        batch.post(2, ring);
        List<Long> ids = describe(CAPACITY - 2);
        assertThat(batch.post(CAPACITY - 2, ring)).isEqualTo(CAPACITY - 2);
        assertThat(calls.get(1)).isEqualTo(ids);
        assertThat(ring.free()).isZero();
    }

    @Test
    void aWholeQueueIsPosted() {
        List<Long> ids = describe(CAPACITY);
        assertThat(batch.post(CAPACITY, ring)).isEqualTo(CAPACITY);
        assertThat(calls).containsExactly(ids);
    }

    @Test
    void elementsGoWithTheirRequests() {
        describe(2);
        batch.element(0, 0, 1000, 0xffff_ffffL, 7);
        batch.element(1, 0, 2000, 20, 8);
        batch.element(1, 1, 3000, 30, 9);
        batch.describe(0, 1, 1);
        batch.describe(1, 2, 2);
        batch.post(2, ring);
        assertThat(elements).containsExactly("1000+4294967295/7", "2000+20/8", "3000+30/9");
    }

    @Test
    void whatTheDeviceRefusesIsTakenBack() {
        List<Long> ids = describe(4);
        takes = new int[] {3};
        answer = Errno.ENOMEM.number();
        assertThat(batch.post(4, ring)).isEqualTo(3);
        assertThat(batch.errno()).isEqualTo(Errno.ENOMEM.number());
        assertThat(ring.free()).isEqualTo(CAPACITY - 3);
        assertThat(ring.isOutstanding(ids.get(2))).isTrue();
        assertThat(ring.isOutstanding(ids.get(3))).isFalse();
    }

    @Test
    void aProviderThatDoesNotSayWhichItRefusedTookNone() {
        describe(4);
        takes = new int[] {0};
        pointsToRefused = false;
        answer = Errno.EINVAL.number();
        assertThat(batch.post(4, ring)).isZero();
        assertThat(ring.free()).isEqualTo(CAPACITY);
    }

    @Test
    void aPostThatASignalInterruptsGoesOn() {
        List<Long> ids = describe(5);
        takes = new int[] {2, 0, CAPACITY};
        answer = Errno.EINTR.number();
        assertThat(batch.post(5, ring)).isEqualTo(5);
        assertThat(calls).containsExactly(ids.subList(0, 2), List.of(), ids.subList(2, 5));
        assertThat(ring.free()).isEqualTo(CAPACITY - 5);
    }

    @Test
    void aPostThatIsAlwaysInterruptedEnds() {
        describe(1);
        takes = new int[] {0};
        answer = Errno.EINTR.number();
        assertThat(batch.post(1, ring)).isZero();
        assertThat(batch.errno()).isEqualTo(Errno.EINTR.number());
    }

    @Test
    void aBatchBegunBeforeAResetIsNotOfTheNewAccount() {
        describe(1);
        assertThat(batch.isOf(new RequestRing(RequestId.queue(1, 2, false), CAPACITY)))
                .isFalse();
    }

    /** {@link RequestBatch} uses the accessors of the shorter struct for both. */
    @Test
    void bothKindsOfRequestsBeginAlike() {
        MemorySegment request = arena.allocate(IbvSendWr.SIZE, Long.BYTES);
        IbvRecvWr.wrId(request, 0, 1);
        IbvRecvWr.next(request, 0, 2);
        IbvRecvWr.sgList(request, 0, 3);
        IbvRecvWr.numSge(request, 0, 4);
        assertThat(IbvSendWr.wrId(request, 0)).isEqualTo(1);
        assertThat(IbvSendWr.next(request, 0)).isEqualTo(2);
        assertThat(IbvSendWr.sgList(request, 0)).isEqualTo(3);
        assertThat(IbvSendWr.numSge(request, 0)).isEqualTo(4);
    }
}
