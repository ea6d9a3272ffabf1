// SPDX-License-Identifier: Apache-2.0

/** The verbs API on libibverbs. */
@NullMarked
package org.paraverbs.ffm;

import org.jspecify.annotations.NullMarked;
