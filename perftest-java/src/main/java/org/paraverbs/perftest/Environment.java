// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.paraverbs.perftest.time.Clock;
import org.paraverbs.perftest.time.Waiting;

/**
 * What a run takes from outside, so that it can run in a simulation unchanged.
 *
 * @param clock where time stamps come from
 * @param waiting gives the waiting of one thread
 * @param random gives packet sequence numbers
 * @param stop the wish to end early
 * @param progress is told how far the run has come
 */
record Environment(Clock clock, Supplier<Waiting> waiting, RandomGenerator random, Stop stop, Progress progress) {}
