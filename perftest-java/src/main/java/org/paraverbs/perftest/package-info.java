// SPDX-License-Identifier: Apache-2.0

/** The perftest programs in Java. */
@NullMarked
package org.paraverbs.perftest;

import org.jspecify.annotations.NullMarked;
