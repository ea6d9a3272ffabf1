// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateBind;
import org.paraverbs.pvrdma.abi.DestroyBind;
import org.paraverbs.pvrdma.abi.GidType;
import org.paraverbs.pvrdma.abi.Mtu;
import org.paraverbs.pvrdma.abi.PortAttr;
import org.paraverbs.pvrdma.abi.PortState;
import org.paraverbs.pvrdma.abi.QueryPkey;
import org.paraverbs.pvrdma.abi.QueryPort;
import org.paraverbs.verbs.contract.Covers;

/** QUERY_PORT, QUERY_PKEY, CREATE_BIND, DESTROY_BIND. */
class PortCommandTest extends ControlPathFixture {
    @Test
    @Covers.Command({"QUERY_PORT", "QUERY_PKEY"})
    void thePort() {
        MockDriver driver = booted();
        MemorySegment answer = driver.succeed(CommandCode.QUERY_PORT, s -> QueryPort.portNum(s, 0, 1));
        long attr = QueryPort.Response.ATTRS_OFFSET;
        assertThat(PortAttr.state(answer, attr)).isEqualTo(PortState.ACTIVE);
        assertThat(PortAttr.activeMtu(answer, attr)).isEqualTo(Mtu.MTU_1024);
        assertThat(PortAttr.maxMtu(answer, attr)).isEqualTo(Mtu.MTU_4096);
        assertThat(PortAttr.gidTblLen(answer, attr)).isEqualTo(16);
        assertThat(PortAttr.pkeyTblLen(answer, attr)).isEqualTo(1);
        assertThat(driver.command(CommandCode.QUERY_PORT, s -> QueryPort.portNum(s, 0, 2)))
                .isEqualTo(EINVAL);
        MemorySegment pkey = driver.succeed(CommandCode.QUERY_PKEY, s -> QueryPkey.portNum(s, 0, 1));
        assertThat(QueryPkey.Response.pkey(pkey, 0)).isEqualTo(0xffff);
        assertThat(driver.command(CommandCode.QUERY_PKEY, s -> {
                    QueryPkey.portNum(s, 0, 1);
                    QueryPkey.index(s, 0, 1);
                }))
                .isEqualTo(EINVAL);
    }

    private static int bind(MockDriver driver, Consumer<MemorySegment> change) {
        return driver.command(CommandCode.CREATE_BIND, s -> {
            CreateBind.mtu(s, 0, 1024);
            CreateBind.vlan(s, 0, 0xfff);
            CreateBind.index(s, 0, 1);
            CreateBind.newGidLow(s, 0, 3);
            CreateBind.gidType(s, 0, GidType.ROCE_V2);
            change.accept(s);
        });
    }

    /** The Linux driver says 1024 and 0xfff whatever the port has. */
    @Test
    @Covers.Command("CREATE_BIND")
    void bindingsTakeTheMtuAndTheVlanThatTheDriverAlwaysSends() {
        MockDriver driver =
                booted(DeviceConfiguration.builder().activeMtu(Mtu.MTU_4096).build());
        assertThat(bind(driver, s -> {})).isZero();
        for (int mtu : new int[] {256, 512, 2048, 4096}) {
            assertThat(bind(driver, s -> CreateBind.mtu(s, 0, mtu))).isZero();
        }
        for (int vlan : new int[] {0, 1, 0xffe}) {
            assertThat(bind(driver, s -> CreateBind.vlan(s, 0, vlan))).isZero();
        }
        for (int mtu : new int[] {0, 1, 128, 1000, 1500, 8192, -1, Integer.MIN_VALUE}) {
            assertThat(bind(driver, s -> CreateBind.mtu(s, 0, mtu))).isEqualTo(EINVAL);
            assertThat(driver.lastRefusal()).contains("MTU").contains(" " + mtu);
        }
        for (int vlan : new int[] {0x1000, -1}) {
            assertThat(bind(driver, s -> CreateBind.vlan(s, 0, vlan))).isEqualTo(EINVAL);
            assertThat(driver.lastRefusal()).contains("VLAN");
        }
        assertThat(bind(driver, s -> CreateBind.newGidLow(s, 0, 0))).isEqualTo(EINVAL);
        assertThat(driver.lastRefusal()).contains("zero GID");
    }

    @Test
    @Covers.Command("DESTROY_BIND")
    void onlyTheGidThatIsThereIsUnbound() {
        MockDriver driver = booted();
        assertThat(driver.bind(3, 5, 6)).isZero();
        assertThat(unbind(driver, 3, 5, 7)).isEqualTo(EINVAL);
        assertThat(unbind(driver, 4, 5, 6)).isEqualTo(EINVAL);
        assertThat(unbind(driver, 16, 5, 6)).isEqualTo(EINVAL);
        assertThat(driver.lastRefusal()).contains("gidTableLength");
        assertThat(unbind(driver, 3, 5, 6)).isZero();
        assertThat(unbind(driver, 3, 5, 6)).isEqualTo(EINVAL);
    }

    /** The table is filled and emptied again and again: no place is lost, none holds what was there before. */
    @Test
    @Covers.Limit("DeviceLimits.gidTableLength")
    void theTableIsFilledAndEmptiedAThousandTimes() {
        MockDriver driver = booted();
        int length = driver.configuration.limits().gidTableLength();
        assertThat(unbind(driver, 0, MockDriver.GID_HIGH, driver.gidLow)).isZero();
        for (int round = 1; round <= 1000; round++) {
            for (int index = 0; index < length; index++) {
                assertThat(driver.bind(index, round, index)).isZero();
            }
            assertThat(driver.bind(length, round, length)).isEqualTo(EINVAL);
            for (int index = 0; index < length; index++) {
                assertThat(unbind(driver, index, round - 1L, index)).isEqualTo(EINVAL);
                assertThat(unbind(driver, index, round, index)).isZero();
            }
        }
    }

    private static int unbind(MockDriver driver, int index, long high, long low) {
        return driver.command(CommandCode.DESTROY_BIND, s -> {
            DestroyBind.index(s, 0, index);
            DestroyBind.destGidHigh(s, 0, high);
            DestroyBind.destGidLow(s, 0, low);
        });
    }

    @Test
    @Covers.Command("CREATE_BIND")
    @Covers.Limit("DeviceLimits.gidTableLength")
    void bindingsAreChecked() {
        MockDriver driver = booted();
        assertThat(driver.bind(15, 1, 2)).isZero();
        assertThat(driver.bind(16, 1, 2)).isEqualTo(EINVAL);
        assertThat(driver.bind(-1, 1, 2)).isEqualTo(EINVAL);
        assertThat(driver.command(CommandCode.CREATE_BIND, s -> {
                    CreateBind.gidType(s, 0, GidType.ROCE_V1);
                    CreateBind.newGidLow(s, 0, 3);
                }))
                .isEqualTo(EINVAL);
    }
}
