// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import org.jspecify.annotations.Nullable;
import org.paraverbs.perftest.stats.BandwidthSamples;
import org.paraverbs.perftest.time.Clock;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.SendQueue;
import org.paraverbs.verbs.SendWorkRequest;
import org.paraverbs.verbs.WorkCompletion;

/**
 * The measured loop of all bandwidth tests: keeps every queue pair as full as its depth allows and takes completions.
 * {@link #run} allocates nothing.
 *
 * <p>The id of a signaled message holds its queue pair and how many messages its completion stands for, since unsignaled
 * ones complete with the next signaled one. So a short last group is counted right, which 4.5 does not.
 */
final class BandwidthLoop {
    /** Completions taken before posting again, as in the C programs. */
    private static final int POLL_BATCH = 16;

    private static final int QUEUE_PAIR_SHIFT = 32;

    private final Session session;
    private final Operation operation;
    private final Settings.Load load;
    private final Clock clock;
    private final Stop stop;
    private final Progress progress;
    private final CompletionQueue completions;
    private final MemoryRegion region;
    private final long size;
    private final boolean inline;
    private final long step;
    private final int steps;

    private final SendQueue[] queues;
    private final RemoteBuffer[] remotes;
    private final long[] sendOffsets;
    private final long[] posted;
    private final long[] completed;
    private final int[] unsignaled;
    private final int[] position;
    private long totalPosted;
    private long totalCompleted;

    /**
     * Prepares a run.
     *
     * @param size bytes of a message
     */
    BandwidthLoop(Session session, long size) {
        this.session = session;
        this.size = size;
        operation = session.settings().program().operation();
        load = session.settings().load();
        clock = session.environment().clock();
        stop = session.environment().stop();
        progress = session.environment().progress();
        Resources resources = session.resources();
        completions = resources.sendCompletions();
        region = resources.region();
        inline = size <= resources.inlineSize();
        Buffers buffers = resources.buffers();
        step = buffers.step(size);
        steps = buffers.steps(size);
        int count = load.queuePairs();
        queues = new SendQueue[count];
        remotes = new RemoteBuffer[count];
        sendOffsets = new long[count];
        posted = new long[count];
        completed = new long[count];
        unsignaled = new int[count];
        position = new int[count];
        for (int i = 0; i < count; i++) {
            queues[i] = session.queuePair(i).sendQueue();
            remotes[i] = session.remote(i);
            sendOffsets[i] = buffers.sendOffset(i);
        }
    }

    /**
     * Room for the samples of a run.
     *
     * @param peak whether to find the peak
     */
    BandwidthSamples samples(boolean peak) {
        if (!peak) {
            return BandwidthSamples.averageOnly();
        }
        int messages = Math.multiplyExact(load.iterations(), load.queuePairs());
        int completionsPerQueue = Math.ceilDiv(load.iterations(), load.cqModeration());
        return BandwidthSamples.withPeak(
                load.postList(), messages / load.postList(), completionsPerQueue * load.queuePairs());
    }

    /**
     * Runs until all messages have completed, the time is over, or the user has had enough.
     *
     * @param window the time, or null for a number of messages
     */
    void run(BandwidthSamples samples, @Nullable DurationWindow window) {
        CompletionWait wait = session.completionWait(window);
        boolean timed = window != null;
        long goal = (long) load.iterations() * queues.length;
        long sampled = 0;
        long beginNs = clock.nowNs();
        if (timed) {
            window.begin(beginNs);
        } else if (!samples.wantsPeak()) {
            samples.start(beginNs);
        }
        while (!stop.isRequested()) {
            if (timed ? window.update(clock.nowNs()) == DurationWindow.Phase.END : totalCompleted >= goal) {
                break;
            }
            boolean progressed = post(samples, timed);
            if (totalCompleted == totalPosted) {
                continue;
            }
            long before = totalCompleted;
            progressed |= take(samples);
            if (timed && window.isSampling()) {
                sampled += totalCompleted - before;
            }
            if (progressed) {
                wait.found();
            } else {
                wait.pause(completions);
            }
            progress.set(totalCompleted);
        }
        finish(samples, window, sampled);
    }

    private void finish(BandwidthSamples samples, @Nullable DurationWindow window, long sampled) {
        long nowNs = clock.nowNs();
        if (window != null) {
            window.cut(nowNs);
            samples.start(0);
            samples.end(sampled, window.sampledNs());
        } else if (!samples.wantsPeak()) {
            samples.end(totalCompleted, nowNs);
        }
    }

    /** Fills each queue pair; true if anything was posted. */
    private boolean post(BandwidthSamples samples, boolean timed) {
        boolean any = false;
        for (int q = 0; q < queues.length; q++) {
            while ((timed || posted[q] < load.iterations())
                    && posted[q] - completed[q] + load.postList() <= load.txDepth()) {
                if (samples.wantsPeak()) {
                    samples.posted(clock.nowNs());
                }
                postList(q, timed);
                any = true;
            }
        }
        return any;
    }

    private void postList(int q, boolean timed) {
        SendQueue queue = queues[q];
        for (int i = 0; i < load.postList(); i++) {
            long covered = unsignaled[q] + 1L;
            long offset = position[q] * step;
            SendWorkRequest request =
                    operation.begin(queue, ((long) q << QUEUE_PAIR_SHIFT) | covered, remotes[q], offset);
            if (inline) {
                request.inline(region.memory(), sendOffsets[q] + offset, size);
            } else {
                request.local(region, sendOffsets[q] + offset, size);
            }
            posted[q]++;
            boolean last = !timed && posted[q] == load.iterations();
            if (covered == load.cqModeration() || last) {
                request.signaled();
                unsignaled[q] = 0;
            } else {
                unsignaled[q]++;
            }
            position[q]++;
            if (position[q] == steps) {
                position[q] = 0;
            }
        }
        queue.post();
        totalPosted += load.postList();
    }

    /** Takes completions; true if there were any. */
    private boolean take(BandwidthSamples samples) {
        for (int taken = 0; taken < POLL_BATCH; taken++) {
            WorkCompletion completion = completions.poll();
            if (completion == null) {
                return taken > 0;
            }
            if (!completion.isSuccess()) {
                throw CompletionErrors.ofSend(session, completion, totalPosted, totalCompleted);
            }
            long id = completion.id();
            int covered = (int) id;
            completed[(int) (id >>> QUEUE_PAIR_SHIFT)] += covered;
            totalCompleted += covered;
            if (samples.wantsPeak()) {
                samples.completed(totalCompleted, clock.nowNs());
            }
        }
        return true;
    }
}
