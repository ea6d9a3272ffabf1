// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.UnsupportedVerbException;
import org.paraverbs.verbs.VerbsException;

/** Who closes whom, in which order, and what becomes of failures. */
class OwnershipTest {

    private final FakeContext context = new FakeContext();

    @Test
    void aContextClosesAllThatWasMadeFromItNewestFirst() {
        var domain = context.make("pd", context);
        var queue = context.make("cq", context);
        context.make("mr", domain);
        context.make("qp", domain, queue);
        context.make("late mr", domain);
        context.close();

        assertThat(context.released).containsExactly("late mr", "qp", "mr", "cq", "pd", "context");
        assertThat(domain.isOpen()).isFalse();
    }

    @Test
    void aResourceClosesWhatDependsOnItAndNothingElse() {
        var domain = context.make("pd", context);
        var other = context.make("other pd", context);
        var queue = context.make("cq", context);
        var memory = context.make("mr", domain);
        var pair = context.make("qp", domain, queue);
        var kept = context.make("other mr", other);
        domain.close();

        assertThat(context.released).containsExactly("qp", "mr", "pd");
        assertThat(memory.isOpen()).isFalse();
        assertThat(pair.isOpen()).isFalse();
        assertThat(queue.isOpen()).isTrue();
        assertThat(kept.isOpen()).isTrue();
        context.close();
        assertThat(context.released).containsExactly("qp", "mr", "pd", "other mr", "cq", "other pd", "context");
    }

    @Test
    void whatDependsOnADependentIsClosedBeforeIt() {
        var channel = context.make("channel", context);
        var queue = context.make("cq", context, channel);
        context.make("qp", context, queue);
        channel.close();

        assertThat(context.released).containsExactly("qp", "cq", "channel");
    }

    @Test
    void aReplacementTakesThePlaceOfWhatIsNotReleased() {
        var domain = context.make("pd", context);
        var other = context.make("other pd", context);
        var memory = context.make("mr", domain);
        var changed = memory.replaceBy("changed mr", other);

        assertThat(context.released).isEmpty();
        assertThat(memory.isOpen()).isFalse();
        assertThat(changed.isOpen()).isTrue();
        memory.close();
        domain.close();
        assertThat(context.released).containsExactly("pd");
        other.close();
        assertThat(context.released).containsExactly("pd", "changed mr", "other pd");
    }

    @Test
    void aReplacementThatFailsLeavesEverythingAsItWasUnlessItCloses() {
        var domain = context.make("pd", context);
        var other = context.make("other pd", context);
        var memory = context.make("mr", domain);

        assertThatThrownBy(() -> memory.failToReplace(false, other)).isInstanceOf(VerbsException.class);
        assertThat(memory.isOpen()).isTrue();
        other.close();
        assertThat(memory.isOpen()).isTrue();
        assertThatThrownBy(() -> memory.failToReplace(false, other))
                .hasMessageContaining("other pd of fake0 is closed");
        assertThatThrownBy(() -> memory.failToReplace(true, domain)).isInstanceOf(VerbsException.class);
        assertThat(memory.isOpen()).isFalse();
        assertThat(context.released).containsExactly("other pd", "mr");
        assertThatThrownBy(() -> memory.replaceBy("late", domain)).hasMessageContaining("mr of fake0 is closed");
    }

    @Test
    void whatIsInUseIsNotReplaced() {
        var domain = context.make("pd", context);
        context.make("mr", domain);
        assertThatThrownBy(() -> domain.replaceBy("changed pd", context))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("pd of fake0 is in use by [mr of fake0]");
        assertThat(domain.isOpen()).isTrue();
    }

    @Test
    void closingAgainReleasesNothing() {
        var domain = context.make("pd", context);
        domain.close();
        domain.close();
        context.close();
        context.close();

        assertThat(context.released).containsExactly("pd", "context");
    }

    @Test
    void aFailureDoesNotKeepTheOthersOpenAndNoneIsLost() {
        var domain = context.makeFailing("pd", context);
        context.makeFailing("mr", domain);
        context.make("well", domain);
        context.makeFailing("qp", domain);

        VerbsException failure = catchThrowableOfType(VerbsException.class, domain::close);
        assertThat(failure).hasMessageContaining("ibv_destroy(qp): EBUSY");
        assertThat(failure.getSuppressed())
                .extracting(Throwable::getMessage)
                .containsExactly("ibv_destroy(mr): EBUSY", "ibv_destroy(pd): EBUSY");
        assertThat(context.released).containsExactly("qp", "well", "mr", "pd");
        assertThat(domain.isOpen()).as("closed all the same").isFalse();
        domain.close();
        context.close();
        assertThat(context.released).endsWith("pd", "context");
    }

    @Test
    void nothingIsMadeFromWhatIsClosed() {
        var domain = context.make("pd", context);
        var queue = context.make("cq", context);
        queue.close();

        assertThatThrownBy(() -> context.make("qp", domain, queue))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("cq of fake0 is closed");
        context.close();
        assertThatThrownBy(() -> context.make("pd", context))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("context of fake0 is closed");
        assertThat(context.released).containsExactly("cq", "pd", "context");
    }

    @Test
    void aFailedCreationLeavesNothingBehind() {
        assertThatThrownBy(() -> context.create(() -> {
                    throw new IllegalArgumentException("no");
                }))
                .isInstanceOf(IllegalArgumentException.class);
        context.close();

        assertThat(context.released).containsExactly("context");
    }

    @Test
    void aVerbOnAClosedResourceIsRefusedBeforeItRuns() {
        var domain = context.make("pd", context);
        assertThat(domain.whileOpen(() -> 7)).isEqualTo(7);
        domain.close();
        AtomicInteger ran = new AtomicInteger();

        assertThatThrownBy(() -> domain.whileOpen(ran::incrementAndGet))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("pd of fake0 is closed");
        assertThat(ran).hasValue(0);
        assertThat(domain).hasToString("pd of fake0");
    }

    @Test
    void closingWaitsForAVerbThatIsBeingCarriedOut() throws InterruptedException {
        var domain = context.make("pd", context);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        AtomicReference<Boolean> openAtTheEnd = new AtomicReference<>();
        Thread verb = new Thread(() -> domain.whileOpen(() -> {
            inside.countDown();
            awaitQuietly(leave);
            openAtTheEnd.set(domain.isOpen());
            return 0;
        }));
        verb.start();
        inside.await();
        Thread closing = new Thread(context::close);
        closing.start();
        // the closing thread has to queue up for the lock before the verb may end, else this proves nothing
        while (closing.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        leave.countDown();
        verb.join();
        closing.join();

        assertThat(openAtTheEnd).hasValue(true);
        assertThat(context.released).containsExactly("pd", "context");
    }

    @Test
    void whatIsMadeWhileTheContextIsBeingClosedIsClosedTooOrRefused() throws InterruptedException {
        for (int round = 0; round < 100; round++) {
            FakeContext closed = new FakeContext();
            var domain = closed.make("pd", closed);
            List<Thread> makers = new ArrayList<>();
            AtomicInteger made = new AtomicInteger();
            CountDownLatch begun = new CountDownLatch(4);
            for (int i = 0; i < 4; i++) {
                Thread maker = new Thread(() -> {
                    begun.countDown();
                    try {
                        while (true) {
                            closed.make("mr", domain);
                            made.incrementAndGet();
                        }
                    } catch (IllegalStateException e) {
                        assertThat(e).hasMessageContaining("closed");
                    }
                });
                makers.add(maker);
                maker.start();
            }
            begun.await();
            closed.close();
            for (Thread maker : makers) {
                maker.join();
            }

            assertThat(closed.released).filteredOn("mr"::equals).hasSize(made.get());
            assertThat(closed.released).endsWith("pd", "context");
        }
    }

    @Test
    void whatTheContextDoesNotSupportIsRefusedWithTheQuestionToAskBefore() {
        context.require(Feature.READ, "ibv_post_send");

        assertThatThrownBy(() -> context.require(Feature.ATOMICS, "ibv_post_send"))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessage("ibv_post_send(fake0): EOPNOTSUPP; the device or its provider does not support"
                        + " ATOMICS; ask Context.supports(Feature.ATOMICS) before");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
