// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import org.paraverbs.verbs.Verbs;
import org.paraverbs.verbs.VerbsException;

/** A program for {@link StartUpTest}: says what devices there are, why not more, and what opening an unknown one says. */
final class StartUp {
    private StartUp() {}

    public static void main(String[] arguments) {
        System.out.println("devices " + Verbs.devices());
        Verbs.unavailability().forEach(reason -> System.out.println("reason " + reason));
        try {
            Verbs.open("nosuch0").close();
        } catch (VerbsException e) {
            System.out.println("open " + e.getMessage());
        }
    }
}
