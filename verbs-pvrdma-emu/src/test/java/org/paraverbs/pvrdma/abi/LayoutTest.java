// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every number in the package against what a C compiler printed: native/layouts/pvrdma.txt. */
class LayoutTest {
    private static final Map<String, Class<?>> STRUCTS = Map.ofEntries(
            entry("pvrdma_device_shared_region", SharedRegion.class),
            entry("pvrdma_ring_page_info", RingPages.class),
            entry("pvrdma_device_caps", DeviceCaps.class),
            entry("pvrdma_port_attr", PortAttr.class),
            entry("pvrdma_qp_attr", QpAttr.class),
            entry("pvrdma_qp_cap", QpCap.class),
            entry("pvrdma_ah_attr", AhAttr.class),
            entry("pvrdma_global_route", GlobalRoute.class),
            entry("pvrdma_cmd_hdr", CommandHeader.class),
            entry("pvrdma_cmd_resp_hdr", ResponseHeader.class),
            entry("pvrdma_cmd_query_port", QueryPort.class),
            entry("pvrdma_cmd_query_port_resp", QueryPort.Response.class),
            entry("pvrdma_cmd_query_pkey", QueryPkey.class),
            entry("pvrdma_cmd_query_pkey_resp", QueryPkey.Response.class),
            entry("pvrdma_cmd_create_uc", CreateUc.class),
            entry("pvrdma_cmd_create_uc_resp", CreateUc.Response.class),
            entry("pvrdma_cmd_destroy_uc", DestroyUc.class),
            entry("pvrdma_cmd_create_pd", CreatePd.class),
            entry("pvrdma_cmd_create_pd_resp", CreatePd.Response.class),
            entry("pvrdma_cmd_destroy_pd", DestroyPd.class),
            entry("pvrdma_cmd_create_mr", CreateMr.class),
            entry("pvrdma_cmd_create_mr_resp", CreateMr.Response.class),
            entry("pvrdma_cmd_destroy_mr", DestroyMr.class),
            entry("pvrdma_cmd_create_cq", CreateCq.class),
            entry("pvrdma_cmd_create_cq_resp", CreateCq.Response.class),
            entry("pvrdma_cmd_resize_cq", ResizeCq.class),
            entry("pvrdma_cmd_resize_cq_resp", ResizeCq.Response.class),
            entry("pvrdma_cmd_destroy_cq", DestroyCq.class),
            entry("pvrdma_cmd_create_qp", CreateQp.class),
            entry("pvrdma_cmd_create_qp_resp", CreateQp.Response.class),
            entry("pvrdma_cmd_create_qp_resp_v2", CreateQp.ResponseV2.class),
            entry("pvrdma_cmd_modify_qp", ModifyQp.class),
            entry("pvrdma_cmd_query_qp", QueryQp.class),
            entry("pvrdma_cmd_query_qp_resp", QueryQp.Response.class),
            entry("pvrdma_cmd_destroy_qp", DestroyQp.class),
            entry("pvrdma_cmd_destroy_qp_resp", DestroyQp.Response.class),
            entry("pvrdma_srq_attr", SrqAttr.class),
            entry("pvrdma_cmd_create_srq", CreateSrq.class),
            entry("pvrdma_cmd_create_srq_resp", CreateSrq.Response.class),
            entry("pvrdma_cmd_modify_srq", ModifySrq.class),
            entry("pvrdma_cmd_query_srq", QuerySrq.class),
            entry("pvrdma_cmd_query_srq_resp", QuerySrq.Response.class),
            entry("pvrdma_cmd_destroy_srq", DestroySrq.class),
            entry("pvrdma_cmd_create_bind", CreateBind.class),
            entry("pvrdma_cmd_destroy_bind", DestroyBind.class),
            entry("pvrdma_ring", RingState.class),
            entry("pvrdma_ring_state", RingState.class),
            entry("pvrdma_sge", Sge.class),
            entry("pvrdma_rq_wqe_hdr", RqWqe.class),
            entry("pvrdma_sq_wqe_hdr", SqWqe.class),
            entry("pvrdma_av", AddressVector.class),
            entry("pvrdma_grh", Grh.class),
            entry("pvrdma_cqe", Cqe.class),
            entry("pvrdma_eqe", Eqe.class),
            entry("pvrdma_cqne", Cqne.class));

    private static final Map<Class<?>, String> CONSTANTS = Map.ofEntries(
            entry(Registers.class, "PVRDMA_REG_"),
            entry(DeviceCtl.class, "PVRDMA_DEVICE_CTL_"),
            entry(DeviceVersion.class, "PVRDMA_"),
            entry(InterruptVector.class, "PVRDMA_INTR_VECTOR_"),
            entry(EventType.class, "PVRDMA_EVENT_"),
            entry(CommandCode.class, "PVRDMA_CMD_"),
            entry(QpState.class, "PVRDMA_QPS_"),
            entry(QpType.class, "PVRDMA_QPT_"),
            entry(QpAttrMask.class, "PVRDMA_QP_"),
            entry(AccessFlags.class, "PVRDMA_"),
            entry(SendFlags.class, "PVRDMA_SEND_"),
            entry(WrOpcode.class, "PVRDMA_WR_"),
            entry(WcStatus.class, "PVRDMA_WC_"),
            entry(WcOpcode.class, "PVRDMA_WC_"),
            entry(WcFlags.class, "PVRDMA_WC_"),
            entry(Mtu.class, "PVRDMA_"),
            entry(PortState.class, "PVRDMA_PORT_"),
            entry(PortCapFlags.class, "PVRDMA_PORT_"),
            entry(NetworkType.class, "PVRDMA_NETWORK_"),
            entry(GidType.class, "PVRDMA_GID_TYPE_FLAG_"),
            entry(Doorbell.class, "PVRDMA_UAR_"));

    /** Constants that are ours and not the interface's. */
    private static final List<String> OURS = List.of(
            "Registers.SIZE", "InterruptVector.COUNT", "CommandCode.MAX_COMMAND_SIZE", "CommandCode.MAX_RESPONSE_SIZE");

    private final Golden golden = Golden.read();

    @TestFactory
    Stream<DynamicTest> structsAreLaidOutAsInC() {
        assertThat(golden.structs.keySet()).containsExactlyInAnyOrderElementsOf(STRUCTS.keySet());
        return golden.structs.entrySet().stream()
                .map(struct -> DynamicTest.dynamicTest(
                        struct.getKey(),
                        () -> checkStruct(STRUCTS.get(struct.getKey()), struct.getKey(), struct.getValue())));
    }

    private static void checkStruct(Class<?> type, String name, GoldenStruct struct) {
        Map<String, Integer> offsets = new TreeMap<>();
        constants(type).forEach((constant, value) -> {
            if (constant.endsWith("_OFFSET")) {
                offsets.put(
                        constant.substring(0, constant.length() - "_OFFSET".length())
                                .toLowerCase(Locale.ROOT),
                        value);
            }
        });
        if (type == RingState.class) {
            // one class for struct pvrdma_ring and for the pair of them
            assertThat(offsets).containsAllEntriesOf(struct.offsets);
            assertThat(constants(type)).containsEntry(name.equals("pvrdma_ring") ? "SIZE" : "PAIR_SIZE", struct.size);
        } else {
            assertThat(offsets).isEqualTo(struct.offsets);
            assertThat(constants(type)).containsEntry("SIZE", struct.size);
        }
    }

    @TestFactory
    Stream<DynamicTest> constantsAreThoseOfTheHeaders() {
        return CONSTANTS.entrySet().stream()
                .map(e -> DynamicTest.dynamicTest(e.getKey().getSimpleName(), () -> {
                    Map<String, Integer> values = constants(e.getKey());
                    assertThat(values).isNotEmpty();
                    values.forEach((name, value) -> {
                        if (!OURS.contains(e.getKey().getSimpleName() + "." + name)) {
                            assertThat(golden.constants).containsEntry(e.getValue() + name, value);
                        }
                    });
                }));
    }

    @Test
    void derivedNumbersAgreeWithTheHeaders() {
        assertThat(CreateMr.FLAG_DMA).isEqualTo(golden.constants.get("PVRDMA_MR_FLAG_DMA"));
        assertThat(CreateMr.FLAG_FRMR).isEqualTo(golden.constants.get("PVRDMA_MR_FLAG_FRMR"));
        assertThat(DeviceCaps.ATOMIC_COMP_SWAP).isEqualTo(golden.constants.get("PVRDMA_ATOMIC_OP_COMP_SWAP"));
        assertThat(DeviceCaps.ATOMIC_FETCH_ADD).isEqualTo(golden.constants.get("PVRDMA_ATOMIC_OP_FETCH_ADD"));
        assertThat(DeviceCaps.BMME_LOCAL_INV).isEqualTo(golden.constants.get("PVRDMA_BMME_FLAG_LOCAL_INV"));
        assertThat(DeviceCaps.BMME_REMOTE_INV).isEqualTo(golden.constants.get("PVRDMA_BMME_FLAG_REMOTE_INV"));
        assertThat(DeviceCaps.BMME_FAST_REG_WR).isEqualTo(golden.constants.get("PVRDMA_BMME_FLAG_FAST_REG_WR"));
        assertThat(CreateMr.MAX_FAST_REG_PAGES).isEqualTo(golden.constants.get("PVRDMA_MAX_FAST_REG_PAGES"));
        assertThat(PageDirectory.MAX_PAGES).isEqualTo(golden.constants.get("PVRDMA_PAGE_DIR_MAX_PAGES"));
        assertThat(PageDirectory.table(1 << golden.constants.get("PVRDMA_PTABLE_SHIFT")))
                .isEqualTo(1);
        assertThat(InterruptVector.COUNT).isEqualTo(golden.constants.get("PVRDMA_MAX_INTERRUPTS"));
        assertThat(CommandCode.ack(CommandCode.QUERY_PORT)).isEqualTo(golden.constants.get("PVRDMA_CMD_FIRST_RESP"));
        assertThat(CommandCode.ack(CommandCode.DESTROY_SRQ))
                .isEqualTo(golden.constants.get("PVRDMA_CMD_DESTROY_SRQ_RESP"));
    }

    @Test
    void commandsThatTheDriverDoesNotWaitForAreUnanswered() {
        // pvrdma_cmd.c: a command without a response buffer is not waited for
        for (int command = 0; command < CommandCode.MAX; command++) {
            boolean waitsForNone = switch (command) {
                case CommandCode.DESTROY_PD,
                        CommandCode.DESTROY_MR,
                        CommandCode.DESTROY_CQ,
                        CommandCode.DESTROY_QP,
                        CommandCode.DESTROY_UC,
                        CommandCode.CREATE_BIND,
                        CommandCode.DESTROY_BIND,
                        CommandCode.MODIFY_SRQ,
                        CommandCode.DESTROY_SRQ -> true;
                default -> false;
            };
            assertThat(CommandCode.isAnswered(command))
                    .as("command %d", command)
                    .isEqualTo(!waitsForNone);
        }
    }

    private static Map<String, Integer> constants(Class<?> type) {
        Map<String, Integer> values = new TreeMap<>();
        for (Field field : type.getDeclaredFields()) {
            if (Modifier.isPublic(field.getModifiers()) && field.getType() == int.class) {
                try {
                    values.put(field.getName(), field.getInt(null));
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            }
        }
        return values;
    }

    private record GoldenStruct(int size, Map<String, Integer> offsets) {}

    private record Golden(Map<String, GoldenStruct> structs, Map<String, Integer> constants) {
        static Golden read() {
            Golden golden = new Golden(new LinkedHashMap<>(), new TreeMap<>());
            try {
                for (String line : Files.readAllLines(Path.of("../native/layouts/pvrdma.txt"))) {
                    String[] words = line.split(" ", -1);
                    switch (words[0]) {
                        case "struct" ->
                            golden.structs.put(words[1], new GoldenStruct(Integer.parseInt(words[2]), new TreeMap<>()));
                        case "field" -> {
                            String[] name = words[1].split("\\.", -1);
                            golden.structs.get(name[0]).offsets.put(name[1], Integer.parseInt(words[2]));
                        }
                        case "const" -> golden.constants.put(words[1], Integer.parseUnsignedInt(words[2]));
                        default -> throw new AssertionError("unknown line: " + line);
                    }
                }
            } catch (IOException e) {
                throw new AssertionError("golden file", e);
            }
            return golden;
        }
    }
}
