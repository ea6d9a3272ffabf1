// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.stats;

/**
 * Finds the pair of a post and a later completion with the least time per message.
 *
 * <p>The C programs try all pairs, which for 20000 messages with a completion each are 200 million. Seen as points, with
 * messages along x and time along y, the wanted pair has the flattest line from a post to a completion right of it. For
 * one completion that line touches the upper convex hull of the posts before it, so a hull that grows from left to right
 * and a binary search on it answer the same question in O(n log n).
 */
final class PeakSearch {
    private final int postList;
    private final long[] postedNs;

    /** The hull's corners from left to right, as indices of posts. */
    private final int[] hull;

    private int hullSize;

    private PeakSearch(int postList, long[] postedNs, int posts) {
        this.postList = postList;
        this.postedNs = postedNs;
        hull = new int[posts];
    }

    /**
     * Searches.
     *
     * @param postList messages per post; post k began with message {@code k * postList}
     * @param postedNs when each post was made, ascending
     * @param posts how many there are
     * @param completedTotal messages done with each completion, ascending
     * @param completedNs when each completion was seen, ascending
     * @param completions how many there are
     * @return the least time per message, infinite if there is no pair
     */
    static double leastNsPerMessage(
            int postList, long[] postedNs, int posts, long[] completedTotal, long[] completedNs, int completions) {
        var search = new PeakSearch(postList, postedNs, posts);
        double best = Double.POSITIVE_INFINITY;
        int next = 0;
        for (int i = 0; i < completions; i++) {
            while (next < posts && (long) next * postList < completedTotal[i]) {
                search.add(next++);
            }
            if (search.hullSize > 0) {
                best = Math.min(best, search.flattest(completedTotal[i], completedNs[i]));
            }
        }
        return best;
    }

    private void add(int post) {
        while (hullSize >= 2 && isBelow(hull[hullSize - 2], hull[hullSize - 1], post)) {
            hullSize--;
        }
        hull[hullSize++] = post;
    }

    /** Whether the middle one is on or below the line between its neighbours, and so no corner. */
    private boolean isBelow(int left, int middle, int right) {
        double toMiddle = (double) (postedNs[middle] - postedNs[left]) / (middle - left);
        double toRight = (double) (postedNs[right] - postedNs[left]) / (right - left);
        return toMiddle <= toRight;
    }

    /** Along the hull the slope to a point right of it falls, then rises: the bottom is found by halving. */
    private double flattest(long total, long ns) {
        int low = 0;
        int high = hullSize - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (slope(hull[middle], total, ns) <= slope(hull[middle + 1], total, ns)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return slope(hull[low], total, ns);
    }

    private double slope(int post, long total, long ns) {
        return (double) (ns - postedNs[post]) / (total - (long) post * postList);
    }
}
