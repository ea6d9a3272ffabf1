// SPDX-License-Identifier: Apache-2.0
/**
 * What a provider of devices implements, and what all providers share so that they behave alike: ownership and closing,
 * the rules of posting, endpoints, and the state table of queue pairs.
 */
@NullMarked
package org.paraverbs.verbs.spi;

import org.jspecify.annotations.NullMarked;
