// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** What a hostile guest can do. How is in {@link HostileGuest} and {@link HostileWorld}. */
enum HostileAction {
    // of what a driver does
    CREATE_PD(1, HostileGuest::createPd),
    CREATE_CQ(2, HostileGuest::createCq),
    RESIZE_CQ(1, HostileGuest::resizeCq),
    CREATE_SRQ(1, HostileGuest::createSrq),
    CREATE_MR(2, HostileGuest::createMr),
    CREATE_QP(6, HostileGuest::createQp),
    CREATE_GSI(1, HostileGuest::createGsi),
    DESTROY_PD(1, HostileGuest::destroyPd),
    DESTROY_CQ(1, HostileGuest::destroyCq),
    DESTROY_SRQ(1, HostileGuest::destroySrq),
    DESTROY_MR(1, HostileGuest::destroyMr),
    DESTROY_QP(3, HostileGuest::destroyQp),
    CONNECT(6, HostileGuest::connect),
    MODIFY(4, HostileGuest::modify),
    BIND(2, HostileGuest::bind),
    QUERY(1, HostileGuest::query),
    RESET(1, HostileGuest::reset),

    // of what a program does
    POST(12, HostileGuest::post),
    POST_ATOMIC(3, HostileGuest::postAtomic),
    POST_DATAGRAM(6, HostileGuest::postDatagram),
    POST_REGION(3, HostileGuest::postRegion),
    RECEIVE(6, HostileGuest::receive),
    SHARED_RECEIVE(3, HostileGuest::sharedReceive),
    POLL(5, HostileGuest::poll),
    ARM(3, HostileGuest::arm),

    // of what nobody should
    SPOIL(5, HostileGuest::spoil),
    COMMAND(3, HostileGuest::command),
    REGISTER(2, HostileGuest::register),
    DOORBELL(3, HostileGuest::doorbell),
    CORRUPT_INDEX(2, HostileGuest::corruptIndex),
    CORRUPT_REQUEST(4, HostileGuest::corruptRequest),
    CORRUPT_DIRECTORY(1, HostileGuest::corruptDirectory),
    UNMAP(1, HostileGuest::unmap),
    FREE(1, HostileGuest::free),
    SCRIBBLE(1, HostileGuest::scribble),

    // of what the host and time do
    TIME(5, HostileGuest::time),
    HOST(2, HostileGuest::host);

    /** Does it. */
    @FunctionalInterface
    interface Deed {
        void of(HostileGuest guest, Draws draws);
    }

    private final int weight;

    @SuppressWarnings("ImmutableEnumChecker") // method references without state
    private final Deed deed;

    HostileAction(int weight, Deed deed) {
        this.weight = weight;
        this.deed = deed;
    }

    void by(HostileGuest guest, Draws draws) {
        deed.of(guest, draws);
    }

    /** As it is written in files. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static HostileAction of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** Each as often as it is to be drawn. */
    static List<HostileAction> weighted() {
        List<HostileAction> all = new ArrayList<>();
        for (HostileAction action : values()) {
            all.addAll(Collections.nCopies(action.weight, action));
        }
        return List.copyOf(all);
    }
}
