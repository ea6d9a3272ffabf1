// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.PostException;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.SendWorkRequest;

/** The rules of a batch. */
class SendQueueTest extends SendQueueFixture {

    @Test
    void aRestartForgetsTheBatchAndRenewsTheRing() {
        queue.send(1);
        queue.send(2);
        queue.restart(() -> queue.free = 3);

        assertThat(queue.available()).isEqualTo(3);
        assertThat(queue.tryPost()).isZero();
        queue.send(3);
        queue.post();
        assertThat(queue.published).singleElement().asString().contains("id 3");

        queue.closeGate();
        assertThatThrownBy(() -> queue.restart(() -> {})).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aWrongDescriptionTakesItsRequestOutAndLeavesNothingOfIt() {
        queue.send(1).local(region, 0, 1);
        assertOutside(() -> queue.write(2, REMOTE, 0).local(region, 0, 64).local(region, 100, 64), "not within");
        queue.send(3).local(region, 3, 3).signaled();
        queue.post();

        assertThat(queue.published)
                .containsExactly(
                        "element 0 0x1000+1 key 5; SEND id 1 elements 1 flags 0 remote 0x0 key 0 immediate 0",
                        "element 0 0x1003+3 key 5; SEND id 3 elements 1 flags 2 remote 0x0 key 0 immediate 0");
    }

    @Test
    void afterAWrongDescriptionThereIsNoRequestToDescribe() {
        SendWorkRequest request = queue.send(1);
        assertOutside(() -> request.local(region, 0, 129), "not within");

        assertNoRequest(() -> request.local(region, 0, 1));
        assertNoRequest(request::signaled);
        assertNoRequest(() -> request.inline(MemorySegment.ofArray(new byte[1]), 0, 1));
    }

    @Test
    void requestsBeyondTheFreeSlotsAreCountedButNotWritten() {
        queue.free = 2;
        for (int i = 1; i <= 5; i++) {
            queue.send(i).local(region, 0, 1).signaled();
        }
        assertThat(queue.available()).isZero();
        assertThat(queue.tryPost()).isEqualTo(2);
        assertThat(queue.published).hasSize(2).allMatch(request -> request.contains("SEND id"));

        assertThat(queue.tryPost()).as("the rest is forgotten").isZero();
        assertThat(queue.batches).containsExactly(2);
    }

    @Test
    void descriptionsAreCheckedAlsoBeyondTheFreeSlots() {
        queue.free = 0;

        assertOutside(() -> queue.send(1).local(region, 0, 129), "not within");
        assertIllegal(() -> queue.write(2, REMOTE, 200).local(region, 0, 128), "peer's buffer");
        queue.send(3).local(region, 0, 1);
        assertThatThrownBy(queue::post)
                .isInstanceOf(PostException.class)
                .hasMessageContaining("0 of 1 requests posted");
        assertThat(queue.batches).isEmpty();
    }

    @Test
    void postThrowsWhenNotAllWereAccepted() {
        queue.free = 2;
        queue.send(1);
        queue.send(2);
        queue.send(3);

        assertThatThrownBy(queue::post)
                .isInstanceOfSatisfying(PostException.class, e -> {
                    assertThat(e.accepted()).isEqualTo(2);
                    assertThat(e.code()).isEqualTo(Errno.ENOMEM);
                })
                .hasMessage(
                        "ibv_post_send(send queue of QP 0x11 of fake0, 2 of 3 requests posted): ENOMEM; the queue is"
                                + " full: poll completions first, or create the queue pair with a greater depth; tryPost()"
                                + " answers with the number instead of throwing");
        assertThat(queue.published).hasSize(2);
        queue.free = 8;
        queue.post();
        assertThat(queue.published).as("the third is forgotten").hasSize(2);
    }

    @Test
    void onceARequestHadNoSlotALaterOneHasNoneEitherThoughOneBecomesFree() {
        queue.free = 1;
        queue.send(1);
        queue.send(2);
        queue.free = 8;
        queue.send(3);

        assertThat(queue.tryPost()).as("a prefix, not a selection").isEqualTo(1);
        assertThat(queue.published).allMatch(request -> request.contains("id 1"));
    }

    @Test
    void slotsThatBecomeFreeDuringABatchAreUsed() {
        queue.free = 1;
        queue.send(1);
        queue.free = 2;
        queue.send(2);

        assertThat(queue.tryPost()).isEqualTo(2);
    }

    @Test
    void aFullQueueFoundByTheDeviceIsBackPressureToo() {
        queue.taken = 1;
        queue.errno = Errno.ENOMEM.number();
        queue.send(1);
        queue.send(2);

        assertThat(queue.tryPost()).isEqualTo(1);
        queue.send(3);
        queue.send(4);
        assertThatThrownBy(queue::post)
                .isInstanceOfSatisfying(
                        PostException.class, e -> assertThat(e.accepted()).isEqualTo(1))
                .hasMessageContaining("1 of 2 requests posted): ENOMEM; the queue is full");
    }

    @Test
    void anotherRefusalOfTheDeviceThrowsInBothCases() {
        queue.taken = 1;
        queue.errno = Errno.EINVAL.number();
        for (boolean trying : List.of(true, false)) {
            queue.send(1);
            queue.send(2);
            assertThatThrownBy(() -> {
                        if (trying) {
                            queue.tryPost();
                        } else {
                            queue.post();
                        }
                    })
                    .isInstanceOfSatisfying(PostException.class, e -> {
                        assertThat(e.accepted()).isEqualTo(1);
                        assertThat(e.code()).isEqualTo(Errno.EINVAL);
                    })
                    .hasMessageContaining("EINVAL; advice for 22");
        }
        queue.taken = 8;
        queue.send(3);
        assertThat(queue.tryPost()).as("the refusal is forgotten").isEqualTo(1);
    }

    @Test
    void theRoomIsWhatIsFreeLessTheBatch() {
        assertThat(queue.available()).isEqualTo(8);
        queue.send(1);
        queue.send(2);
        assertThat(queue.available()).isEqualTo(6);
        queue.free = 1;
        assertThat(queue.available()).isZero();
        queue.abandon();
        assertThat(queue.available()).isEqualTo(1);
    }

    @Test
    void anAbandonedBatchIsForgotten() {
        SendWorkRequest request = queue.send(1);
        queue.abandon();

        assertNoRequest(request::signaled);
        assertThat(queue.tryPost()).isZero();
        queue.post();
        assertThat(queue.batches).as("nothing was published").isEmpty();
    }

    @Test
    void afterPostingThereIsNoRequestToDescribe() {
        SendWorkRequest request = queue.send(1);
        queue.post();

        assertNoRequest(request::fenced);
        assertNoRequest(() -> request.local(region, 0, 1));
    }

    @Test
    void aDatagramWithoutDestinationIsTakenOutAndTheOthersStay() {
        AddressHandleBase handle = addressHandle();
        RecordingSendQueue datagrams = queueOf(QueuePairType.UNRELIABLE_DATAGRAM);
        datagrams.send(1).to(handle, 1, 0);
        datagrams.send(2).local(region, 0, 4);

        assertThatThrownBy(datagrams::post)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no destination");
        datagrams.send(3).to(handle, 1, 0);
        datagrams.send(4);
        assertThatThrownBy(() -> datagrams.send(5)).hasMessageContaining("has no destination");
        assertThat(datagrams.tryPost()).isEqualTo(2);
        assertThat(datagrams.published).hasSize(2).allMatch(request -> request.contains("to "));
    }

    @Test
    void aPostThatIsBeingCarriedOutIsWaitedFor() throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        queue.whilePublishing = () -> {
            inside.countDown();
            try {
                leave.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            order.add("posted");
        };
        queue.send(1);
        Thread poster = Thread.ofPlatform().start(queue::post);
        inside.await();
        Thread waiter = Thread.ofPlatform().start(() -> {
            queue.awaitPost();
            order.add("waited");
        });
        leave.countDown();
        poster.join();
        waiter.join();
        assertThat(order).containsExactly("posted", "waited");

        queue.closeGate();
        queue.awaitPost();
    }

    @Test
    void aClosedQueueRefusesEverything() {
        SendWorkRequest request = queue.send(1);
        queue.closeGate();

        assertClosed(() -> queue.send(2));
        assertClosed(() -> queue.write(2, REMOTE, 0));
        assertClosed(queue::post);
        assertClosed(queue::tryPost);
        assertClosed(queue::abandon);
        assertClosed(queue::available);
        assertThat(request).isNotNull();
        assertThat(queue.batches).isEmpty();
    }
}
