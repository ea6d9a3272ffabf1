// SPDX-License-Identifier: Apache-2.0

/**
 * From time stamps to the numbers of a result line. What the measured loops call allocates nothing; the rest runs after
 * them.
 */
@NullMarked
package org.paraverbs.perftest.stats;

import org.jspecify.annotations.NullMarked;
