// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

/** The peer that a queue pair was told of. */
record Connection(long gidHigh, long gidLow, int qpn) {}
