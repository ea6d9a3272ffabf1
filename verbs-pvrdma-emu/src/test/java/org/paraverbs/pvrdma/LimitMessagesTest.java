// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.VerbsException;

/**
 * A program that runs into a limit of the device learns from the exception which one it is, how large it is, how much is in
 * use, and how to raise it, whichever of driver and device has noticed.
 */
class LimitMessagesTest {

    private static void assertRefused(
            UnaryOperator<DeviceConfiguration.Builder> limit, Consumer<Context> until, Errno errno, String... said) {
        DeviceConfiguration configuration =
                limit.apply(DeviceConfiguration.builder()).build();
        try (EmulatedMachine machine = EmulatedMachine.builder()
                        .devices(1)
                        .configuration(configuration)
                        .build();
                Context context = machine.device(0).open()) {
            assertThatThrownBy(() -> until.accept(context))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.code()).isEqualTo(errno))
                    .hasMessageContainingAll(said);
        }
    }

    private static Consumer<Context> twice(Consumer<ProtectionDomain> action) {
        return context -> {
            ProtectionDomain domain = context.allocateProtectionDomain();
            action.accept(domain);
            action.accept(domain);
        };
    }

    private static Consumer<Context> queuePairs(int count, UnaryOperator<QueuePairSpec> spec) {
        return context -> {
            ProtectionDomain domain = context.allocateProtectionDomain();
            CompletionQueue queue = context.createCompletionQueue(4);
            for (int i = 0; i < count; i++) {
                domain.createQueuePair(spec.apply(QueuePairSpec.reliable(queue).withDepth(4)));
            }
        };
    }

    @Test
    void whatTheDriverCountsIsNoMoreMemory() {
        assertRefused(
                limit -> limit.maxQp(3),
                queuePairs(4, spec -> spec),
                Errno.ENOMEM,
                "ibv_create_qp",
                "max_qp is 3, and 3 are in use",
                "raise DeviceConfiguration.maxQp");
        assertRefused(
                limit -> limit.maxCq(1),
                queuePairs(1, spec -> spec).andThen(context -> context.createCompletionQueue(4)),
                Errno.ENOMEM,
                "ibv_create_cq",
                "max_cq is 1, and 1 are in use",
                "raise DeviceConfiguration.maxCq");
        assertRefused(
                limit -> limit.maxPd(1),
                queuePairs(0, spec -> spec).andThen(Context::allocateProtectionDomain),
                Errno.ENOMEM,
                "ibv_alloc_pd",
                "max_pd is 1, and 1 are in use",
                "raise DeviceConfiguration.maxPd");
        assertRefused(
                limit -> limit.maxSrq(1),
                twice(domain -> domain.createSharedReceiveQueue(1, 1)),
                Errno.ENOMEM,
                "ibv_create_srq",
                "max_srq is 1, and 1 are in use",
                "raise DeviceConfiguration.maxSrq");
        assertRefused(
                limit -> limit.maxAh(1),
                context -> {
                    ProtectionDomain domain = context.allocateProtectionDomain();
                    QueuePair pair = domain.createQueuePair(QueuePairSpec.datagram(context.createCompletionQueue(4)));
                    domain.createAddressHandle(pair.routeTo(pair.endpoint()));
                    domain.createAddressHandle(pair.routeTo(pair.endpoint()));
                },
                Errno.ENOMEM,
                "ibv_create_ah",
                "max_ah is 1, and 1 are in use",
                "raise DeviceConfiguration.maxAh");
    }

    @Test
    void whatTheDeviceCountsIsARefusalByTheDevice() {
        assertRefused(
                limit -> limit.maxQp(5).qpElsewhere(3),
                queuePairs(3, spec -> spec),
                Errno.EFAULT,
                "EFAULT is not a bad address here",
                "max_qp is 5, in use are 2 here and 3 elsewhere",
                "raise DeviceConfiguration.maxQp or lower qpElsewhere");
        assertRefused(
                limit -> limit.maxMr(1),
                twice(domain -> domain.allocate(4096)),
                Errno.EFAULT,
                "ibv_reg_mr",
                "max_mr is 1, in use are 1",
                "raise DeviceConfiguration.maxMr");
        assertRefused(
                limit -> limit.guestMemory(100_000),
                twice(domain -> domain.allocate(40_000, Access.LOCAL_WRITE)),
                Errno.EFAULT,
                "70 % of the guest's",
                "is 70000",
                "raise DeviceConfiguration.maxRegisteredPercent or guestMemory");
        assertRefused(
                limit -> limit.maxQpWr(16),
                queuePairs(1, spec -> spec.withDepth(17)),
                Errno.EFAULT,
                "max_send_wr is 32 and max_qp_wr 16",
                "DeviceConfiguration.maxQpWr raises it");
        assertRefused(
                limit -> limit.maxSge(2),
                queuePairs(1, spec -> spec.withElements(1, 3)),
                Errno.EFAULT,
                "max_recv_sge is 3 and max_sge 2",
                "DeviceConfiguration.maxSge raises it");
    }

    @Test
    void whatCannotBeIsInvalid() {
        assertRefused(
                limit -> limit.maxCqe(32),
                context -> context.createCompletionQueue(33),
                Errno.EINVAL,
                "1 to 32 entries on this device (max_cqe)",
                "raise DeviceConfiguration.maxCqe");
        assertRefused(
                limit -> limit.maxMrSize(8192),
                context -> context.allocateProtectionDomain().allocate(8193),
                Errno.EINVAL,
                "1 to 8192 bytes on this device (max_mr_size)",
                "raise DeviceConfiguration.maxMrSize");
        assertRefused(
                limit -> limit.maxSrqWr(32).maxSrqSge(2),
                context -> context.allocateProtectionDomain().createSharedReceiveQueue(33, 1),
                Errno.EINVAL,
                "max_srq_wr of this device is 32, and 64 are needed",
                "raise DeviceConfiguration.maxSrqWr");
        assertRefused(
                limit -> limit.maxSrqSge(2),
                context -> context.allocateProtectionDomain().createSharedReceiveQueue(1, 3),
                Errno.EINVAL,
                "max_srq_sge of this device is 2, and 3 are needed",
                "raise DeviceConfiguration.maxSrqSge");
    }
}
