// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AckTimeout;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.RnrTimer;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.Transition;

/** The table against the one of the man page {@code ibv_modify_qp(3)}, written down here once more in its own terms. */
class QueuePairStateTableTest {

    /** Type, from, to: required attributes / optional attributes, by the names of {@code enum ibv_qp_attr_mask}. */
    private static final String MAN_PAGE = """
            UD RESET INIT: PKEY_INDEX PORT QKEY /
            UD INIT INIT: / PKEY_INDEX PORT QKEY
            UD INIT RTR: / PKEY_INDEX QKEY
            UD RTR RTS: SQ_PSN / CUR_STATE QKEY
            UD RTS RTS: / CUR_STATE QKEY
            UD RTS SQD: / EN_SQD_ASYNC_NOTIFY
            UD SQD RTS: / CUR_STATE QKEY
            UD SQD SQD: / PKEY_INDEX QKEY
            UD SQE RTS: / CUR_STATE QKEY
            UC RESET INIT: PKEY_INDEX PORT ACCESS_FLAGS /
            UC INIT INIT: / PKEY_INDEX PORT ACCESS_FLAGS
            UC INIT RTR: AV PATH_MTU DEST_QPN RQ_PSN / PKEY_INDEX ACCESS_FLAGS ALT_PATH
            UC RTR RTS: SQ_PSN / CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE
            UC RTS RTS: / CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE
            UC RTS SQD: / EN_SQD_ASYNC_NOTIFY
            UC SQD RTS: / CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE
            UC SQD SQD: / AV PKEY_INDEX ACCESS_FLAGS ALT_PATH PATH_MIG_STATE
            UC SQE RTS: / CUR_STATE ACCESS_FLAGS
            RC RESET INIT: PKEY_INDEX PORT ACCESS_FLAGS /
            RC INIT INIT: / PKEY_INDEX PORT ACCESS_FLAGS
            RC INIT RTR: AV PATH_MTU DEST_QPN RQ_PSN MAX_DEST_RD_ATOMIC MIN_RNR_TIMER / PKEY_INDEX ACCESS_FLAGS ALT_PATH
            RC RTR RTS: SQ_PSN TIMEOUT RETRY_CNT RNR_RETRY MAX_QP_RD_ATOMIC / \
            CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE MIN_RNR_TIMER
            RC RTS RTS: / CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE MIN_RNR_TIMER
            RC RTS SQD: / EN_SQD_ASYNC_NOTIFY
            RC SQD RTS: / CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE MIN_RNR_TIMER
            RC SQD SQD: / PORT AV TIMEOUT RETRY_CNT RNR_RETRY MAX_QP_RD_ATOMIC MAX_DEST_RD_ATOMIC ALT_PATH \
            ACCESS_FLAGS PKEY_INDEX MIN_RNR_TIMER PATH_MIG_STATE
            """;

    /** What the man page leaves out: qp_state_table of Linux, drivers/infiniband/core/verbs.c, XRC_INI and XRC_TGT. */
    private static final String LINUX = """
            XRC_SEND RESET INIT: PKEY_INDEX PORT ACCESS_FLAGS /
            XRC_SEND INIT INIT: / PKEY_INDEX PORT ACCESS_FLAGS
            XRC_SEND INIT RTR: AV PATH_MTU DEST_QPN RQ_PSN / ALT_PATH ACCESS_FLAGS PKEY_INDEX
            XRC_SEND RTR RTS: TIMEOUT RETRY_CNT RNR_RETRY SQ_PSN MAX_QP_RD_ATOMIC / \
            CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
            XRC_SEND RTS RTS: / CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE
            XRC_SEND RTS SQD: / EN_SQD_ASYNC_NOTIFY
            XRC_SEND SQD RTS: / CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
            XRC_SEND SQD SQD: / PORT AV TIMEOUT RETRY_CNT RNR_RETRY MAX_QP_RD_ATOMIC ALT_PATH ACCESS_FLAGS PKEY_INDEX \
            PATH_MIG_STATE
            XRC_RECV RESET INIT: PKEY_INDEX PORT ACCESS_FLAGS /
            XRC_RECV INIT INIT: / PKEY_INDEX PORT ACCESS_FLAGS
            XRC_RECV INIT RTR: AV PATH_MTU DEST_QPN RQ_PSN MAX_DEST_RD_ATOMIC MIN_RNR_TIMER / ALT_PATH ACCESS_FLAGS \
            PKEY_INDEX
            XRC_RECV RTR RTS: TIMEOUT SQ_PSN / CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE
            XRC_RECV RTS RTS: / CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE MIN_RNR_TIMER
            XRC_RECV RTS SQD: / EN_SQD_ASYNC_NOTIFY
            XRC_RECV SQD RTS: / CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE
            XRC_RECV SQD SQD: / PORT AV TIMEOUT MAX_DEST_RD_ATOMIC ALT_PATH ACCESS_FLAGS PKEY_INDEX MIN_RNR_TIMER \
            PATH_MIG_STATE
            """;

    /** {@code enum ibv_qp_attr_mask} of infiniband/verbs.h: the name of each bit. */
    private static final List<String> BITS = List.of(
            "STATE",
            "CUR_STATE",
            "EN_SQD_ASYNC_NOTIFY",
            "ACCESS_FLAGS",
            "PKEY_INDEX",
            "PORT",
            "QKEY",
            "AV",
            "PATH_MTU",
            "TIMEOUT",
            "RETRY_CNT",
            "RNR_RETRY",
            "RQ_PSN",
            "MAX_QP_RD_ATOMIC",
            "ALT_PATH",
            "MIN_RNR_TIMER",
            "SQ_PSN",
            "MAX_DEST_RD_ATOMIC",
            "PATH_MIG_STATE",
            "CAP",
            "DEST_QPN");

    private static final int STATE = 1;
    private static final int CURRENT_STATE = 2;

    private record Masks(int required, int optional) {}

    private static final Map<String, Masks> EXPECTED = expected();

    private static Map<String, Masks> expected() {
        Map<String, Masks> expected = new HashMap<>();
        for (String line : (MAN_PAGE + LINUX).lines().toList()) {
            String[] keyAndMasks = line.split(":", -1);
            String[] masks = keyAndMasks[1].split("/", -1);
            expected.put(keyAndMasks[0].strip(), new Masks(mask(masks[0]), mask(masks[1])));
        }
        return expected;
    }

    private static int mask(String names) {
        int mask = 0;
        for (String name : names.strip().split(" +", -1)) {
            if (!name.isEmpty()) {
                assertThat(BITS).contains(name);
                mask |= 1 << BITS.indexOf(name);
            }
        }
        return mask;
    }

    @Test
    void theExpectationIsComplete() {
        assertThat(EXPECTED).hasSize(26 + 16);
        assertThat(EXPECTED.get("RC RTR RTS").optional())
                .isEqualTo(mask("CUR_STATE ACCESS_FLAGS ALT_PATH" + " PATH_MIG_STATE MIN_RNR_TIMER"));
    }

    @Test
    void theAttributesHaveTheBitsOfTheHeader() {
        assertThat(QueuePairAttribute.values()).hasSameSizeAs(BITS);
        for (QueuePairAttribute attribute : QueuePairAttribute.values()) {
            assertThat(Integer.bitCount(attribute.mask())).isEqualTo(1);
        }
        assertThat(QueuePairAttribute.REMOTE_QPN.mask()).isEqualTo(1 << 20);
        assertThat(QueuePairAttribute.ADDRESS_VECTOR.mask()).isEqualTo(1 << 7);
        assertThat(QueuePairAttribute.SEND_PSN.mask()).isEqualTo(1 << 16);
    }

    /** Every step there is or is not, with every single attribute missing, and with every single one too many. */
    @Test
    void everyStepIsTakenWithItsAttributesAndWithNoOthers() {
        int checked = 0;
        for (QueuePairType type : QueuePairType.values()) {
            for (QueuePairState from : QueuePairState.values()) {
                for (QueuePairState to : QueuePairState.values()) {
                    Masks masks = masksOf(type, from, to);
                    int required = masks == null ? 0 : masks.required();
                    int optional = masks == null ? 0 : masks.optional();
                    for (int extra = 1; extra < BITS.size(); extra++) {
                        for (int present : new int[] {required, required | optional}) {
                            check(type, from, to, present ^ (1 << extra));
                        }
                        checked++;
                    }
                    check(type, from, to, required);
                    check(type, from, to, required | optional);
                    check(type, from, to, 0);
                }
            }
        }
        assertThat(checked).isEqualTo(5 * 8 * 8 * 20);
    }

    /** Every subset of the optional attributes of every step. */
    @Test
    void everyChoiceOfOptionalAttributesIsTaken() {
        EXPECTED.forEach((key, masks) -> {
            String[] parts = key.split(" ", -1);
            QueuePairStateTable table = QueuePairStateTable.of(type(parts[0]));
            for (int subset = masks.optional(); ; subset = (subset - 1) & masks.optional()) {
                assertThat(table.fault(state(parts[1]), state(parts[2]), STATE | masks.required() | subset))
                        .as("%s with 0x%x", key, subset)
                        .isEmpty();
                if (subset == 0) {
                    break;
                }
            }
        });
    }

    @Property(tries = 20_000)
    void anyMaskIsJudgedAsTheManPageHasIt(
            @ForAll QueuePairType type,
            @ForAll QueuePairState from,
            @ForAll QueuePairState to,
            @ForAll @IntRange(max = (1 << 21) - 1) int mask) {
        check(type, from, to, mask);
    }

    private static void check(QueuePairType type, QueuePairState from, QueuePairState to, int mask) {
        Optional<String> fault = QueuePairStateTable.of(type).fault(from, to, mask | STATE);
        assertThat(fault.isEmpty())
                .as("%s %s -> %s with 0x%x: %s", type, from, to, mask, fault)
                .isEqualTo(legal(type, from, to, mask & ~STATE));
        fault.ifPresent(text -> assertThat(text).isNotBlank().doesNotEndWith("."));
    }

    private static boolean legal(QueuePairType type, QueuePairState from, QueuePairState to, int named) {
        if (to == QueuePairState.RESET || to == QueuePairState.ERROR) {
            return (from != QueuePairState.RESET || to != QueuePairState.ERROR) && (named & ~CURRENT_STATE) == 0;
        }
        Masks masks = masksOf(type, from, to);
        return masks != null
                && (named & masks.required()) == masks.required()
                && (named & ~(masks.required() | masks.optional())) == 0;
    }

    private static @Nullable Masks masksOf(QueuePairType type, QueuePairState from, QueuePairState to) {
        return EXPECTED.get(type.abbreviation() + " " + from.abbreviation() + " " + to.abbreviation());
    }

    private static QueuePairType type(String abbreviation) {
        return Arrays.stream(QueuePairType.values())
                .filter(type -> type.abbreviation().equals(abbreviation))
                .findFirst()
                .orElseThrow();
    }

    private static QueuePairState state(String abbreviation) {
        return Arrays.stream(QueuePairState.values())
                .filter(state -> state.abbreviation().equals(abbreviation))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theStepsOfATableAreThoseOfTheManPage() {
        for (QueuePairType type : QueuePairType.values()) {
            Set<String> steps = QueuePairStateTable.of(type).steps().stream()
                    .map(step -> type.abbreviation() + " " + step.from().abbreviation() + " "
                            + step.to().abbreviation())
                    .collect(Collectors.toSet());
            assertThat(steps)
                    .isEqualTo(EXPECTED.keySet().stream()
                            .filter(key -> key.startsWith(type.abbreviation()))
                            .collect(Collectors.toSet()));
        }
    }

    @Test
    void aTransitionNamesWhatItsTypeRequires() {
        Route route = Route.to(1, 0, Gid.EMPTY);
        assertRequired(new Transition.Init(1, 0, EnumSet.noneOf(Access.class)), "RC RESET INIT");
        assertRequired(new Transition.Init(1, 0, EnumSet.noneOf(Access.class)), "UC RESET INIT");
        assertRequired(new Transition.ReadyToReceive(route, 1, 2, Mtu.MTU_256, 1, RnrTimer.DEFAULT), "RC INIT RTR");
        assertRequired(new Transition.ReadyToSend(1, AckTimeout.DEFAULT, 7, 7, 1), "RC RTR RTS");
        assertRequired(new Transition.UnreliableReadyToReceive(route, 1, 2, Mtu.MTU_256), "UC INIT RTR");
        assertRequired(new Transition.UnreliableReadyToSend(1), "UC RTR RTS");
        assertRequired(new Transition.Init(1, 0, EnumSet.noneOf(Access.class)), "XRC_SEND RESET INIT");
        assertRequired(new Transition.UnreliableReadyToReceive(route, 1, 2, Mtu.MTU_256), "XRC_SEND INIT RTR");
        assertRequired(new Transition.ReadyToSend(1, AckTimeout.DEFAULT, 7, 7, 1), "XRC_SEND RTR RTS");
        assertRequired(new Transition.Init(1, 0, EnumSet.noneOf(Access.class)), "XRC_RECV RESET INIT");
        assertRequired(
                new Transition.ReadyToReceive(route, 1, 2, Mtu.MTU_256, 1, RnrTimer.DEFAULT), "XRC_RECV INIT RTR");
        assertRequired(new Transition.XrcReceiveReadyToSend(1, AckTimeout.DEFAULT), "XRC_RECV RTR RTS");
        assertRequired(new Transition.DatagramInit(1, 0, 5), "UD RESET INIT");
        assertRequired(new Transition.DatagramReadyToReceive(), "UD INIT RTR");
        assertRequired(new Transition.DatagramReadyToSend(1), "UD RTR RTS");
        assertThat(QueuePairStateTable.mask(new Transition.DrainSend(false))).isEqualTo(STATE);
        assertThat(QueuePairStateTable.mask(new Transition.DrainSend(true)))
                .isEqualTo(STATE | mask("EN_SQD_ASYNC_NOTIFY"));
        assertThat(QueuePairStateTable.mask(new Transition.Resume())).isEqualTo(STATE);
        assertThat(QueuePairStateTable.mask(new Transition.ToError())).isEqualTo(STATE);
        assertThat(QueuePairStateTable.mask(new Transition.ToReset())).isEqualTo(STATE);
    }

    private static void assertRequired(Transition transition, String step) {
        assertThat(QueuePairStateTable.mask(transition))
                .as(step)
                .isEqualTo(STATE
                        | Optional.ofNullable(EXPECTED.get(step)).orElseThrow().required());
    }

    @Test
    void aTransitionOfAnotherTypeIsExplained() {
        int reliable = QueuePairStateTable.mask(new Transition.Init(1, 0, Set.of()));
        assertThat(QueuePairStateTable.of(QueuePairType.UNRELIABLE_DATAGRAM)
                        .fault(QueuePairState.RESET, QueuePairState.INIT, reliable))
                .contains("UD RESET -> INIT also needs [QKEY], and does not take [ACCESS_FLAGS]");
    }

    @Test
    void aWrongStepNamesTheRightWay() {
        assertWay("INIT", "RTS", "RC goes INIT -> RTR -> RTS, go to ReadyToReceive first");
        assertWay("INIT", "SQD", "RC goes INIT -> RTR -> RTS, go to ReadyToReceive first");
        assertWay("RESET", "RTR", "RC goes RESET -> INIT -> RTR -> RTS, go to Init first");
        assertWay("RESET", "RTS", "RC goes RESET -> INIT -> RTR -> RTS, go to Init first");
        assertWay("ERR", "RTS", "RC leaves ERR only by RESET, go to ToReset first");
        assertWay("ERR", "INIT", "RC leaves ERR only by RESET, go to ToReset first");
        assertWay("RTS", "INIT", "RC goes to INIT from RESET only, go to ToReset first");
        assertWay("RTS", "RTR", "RC goes to RTR from INIT only, go to ToReset and Init first");
        assertWay("RTR", "SQD", "RC goes to SQD from RTS only, go to ReadyToSend first");
    }

    private static void assertWay(String from, String to, String text) {
        assertThat(QueuePairStateTable.of(QueuePairType.RELIABLE_CONNECTION).fault(state(from), state(to), STATE))
                .contains(text);
    }

    @Test
    void missingAndUnexpectedAttributesAreNamed() {
        QueuePairStateTable table = QueuePairStateTable.of(QueuePairType.RELIABLE_CONNECTION);

        assertThat(table.fault(QueuePairState.RESET, QueuePairState.INIT, STATE | mask("PORT PKEY_INDEX")))
                .contains("RC RESET -> INIT also needs [ACCESS_FLAGS]");
        assertThat(table.fault(
                        QueuePairState.RESET, QueuePairState.INIT, STATE | mask("PORT PKEY_INDEX ACCESS_FLAGS QKEY")))
                .contains("RC RESET -> INIT does not take [QKEY]");
        assertThat(table.fault(QueuePairState.RESET, QueuePairState.INIT, STATE | mask("PORT QKEY")))
                .contains("RC RESET -> INIT also needs [ACCESS_FLAGS, PKEY_INDEX], and does not take [QKEY]");
        assertThat(table.fault(
                        QueuePairState.RESET,
                        QueuePairState.INIT,
                        STATE | mask("PORT PKEY_INDEX ACCESS_FLAGS") | 1 << 30))
                .contains("RC RESET -> INIT does not take [] and unknown bits 0x40000000");
        assertThat(table.fault(QueuePairState.READY_TO_SEND, QueuePairState.ERROR, STATE | mask("PORT")))
                .contains("a step to ERR takes no attributes, but [PORT] was given");
        assertThat(table.fault(QueuePairState.INIT, QueuePairState.RESET, STATE | mask("PORT QKEY")))
                .contains("a step to RESET takes no attributes, but [PORT, QKEY] were given");
    }
}
