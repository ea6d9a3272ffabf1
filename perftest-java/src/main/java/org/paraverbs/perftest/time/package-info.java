// SPDX-License-Identifier: Apache-2.0

/** Time and waiting, passed in to everything else, so that the same run works on a machine and in a simulation. */
@NullMarked
package org.paraverbs.perftest.time;

import org.jspecify.annotations.NullMarked;
