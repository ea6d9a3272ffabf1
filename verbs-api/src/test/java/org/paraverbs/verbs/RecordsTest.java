// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The ranges of what a program describes. */
class RecordsTest {

    private static final Gid GID = new Gid(0, 0xffff_c0a8_0001L);

    @Test
    void aRouteHasItsRanges() {
        Route route = Route.to(1, 3, GID);
        assertThat(route).isEqualTo(new Route(1, 3, GID, 0, 255, 0, 0, 0));
        assertThat(route.isGlobal()).isTrue();
        assertThat(Route.to(1, 0, Gid.EMPTY).isGlobal()).isFalse();
        assertThat(route.withDestinationLid(7).withTrafficClass(96).withServiceLevel(3))
                .isEqualTo(new Route(1, 3, GID, 7, 255, 96, 0, 3));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Route.to(0, 0, GID))
                .withMessage("port 0 is not between 1 and 255");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Route.to(1, 256, GID))
                .withMessageContaining("GID index");
        assertThatIllegalArgumentException().isThrownBy(() -> route.withDestinationLid(0x1_0000));
        assertThatIllegalArgumentException().isThrownBy(() -> route.withTrafficClass(256));
        assertThatIllegalArgumentException().isThrownBy(() -> route.withServiceLevel(16));
        assertThatIllegalArgumentException().isThrownBy(() -> new Route(1, 0, GID, 0, 256, 0, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Route(1, 0, GID, 0, 0, 0, 0x10_0000, 0));
    }

    @Test
    void transitionsHaveTheirRangesAndTargets() {
        Route route = Route.to(1, 0, GID);
        assertThat(new Transition.Init(1, 0, Set.of()).target()).isEqualTo(QueuePairState.INIT);
        assertThat(new Transition.DrainSend(true).target()).isEqualTo(QueuePairState.SEND_QUEUE_DRAINED);
        assertThat(new Transition.Resume().target()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(new Transition.ToError().target()).isEqualTo(QueuePairState.ERROR);
        assertThat(new Transition.ToReset().target()).isEqualTo(QueuePairState.RESET);
        assertThat(readyToReceive(route, 0xff_ffff, 0xff_ffff, 255).target())
                .isEqualTo(QueuePairState.READY_TO_RECEIVE);
        assertThat(readyToSend(0xff_ffff, 7, 7, 255).target()).isEqualTo(QueuePairState.READY_TO_SEND);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> readyToReceive(route, 0x100_0000, 0, 0))
                .withMessage("remote queue pair number 16777216 is not between 0 and 16777215");
        assertThatIllegalArgumentException().isThrownBy(() -> readyToReceive(route, 0, -1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> readyToReceive(route, 0, 0, 256));
        assertThatIllegalArgumentException().isThrownBy(() -> readyToSend(0x100_0000, 0, 0, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> readyToSend(0, 8, 0, 0))
                .withMessageContaining("retry count 8 is not between 0 and 7");
        assertThatIllegalArgumentException().isThrownBy(() -> readyToSend(0, 0, 8, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> readyToSend(0, 0, 0, 256));
    }

    @Test
    void aTransitionKeepsItsOwnRights() {
        Set<Access> access = EnumSet.of(Access.REMOTE_READ);
        Transition.Init init = new Transition.Init(1, 0, access);
        access.add(Access.REMOTE_WRITE);

        assertThat(init.access()).containsExactly(Access.REMOTE_READ);
    }

    @Test
    void sizesAreNotNegative() {
        assertThat(new QueuePairCapacity(0, 0, 0, 0, 0).maxSends()).isZero();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new QueuePairCapacity(1, -1, 1, 1, 0))
                .withMessageContaining("receives -1");
        assertThatIllegalArgumentException().isThrownBy(() -> new RemoteBuffer(0, -1, 0));
    }

    private static Transition.ReadyToReceive readyToReceive(Route route, int qpn, int psn, int reads) {
        return new Transition.ReadyToReceive(route, qpn, psn, Mtu.MTU_256, reads, RnrTimer.DEFAULT);
    }

    private static Transition.ReadyToSend readyToSend(int psn, int retries, int rnrRetries, int reads) {
        return new Transition.ReadyToSend(psn, AckTimeout.DEFAULT, retries, rnrRetries, reads);
    }
}
