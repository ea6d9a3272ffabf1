// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.PostException;
import org.paraverbs.verbs.QueuePairCapacity;

/** Receives follow the rules that {@link SendQueueTest} has in full. */
class ReceiveQueueTest {

    private final FakeContext context = new FakeContext();
    private final FakeRegion region = FakeRegion.at(context, 0x1000, 128, 5);
    private final Recording queue = new Recording();

    private static final class Recording extends ReceiveQueueBase {
        final List<String> written = new ArrayList<>();
        int free = 4;

        Recording() {
            super("receive queue of QP 0x11 of fake0", new QueuePairCapacity(1, 4, 1, 2, 0));
        }

        @Override
        protected int freeSlots() {
            return free;
        }

        @Override
        protected void writeElement(int request, int element, long address, long length, int lkey) {
            written.add(request + "." + element + " 0x" + Long.toHexString(address) + "+" + length + " key " + lkey);
        }

        @Override
        protected void writeRequest(int request, long id, int elementCount) {
            written.add(request + " id " + id + " elements " + elementCount);
        }

        @Override
        protected int publish(int count) {
            written.add("publish " + count);
            return count;
        }

        @Override
        protected String advice(int errno) {
            return "";
        }
    }

    @Test
    void elementsAreWrittenBeforeTheirReceiveAndAllBeforeTheDoorbell() {
        queue.receive(10).local(region, 0, 64).local(region, 64, 64);
        queue.receive(11);
        queue.post();

        assertThat(queue.written)
                .containsExactly(
                        "0.0 0x1000+64 key 5",
                        "0.1 0x1040+64 key 5",
                        "0 id 10 elements 2",
                        "1 id 11 elements 0",
                        "publish 2");
    }

    @Test
    void aWithdrawnReceiveLeavesItsPlaceToTheNext() {
        queue.receive(10).local(region, 0, 1);
        assertThatThrownBy(() -> queue.receive(11).local(region, 0, 129)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> queue.receive(12)
                        .local(region, 0, 1)
                        .local(region, 0, 1)
                        .local(region, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 2 elements");
        queue.receive(13);
        queue.post();

        assertThat(queue.written)
                .filteredOn(line -> line.contains("id"))
                .containsExactly("0 id 10 elements 1", "1 id 13 elements 0");
        assertThat(queue.written).endsWith("publish 2");
    }

    @Test
    void receivesBeyondTheFreeSlotsAreCountedAndForgotten() {
        queue.free = 1;
        queue.receive(10);
        queue.receive(11);

        assertThatThrownBy(queue::post)
                .isInstanceOfSatisfying(PostException.class, e -> {
                    assertThat(e.accepted()).isEqualTo(1);
                    assertThat(e.code()).isEqualTo(Errno.ENOMEM);
                })
                .hasMessageStartingWith(
                        "ibv_post_recv(receive queue of QP 0x11 of fake0, 1 of 2 requests posted): ENOMEM");
        assertThat(queue.tryPost()).isZero();
    }
}
