// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.IntSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.ReceiveQueue;
import org.paraverbs.verbs.VerbsException;

/** What a shared receive queue can be asked for, whoever provides it. */
class SharedReceiveQueueBaseTest {
    private final FakeContext context = new FakeContext();
    private final FakeQueue queue = context.create(() -> new FakeQueue(context));

    @Test
    void itKnowsItsSize() {
        assertThat(queue.receives()).isEqualTo(8);
        assertThat(queue.elements()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8})
    void limitsWithinTheQueueReachTheDevice(int limit) {
        queue.setLimit(limit);
        assertThat(queue.limit()).isEqualTo(limit);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 9, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void limitsBeyondTheQueueDoNot(int limit) {
        queue.setLimit(3);
        assertInvalid(
                () -> queue.setLimit(limit),
                "ibv_modify_srq(SRQ 5 of fake0, limit " + limit
                        + "): EINVAL; the limit is between 0 and the 8 receives of the queue");
        assertThat(queue.limit()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"0,1", "1,0", "-1,1", "1,-2147483648"})
    void aQueueHasRoomForSomething(int receives, int elements) {
        assertInvalid(
                () -> FakeQueue.requireRoom(context, receives, elements),
                "ibv_create_srq(" + receives + " receives of " + elements
                        + " elements on fake0): EINVAL; a shared receive queue has room for at least 1 receive of 1 element");
    }

    @Test
    void aClosedQueueHasNoLimit() {
        queue.close();
        IntSupplier limit = queue::limit;
        assertThatThrownBy(limit::getAsInt).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> queue.setLimit(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("SRQ 5 of fake0 is closed");
    }

    private static void assertInvalid(ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EINVAL))
                .hasMessage(message);
    }

    private static final class FakeQueue extends SharedReceiveQueueBase {
        private int armed;

        FakeQueue(FakeContext context) {
            super(context, "SRQ 5 of fake0", 8, 2);
        }

        static void requireRoom(FakeContext context, int receives, int elements) {
            SharedReceiveQueueBase.requireRoom(context, receives, elements);
        }

        @Override
        protected void armLimit(int limit) {
            armed = limit;
        }

        @Override
        protected int armedLimit() {
            return armed;
        }

        @Override
        public ReceiveQueue receiveQueue() {
            throw new UnsupportedOperationException("receives are not what is tested");
        }

        @Override
        protected void release() {}
    }
}
