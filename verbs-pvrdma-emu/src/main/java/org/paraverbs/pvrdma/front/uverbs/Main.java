// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.IOException;
import java.nio.file.Path;

/** What {@code pvrdma-emu serve} runs. */
public final class Main {
    /**
     * Serves until the process is ended.
     *
     * @param arguments the directory of the socket and the device files
     * @throws IOException if it cannot be used
     * @throws InterruptedException never, as nobody interrupts this thread
     */
    @SuppressWarnings("SystemOut") // the line that a script waits for
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length != 1) {
            System.err.println("Usage: pvrdma-emu serve DIRECTORY");
            System.exit(2);
        }
        UverbsServer server = UverbsServer.start(Path.of(arguments[0]));
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "pvrdma-emu-end"));
        System.out.println("serving " + UverbsServer.DEVICE + " at "
                + Path.of(arguments[0]).toAbsolutePath());
        server.await();
    }

    private Main() {}
}
