// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * One step of a hostile guest: what it does, which of the guests, and the numbers that say how. A line of text each, the words
 * parted by blanks: {@code post 1 0 3 14 255}.
 *
 * @param action what is done
 * @param guest who does it
 * @param numbers how, see {@link Draws}
 */
record HostileStep(HostileAction action, int guest, List<Long> numbers) {
    private static final List<HostileAction> WEIGHTED = HostileAction.weighted();

    /** Draws what is done. */
    static HostileAction action(Random random) {
        return WEIGHTED.get(random.nextInt(WEIGHTED.size()));
    }

    String line() {
        return action.word() + " " + guest
                + numbers.stream().map(number -> " " + number).collect(Collectors.joining());
    }

    static HostileStep parse(String line) {
        String[] words = line.strip().split(" +", -1);
        if (words.length < 2) {
            throw new IllegalArgumentException("a step is an action, a guest, and numbers, not: " + line);
        }
        List<Long> numbers = new ArrayList<>();
        for (int i = 2; i < words.length; i++) {
            numbers.add(Long.parseLong(words[i]));
        }
        return new HostileStep(HostileAction.of(words[0]), Integer.parseInt(words[1]), List.copyOf(numbers));
    }

    static String text(List<HostileStep> steps) {
        return steps.stream().map(step -> step.line() + "\n").collect(Collectors.joining());
    }
}
