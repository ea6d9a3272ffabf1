// SPDX-License-Identifier: Apache-2.0

/** The PVRDMA device emulator. */
@NullMarked
package org.paraverbs.pvrdma;

import org.jspecify.annotations.NullMarked;
