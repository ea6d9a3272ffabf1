// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.MemoryWindow;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.PostException;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.spi.SendOperation;

/** Memory windows of type 2 ({@code ibv_alloc_mw(3)}), and the requests that bind and invalidate. */
public abstract class MemoryWindowContract extends VerbsContract {

    private static final Set<Access> READ_AND_WRITE = Set.of(Access.REMOTE_WRITE, Access.REMOTE_READ);
    private static final int AT = 4096;
    private static final int LENGTH = 1024;

    @BeforeEach
    final void requireWindows() {
        require(first(), Feature.MEMORY_WINDOW);
        require(second(), Feature.MEMORY_WINDOW);
    }

    private Pair pair() {
        return connected(Shape.DEFAULT.memory(16 << 10, Access.LOCAL_WRITE, Access.MEMORY_WINDOW_BIND));
    }

    private static RemoteBuffer bind(Side side, MemoryWindow window, long id, Set<Access> access) {
        side.sends.bind(id, window, side.memory, AT, LENGTH, access).signaled();
        side.sends.post();
        CompletionRecord bound = side.sentWell();
        assertThat(bound.id()).isEqualTo(id);
        assertThat(bound.opcode()).isEqualTo(Opcode.BIND_MEMORY_WINDOW);
        return new RemoteBuffer(side.memory.address() + AT, LENGTH, window.rkey());
    }

    private static CompletionRecord write(Side side, RemoteBuffer remote) {
        side.sends.write(1, remote, 8).local(side.memory, 0, 16).signaled();
        side.sends.post();
        return side.sent();
    }

    @Test
    @Covers.Verb({"ProtectionDomain.allocateMemoryWindow", "MemoryWindow.rkey"})
    @Covers.Operation(SendOperation.BIND_MEMORY_WINDOW)
    void aWindowGivesItsPartOfTheRegion() {
        Pair pair = pair();
        Bytes.fill(pair.here().memory, 1);
        Bytes.fill(pair.there().memory, 2);
        byte[] before = Bytes.copy(pair.there().memory);
        RemoteBuffer remote = bind(pair.there(), pair.there().domain.allocateMemoryWindow(), 7, READ_AND_WRITE);

        assertThat(write(pair.here(), remote).isSuccess()).isTrue();
        Bytes.assertCopied(pair.there().memory, before, AT + 8, Bytes.copy(pair.here().memory), 0, 16);
    }

    @Test
    void nothingBesideTheWindowIsGiven() {
        requireBehaviour(Behaviour.WINDOW_BOUNDS);
        Pair pair = pair();
        RemoteBuffer remote = bind(pair.there(), pair.there().domain.allocateMemoryWindow(), 7, READ_AND_WRITE);
        assertThat(write(pair.here(), new RemoteBuffer(remote.address() - 64, LENGTH, remote.rkey()))
                        .isSuccess())
                .isFalse();
    }

    @Test
    void aRightThatTheWindowDoesNotHaveIsNotGiven() {
        Pair pair = pair();
        RemoteBuffer remote =
                bind(pair.there(), pair.there().domain.allocateMemoryWindow(), 7, Set.of(Access.REMOTE_READ));
        assertThat(write(pair.here(), remote).isSuccess()).isFalse();
    }

    @Test
    @Covers.Verb({"SendQueue.bind", "SendQueue.invalidate", "MemoryWindow.rkey"})
    @Covers.Operation(SendOperation.LOCAL_INVALIDATE)
    void anInvalidatedKeyLeadsNowhereAndTheWindowIsBoundAgain() {
        Pair pair = pair();
        MemoryWindow window = pair.there().domain.allocateMemoryWindow();
        RemoteBuffer first = bind(pair.there(), window, 1, READ_AND_WRITE);
        pair.there().sends.invalidate(2, first.rkey()).signaled();
        pair.there().sends.post();
        assertThat(pair.there().sentWell().opcode()).isEqualTo(Opcode.LOCAL_INVALIDATE);

        RemoteBuffer second = bind(pair.there(), window, 3, READ_AND_WRITE);
        assertThat(second.rkey()).isNotEqualTo(first.rkey());
        assertThat(write(pair.here(), second).isSuccess()).isTrue();
        assertThat(write(pair.here(), first).isSuccess()).isFalse();
    }

    @Test
    @Covers.Verb("SendQueue.sendWithInvalidate")
    @Covers.Operation(SendOperation.SEND_WITH_INVALIDATE)
    void thePeerGivesAKeyBackWithASend() {
        Pair pair = pair();
        MemoryWindow window = pair.there().domain.allocateMemoryWindow();
        RemoteBuffer remote = bind(pair.there(), window, 1, READ_AND_WRITE);
        assertThat(sendWithInvalidate(pair, remote).byteLength()).isEqualTo(4);
        bind(pair.there(), window, 3, READ_AND_WRITE);
        assertThat(write(pair.here(), remote).isSuccess()).isFalse();
    }

    @Test
    @Covers.Verb({"WorkCompletion.hasInvalidatedKey", "WorkCompletion.invalidatedKey"})
    void theCompletionTellsTheKeyThatThePeerGaveBack() {
        requireBehaviour(Behaviour.INVALIDATED_KEY_IN_COMPLETION);
        Pair pair = pair();
        RemoteBuffer remote = bind(pair.there(), pair.there().domain.allocateMemoryWindow(), 1, READ_AND_WRITE);
        CompletionRecord received = sendWithInvalidate(pair, remote);
        assertThat(received.hasInvalidatedKey()).isTrue();
        assertThat(received.invalidatedKey()).isEqualTo(remote.rkey());
        assertThat(received.hasImmediate()).isFalse();
    }

    @Test
    @Covers.Status(CompletionStatus.MEMORY_WINDOW_BIND_ERROR)
    void aBoundWindowCannotBeBound() {
        Side side = pair().there();
        MemoryWindow window = side.domain.allocateMemoryWindow();
        bind(side, window, 1, READ_AND_WRITE);
        side.sends.bind(2, window, side.memory, 0, 8, READ_AND_WRITE).signaled();
        side.sends.post();
        assertThat(side.sent().status()).isEqualTo(CompletionStatus.MEMORY_WINDOW_BIND_ERROR);
    }

    private static CompletionRecord sendWithInvalidate(Pair pair, RemoteBuffer remote) {
        pair.there().receive(5, 0, 64);
        pair.here()
                .sends
                .sendWithInvalidate(2, remote.rkey())
                .local(pair.here().memory, 0, 4)
                .signaled();
        pair.here().sends.post();
        assertThat(pair.here().sentWell().opcode()).isEqualTo(Opcode.SEND);
        return pair.there().receivedWell();
    }

    @Test
    @Covers.Verb("SendQueue.bind")
    void whatCannotBeBoundIsRefused() {
        Pair pair = pair();
        Side side = pair.there();
        MemoryWindow window = side.domain.allocateMemoryWindow();
        MemoryRegion plain = side.domain.allocate(64, Access.LOCAL_WRITE);
        MemoryRegion readOnly = side.domain.allocate(64, Access.MEMORY_WINDOW_BIND);
        assertThatThrownBy(() -> side.sends.bind(1, window, plain, 0, 8, READ_AND_WRITE))
                .hasMessageContaining("MEMORY_WINDOW_BIND");
        assertThatThrownBy(() -> side.sends.bind(1, window, readOnly, 0, 8, READ_AND_WRITE))
                .hasMessageContaining("LOCAL_WRITE");
        assertThatThrownBy(() -> side.sends.bind(1, window, side.memory, 0, 8, Set.of(Access.LOCAL_WRITE)))
                .hasMessageContaining("remote ones");
        assertThatThrownBy(() -> side.sends.bind(1, window, side.memory, 0, side.memory.length() + 1, READ_AND_WRITE))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> pair.here().sends.bind(1, window, side.memory, 0, 8, READ_AND_WRITE))
                .hasMessageContaining("protection domain");
        assertThatThrownBy(() -> side.sends
                        .bind(1, window, side.memory, 0, 8, READ_AND_WRITE)
                        .local(side.memory, 0, 4))
                .hasMessageContaining("no data");
        assertThat(side.sends.tryPost()).isZero();
    }

    @Test
    void aWindowIsBoundOnceInABatch() {
        Side side = pair().there();
        MemoryWindow window = side.domain.allocateMemoryWindow();
        side.sends.bind(1, window, side.memory, 0, 8, READ_AND_WRITE).signaled();
        side.sends.bind(2, window, side.memory, 0, 8, READ_AND_WRITE).signaled();
        assertThatThrownBy(side.sends::post)
                .isInstanceOfSatisfying(
                        PostException.class,
                        refused -> assertThat(refused.accepted()).isOne())
                .hasMessageContaining("twice");
        assertThat(side.sentWell().id()).isOne();
    }

    @Test
    void whatWasClosedSinceItWasDescribedIsNotPosted() {
        Side side = pair().there();
        MemoryWindow window = side.domain.allocateMemoryWindow();
        side.sends.bind(1, window, side.memory, 0, 8, READ_AND_WRITE);
        window.close();
        assertThatThrownBy(side.sends::post)
                .isInstanceOf(PostException.class)
                .hasMessageContaining("has been closed since");
        assertThatThrownBy(() -> side.sends.bind(1, window, side.memory, 0, 8, READ_AND_WRITE))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aBoundWindowGoesWithItsQueuePairOrRegion() {
        Side side = pair().there();
        bind(side, side.domain.allocateMemoryWindow(), 1, READ_AND_WRITE);
        side.qp.close();
        Side other = connected(Shape.DEFAULT.memory(16 << 10, Access.LOCAL_WRITE, Access.MEMORY_WINDOW_BIND))
                .there();
        MemoryWindow window = other.domain.allocateMemoryWindow();
        bind(other, window, 1, READ_AND_WRITE);
        other.memory.close();
        assertThat(other.memory.isOpen()).isFalse();
        window.close();
    }
}
