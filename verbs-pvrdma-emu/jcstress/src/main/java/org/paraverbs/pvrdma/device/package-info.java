// SPDX-License-Identifier: Apache-2.0

/** Asking to be told of a completion while one is delivered. */
@NullMarked
package org.paraverbs.pvrdma.device;

import org.jspecify.annotations.NullMarked;
