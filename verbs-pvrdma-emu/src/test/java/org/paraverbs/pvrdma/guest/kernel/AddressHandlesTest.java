// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.AddressVector;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.GlobalRoute;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.contract.Covers;

/** Address handles: which routes the driver takes, what it makes of them, and how many there may be. */
class AddressHandlesTest {

    private static final long IPV4 = 0xffff_c000_0202L;

    private final DriverFixture fixture =
            new DriverFixture(DeviceConfiguration.builder().maxAh(2).build());
    private final int domain = fixture.driver.createProtectionDomain(fixture.openContext());
    private final MemorySegment vector = MemorySegment.ofArray(new byte[AddressVector.SIZE]);

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void theVectorHoldsWhatRequestsCarry() {
        MemorySegment route = DriverFixture.route(0, 0xfe80_0000_0000_0000L, 0x0250_56ff_fe0a_0b0cL);
        long grh = AhAttr.GRH_OFFSET;
        GlobalRoute.trafficClass(route, grh, 0xab);
        GlobalRoute.flowLabel(route, grh, 0x12345);
        GlobalRoute.hopLimit(route, grh, 64);
        AhAttr.srcPathBits(route, 0, 3);
        vector.fill((byte) 0x77);
        fixture.driver.createAddressHandle(domain, route, vector);

        assertThat(AddressVector.portPd(vector, 0)).isEqualTo(domain | 1 << 24);
        assertThat(AddressVector.slTclassFlowlabel(vector, 0)).isEqualTo(0xab << 20 | 0x12345);
        assertThat(AddressVector.dgidHigh(vector, 0)).isEqualTo(0xfe80_0000_0000_0000L);
        assertThat(AddressVector.dgidLow(vector, 0)).isEqualTo(0x0250_56ff_fe0a_0b0cL);
        assertThat(AddressVector.srcPathBits(vector, 0)).isEqualTo(0x83);
        assertThat(AddressVector.gidIndex(vector, 0)).isZero();
        assertThat(AddressVector.hopLimit(vector, 0)).isEqualTo(64);
        assertThat(AddressVector.statRate(vector, 0)).isZero();
        assertThat(vector.asSlice(AddressVector.DMAC_OFFSET, 6).toArray(ValueLayout.JAVA_BYTE))
                .as("the MAC address that is part of the GID")
                .containsExactly(0x00, 0x50, 0x56, 0x0a, 0x0b, 0x0c);
    }

    @Test
    @Covers.Limit({"DeviceLimits.maxAh", "DeviceAttributes.maxAddressHandles"})
    void thereAreOnlySoMany() {
        int first = fixture.addressHandle(domain, IPV4);
        fixture.addressHandle(domain, IPV4);
        assertThatThrownBy(() -> fixture.addressHandle(domain, IPV4))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.ENOMEM))
                .hasMessageContaining("no more address handles: max_ah is 2, and 2 are in use")
                .hasMessageContaining("DeviceConfiguration.maxAh");
        fixture.driver.destroyAddressHandle(first);
        fixture.addressHandle(domain, IPV4);
        assertThatThrownBy(() -> fixture.driver.destroyProtectionDomain(domain))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EBUSY));
    }

    @Test
    void routesThatLeadNowhere() {
        refused(Errno.ENODATA, DriverFixture.route(9, 0, IPV4)).hasMessageContaining("index 9 is empty");
        refused(Errno.EINVAL, DriverFixture.route(200, 0, IPV4)).hasMessageContaining("16 entries");
        refused(Errno.EINVAL, DriverFixture.route(1, 0, 0)).hasMessageContaining("destination GID is empty");
        refused(Errno.EINVAL, DriverFixture.route(0, 0, IPV4)).hasMessageContaining("one is an IPv4 address");
        refused(Errno.EINVAL, DriverFixture.route(0, 0xff12_0000_0000_0000L, 1))
                .hasMessageContaining("has no multicast");
        MemorySegment route = DriverFixture.route(1, 0, IPV4);
        AhAttr.ahFlags(route, 0, 0);
        refused(Errno.EINVAL, route).hasMessageContaining("needs the GID");
        AhAttr.portNum(route, 0, 2);
        refused(Errno.EINVAL, route).hasMessageContaining("no port 2");

        fixture.addressHandle(domain, IPV4);
        fixture.addressHandle(domain, IPV4); // none of the refused ones was counted
    }

    private AbstractThrowableAssert<?, ?> refused(Errno errno, MemorySegment route) {
        return assertThatThrownBy(() -> fixture.driver.createAddressHandle(domain, route, vector))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(errno))
                .hasMessageContaining("ibv_create_ah(to ");
    }
}
