// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.Route;

/** A send queue that writes down what it is told, and how tests say what it refuses. */
abstract class SendQueueFixture {

    static final QueuePairCapacity CAPACITY = new QueuePairCapacity(8, 8, 2, 1, 16);
    static final RemoteBuffer REMOTE = new RemoteBuffer(0x9000, 256, 77);

    final FakeContext context = new FakeContext();
    final FakeRegion region = FakeRegion.at(context, 0x1000, 128, 5);
    final RecordingSendQueue queue = new RecordingSendQueue(CAPACITY, false);

    RecordingSendQueue queueOf(QueuePairType type) {
        return new RecordingSendQueue(context, type, CAPACITY, false);
    }

    final AddressHandleBase addressHandle() {
        return context.create(() -> new FakeAddressHandle(context));
    }

    static void assertIllegal(Runnable call, String message) {
        assertThatThrownBy(call::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    static void assertOutside(Runnable call, String message) {
        assertThatThrownBy(call::run)
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining(message);
    }

    static void assertNoRequest(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no request of send queue of QP 0x11 of fake0 has been begun");
    }

    static void assertClosed(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("send queue of QP 0x11 of fake0 is closed");
    }

    private static final class FakeAddressHandle extends AddressHandleBase {
        FakeAddressHandle(FakeContext context) {
            super(context, Route.to(1, 0, new Gid(0, 0xffff_c000_0201L)));
        }

        @Override
        protected void release() {}
    }
}
