// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The parameters that two programs of version 6.28 and later compare before they exchange keys. Programs that announce
 * less, like this one, leave it out, with one exception: release 6.28 itself expects it of everyone.
 *
 * <p>The message has 312 bytes, or 320 if the C program was built with mlx5dv headers, as distributions build it. It
 * carries no length, so as client this program sends 320, and as server it answers in the form that came.
 *
 * @param operation the verb's code: SEND 0, WRITE 2, READ 4, ATOMIC 5
 * @param bandwidth true for a bandwidth test, false for latency
 * @param allSizes {@code -a}
 * @param duration true for {@code -D}, false for a number of iterations
 * @param gbits {@code --report_gbits}
 * @param size message size in bytes
 * @param iterations per queue pair; 0 with {@code -D}
 * @param queuePairs number of queue pairs
 * @param durationSeconds the time of {@code -D}, or its default of 5
 */
public record Negotiation(
        int operation,
        boolean bandwidth,
        boolean allSizes,
        boolean duration,
        boolean gbits,
        long size,
        long iterations,
        int queuePairs,
        int durationSeconds) {
    /** Size of the message of a build with mlx5dv, in bytes. */
    public static final int BYTES = 320;

    /** Size of the message of a build without, in bytes. */
    public static final int SHORT_BYTES = 312;

    private static final int FETCH_AND_ADD = 1;
    private static final int WIDE_FIELDS = 32;
    private static final int NARROW_FIELDS_AFTER_WIDE = 48;
    private static final int COMPARED_BYTES = 76;

    /** {@code max_qp_rd_atom} inside {@code struct ibv_device_attr}, which follows at 80 in the sender's byte order. */
    private static final int MAX_READS = 80 + 144;

    private static final List<String> NARROW =
            List.of("test method", "connection type", "verb", "test", "atomic type", "test type", "report format");
    private static final List<String> NARROW_AFTER_WIDE = List.of(
            "aes_xts", "number of queue pairs", "duration", "rdma_cm", "write with immediate", "reorder", "offload");

    /**
     * Encodes the message.
     *
     * @param length 320 or 312
     * @return the bytes
     */
    public byte[] encode(int length) {
        ByteBuffer message = ByteBuffer.allocate(length);
        message.putInt(allSizes ? 1 : 0)
                .putInt(0) // RC
                .putInt(operation)
                .putInt(bandwidth ? 1 : 0)
                .putInt(FETCH_AND_ADD)
                .putInt(duration ? 1 : 0)
                .putInt(gbits ? 0 : 1);
        message.position(WIDE_FIELDS).putLong(size).putLong(iterations);
        message.putInt(0).putInt(queuePairs).putInt(durationSeconds);
        // One READ at a time: only tests of READ and ATOMIC look at this, and the key message repeats it.
        message.order(ByteOrder.nativeOrder()).putInt(MAX_READS, 1);
        return message.array();
    }

    /**
     * Compares the peer's parameters with these.
     *
     * @param message the peer's 312 or 320 bytes
     * @throws PeerException naming each parameter that differs
     */
    public void requireEqual(byte[] message) {
        ByteBuffer local = ByteBuffer.wrap(encode(BYTES));
        ByteBuffer remote = ByteBuffer.wrap(message);
        var differences = new ArrayList<String>();
        for (int i = 0; i < NARROW.size(); i++) {
            compare(differences, NARROW.get(i), local.getInt(4 * i), remote.getInt(4 * i));
        }
        compare(differences, "size", local.getLong(WIDE_FIELDS), remote.getLong(WIDE_FIELDS));
        compare(differences, "iterations", local.getLong(WIDE_FIELDS + 8), remote.getLong(WIDE_FIELDS + 8));
        for (int i = 0; i < NARROW_AFTER_WIDE.size(); i++) {
            int offset = NARROW_FIELDS_AFTER_WIDE + 4 * i;
            assert offset < COMPARED_BYTES;
            compare(differences, NARROW_AFTER_WIDE.get(i), local.getInt(offset), remote.getInt(offset));
        }
        if (!differences.isEmpty()) {
            throw new PeerException("the peer, a perftest 6.28, insists on equal parameters: "
                    + String.join("; ", differences) + "; give both sides the same options");
        }
    }

    private static void compare(List<String> differences, String name, long local, long remote) {
        if (local != remote) {
            differences.add(name + " mismatch: local=" + local + ", remote=" + remote);
        }
    }
}
