// SPDX-License-Identifier: Apache-2.0
/**
 * What every provider of the verbs interface keeps to, as abstract tests that its own test classes inherit; see
 * {@code docs/contract-tests.md}. Needs JUnit 5 and AssertJ, and nothing else.
 */
@NullMarked
package org.paraverbs.verbs.contract;

import org.jspecify.annotations.NullMarked;
