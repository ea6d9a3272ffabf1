// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * The way to a peer as datagrams are given it ({@code ibv_create_ah(3)}). Any thread may use it, with every datagram queue
 * pair of its protection domain; it must stay open until the requests that name it have completed.
 */
public interface AddressHandle extends VerbsResource {

    /** The way that it was created for. */
    Route route();
}
