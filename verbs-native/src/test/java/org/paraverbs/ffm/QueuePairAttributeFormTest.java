// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.ffm.struct.IbvQpAttr;
import org.paraverbs.ffm.struct.IbvQpCap;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AckTimeout;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.QueuePairAttributes;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.RnrTimer;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.spi.QueuePairAttribute;

class QueuePairAttributeFormTest {
    private static final QueuePairCapacity CAPACITY = new QueuePairCapacity(1, 2, 3, 4, 5);
    private static final Gid PEER = new Gid(0, 0xffff_c0a8_0702L);

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment attributes = arena.allocate(IbvQpAttr.SIZE, Long.BYTES);

    @AfterEach
    void free() {
        arena.close();
    }

    private QueuePairAttributes read() {
        return QueuePairAttributeForm.read(attributes, CAPACITY);
    }

    @Test
    void whatTheTransitionsWriteIsReadBack() {
        Route route = new Route(3, 200, PEER, 0xfffe, 250, 0xe0, 0xabcde, 7);
        QueuePairAttributeForm.write(
                new Transition.Init(3, 0x8001, Set.of(Access.REMOTE_READ, Access.LOCAL_WRITE)), attributes);
        assertThat(read().state()).isEqualTo(QueuePairState.INIT);
        assertThat(read().mtu()).isNull();
        assertThat(read().route()).isNull();

        QueuePairAttributeForm.write(
                new Transition.ReadyToReceive(route, 0xfffffe, 0xfffffd, Mtu.MTU_2048, 255, new RnrTimer(31)),
                attributes);
        QueuePairAttributeForm.write(new Transition.ReadyToSend(0xfffffc, new AckTimeout(31), 6, 5, 254), attributes);
        assertThat(read())
                .isEqualTo(new QueuePairAttributes(
                        QueuePairState.READY_TO_SEND,
                        CAPACITY,
                        Set.of(Access.REMOTE_READ, Access.LOCAL_WRITE),
                        0x8001,
                        3,
                        Mtu.MTU_2048,
                        route,
                        0xfffffe,
                        0,
                        0xfffffd,
                        0xfffffc,
                        255,
                        254,
                        new RnrTimer(31),
                        new AckTimeout(31),
                        6,
                        5));
    }

    @Test
    void aDatagramQueuePairHasAQkey() {
        QueuePairAttributeForm.write(new Transition.DatagramInit(2, 3, 0x8765_4321), attributes);
        QueuePairAttributeForm.write(new Transition.DatagramReadyToReceive(), attributes);
        QueuePairAttributeForm.write(new Transition.DatagramReadyToSend(0xabcdef), attributes);
        assertThat(read().state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(read().port()).isEqualTo(2);
        assertThat(read().pkeyIndex()).isEqualTo(3);
        assertThat(read().qkey()).isEqualTo(0x8765_4321);
        assertThat(read().sendPsn()).isEqualTo(0xabcdef);
    }

    @Test
    void aRouteWithoutGidIsNotGlobal() {
        Route route = Route.to(1, 0, Gid.EMPTY).withDestinationLid(17);
        QueuePairAttributeForm.write(
                new Transition.ReadyToReceive(route, 1, 1, Mtu.MTU_256, 1, RnrTimer.DEFAULT), attributes);
        assertThat(read().route()).isEqualTo(route);
        assertThat(route.isGlobal()).isFalse();
    }

    @Test
    void attributesOfAnEarlierLifeAreLeftOut() {
        attributes.fill((byte) 0xff);
        IbvQpAttr.qpState(attributes, QueuePairState.RESET.code());
        assertThat(read())
                .isEqualTo(new QueuePairAttributes(
                        QueuePairState.RESET,
                        CAPACITY,
                        Set.of(),
                        0,
                        0,
                        null,
                        null,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        new RnrTimer(0),
                        new AckTimeout(0),
                        0,
                        0));
    }

    @Test
    void whateverADeviceAnswersIsRead() {
        attributes.fill((byte) 0xff);
        assertThat(read().state()).isEqualTo(QueuePairState.UNKNOWN);
        assertThat(read().mtu()).isNull();

        attributes.fill((byte) 0);
        IbvQpAttr.qpState(attributes, QueuePairState.ERROR.code());
        assertThat(read().route()).as("in ERR without ever having had one").isNull();
    }

    @Test
    void drainingAsksForItsEventOrNot() {
        QueuePairAttributeForm.write(new Transition.DrainSend(true), attributes);
        assertThat(IbvQpAttr.enSqdAsyncNotify(attributes)).isEqualTo(1);
        QueuePairAttributeForm.write(new Transition.DrainSend(false), attributes);
        assertThat(IbvQpAttr.enSqdAsyncNotify(attributes)).isZero();
    }

    @Test
    void sizesAreReadAsTheyWereWritten() {
        MemorySegment sizes = arena.allocate(IbvQpCap.SIZE, Integer.BYTES);
        QueuePairAttributeForm.writeCapacity(CAPACITY, sizes);
        assertThat(QueuePairAttributeForm.readCapacity(sizes)).isEqualTo(CAPACITY);
    }

    /** The masks of the API's table are given to the library as they are. */
    @Test
    void attributeBitsAreThoseOfTheLibrary() {
        assertThat(QueuePairAttribute.STATE.mask()).isEqualTo(IbvConstants.IBV_QP_STATE);
        assertThat(QueuePairAttribute.ACCESS_FLAGS.mask()).isEqualTo(IbvConstants.IBV_QP_ACCESS_FLAGS);
        assertThat(QueuePairAttribute.ADDRESS_VECTOR.mask()).isEqualTo(IbvConstants.IBV_QP_AV);
        assertThat(QueuePairAttribute.PATH_MTU.mask()).isEqualTo(IbvConstants.IBV_QP_PATH_MTU);
        assertThat(QueuePairAttribute.TIMEOUT.mask()).isEqualTo(IbvConstants.IBV_QP_TIMEOUT);
        assertThat(QueuePairAttribute.RETRY_COUNT.mask()).isEqualTo(IbvConstants.IBV_QP_RETRY_CNT);
        assertThat(QueuePairAttribute.RNR_RETRY.mask()).isEqualTo(IbvConstants.IBV_QP_RNR_RETRY);
        assertThat(QueuePairAttribute.RECEIVE_PSN.mask()).isEqualTo(IbvConstants.IBV_QP_RQ_PSN);
        assertThat(QueuePairAttribute.SEND_PSN.mask()).isEqualTo(IbvConstants.IBV_QP_SQ_PSN);
        assertThat(QueuePairAttribute.MAX_READS_AS_INITIATOR.mask()).isEqualTo(IbvConstants.IBV_QP_MAX_QP_RD_ATOMIC);
        assertThat(QueuePairAttribute.MAX_READS_AS_TARGET.mask()).isEqualTo(IbvConstants.IBV_QP_MAX_DEST_RD_ATOMIC);
        assertThat(QueuePairAttribute.MIN_RNR_TIMER.mask()).isEqualTo(IbvConstants.IBV_QP_MIN_RNR_TIMER);
        assertThat(QueuePairAttribute.REMOTE_QPN.mask()).isEqualTo(IbvConstants.IBV_QP_DEST_QPN);
        assertThat(QueuePairAttribute.PORT.mask()).isEqualTo(IbvConstants.IBV_QP_PORT);
        assertThat(QueuePairAttribute.PKEY_INDEX.mask()).isEqualTo(IbvConstants.IBV_QP_PKEY_INDEX);
        assertThat(QueuePairAttribute.DRAINED_NOTIFICATION.mask()).isEqualTo(IbvConstants.IBV_QP_EN_SQD_ASYNC_NOTIFY);
    }
}
