// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.stats;

/**
 * The time stamps of one bandwidth run.
 *
 * <p>With peak, each post and each completion is stamped: the peak is the best bandwidth between any post and any later
 * completion, so it needs them all. Without, only the first and the last moment are kept.
 */
public final class BandwidthSamples {
    private static final long[] NONE = new long[0];

    private final boolean peak;
    private final int postList;
    private final long[] postedNs;
    private final long[] completedNs;
    private final long[] completedTotal;
    private int posts;
    private int completions;
    private long startNs;
    private long endNs;
    private long messages;

    private BandwidthSamples(boolean peak, int postList, int maxPosts, int maxCompletions) {
        this.peak = peak;
        this.postList = postList;
        postedNs = maxPosts == 0 ? NONE : new long[maxPosts];
        completedNs = maxCompletions == 0 ? NONE : new long[maxCompletions];
        completedTotal = maxCompletions == 0 ? NONE : new long[maxCompletions];
    }

    /**
     * Samples that allow to find the peak.
     *
     * @param postList messages per post, the same in each
     * @param maxPosts how many posts there will be
     * @param maxCompletions how many completions there will be at most
     * @return room for as many
     */
    public static BandwidthSamples withPeak(int postList, int maxPosts, int maxCompletions) {
        return new BandwidthSamples(true, postList, maxPosts, maxCompletions);
    }

    /**
     * Samples for an average alone.
     *
     * @return room for two time stamps
     */
    public static BandwidthSamples averageOnly() {
        return new BandwidthSamples(false, 1, 0, 0);
    }

    /**
     * Tells whether {@link #posted} and {@link #completed} want time stamps; reading a clock costs, so a loop asks first.
     *
     * @return true for samples with peak
     */
    public boolean wantsPeak() {
        return peak;
    }

    /**
     * Sets the moment from which the average counts, for samples without peak.
     *
     * @param nowNs the time
     */
    public void start(long nowNs) {
        startNs = nowNs;
        endNs = nowNs;
    }

    /**
     * Sets the moment up to which the average counts, for samples without peak.
     *
     * @param messagesDone messages completed since {@link #start}
     * @param nowNs the time
     */
    public void end(long messagesDone, long nowNs) {
        messages = messagesDone;
        endNs = nowNs;
    }

    /**
     * Notes that a list is about to be posted.
     *
     * @param nowNs the time just before
     */
    public void posted(long nowNs) {
        postedNs[posts++] = nowNs;
    }

    /**
     * Notes a completion.
     *
     * @param total messages that have completed until now, over all queue pairs
     * @param nowNs the time just after it was polled
     */
    public void completed(long total, long nowNs) {
        completedTotal[completions] = total;
        completedNs[completions++] = nowNs;
    }

    /**
     * How many messages the result is about.
     *
     * @return completed messages
     */
    public long messages() {
        return peak ? (completions == 0 ? 0 : completedTotal[completions - 1]) : messages;
    }

    /**
     * The average over the whole run: from the first post to the last completion.
     *
     * @return messages per second; 0 if nothing completed
     */
    public double averagePerSecond() {
        long elapsedNs = peak ? (completions == 0 ? 0 : completedNs[completions - 1] - postedNs[0]) : endNs - startNs;
        return perSecond(messages(), elapsedNs);
    }

    /**
     * The best rate between any post and any completion that is not before it.
     *
     * @return messages per second; 0 for samples without peak
     */
    public double peakPerSecond() {
        if (!peak || completions == 0) {
            return 0;
        }
        double nsPerMessage =
                PeakSearch.leastNsPerMessage(postList, postedNs, posts, completedTotal, completedNs, completions);
        return nsPerMessage > 0 ? 1e9 / nsPerMessage : 0;
    }

    private static double perSecond(long count, long elapsedNs) {
        return elapsedNs > 0 ? count * 1e9 / elapsedNs : 0;
    }
}
