// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SharedReceiveAccountTest {
    private static final long QUEUE = RequestId.queue(5, 9, true);

    /** Against a plain list: slots come back in any order, each with the user's id that it was given. */
    @Property
    void accountAgreesWithAPlainList(
            @ForAll @IntRange(min = 1, max = 70) int capacity,
            @ForAll @Size(max = 60) List<@IntRange(min = -40, max = 40) Integer> steps) {
        SharedReceiveAccount account = new SharedReceiveAccount(QUEUE, capacity);
        List<long[]> outstanding = new ArrayList<>();
        long nextUserId = 1_000;
        for (int step : steps) {
            if (step >= 0) {
                int count = Math.min(step, account.free());
                for (int request = 0; request < count; request++) {
                    outstanding.add(new long[] {account.describe(request, nextUserId), nextUserId});
                    nextUserId++;
                }
                account.post(count);
            } else {
                for (int i = 0; i < -step && !outstanding.isEmpty(); i++) {
                    long[] done = outstanding.remove((i * 7 - step) % outstanding.size());
                    assertThat(account.claim(done[0])).isTrue();
                    assertThat(account.complete(done[0])).isEqualTo(done[1]);
                    assertThat(account.claim(done[0])).isFalse();
                }
            }
            assertThat(account.free()).isEqualTo(capacity - outstanding.size());
        }
    }

    @Test
    void outstandingIdsDiffer() {
        SharedReceiveAccount account = new SharedReceiveAccount(QUEUE, 5);
        Set<Long> ids = new HashSet<>();
        for (int request = 0; request < 5; request++) {
            ids.add(account.describe(request, 0));
        }
        assertThat(ids).hasSize(5);
    }

    @Test
    void onlyIdsThatAreOutstandingAreBelieved() {
        SharedReceiveAccount account = new SharedReceiveAccount(QUEUE, 3);
        long id = account.describe(0, 7);
        assertThat(account.claim(id)).as("described, not posted").isFalse();
        account.post(1);
        assertThat(account.claim(RequestId.queue(5, 9, false) | RequestId.position(id)))
                .as("of sends")
                .isFalse();
        assertThat(account.claim(RequestId.queue(5, 8, true) | RequestId.position(id)))
                .as("of another life")
                .isFalse();
        assertThat(account.claim(QUEUE | 3)).as("of a slot that there is not").isFalse();
        assertThat(account.claim(id + 4)).as("of another turn").isFalse();
        assertThat(account.claim(id)).isTrue();
    }

    @Test
    void aSlotHasAnotherIdTheNextTime() {
        SharedReceiveAccount account = new SharedReceiveAccount(QUEUE, 1);
        long first = account.describe(0, 1);
        account.post(1);
        account.claim(first);
        account.complete(first);
        assertThat(account.free()).isEqualTo(1);
        long second = account.describe(0, 2);
        account.post(1);
        assertThat(account.claim(first)).isFalse();
        assertThat(account.claim(second)).isTrue();
    }

    @Test
    void whatTheDeviceRefusedIsFreeAgain() {
        SharedReceiveAccount account = new SharedReceiveAccount(QUEUE, 4);
        long taken = account.describe(0, 1);
        long refused = account.describe(1, 2);
        account.post(2);
        account.retract(1);
        assertThat(account.free()).isEqualTo(3);
        assertThat(account.claim(refused)).isFalse();
        assertThat(account.claim(taken)).isTrue();
    }

    /** One thread posts, two give slots back; every id of the user comes back once. */
    @Test
    void slotsComeBackFromManyThreads() throws InterruptedException {
        int requests = 40_000;
        SharedReceiveAccount account = new SharedReceiveAccount(QUEUE, 16);
        Queue<Long> posted = new ConcurrentLinkedQueue<>();
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        List<Thread> pollers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            pollers.add(Thread.ofPlatform().start(() -> {
                while (seen.size() < requests) {
                    Long id = posted.poll();
                    if (id == null) {
                        Thread.onSpinWait();
                    } else if (account.claim(id)) {
                        seen.add(account.complete(id));
                    }
                }
            }));
        }
        for (long userId = 0; userId < requests; ) {
            if (account.free() > 0) {
                long id = account.describe(0, userId++);
                account.post(1);
                posted.add(id);
            }
        }
        for (Thread poller : pollers) {
            poller.join();
        }
        assertThat(account.free()).isEqualTo(16);
        assertThat(seen).hasSize(requests);
    }
}
