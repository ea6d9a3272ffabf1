// SPDX-License-Identifier: Apache-2.0

/**
 * The emulated device for programs that use libibverbs: a server for client processes, which reach it by the library in {@code
 * native/preload}. {@link org.paraverbs.pvrdma.front.uverbs.UverbsServer} starts it.
 */
@NullMarked
package org.paraverbs.pvrdma.front.uverbs;

import org.jspecify.annotations.NullMarked;
