// SPDX-License-Identifier: Apache-2.0

/** What every provider of the verbs interface keeps to, on the emulator. */
@NullMarked
package org.paraverbs.pvrdma.contract;

import org.jspecify.annotations.NullMarked;
