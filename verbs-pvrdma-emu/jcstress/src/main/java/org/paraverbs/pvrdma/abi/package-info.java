// SPDX-License-Identifier: Apache-2.0

/** What producer and consumer of a ring may see of each other. */
@NullMarked
package org.paraverbs.pvrdma.abi;

import org.jspecify.annotations.NullMarked;
