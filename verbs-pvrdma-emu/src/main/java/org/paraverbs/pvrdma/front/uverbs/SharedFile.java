// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.paraverbs.pvrdma.front.uverbs.Protocol.BELLS;
import static org.paraverbs.pvrdma.front.uverbs.Protocol.BELL_SUMMARY_WORDS;
import static org.paraverbs.pvrdma.front.uverbs.Protocol.BELL_WORDS;
import static org.paraverbs.pvrdma.front.uverbs.Protocol.PAGE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The memfd that a client shares with the emulator: doorbells and rings. The client may write anything there, but not cut the file
 * short: an access to what is not there any more throws {@link InternalError}, and the JVM may throw that a little later, when the
 * emulator is at work for another client. So only a file is taken that its kernel keeps from shrinking ({@code F_SEAL_SHRINK}).
 */
final class SharedFile implements AutoCloseable {
    /** Takes a doorbell that was rung. */
    interface Reader {
        void rung(int bell, int handle);
    }

    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private static final int PENDING = 0;
    private static final int ASLEEP = 4;
    private static final int CROWDED = 8;
    private static final int SUMMARY = 64;
    private static final int BITS = PAGE;
    private static final int ARMED = 2 * PAGE;
    private static final int TICKET = 16;

    private static final long COPY = Protocol.COPY_AREA - Protocol.SHARED_PAGE;
    private static final long COPY_ADDRESS = COPY;
    private static final long COPY_LENGTH = COPY + 8;
    private static final long COPY_WRITING = COPY + 12;
    private static final long COPY_ASKED = COPY + 16;
    private static final long COPY_ANSWERED = COPY + 20;
    private static final long COPY_RESULT = COPY + 24;

    private final FileChannel file;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment pages;
    private final ByteBuffer copyData;

    SharedFile(int pid, int fd) throws IOException {
        Path path = Path.of("/proc", Integer.toString(pid), "fd", Integer.toString(fd));
        if (!Files.readSymbolicLink(path).toString().startsWith("/memfd:")) {
            throw new IOException(path + " is not a memfd"); // opening something else might wait
        }
        file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            pages = map(arena, Protocol.SHARED_PAGE, Protocol.RINGS - Protocol.SHARED_PAGE);
            copyData = pages.asSlice(COPY + PAGE, Protocol.COPY_BYTES).asByteBuffer();
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Checks that the file cannot become shorter, by trying to make it so. The client must have shown that the file is its own.
     *
     * @throws IOException if it can
     */
    void requireSealed() throws IOException {
        try {
            file.truncate(file.size() - 1);
        } catch (IOException sealed) {
            return; // EPERM
        }
        throw new IOException("the shared file can be cut short; it has to be sealed with F_SEAL_SHRINK");
    }

    /**
     * Maps a part of the file.
     *
     * @throws IOException if it does not lie within the file, which mapping would make longer
     */
    MemorySegment map(Arena owner, long offset, long bytes) throws IOException {
        if (offset < 0 || bytes < 1 || offset % PAGE != 0 || bytes % PAGE != 0 || offset > file.size() - bytes) {
            throw new IOException("bytes " + offset + " to " + (offset + bytes) + " are not pages of the shared file");
        }
        return file.map(FileChannel.MapMode.READ_WRITE, offset, bytes, owner);
    }

    /** Whether a doorbell may have been rung. */
    boolean isPending() {
        return (int) INT.getAcquire(pages, (long) PENDING) != 0;
    }

    /** The same, ordered behind {@link #asleep}. */
    boolean isPendingAfterAll() {
        return (int) INT.getVolatile(pages, (long) PENDING) != 0;
    }

    void asleep(boolean value) {
        INT.setVolatile(pages, (long) ASLEEP, value ? 1 : 0);
    }

    void crowded(boolean value) {
        INT.setVolatile(pages, (long) CROWDED, value ? 1 : 0);
    }

    /** Takes the doorbells that were rung; each at most once, however often it was. */
    void take(Reader reader) {
        INT.setVolatile(pages, (long) PENDING, 0);
        // armings before what may complete something: a program that arms and then posts wants to hear of it
        for (int bell = BELLS - 1; bell >= 0; bell--) {
            for (int i = 0; i < BELL_SUMMARY_WORDS; i++) {
                long summaryAt = SUMMARY + 8L * (bell * BELL_SUMMARY_WORDS + i);
                if ((long) LONG.getVolatile(pages, summaryAt) != 0) {
                    long summary = (long) LONG.getAndSet(pages, summaryAt, 0L);
                    for (; summary != 0; summary &= summary - 1) {
                        takeWord(reader, bell, i * Long.SIZE + Long.numberOfTrailingZeros(summary));
                    }
                }
            }
        }
    }

    private void takeWord(Reader reader, int bell, int word) {
        long bits = (long) LONG.getAndSet(pages, BITS + 8L * (bell * BELL_WORDS + word), 0L);
        for (; bits != 0; bits &= bits - 1) {
            reader.rung(bell, word * Long.SIZE + Long.numberOfTrailingZeros(bits));
        }
    }

    /** The producer's index of a completion queue as the client saw it when it armed the queue last. */
    int armedTail(int handle) {
        return (int) INT.getVolatile(pages, ARMED + 4L * handle);
    }

    /**
     * Tells a client that waits for it that its queue is armed.
     *
     * @return whether it waited
     */
    boolean confirmArmed(int handle) {
        long at = ARMED + 4L * handle;
        int tail = (int) INT.getVolatile(pages, at);
        return (tail & Protocol.ARMING) != 0 && INT.compareAndSet(pages, at, tail, tail & ~Protocol.ARMING);
    }

    /** What the client has put where its ticket goes. */
    byte[] ticket(int bytes) {
        return pages.asSlice(TICKET, bytes).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Where copied bytes go by, from the beginning; for one thread at a time, as the three that follow. */
    ByteBuffer copyData() {
        return copyData.clear();
    }

    /**
     * Says what the client is to copy; it has to be woken.
     *
     * @return the number of the request
     */
    int askForCopy(long address, int bytes, boolean writing) {
        pages.set(ValueLayout.JAVA_LONG, COPY_ADDRESS, address);
        pages.set(ValueLayout.JAVA_INT, COPY_LENGTH, bytes);
        pages.set(ValueLayout.JAVA_INT, COPY_WRITING, writing ? 1 : 0);
        return (int) INT.getAndAdd(pages, COPY_ASKED, 1) + 1;
    }

    boolean isCopied(int number) {
        return (int) INT.getVolatile(pages, COPY_ANSWERED) == number;
    }

    /** 0, or an errno number. */
    int copyResult() {
        return pages.get(ValueLayout.JAVA_INT, COPY_RESULT);
    }

    @Override
    public void close() {
        arena.close();
        try {
            file.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
