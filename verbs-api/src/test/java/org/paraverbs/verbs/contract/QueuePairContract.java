// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.DeviceAttributes;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.UnsupportedVerbException;
import org.paraverbs.verbs.VerbsException;

/** Creating queue pairs ({@code ibv_create_qp(3)}, {@code ibv_destroy_qp(3)}). */
public abstract class QueuePairContract extends VerbsContract {

    @Test
    @Covers.Verb({
        "ProtectionDomain.createQueuePair",
        "QueuePair.type",
        "QueuePair.state",
        "QueuePair.qpn",
        "QueuePair.sendQueue",
        "QueuePair.receiveQueue"
    })
    void aNewQueuePairIsInResetAndHasTheTypeAskedFor() {
        QueuePair qp = domain().createQueuePair(QueuePairSpec.reliable(queue()));

        assertThat(qp.type()).isEqualTo(QueuePairType.RELIABLE_CONNECTION);
        assertThat(qp.state()).isEqualTo(QueuePairState.RESET);
        assertThat(qp.qpn()).isBetween(1, (1 << 24) - 1);
        assertThat(qp.firstError()).isNull();
        assertThat(qp.sendQueue()).isSameAs(qp.sendQueue());
        assertThat(qp.receiveQueue()).isSameAs(qp.receiveQueue());
    }

    @Test
    @Covers.Verb("QueuePair.capacity")
    void theCapacityIsAtLeastWhatWasAskedFor() {
        ProtectionDomain domain = domain();
        int elements = Math.min(4, first().attributes().maxElements());
        for (int depth : new int[] {1, 2, 3, 17, 64}) {
            QueuePairSpec spec =
                    QueuePairSpec.reliable(queue()).withDepth(depth, depth + 1).withElements(elements, 1);
            try (QueuePair qp = domain.createQueuePair(spec)) {
                QueuePairCapacity capacity = qp.capacity();
                assertThat(capacity.maxSends()).isGreaterThanOrEqualTo(depth);
                assertThat(capacity.maxReceives()).isGreaterThanOrEqualTo(depth + 1);
                assertThat(capacity.maxSendElements()).isGreaterThanOrEqualTo(elements);
                assertThat(capacity.maxReceiveElements()).isGreaterThanOrEqualTo(1);
            }
        }
    }

    @Test
    @Covers.Limit({"DeviceAttributes.maxWorkRequests", "DeviceAttributes.maxElements"})
    void numbersBeyondTheDevicesLimitsAreRefused() {
        ProtectionDomain domain = domain();
        DeviceAttributes limits = first().attributes();
        QueuePairSpec spec = QueuePairSpec.reliable(queue());

        assertRefused(domain, spec.withDepth(limits.maxWorkRequests() + 1, 1));
        assertRefused(domain, spec.withDepth(1, limits.maxWorkRequests() + 1));
        assertRefused(domain, spec.withElements(limits.maxElements() + 1, 1));
        assertRefused(domain, spec.withElements(1, limits.maxElements() + 1));
    }

    private static void assertRefused(ProtectionDomain domain, QueuePairSpec spec) {
        assertThatThrownBy(() -> domain.createQueuePair(spec))
                .as("%s", spec.capacity())
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_create_qp");
    }

    @Test
    void moreInlineDataThanTheDeviceHasAreNotPromised() {
        QueuePairSpec spec = QueuePairSpec.reliable(queue()).withInline(1 << 20);
        try (QueuePair qp = domain().createQueuePair(spec)) {
            assertThat(qp.capacity().maxInlineSize()).isLessThan(1 << 20);
        } catch (VerbsException e) {
            assertThat(e.verb()).isEqualTo("ibv_create_qp");
        }
    }

    @Test
    void aTypeThatTheDeviceDoesNotHaveIsUnsupported() {
        ProtectionDomain domain = domain();
        QueuePairSpec reliable = QueuePairSpec.reliable(queue());
        int refused = 0;
        for (QueuePairType type : QueuePairType.values()) {
            if (!first().supports(type.feature())) {
                QueuePairSpec spec = QueuePairSpec.of(type, reliable.sendCompletions(), reliable.receiveCompletions());
                assertThatThrownBy(() -> domain.createQueuePair(spec))
                        .isInstanceOfSatisfying(
                                UnsupportedVerbException.class,
                                e -> assertThat(e.code()).isEqualTo(Errno.EOPNOTSUPP))
                        .hasMessageContaining(type.feature().name())
                        .hasMessageContaining("supports");
                refused++;
            }
        }
        if (refused == 0) {
            skip("the device has every type");
        }
    }

    @Test
    void aCompletionQueueOfAnotherContextIsRefused() {
        CompletionQueue stranger = open(firstDevice()).createCompletionQueue(4);
        ProtectionDomain domain = domain();
        CompletionQueue own = queue();

        assertThatThrownBy(() -> domain.createQueuePair(QueuePairSpec.reliable(stranger, own)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another context");
        assertThatThrownBy(() -> domain.createQueuePair(QueuePairSpec.reliable(own, stranger)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Covers.Verb("QueuePair.qpn")
    void everyQueuePairHasANumberOfItsOwn() {
        ProtectionDomain domain = domain();
        CompletionQueue queue = queue();
        Set<Integer> numbers = new HashSet<>();
        for (int i = 0; i < 32; i++) {
            numbers.add(domain.createQueuePair(QueuePairSpec.reliable(queue).withDepth(1))
                    .qpn());
        }

        assertThat(numbers).hasSize(32);
    }

    @Test
    void aQueuePairThatOnlySendsNeedsNoRoomForReceives() {
        try (QueuePair qp =
                domain().createQueuePair(QueuePairSpec.reliable(queue()).withDepth(4, 0))) {
            assertThat(qp.capacity().maxSends()).isGreaterThanOrEqualTo(4);
        }
    }

    @Test
    @Covers.Verb({"VerbsResource.close", "ProtectionDomain.createQueuePair"})
    void closingGivesQueuePairsBack() {
        ProtectionDomain domain = domain();
        QueuePairSpec spec = QueuePairSpec.reliable(queue()).withDepth(4);
        int rounds = repetitions(5_000);
        for (int i = 0; i < rounds; i++) {
            domain.createQueuePair(spec).close();
        }
        try (QueuePair qp = domain.createQueuePair(spec)) {
            assertThat(qp.state()).isEqualTo(QueuePairState.RESET);
        }
    }

    private ProtectionDomain domain() {
        return first().allocateProtectionDomain();
    }

    private CompletionQueue queue() {
        return first().createCompletionQueue(64);
    }
}
