// SPDX-License-Identifier: Apache-2.0

/** A device that does as it is told, for tests of what perftest asks of a device and of how it takes failures. */
@NullMarked
package org.paraverbs.perftest.fake;

import org.jspecify.annotations.NullMarked;
