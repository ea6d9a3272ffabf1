// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.SendWorkRequest;
import org.paraverbs.verbs.UnsupportedVerbException;

/** What is written for each request, and what a request cannot be. */
class SendRequestTest extends SendQueueFixture {

    @Test
    void everyOperationIsWrittenWithAllItsParts() {
        queue.send(1).local(region, 0, 128).signaled();
        queue.sendWithImmediate(2, -5).local(region, 127, 1).solicited();
        queue.write(3, REMOTE, 56).local(region, 8, 100).local(region, 0, 100).fenced();
        queue.writeWithImmediate(4, REMOTE, 256, 9).signaled().solicited().fenced();
        queue.read(5, REMOTE, 0).local(region, 0, 128);
        queue.post();

        assertThat(queue.published)
                .containsExactly(
                        "element 0 0x1000+128 key 5; SEND id 1 elements 1 flags 2 remote 0x0 key 0 immediate 0",
                        "element 0 0x107f+1 key 5; SEND_WITH_IMMEDIATE id 2 elements 1 flags 4 remote 0x0 key 0 immediate"
                                + " -5",
                        "element 0 0x1008+100 key 5; element 1 0x1000+100 key 5; WRITE id 3 elements 2 flags 1 remote"
                                + " 0x9038 key 77 immediate 0",
                        "WRITE_WITH_IMMEDIATE id 4 elements 0 flags 7 remote 0x9100 key 77 immediate 9",
                        "element 0 0x1000+128 key 5; READ id 5 elements 1 flags 0 remote 0x9000 key 77 immediate 0");
        assertThat(queue.batches).as("one doorbell").containsExactly(5);
    }

    @Test
    void aQueueThatSignalsAllMarksEveryRequest() {
        RecordingSendQueue signaling = new RecordingSendQueue(CAPACITY, true);
        signaling.send(1);
        signaling.send(2).solicited();
        signaling.post();

        assertThat(signaling.published).allMatch(request -> request.contains("flags 2") || request.contains("flags 6"));
    }

    @Test
    void inlineDataAreCopiedAtOnce() {
        byte[] data = {1, 2, 3, 4, 5};
        queue.write(1, REMOTE, 0).inline(MemorySegment.ofArray(data), 1, 3).signaled();
        data[1] = 99;
        queue.post();

        assertThat(queue.published)
                .containsExactly("inline [2, 3, 4]; WRITE id 1 elements 0 flags 10 remote 0x9000 key 77 immediate 0");
    }

    @Test
    void inlineDataAndElementsDoNotMix() {
        MemorySegment data = MemorySegment.ofArray(new byte[4]);
        assertIllegal(() -> queue.send(1).inline(data, 0, 4).local(region, 0, 1), "either inline data or elements");
        assertIllegal(() -> queue.send(1).local(region, 0, 1).inline(data, 0, 4), "once, and then no elements");
        assertIllegal(() -> queue.send(1).inline(data, 0, 1).inline(data, 0, 1), "once, and then no elements");
        assertIllegal(() -> queue.read(1, REMOTE, 0).inline(data, 0, 4), "a READ has no inline data");
        assertOutside(() -> queue.send(1).inline(data, 1, 4), "4 bytes of the memory");
        assertOutside(() -> queue.send(1).inline(data, -1, 1), "4 bytes of the memory");
        assertOutside(() -> queue.send(1).inline(data, 0, -1), "4 bytes of the memory");
        assertThat(queue.tryPost()).isZero();
    }

    @Test
    void inlineDataBeyondTheRoomNameTheWayOut() {
        MemorySegment data = MemorySegment.ofArray(new byte[17]);
        assertIllegal(
                () -> queue.send(1).inline(data, 0, 17), "room for 16 bytes of inline data, not 17; ask for more");
        RecordingSendQueue without = new RecordingSendQueue(new QueuePairCapacity(8, 8, 1, 1, 0), false);
        assertIllegal(() -> without.send(1).inline(data, 0, 1), "none was asked for with QueuePairSpec.withInline");
        without.send(2).inline(data, 0, 0);
        without.post();
        assertThat(without.published).hasSize(1);
    }

    @Test
    void elementsLieWithinTheirRegion() {
        for (long[] range : new long[][] {
            {0, 129},
            {128, 1},
            {129, 0},
            {-1, 1},
            {0, -1},
            {1, Long.MAX_VALUE},
            {Long.MAX_VALUE, 1},
            {Long.MIN_VALUE, 0}
        }) {
            assertOutside(() -> queue.send(1).local(region, range[0], range[1]), "128 bytes of MR 0x5");
        }
        queue.send(1).local(region, 128, 0);
        assertThat(queue.tryPost()).isEqualTo(1);
    }

    @Test
    void anElementIsShorterThanFourGibibytes() {
        FakeRegion huge = FakeRegion.at(context, 0x10_0000, 1L << 40, 6);
        queue.send(1).local(huge, 1L << 39, 0xffff_ffffL);
        assertOutside(() -> queue.send(2).local(huge, 0, 1L << 32), "not within");
        queue.post();

        assertThat(queue.published.get(0)).contains("element 0 0x8000100000+4294967295 key 6");
    }

    @Test
    void theMessageFitsInThePeersBuffer() {
        queue.write(1, REMOTE, 128).local(region, 0, 128);
        assertIllegal(
                () -> queue.write(2, REMOTE, 129).local(region, 0, 128),
                "longer than what is left of the peer's buffer, by 1 bytes");
        assertIllegal(() -> queue.write(3, REMOTE, 100).local(region, 0, 100).local(region, 0, 57), "by 1 bytes");
        assertIllegal(() -> queue.write(4, REMOTE, 256).inline(MemorySegment.ofArray(new byte[1]), 0, 1), "by 1 bytes");
        assertOutside(() -> queue.write(5, REMOTE, 257), "offset 257 is not within the 256 bytes");
        assertOutside(() -> queue.read(6, REMOTE, -1), "offset -1");
        queue.post();

        assertThat(queue.published).hasSize(1);
    }

    @Test
    void moreElementsThanTheQueueHasAreRefused() {
        assertIllegal(
                () -> queue.send(1).local(region, 0, 1).local(region, 0, 1).local(region, 0, 1),
                "a request of send queue of QP 0x11 of fake0 has at most 2 elements; ask for more with"
                        + " QueuePairSpec.withElements");
    }

    @Test
    void onlyOpenRegionsOfProvidersAreTaken() {
        MemoryRegion stranger = (MemoryRegion) Proxy.newProxyInstance(
                MemoryRegion.class.getClassLoader(),
                new Class<?>[] {MemoryRegion.class},
                (proxy, method, arguments) -> null);
        assertIllegal(() -> queue.send(1).local(stranger, 0, 1), "not one of a verbs provider");
        region.close();
        assertThatThrownBy(() -> queue.send(1).local(region, 0, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("MR 0x5 is closed");
        assertThat(queue.tryPost()).isZero();
    }

    @Test
    void theFlagsOfARequestDoNotReachTheNext() {
        queue.write(1, REMOTE, 8)
                .inline(MemorySegment.ofArray(new byte[2]), 0, 2)
                .signaled()
                .fenced()
                .solicited();
        queue.send(2).local(region, 0, 1);
        queue.post();

        assertThat(queue.published.get(1))
                .isEqualTo("element 0 0x1000+1 key 5; SEND id 2 elements 1 flags 0 remote 0x0 key 0 immediate 0");
    }

    @Test
    void atomicsNameEightAlignedBytesOfThePeer() {
        context.features = Set.of(Feature.ATOMICS);
        RecordingSendQueue atomics =
                new RecordingSendQueue(context, QueuePairType.RELIABLE_CONNECTION, CAPACITY, false);
        atomics.compareAndSwap(1, REMOTE, 8, -1, Long.MIN_VALUE).local(region, 0, 8);
        atomics.fetchAndAdd(2, REMOTE, 248, 3).local(region, 8, 8).fenced();
        atomics.post();

        assertThat(atomics.published)
                .containsExactly(
                        "element 0 0x1000+8 key 5; COMPARE_AND_SWAP id 1 elements 1 flags 0 remote 0x9008 key 77 immediate 0"
                                + " operands -1 -9223372036854775808",
                        "element 0 0x1008+8 key 5; FETCH_AND_ADD id 2 elements 1 flags 1 remote 0x90f8 key 77 immediate 0"
                                + " operands 3 0");
        assertIllegal(() -> atomics.fetchAndAdd(3, REMOTE, 12, 1), "a multiple of 8");
        assertOutside(() -> atomics.fetchAndAdd(3, REMOTE, 249, 1), "the 8 bytes at offset 249");
        assertOutside(() -> atomics.compareAndSwap(3, REMOTE, -8, 1, 1), "offset -8");
        assertIllegal(() -> atomics.fetchAndAdd(3, REMOTE, 0, 1).local(region, 0, 9), "one local element of 8 bytes");
        assertIllegal(
                () -> atomics.fetchAndAdd(3, REMOTE, 0, 1).inline(MemorySegment.ofArray(new byte[8]), 0, 8),
                "nor has an atomic");
        assertThat(atomics.tryPost()).as("each was taken out of the batch").isZero();
    }

    @Test
    void whatTheDeviceOrTheTypeDoesNotHaveIsRefusedAtTheBeginning() {
        assertThatThrownBy(() -> queue.fetchAndAdd(1, REMOTE, 0, 1))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ATOMICS");
        RecordingSendQueue unreliable = queueOf(QueuePairType.UNRELIABLE_CONNECTION);
        assertIllegal(() -> unreliable.read(1, REMOTE, 0), "UC queue pairs have no READ");
        assertIllegal(() -> unreliable.compareAndSwap(1, REMOTE, 0, 1, 1), "UC queue pairs have no COMPARE_AND_SWAP");
        RecordingSendQueue datagrams = queueOf(QueuePairType.UNRELIABLE_DATAGRAM);
        assertIllegal(() -> datagrams.write(1, REMOTE, 0), "UD queue pairs have no WRITE");
        assertIllegal(() -> datagrams.writeWithImmediate(1, REMOTE, 0, 1), "UD queue pairs have no WRITE_WITH");
        assertThat(queue.tryPost() + unreliable.tryPost() + datagrams.tryPost()).isZero();
    }

    @Test
    void aDatagramGoesWhereItIsTold() {
        AddressHandleBase handle = addressHandle();
        RecordingSendQueue datagrams = queueOf(QueuePairType.UNRELIABLE_DATAGRAM);
        datagrams.send(1).local(region, 0, 4).to(handle, 0xffffff, 7);
        datagrams.sendWithImmediate(2, 5).to(handle, 1, -1).signaled();
        datagrams.post();

        assertThat(datagrams.published)
                .containsExactly(
                        "element 0 0x1000+4 key 5; SEND id 1 elements 1 flags 0 remote 0x0 key 0 immediate 0 to "
                                + handle.route().destination() + " QP 16777215 key 7",
                        "SEND_WITH_IMMEDIATE id 2 elements 0 flags 2 remote 0x0 key 0 immediate 5 to "
                                + handle.route().destination() + " QP 1 key -1");
        assertIllegal(() -> datagrams.send(3).to(handle, 1 << 24, 0), "24 bits");
        assertIllegal(() -> queue.send(3).to(handle, 1, 0), "not a UD queue pair");
        SendWorkRequest toNobody = datagrams.send(4);
        handle.close();
        assertThatThrownBy(() -> toNobody.to(handle, 1, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("address handle to");
    }

    @Test
    void aProviderRefusesHandlesOfOthers() {
        AddressHandleBase handle = addressHandle();
        RecordingSendQueue datagrams = queueOf(QueuePairType.UNRELIABLE_DATAGRAM);
        datagrams.acceptsHandles = false;
        assertIllegal(() -> datagrams.send(3).to(handle, 1, 0), "not of the queue pair's protection domain");
        assertThat(datagrams.tryPost()).isZero();
    }

    @Test
    void onlyConnectedQueuesHaveWindows() {
        for (SendOperation operation : List.of(SendOperation.LOCAL_INVALIDATE, SendOperation.BIND_MEMORY_WINDOW)) {
            assertThat(operation.isOf(QueuePairType.RELIABLE_CONNECTION)).isTrue();
            assertThat(operation.isOf(QueuePairType.UNRELIABLE_CONNECTION)).isTrue();
            assertThat(operation.isOf(QueuePairType.UNRELIABLE_DATAGRAM)).isFalse();
            assertThat(operation.hasData()).isFalse();
        }
        assertThat(SendOperation.SEND_WITH_INVALIDATE.isOf(QueuePairType.UNRELIABLE_CONNECTION))
                .isFalse();
        assertThat(SendOperation.SEND_WITH_INVALIDATE.hasData()).isTrue();
    }

    @Test
    void inlineDataThatTheDeviceDidNotGiveAreToldWithWhatWasAskedFor() {
        MemorySegment data = MemorySegment.ofArray(new byte[64]);
        assertThatThrownBy(() -> givenInline(64, 0).send(1).inline(data, 0, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the queue pair has room for 0 bytes of inline data, not 8: 64 were asked for with"
                        + " QueuePairSpec.withInline, and the device gave none; ask Context.supports(Feature.INLINE)"
                        + " before");
        assertThatThrownBy(() -> givenInline(64, 16).send(1).inline(data, 0, 17))
                .hasMessage("the queue pair has room for 16 bytes of inline data, not 17: 64 were asked for with"
                        + " QueuePairSpec.withInline, and the device gave less");
        assertThatThrownBy(() -> givenInline(0, 0).send(1).inline(data, 0, 1))
                .hasMessage("the queue pair has room for 0 bytes of inline data, not 1: none was asked for with"
                        + " QueuePairSpec.withInline");
        assertThatThrownBy(() -> givenInline(8, 16).send(1).inline(data, 0, 17)).hasMessageContaining("ask for more");
    }

    private static RecordingSendQueue givenInline(int asked, int given) {
        return new RecordingSendQueue(
                new FakeContext(),
                QueuePairType.RELIABLE_CONNECTION,
                new QueuePairCapacity(8, 8, 1, 1, asked),
                new QueuePairCapacity(8, 8, 1, 1, given),
                false);
    }

    @Test
    void anExtendedMessageNamesAQueueOfThePeer() {
        RecordingSendQueue extended = queueOf(QueuePairType.XRC_SEND);
        extended.send(1).toSharedReceiveQueue(0xff_ffff);
        extended.write(2, REMOTE, 0);
        extended.post();
        assertThat(extended.published)
                .containsExactly(
                        "SEND id 1 elements 0 flags 0 remote 0x0 key 0 immediate 0 to shared queue 16777215",
                        "WRITE id 2 elements 0 flags 0 remote 0x9000 key 77 immediate 0");

        extended.writeWithImmediate(3, REMOTE, 0, 4);
        assertThatThrownBy(extended::post)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("say which with toSharedReceiveQueue");
        assertThatThrownBy(() -> extended.send(4).toSharedReceiveQueue(1 << 24))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("24 bits");
        RecordingSendQueue reliable = queueOf(QueuePairType.RELIABLE_CONNECTION);
        assertThatThrownBy(() -> reliable.send(5).toSharedReceiveQueue(1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("only XRC_SEND");
        for (SendOperation operation : SendOperation.values()) {
            assertThat(operation.isOf(QueuePairType.XRC_SEND)).isTrue();
            assertThat(operation.isOf(QueuePairType.XRC_RECEIVE)).isFalse();
        }
    }
}
