// SPDX-License-Identifier: Apache-2.0

/** The functions of libibverbs and the C library as method handles, and what their answers mean. */
@NullMarked
package org.paraverbs.ffm.lib;

import org.jspecify.annotations.NullMarked;
