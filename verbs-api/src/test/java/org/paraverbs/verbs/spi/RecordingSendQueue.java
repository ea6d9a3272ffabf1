// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairType;

/** A send queue that writes down what it is told, and takes as many requests as it has been given slots for. */
final class RecordingSendQueue extends SendQueueBase {

    /** The batch as written, by the number of the request: its elements, then the request itself. */
    private final TreeMap<Integer, List<String>> written = new TreeMap<>();

    final List<String> published = new ArrayList<>();
    final List<Integer> batches = new ArrayList<>();
    int free = 8;
    int taken = Integer.MAX_VALUE;
    int errno;
    boolean acceptsHandles = true;

    /** What else to do while a batch is published. */
    Runnable whilePublishing = () -> {};

    RecordingSendQueue(QueuePairCapacity capacity, boolean signalAll) {
        this(new FakeContext(), QueuePairType.RELIABLE_CONNECTION, capacity, signalAll);
    }

    RecordingSendQueue(FakeContext context, QueuePairType type, QueuePairCapacity capacity, boolean signalAll) {
        this(context, type, capacity, capacity, signalAll);
    }

    RecordingSendQueue(
            FakeContext context,
            QueuePairType type,
            QueuePairCapacity asked,
            QueuePairCapacity capacity,
            boolean signalAll) {
        super(context, "send queue of QP 0x11 of fake0", type, asked, capacity, signalAll);
    }

    @Override
    protected boolean accepts(AddressHandleBase handle) {
        return acceptsHandles;
    }

    @Override
    protected int freeSlots() {
        return free;
    }

    @Override
    protected void writeElement(int request, int element, long address, long length, int lkey) {
        part(request, element == 0)
                .add("element " + element + " 0x" + Long.toHexString(address) + "+" + length + " key " + lkey);
    }

    @Override
    protected void writeInline(int request, MemorySegment data, long offset, long length) {
        byte[] bytes = data.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        part(request, true).add("inline " + Arrays.toString(bytes));
    }

    @Override
    protected void writeRequest(int request, SendOperation operation, long id, int elementCount, int flags) {
        part(request, elementCount == 0 && (flags & INLINE) == 0)
                .add(operation + " id " + id + " elements " + elementCount + " flags " + flags + " remote 0x"
                        + Long.toHexString(remoteAddress()) + " key " + rkey() + " immediate " + immediate()
                        + (operation.isAtomic() ? " operands " + compareOrAdd() + " " + swap() : "")
                        + (destination() == null
                                ? ""
                                : " to " + destination().route().destination() + " QP " + destinationQpn() + " key "
                                        + destinationQkey())
                        + (destinationSharedReceiveQueue() == 0
                                ? ""
                                : " to shared queue " + destinationSharedReceiveQueue()));
    }

    /** What a request has been told so far; its first part begins it anew, as a ring's slot is written over. */
    private List<String> part(int request, boolean first) {
        if (first) {
            written.put(request, new ArrayList<>());
        }
        return written.computeIfAbsent(request, number -> new ArrayList<>());
    }

    @Override
    protected int publish(int count) {
        whilePublishing.run();
        batches.add(count);
        int accepted = Math.min(count, taken);
        for (int request = 0; request < accepted; request++) {
            published.add(String.join("; ", written.getOrDefault(request, List.of("nothing was written"))));
        }
        written.clear();
        free -= accepted;
        if (accepted < count) {
            refuse(errno);
        }
        return accepted;
    }

    @Override
    protected String advice(int number) {
        return "advice for " + number;
    }
}
