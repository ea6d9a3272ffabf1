// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;
import org.paraverbs.pvrdma.link.Fabric;

/** Two guests that do nothing wrong, in the same network as others that do. They check every byte. */
final class Bystanders implements AutoCloseable {
    private static final int LENGTH = 3000;
    private static final int FIRST_HOST = 101;

    final MockDriver left;
    final MockDriver right;
    private final MockCompletionQueue leftCq;
    private final MockCompletionQueue rightCq;
    final MockQueuePair leftQp;
    private final MockQueuePair rightQp;
    private final MockRegion leftMr;
    private final MockRegion rightMr;
    private int rounds;

    Bystanders(Fabric fabric) {
        left = MockDriver.booted(fabric, FIRST_HOST);
        right = MockDriver.booted(fabric, FIRST_HOST + 1);
        leftCq = left.createCq(16);
        rightCq = right.createCq(16);
        int leftPd = left.createUserPd();
        int rightPd = right.createUserPd();
        leftQp = left.createQp(leftPd, leftCq, leftCq, 4, 1);
        rightQp = right.createQp(rightPd, rightCq, rightCq, 4, 1);
        leftMr = left.createMr(leftPd, 2 * LENGTH, 5, MockQueuePair.ALL_ACCESS);
        rightMr = right.createMr(rightPd, 2 * LENGTH, 9, MockQueuePair.ALL_ACCESS);
        leftQp.connect(rightQp);
        rightQp.connect(leftQp);
    }

    /** A WRITE, a SEND and a READ; everything arrives, and nothing else does. */
    void exchange() {
        rounds++;
        leftMr.fill(rounds);
        rightMr.fill(-rounds);
        rightQp.receive(rounds, rightMr, 0, LENGTH);
        leftQp.write(1, leftMr, 0, rightMr, LENGTH, LENGTH);
        leftQp.send(2, leftMr, 0, LENGTH);
        for (int i = 1; i <= 2; i++) {
            requireCompletion(leftCq, i);
        }
        requireCompletion(rightCq, rounds);
        requirePattern(rightMr, 0, rounds, 0);
        requirePattern(rightMr, LENGTH, rounds, 0);
        leftMr.fill(0);
        leftQp.read(3, leftMr, 0, rightMr, LENGTH, LENGTH);
        requireCompletion(leftCq, 3);
        requirePattern(leftMr, 0, rounds, 0);
        requirePattern(leftMr, LENGTH, 0, LENGTH);
        DeviceFault.unless(left.events().isEmpty() && right.events().isEmpty(), "a bystander got an event");
        DeviceFault.unless(leftCq.waiting() == 0 && rightCq.waiting() == 0, "a bystander got a completion too many");
        HostileGuest.requireNoInternalErrors(left);
        HostileGuest.requireNoInternalErrors(right);
    }

    private static void requireCompletion(MockCompletionQueue queue, long wrId) {
        Completion completion = queue.poll();
        DeviceFault.unless(
                completion != null && completion.wrId() == wrId && completion.status() == WcStatus.SUCCESS,
                "a bystander's request " + wrId + " ended with " + completion);
    }

    private static void requirePattern(MockRegion region, int offset, int seed, int from) {
        for (int i = 0; i < LENGTH; i++) {
            DeviceFault.unless(
                    region.get(offset + i) == MockRegion.pattern(seed, from + i),
                    "byte " + (offset + i) + " of a bystander's memory is wrong");
        }
    }

    @Override
    public void close() {
        left.close();
        right.close();
    }
}
