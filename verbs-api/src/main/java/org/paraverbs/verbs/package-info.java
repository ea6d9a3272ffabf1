// SPDX-License-Identifier: Apache-2.0
/**
 * RDMA verbs for Java: what a program sees. Begin with {@link org.paraverbs.verbs.Verbs}.
 *
 * <p>Methods are the verbs of the man pages in Java spelling, so that those remain the manual. The control path may
 * allocate and throws {@link org.paraverbs.verbs.VerbsException}; the data path allocates nothing, never blocks and
 * answers with values.
 */
@NullMarked
package org.paraverbs.verbs;

import org.jspecify.annotations.NullMarked;
