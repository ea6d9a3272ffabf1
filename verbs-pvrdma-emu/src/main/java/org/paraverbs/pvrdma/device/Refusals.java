// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.HashSet;
import java.util.Set;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the device has refused, and why: counted, logged and kept for who asks. For control holders. */
final class Refusals {
    private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);

    private final DeviceCore core;
    private final Set<String> limitsToldOf = new HashSet<>();

    Refusals(DeviceCore core) {
        this.core = core;
    }

    /** Records that a command is refused. */
    void command(int code, RefusedException reason) {
        core.counters.refusedCommands[Counters.index(code)]++;
        record(CommandCode.name(code), reason);
    }

    /** Records that a command or a control write is refused. */
    void record(String what, RefusedException reason) {
        String text = what + ": " + reason.errno() + ": " + reason.getMessage();
        core.counters.lastRefusal = text;
        String limit = reason.limit();
        if (limit == null) {
            LOG.debug("{}: refused: {}", core.label, text);
        } else {
            DeviceEvents.LimitRefused.commit(core, limit, text);
            if (limitsToldOf.add(limit)) { // a guest that tries again and again must not fill the log
                LOG.warn("{}: {}", core.label, text);
            } else {
                LOG.debug("{}: {}", core.label, text);
            }
        }
    }
}
