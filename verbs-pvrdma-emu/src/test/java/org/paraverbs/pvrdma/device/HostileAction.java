// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** What a hostile guest can do. How is in {@link HostileDriver}, {@link HostileProgram}, {@link HostileDamage} and {@link HostileGuest}. */
enum HostileAction {
    // of what a driver does
    CREATE_PD(1, HostileDriver::createPd),
    CREATE_CQ(2, HostileDriver::createCq),
    RESIZE_CQ(1, HostileDriver::resizeCq),
    CREATE_SRQ(1, HostileDriver::createSrq),
    CREATE_MR(2, HostileDriver::createMr),
    CREATE_QP(6, HostileDriver::createQp),
    CREATE_GSI(1, HostileDriver::createGsi),
    DESTROY_PD(1, HostileDriver::destroyPd),
    DESTROY_CQ(1, HostileDriver::destroyCq),
    DESTROY_SRQ(1, HostileDriver::destroySrq),
    DESTROY_MR(1, HostileDriver::destroyMr),
    DESTROY_QP(3, HostileDriver::destroyQp),
    CONNECT(6, HostileDriver::connect),
    MODIFY(4, HostileDriver::modify),
    BIND(2, HostileDriver::bind),
    QUERY(1, HostileDriver::query),
    RESET(1, HostileDriver::reset),

    // of what a program does
    POST(12, HostileProgram::post),
    POST_ATOMIC(3, HostileProgram::postAtomic),
    POST_DATAGRAM(6, HostileProgram::postDatagram),
    POST_REGION(3, HostileProgram::postRegion),
    RECEIVE(6, HostileProgram::receive),
    SHARED_RECEIVE(3, HostileProgram::sharedReceive),
    POLL(5, HostileProgram::poll),
    ARM(3, HostileProgram::arm),

    // of what nobody should
    SPOIL(5, HostileDamage::spoil),
    COMMAND(3, HostileDamage::command),
    REGISTER(2, HostileDamage::register),
    DOORBELL(3, HostileDamage::doorbell),
    CORRUPT_INDEX(2, HostileDamage::corruptIndex),
    CORRUPT_REQUEST(4, HostileDamage::corruptRequest),
    CORRUPT_DIRECTORY(1, HostileDamage::corruptDirectory),
    UNMAP(1, HostileDamage::unmap),
    FREE(1, HostileGuest::free),
    SCRIBBLE(1, HostileDamage::scribble),

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
