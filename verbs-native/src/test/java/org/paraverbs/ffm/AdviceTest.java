// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.DeviceAttributes;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.PortAttributes;
import org.paraverbs.verbs.PortState;
import org.paraverbs.verbs.RnrTimer;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.Transition;

/** The advice for error numbers whose reason the binding can find out. */
class AdviceTest {
    private static final long GIB = 1L << 30;
    private static final Path FILE = Path.of("/dev/infiniband/uverbs7");

    private final Advice any = new Advice(device(0x15b3, 4121, 8 * GIB));
    private final Advice pvrdma = new Advice(device(0x15ad, 0x0820, 2 * GIB));

    private static DeviceAttributes device(int vendor, int part, long maxRegion) {
        return new DeviceAttributes(
                "1.0", 1, 1, maxRegion, 4096, vendor, part, 0, 100, 1000, 0, 4, 4, 50, 500, 60, 70, 16, 8, 0, 20, 200,
                3, 33, 1, 1, 2);
    }

    private static PortAttributes port() {
        return new PortAttributes(
                1, PortState.ACTIVE, Mtu.MTU_4096, Mtu.MTU_1024, 16, 1, 0, 1L << 31, 0, 0, 1, 8, 5, LinkLayer.ETHERNET);
    }

    @Test
    void aRightToAtomicsIsNamedWhereTheDeviceHasNone() {
        Set<Access> atomic = Set.of(Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
        for (Errno errno : List.of(Errno.EINVAL, Errno.EFAULT, Errno.EOPNOTSUPP)) {
            assertThat(pvrdma.registration(errno.number(), 4096, atomic)).contains("REMOTE_ATOMIC", "Feature.ATOMICS");
            assertThat(pvrdma.transition(errno.number(), new Transition.Init(1, 0, atomic), port()))
                    .contains("REMOTE_ATOMIC");
        }
        assertThat(pvrdma.registration(Errno.EOPNOTSUPP.number(), 4096, Set.of()))
                .contains("one of the access rights");
    }

    @Test
    void openingTellsAboutPermissionsAndContainers() {
        assertThat(Advice.open(Errno.EACCES.number(), FILE))
                .contains("may not open /dev/infiniband/uverbs7")
                .contains("udev");
        assertThat(Advice.open(Errno.ENOENT.number(), FILE))
                .contains("no /dev/infiniband/uverbs7")
                .contains("--device");
    }

    @Test
    void aBadAddressOnPvrdmaIsAnyRefusal() {
        assertThat(pvrdma.general(Errno.EFAULT.number())).contains("dmesg");
        assertThat(any.general(Errno.EFAULT.number())).isEmpty();
        assertThat(pvrdma.general(Errno.ETIMEDOUT.number())).contains("try once more");
    }

    @Test
    void regionsTooLargeAreToldTheLimit() {
        Set<Access> none = Set.of();
        assertThat(any.registration(Errno.EINVAL.number(), 9 * GIB, none)).contains("at most 8589934592 bytes");
        assertThat(pvrdma.registration(Errno.EINVAL.number(), GIB + 4096, none)).contains("at most 1 GiB");
        assertThat(any.registration(Errno.EINVAL.number(), GIB + 4096, none)).contains("mapped");
        assertThat(any.registration(Errno.EFAULT.number(), 4096, none)).contains("mapped");
        assertThat(pvrdma.registration(Errno.EFAULT.number(), 4096, none))
                .as("a refusal of the device, not a bad pointer")
                .contains("dmesg");
    }

    @Test
    void queuesBeyondTheDeviceAreToldWhichLimit() {
        assertThat(any.completionQueue(Errno.EINVAL.number(), 501, 0)).contains("1 to 500 entries");
        assertThat(any.completionQueue(Errno.EINVAL.number(), 5, 2)).contains("vectors 0 to 1");
    }

    @Test
    void transitionsAreToldTheValueThatIsWrong() {
        Route route = Route.to(1, 3, new Gid(0, 0xffff_c0a8_0702L));
        assertThat(any.transition(Errno.EINVAL.number(), ready(route, Mtu.MTU_2048), port()))
                .contains("2048")
                .contains("1024");
        assertThat(any.transition(Errno.EINVAL.number(), ready(route, Mtu.MTU_1024), port()))
                .contains("entry 3 of the GID table");
        assertThat(any.transition(Errno.EINVAL.number(), new Transition.Init(1, 5, Set.of()), port()))
                .contains("pkey index 5 of 1");
    }

    @Test
    void routesAreToldWhatIsWrongWithThem() {
        Route route = Route.to(1, 9, new Gid(0, 0xffff_c0a8_0702L));
        assertThat(any.transition(Errno.ENODATA.number(), ready(route, Mtu.MTU_1024), port()))
                .contains("entry 9 of the GID table of port 1 is empty");
        assertThat(any.transition(Errno.ETIMEDOUT.number(), ready(route, Mtu.MTU_1024), port()))
                .contains("no way to 192.168.7.2");
    }

    @Test
    void unreliableQueuePairsAreToldTheSame() {
        Route route = Route.to(1, 9, new Gid(0, 0xffff_c0a8_0702L));
        Transition unreliable = new Transition.UnreliableReadyToReceive(route, 1, 1, Mtu.MTU_2048);
        assertThat(any.transition(Errno.EINVAL.number(), unreliable, port()))
                .contains("2048")
                .contains("1024");
        assertThat(any.transition(Errno.ENODATA.number(), unreliable, port())).contains("entry 9");
        assertThat(any.transition(Errno.EINVAL.number(), new Transition.DatagramInit(1, 5, 7), port()))
                .contains("pkey index 5 of 1");
        assertThat(pvrdma.transition(Errno.EFAULT.number(), unreliable, port())).contains("dmesg");
    }

    @Test
    void addressHandlesAreToldWhatIsWrongWithTheWay() {
        Route route = Route.to(1, 9, new Gid(0, 0xffff_c0a8_0702L));
        assertThat(any.addressHandle(Errno.ENODATA.number(), route, port())).contains("entry 9");
        assertThat(any.addressHandle(Errno.EHOSTUNREACH.number(), route, port()))
                .contains("no way to 192.168.7.2");
        assertThat(any.addressHandle(Errno.ENOMEM.number(), route, port())).contains("room for 33 address handles");
        assertThat(pvrdma.addressHandle(Errno.EFAULT.number(), route, port())).contains("dmesg");
    }

    @Test
    void aQueueThatCannotShrinkIsToldWhy() {
        assertThat(any.resizing(Errno.EINVAL.number(), 3)).contains("poll first");
        assertThat(any.resizing(Errno.EINVAL.number(), 501)).contains("1 to 500 entries");
    }

    @Test
    void sharedReceiveQueuesBeyondTheDeviceAreToldWhichLimit() {
        assertThat(any.sharedReceiveQueue(Errno.EINVAL.number(), 300, 1)).contains("300 receives", "at most 200");
        assertThat(pvrdma.sharedReceiveQueue(Errno.EFAULT.number(), 2, 9)).contains("9 elements", "at most 3");
        assertThat(pvrdma.sharedReceiveQueue(Errno.EFAULT.number(), 2, 1)).contains("dmesg");
    }

    private static Transition ready(Route route, Mtu mtu) {
        return new Transition.ReadyToReceive(route, 1, 1, mtu, 1, RnrTimer.DEFAULT);
    }
}
