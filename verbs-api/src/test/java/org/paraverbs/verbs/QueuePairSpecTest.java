// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class QueuePairSpecTest {

    private final CompletionQueue sends = queue();
    private final CompletionQueue receives = queue();

    @Test
    void oneChangeLeavesTheRestAsItWas() {
        QueuePairSpec spec = QueuePairSpec.reliable(sends, receives)
                .withElements(3, 4)
                .withInline(64)
                .withDepth(7, 9)
                .withSignalAll();

        assertThat(spec.type()).isEqualTo(QueuePairType.RELIABLE_CONNECTION);
        assertThat(spec.sendCompletions()).isSameAs(sends);
        assertThat(spec.receiveCompletions()).isSameAs(receives);
        assertThat(spec.capacity()).isEqualTo(new QueuePairCapacity(7, 9, 3, 4, 64));
        assertThat(spec.signalAll()).isTrue();
        assertThat(spec.withDepth(5).capacity()).isEqualTo(new QueuePairCapacity(5, 5, 3, 4, 64));
        assertThat(spec.withDepth(5).signalAll()).isTrue();
        assertThat(QueuePairSpec.reliable(sends).receiveCompletions()).isSameAs(sends);
        assertThat(QueuePairSpec.reliable(sends).capacity()).isEqualTo(new QueuePairCapacity(128, 128, 1, 1, 0));
    }

    @Test
    @SuppressWarnings("NullAway")
    void aCompletionQueueIsNeeded() {
        assertThatNullPointerException()
                .isThrownBy(() -> QueuePairSpec.reliable(null))
                .withMessage("sendCompletions");
    }

    private static CompletionQueue queue() {
        return (CompletionQueue) Proxy.newProxyInstance(
                CompletionQueue.class.getClassLoader(),
                new Class<?>[] {CompletionQueue.class},
                (proxy, method, arguments) -> null);
    }
}
