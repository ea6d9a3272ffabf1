// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;

/**
 * A verb on its way to the device, for messages.
 *
 * @param verb as {@code ibv_reg_mr}
 * @param object what it is applied to, as {@code 8192 bytes on emu0}
 * @param likelyCause why a device refuses it, as far as the driver can tell; empty if it cannot
 */
record Call(String verb, Supplier<String> object, Supplier<String> likelyCause) {

    static Call of(String verb, Supplier<String> object) {
        return new Call(verb, object, () -> "");
    }

    VerbsException failure(Errno errno, String advice) {
        return new VerbsException(verb, object.get(), errno, advice);
    }

    /**
     * A refusal by the device: EFAULT whatever the reason, and not a bad pointer (pvrdma_cmd.c).
     *
     * @param reason the device's own, if it is known
     */
    VerbsException refused(String command, int register, @Nullable String reason) {
        String cause = likelyCause.get();
        Errno known = Errno.of(register);
        return failure(
                Errno.EFAULT,
                "the device refused " + command + " (its register ERR holds " + register
                        + (known == Errno.UNKNOWN ? "" : ", " + known) + "); EFAULT is not a bad address here"
                        + (cause.isEmpty() ? "" : ": " + cause)
                        + (reason == null ? "" : "; the device says: " + reason));
    }
}
