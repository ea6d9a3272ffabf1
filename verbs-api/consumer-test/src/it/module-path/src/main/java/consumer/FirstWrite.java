// SPDX-License-Identifier: Apache-2.0
package consumer;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.paraverbs.verbs.Access.*;

import org.paraverbs.verbs.*;

public class FirstWrite {
    public static void main(String[] args) {
        try (var context = Verbs.open(args.length > 0 ? args[0] : "emu0");
                var pd = context.allocateProtectionDomain();
                var cq = context.createCompletionQueue(16);
                var source = pd.allocate(4096);
                var target = pd.allocate(4096, LOCAL_WRITE, REMOTE_WRITE);
                var left = pd.createQueuePair(QueuePairSpec.reliable(cq));
                var right = pd.createQueuePair(QueuePairSpec.reliable(cq))) {
            Endpoint here = left.endpoint(), there = right.endpoint(); // over a socket, if they are two programs
            left.connect(there);
            right.connect(here);
            source.memory().set(JAVA_INT, 0, 42);
            left.sendQueue().write(1, target.remote(), 0).local(source, 0, 4).signaled();
            left.sendQueue().post();
            WorkCompletion completion;
            while ((completion = cq.poll()) == null) Thread.onSpinWait();
            System.out.println(
                    completion.requireSuccess().copy() + ": " + target.memory().get(JAVA_INT, 0));
        }
    }
}
