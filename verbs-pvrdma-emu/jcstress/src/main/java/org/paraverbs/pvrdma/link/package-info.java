// SPDX-License-Identifier: Apache-2.0

/** Who runs a device, and what the others may rely on. */
@NullMarked
package org.paraverbs.pvrdma.link;

import org.jspecify.annotations.NullMarked;
