// SPDX-License-Identifier: Apache-2.0

/** The structs of libibverbs and the C library, each a class of statics over a memory segment. */
@NullMarked
package org.paraverbs.ffm.struct;

import org.jspecify.annotations.NullMarked;
