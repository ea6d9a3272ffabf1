// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The numbers that a step of a hostile guest is made of, one after the other: drawn at random and written down, or those that
 * were written down. Any numbers make a step, and where they end there are zeros, so that a fuzzer may change them freely.
 */
final class Draws {
    private final Random random;
    private final List<Long> numbers;
    private int next;

    private Draws(Random random, List<Long> numbers) {
        this.random = random;
        this.numbers = numbers;
    }

    static Draws random(Random random) {
        return new Draws(random, new ArrayList<>());
    }

    static Draws of(List<Long> numbers) {
        return new Draws(null, numbers);
    }

    /** What was drawn. */
    List<Long> numbers() {
        return List.copyOf(numbers);
    }

    /** From 0 to below {@code limit}. */
    int below(int limit) {
        if (random == null) {
            return (int) Math.floorMod(recorded(), (long) limit);
        }
        int drawn = random.nextInt(limit);
        numbers.add((long) drawn);
        return drawn;
    }

    /** Seldom true: once in so many. */
    boolean oneIn(int times) {
        return below(times) == 1 % times;
    }

    /** Anything, small numbers and the ends of ranges more often than others. */
    long any() {
        if (random == null) {
            return recorded();
        }
        long drawn = switch (random.nextInt(6)) {
            case 0 -> random.nextInt(64);
            case 1 -> 1L << random.nextInt(Long.SIZE);
            case 2 -> -1L >>> random.nextInt(Long.SIZE);
            case 3 -> -1L - random.nextInt(4096);
            case 4 -> random.nextInt();
            default -> random.nextLong();
        };
        numbers.add(drawn);
        return drawn;
    }

    /** Mostly what is right, so that the step gets far; otherwise near it, or anything. */
    long sometimes(long right) {
        return switch (below(16)) {
            case 14 -> right + below(9000);
            case 15 -> any();
            default -> right;
        };
    }

    private long recorded() {
        return next < numbers.size() ? numbers.get(next++) : 0;
    }
}
