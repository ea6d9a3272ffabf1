// SPDX-License-Identifier: Apache-2.0

/** Benchmarks of the emulator in process, each beside a baseline that does the same without it. */
@NullMarked
package org.paraverbs.bench;

import org.jspecify.annotations.NullMarked;
