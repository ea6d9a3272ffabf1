// SPDX-License-Identifier: Apache-2.0

import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.Verbs;
import org.paraverbs.verbs.VerbsException;

/**
 * What every verbs program does before its first message: open the device, register memory, make a queue pair, ask for
 * its endpoint. Prints one line: what it got (exit status 0), or the sentence with which it was refused (3).
 */
public final class UseDevice {
    private UseDevice() {}

    /** Arguments: the device, and how many bytes to register. */
    public static void main(String[] arguments) {
        try (var context = Verbs.open(arguments[0]);
                var domain = context.allocateProtectionDomain();
                var region = domain.allocate(Long.parseLong(arguments[1]), Access.LOCAL_WRITE);
                var queue = context.createCompletionQueue(16);
                var pair = domain.createQueuePair(QueuePairSpec.reliable(queue))) {
            System.out.println("ready: " + pair.endpoint() + ", " + region.length() + " bytes registered");
        } catch (VerbsException e) {
            System.out.println("refused: " + e.getMessage());
            System.exit(3);
        }
    }
}
