// SPDX-License-Identifier: Apache-2.0

/** What connects devices, who runs them, and when: the fabric, the ticket, clocks and the timer. */
@NullMarked
package org.paraverbs.pvrdma.link;

import org.jspecify.annotations.NullMarked;
