// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.paraverbs.perftest.time.RealTime;

/** A server that sends its script whatever it is sent, then ends its direction, and keeps what it got. */
public final class ScriptedPeer implements AutoCloseable {
    private final ServerSocket server;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final Thread thread;

    public ScriptedPeer(byte[] script) {
        this(script, Integer.MAX_VALUE);
    }

    public ScriptedPeer(byte[] script, int pieceLength) {
        try {
            server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread = new Thread(() -> serve(script, pieceLength), "scripted-peer");
        thread.start();
    }

    private void serve(byte[] script, int pieceLength) {
        try (Socket client = server.accept()) {
            client.setTcpNoDelay(true);
            OutputStream out = client.getOutputStream();
            for (int from = 0; from < script.length; ) {
                int length = Math.min(pieceLength, script.length - from);
                out.write(script, from, length);
                from += length;
            }
            client.shutdownOutput();
            client.getInputStream().transferTo(received);
        } catch (IOException _) {
            // The test's side closed first; what was received until then is kept.
        }
    }

    public int port() {
        return server.getLocalPort();
    }

    public Exchange connect() {
        return TcpExchange.connect("127.0.0.1", port(), RealTime.clock());
    }

    /** All that came until the other side closed. */
    public byte[] received() throws InterruptedException {
        thread.join();
        return received.toByteArray();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
