// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

/** Takes remarks that are not results: they go to standard error. */
@FunctionalInterface
interface Notes {
    void add(String note);
}
