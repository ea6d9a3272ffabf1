// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import static org.paraverbs.verbs.QueuePairState.ERROR;
import static org.paraverbs.verbs.QueuePairState.INIT;
import static org.paraverbs.verbs.QueuePairState.READY_TO_RECEIVE;
import static org.paraverbs.verbs.QueuePairState.READY_TO_SEND;
import static org.paraverbs.verbs.QueuePairState.RESET;
import static org.paraverbs.verbs.QueuePairState.SEND_QUEUE_DRAINED;
import static org.paraverbs.verbs.QueuePairState.SEND_QUEUE_ERROR;
import static org.paraverbs.verbs.spi.QueuePairAttribute.ACCESS_FLAGS;
import static org.paraverbs.verbs.spi.QueuePairAttribute.ADDRESS_VECTOR;
import static org.paraverbs.verbs.spi.QueuePairAttribute.ALTERNATE_PATH;
import static org.paraverbs.verbs.spi.QueuePairAttribute.CURRENT_STATE;
import static org.paraverbs.verbs.spi.QueuePairAttribute.DRAINED_NOTIFICATION;
import static org.paraverbs.verbs.spi.QueuePairAttribute.MAX_READS_AS_INITIATOR;
import static org.paraverbs.verbs.spi.QueuePairAttribute.MAX_READS_AS_TARGET;
import static org.paraverbs.verbs.spi.QueuePairAttribute.MIN_RNR_TIMER;
import static org.paraverbs.verbs.spi.QueuePairAttribute.PATH_MIGRATION_STATE;
import static org.paraverbs.verbs.spi.QueuePairAttribute.PATH_MTU;
import static org.paraverbs.verbs.spi.QueuePairAttribute.PKEY_INDEX;
import static org.paraverbs.verbs.spi.QueuePairAttribute.PORT;
import static org.paraverbs.verbs.spi.QueuePairAttribute.QKEY;
import static org.paraverbs.verbs.spi.QueuePairAttribute.RECEIVE_PSN;
import static org.paraverbs.verbs.spi.QueuePairAttribute.REMOTE_QPN;
import static org.paraverbs.verbs.spi.QueuePairAttribute.RETRY_COUNT;
import static org.paraverbs.verbs.spi.QueuePairAttribute.RNR_RETRY;
import static org.paraverbs.verbs.spi.QueuePairAttribute.SEND_PSN;
import static org.paraverbs.verbs.spi.QueuePairAttribute.STATE;
import static org.paraverbs.verbs.spi.QueuePairAttribute.TIMEOUT;

import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.Transition;

/**
 * The steps that a queue pair may take and the attributes that each needs and allows, as data. An emulated device
 * enforces it; a binding explains with it what a device refused.
 *
 * <p>Source: InfiniBand Architecture Specification, volume 1, table 91 (modify queue pair), as the man page
 * {@code ibv_modify_qp(3)} tabulates it and as Linux enforces it; for XRC, which the man page leaves out, as Linux does
 * ({@code qp_state_table} of drivers/infiniband/core/verbs.c).
 */
public final class QueuePairStateTable {

    /**
     * A step of the specification.
     *
     * @param from the state before
     * @param to the state after
     * @param required the attributes that must be named, apart from {@link QueuePairAttribute#STATE}
     * @param optional the attributes that may be named
     */
    public record Step(
            QueuePairState from,
            QueuePairState to,
            Set<QueuePairAttribute> required,
            Set<QueuePairAttribute> optional) {}

    private static final Set<QueuePairAttribute> NONE = EnumSet.noneOf(QueuePairAttribute.class);

    private static final QueuePairStateTable RELIABLE_CONNECTION = new QueuePairStateTable(
            "RC",
            List.of(
                    new Step(RESET, INIT, EnumSet.of(PKEY_INDEX, PORT, ACCESS_FLAGS), NONE),
                    new Step(INIT, INIT, NONE, EnumSet.of(PKEY_INDEX, PORT, ACCESS_FLAGS)),
                    new Step(
                            INIT,
                            READY_TO_RECEIVE,
                            EnumSet.of(
                                    ADDRESS_VECTOR,
                                    PATH_MTU,
                                    REMOTE_QPN,
                                    RECEIVE_PSN,
                                    MAX_READS_AS_TARGET,
                                    MIN_RNR_TIMER),
                            EnumSet.of(ALTERNATE_PATH, ACCESS_FLAGS, PKEY_INDEX)),
                    new Step(
                            READY_TO_RECEIVE,
                            READY_TO_SEND,
                            EnumSet.of(TIMEOUT, RETRY_COUNT, RNR_RETRY, SEND_PSN, MAX_READS_AS_INITIATOR),
                            EnumSet.of(
                                    CURRENT_STATE, ALTERNATE_PATH, ACCESS_FLAGS, MIN_RNR_TIMER, PATH_MIGRATION_STATE)),
                    new Step(
                            READY_TO_SEND,
                            READY_TO_SEND,
                            NONE,
                            EnumSet.of(
                                    CURRENT_STATE, ACCESS_FLAGS, ALTERNATE_PATH, PATH_MIGRATION_STATE, MIN_RNR_TIMER)),
                    new Step(READY_TO_SEND, SEND_QUEUE_DRAINED, NONE, EnumSet.of(DRAINED_NOTIFICATION)),
                    new Step(
                            SEND_QUEUE_DRAINED,
                            READY_TO_SEND,
                            NONE,
                            EnumSet.of(
                                    CURRENT_STATE, ALTERNATE_PATH, ACCESS_FLAGS, MIN_RNR_TIMER, PATH_MIGRATION_STATE)),
                    new Step(
                            SEND_QUEUE_DRAINED,
                            SEND_QUEUE_DRAINED,
                            NONE,
                            EnumSet.of(
                                    PORT,
                                    ADDRESS_VECTOR,
                                    TIMEOUT,
                                    RETRY_COUNT,
                                    RNR_RETRY,
                                    MAX_READS_AS_INITIATOR,
                                    MAX_READS_AS_TARGET,
                                    ALTERNATE_PATH,
                                    ACCESS_FLAGS,
                                    PKEY_INDEX,
                                    MIN_RNR_TIMER,
                                    PATH_MIGRATION_STATE))));

    private static final QueuePairStateTable UNRELIABLE_CONNECTION = new QueuePairStateTable(
            "UC",
            List.of(
                    new Step(RESET, INIT, EnumSet.of(PKEY_INDEX, PORT, ACCESS_FLAGS), NONE),
                    new Step(INIT, INIT, NONE, EnumSet.of(PKEY_INDEX, PORT, ACCESS_FLAGS)),
                    new Step(
                            INIT,
                            READY_TO_RECEIVE,
                            EnumSet.of(ADDRESS_VECTOR, PATH_MTU, REMOTE_QPN, RECEIVE_PSN),
                            EnumSet.of(ALTERNATE_PATH, ACCESS_FLAGS, PKEY_INDEX)),
                    new Step(
                            READY_TO_RECEIVE,
                            READY_TO_SEND,
                            EnumSet.of(SEND_PSN),
                            EnumSet.of(CURRENT_STATE, ALTERNATE_PATH, ACCESS_FLAGS, PATH_MIGRATION_STATE)),
                    new Step(
                            READY_TO_SEND,
                            READY_TO_SEND,
                            NONE,
                            EnumSet.of(CURRENT_STATE, ACCESS_FLAGS, ALTERNATE_PATH, PATH_MIGRATION_STATE)),
                    new Step(READY_TO_SEND, SEND_QUEUE_DRAINED, NONE, EnumSet.of(DRAINED_NOTIFICATION)),
                    new Step(
                            SEND_QUEUE_DRAINED,
                            READY_TO_SEND,
                            NONE,
                            EnumSet.of(CURRENT_STATE, ALTERNATE_PATH, ACCESS_FLAGS, PATH_MIGRATION_STATE)),
                    new Step(
                            SEND_QUEUE_DRAINED,
                            SEND_QUEUE_DRAINED,
                            NONE,
                            EnumSet.of(ADDRESS_VECTOR, ALTERNATE_PATH, ACCESS_FLAGS, PKEY_INDEX, PATH_MIGRATION_STATE)),
                    new Step(SEND_QUEUE_ERROR, READY_TO_SEND, NONE, EnumSet.of(CURRENT_STATE, ACCESS_FLAGS))));

    private static final QueuePairStateTable UNRELIABLE_DATAGRAM = new QueuePairStateTable(
            "UD",
            List.of(
                    new Step(RESET, INIT, EnumSet.of(PKEY_INDEX, PORT, QKEY), NONE),
                    new Step(INIT, INIT, NONE, EnumSet.of(PKEY_INDEX, PORT, QKEY)),
                    new Step(INIT, READY_TO_RECEIVE, NONE, EnumSet.of(PKEY_INDEX, QKEY)),
                    new Step(READY_TO_RECEIVE, READY_TO_SEND, EnumSet.of(SEND_PSN), EnumSet.of(CURRENT_STATE, QKEY)),
                    new Step(READY_TO_SEND, READY_TO_SEND, NONE, EnumSet.of(CURRENT_STATE, QKEY)),
                    new Step(READY_TO_SEND, SEND_QUEUE_DRAINED, NONE, EnumSet.of(DRAINED_NOTIFICATION)),
                    new Step(SEND_QUEUE_DRAINED, READY_TO_SEND, NONE, EnumSet.of(CURRENT_STATE, QKEY)),
                    new Step(SEND_QUEUE_DRAINED, SEND_QUEUE_DRAINED, NONE, EnumSet.of(PKEY_INDEX, QKEY)),
                    new Step(SEND_QUEUE_ERROR, READY_TO_SEND, NONE, EnumSet.of(CURRENT_STATE, QKEY))));

    private static final QueuePairStateTable XRC_SEND = new QueuePairStateTable(
            "XRC_SEND",
            List.of(
                    new Step(RESET, INIT, EnumSet.of(PKEY_INDEX, PORT, ACCESS_FLAGS), NONE),
                    new Step(INIT, INIT, NONE, EnumSet.of(PKEY_INDEX, PORT, ACCESS_FLAGS)),
                    new Step(
                            INIT,
                            READY_TO_RECEIVE,
                            EnumSet.of(ADDRESS_VECTOR, PATH_MTU, REMOTE_QPN, RECEIVE_PSN),
                            EnumSet.of(ALTERNATE_PATH, ACCESS_FLAGS, PKEY_INDEX)),
                    new Step(
                            READY_TO_RECEIVE,
                            READY_TO_SEND,
                            EnumSet.of(TIMEOUT, RETRY_COUNT, RNR_RETRY, SEND_PSN, MAX_READS_AS_INITIATOR),
                            EnumSet.of(CURRENT_STATE, ALTERNATE_PATH, ACCESS_FLAGS, PATH_MIGRATION_STATE)),
                    new Step(
                            READY_TO_SEND,
                            READY_TO_SEND,
                            NONE,
                            EnumSet.of(CURRENT_STATE, ACCESS_FLAGS, ALTERNATE_PATH, PATH_MIGRATION_STATE)),
                    new Step(READY_TO_SEND, SEND_QUEUE_DRAINED, NONE, EnumSet.of(DRAINED_NOTIFICATION)),
                    new Step(
                            SEND_QUEUE_DRAINED,
                            READY_TO_SEND,
                            NONE,
                            EnumSet.of(CURRENT_STATE, ALTERNATE_PATH, ACCESS_FLAGS, PATH_MIGRATION_STATE)),
                    new Step(
                            SEND_QUEUE_DRAINED,
                            SEND_QUEUE_DRAINED,
                            NONE,
                            EnumSet.of(
                                    PORT,
                                    ADDRESS_VECTOR,
                                    TIMEOUT,
                                    RETRY_COUNT,
                                    RNR_RETRY,
                                    MAX_READS_AS_INITIATOR,
                                    ALTERNATE_PATH,
                                    ACCESS_FLAGS,
                                    PKEY_INDEX,
                                    PATH_MIGRATION_STATE))));

    private static final QueuePairStateTable XRC_RECEIVE = new QueuePairStateTable(
            "XRC_RECV",
            List.of(
                    new Step(RESET, INIT, EnumSet.of(PKEY_INDEX, PORT, ACCESS_FLAGS), NONE),
                    new Step(INIT, INIT, NONE, EnumSet.of(PKEY_INDEX, PORT, ACCESS_FLAGS)),
                    new Step(
                            INIT,
                            READY_TO_RECEIVE,
                            EnumSet.of(
                                    ADDRESS_VECTOR,
                                    PATH_MTU,
                                    REMOTE_QPN,
                                    RECEIVE_PSN,
                                    MAX_READS_AS_TARGET,
                                    MIN_RNR_TIMER),
                            EnumSet.of(ALTERNATE_PATH, ACCESS_FLAGS, PKEY_INDEX)),
                    new Step(
                            READY_TO_RECEIVE,
                            READY_TO_SEND,
                            EnumSet.of(TIMEOUT, SEND_PSN),
                            EnumSet.of(
                                    CURRENT_STATE, ALTERNATE_PATH, ACCESS_FLAGS, MIN_RNR_TIMER, PATH_MIGRATION_STATE)),
                    new Step(
                            READY_TO_SEND,
                            READY_TO_SEND,
                            NONE,
                            EnumSet.of(
                                    CURRENT_STATE, ACCESS_FLAGS, ALTERNATE_PATH, PATH_MIGRATION_STATE, MIN_RNR_TIMER)),
                    new Step(READY_TO_SEND, SEND_QUEUE_DRAINED, NONE, EnumSet.of(DRAINED_NOTIFICATION)),
                    new Step(
                            SEND_QUEUE_DRAINED,
                            READY_TO_SEND,
                            NONE,
                            EnumSet.of(
                                    CURRENT_STATE, ALTERNATE_PATH, ACCESS_FLAGS, MIN_RNR_TIMER, PATH_MIGRATION_STATE)),
                    new Step(
                            SEND_QUEUE_DRAINED,
                            SEND_QUEUE_DRAINED,
                            NONE,
                            EnumSet.of(
                                    PORT,
                                    ADDRESS_VECTOR,
                                    TIMEOUT,
                                    MAX_READS_AS_TARGET,
                                    ALTERNATE_PATH,
                                    ACCESS_FLAGS,
                                    PKEY_INDEX,
                                    MIN_RNR_TIMER,
                                    PATH_MIGRATION_STATE))));

    private final String type;
    private final List<Step> steps;

    private QueuePairStateTable(String type, List<Step> steps) {
        this.type = type;
        this.steps = steps;
    }

    /**
     * The table of a type of queue pair.
     *
     * @param type the type
     * @return its table
     */
    public static QueuePairStateTable of(QueuePairType type) {
        return switch (type) {
            case RELIABLE_CONNECTION -> RELIABLE_CONNECTION;
            case UNRELIABLE_CONNECTION -> UNRELIABLE_CONNECTION;
            case UNRELIABLE_DATAGRAM -> UNRELIABLE_DATAGRAM;
            case XRC_SEND -> XRC_SEND;
            case XRC_RECEIVE -> XRC_RECEIVE;
        };
    }

    /**
     * The steps between working states. A queue pair may also go to RESET from every state, and to ERR from every state but
     * RESET.
     */
    public List<Step> steps() {
        return steps;
    }

    /**
     * What is wrong with a modification.
     *
     * @param from the state that the queue pair is in
     * @param to the state asked for
     * @param mask the attributes named, {@link QueuePairAttribute#STATE} among them
     * @return empty if nothing is, else one clause that says the right way
     */
    public Optional<String> fault(QueuePairState from, QueuePairState to, int mask) {
        int named = mask & ~STATE.mask();
        if (from == RESET && to == ERROR) {
            // no device of Linux takes this step (ib_modify_qp_is_ok), and there is nothing to flush
            return Optional.of(type + " goes to ERR from INIT on, go to Init first");
        }
        if (to == RESET || to == ERROR) {
            // from any state, and no attribute goes with them
            return named == 0 || named == CURRENT_STATE.mask()
                    ? Optional.empty()
                    : Optional.of("a step to " + to.abbreviation() + " takes no attributes, but " + names(named) + " "
                            + (Integer.bitCount(named) == 1 ? "was" : "were") + " given");
        }
        Step step = step(from, to);
        if (step == null) {
            return Optional.of(way(from, to));
        }
        int required = maskOf(step.required());
        int missing = required & ~named;
        int unexpected = named & ~required & ~maskOf(step.optional());
        if (missing == 0 && unexpected == 0) {
            return Optional.empty();
        }
        return Optional.of(type + " " + from.abbreviation() + " -> " + to.abbreviation()
                + (missing == 0 ? "" : " also needs " + names(missing))
                + (missing == 0 || unexpected == 0 ? "" : ", and")
                + (unexpected == 0 ? "" : " does not take " + names(unexpected)));
    }

    /**
     * The attributes that a transition names, as an {@code attr_mask}.
     *
     * @param transition the transition
     * @return the mask
     */
    public static int mask(Transition transition) {
        return STATE.mask()
                | switch (transition) {
                    case Transition.Init init -> RELIABLE_CONNECTION.requiredMask(RESET, INIT);
                    case Transition.ReadyToReceive ready -> RELIABLE_CONNECTION.requiredMask(INIT, READY_TO_RECEIVE);
                    case Transition.ReadyToSend ready ->
                        RELIABLE_CONNECTION.requiredMask(READY_TO_RECEIVE, READY_TO_SEND);
                    case Transition.UnreliableReadyToReceive ready ->
                        UNRELIABLE_CONNECTION.requiredMask(INIT, READY_TO_RECEIVE);
                    case Transition.UnreliableReadyToSend ready ->
                        UNRELIABLE_CONNECTION.requiredMask(READY_TO_RECEIVE, READY_TO_SEND);
                    case Transition.DatagramInit init -> UNRELIABLE_DATAGRAM.requiredMask(RESET, INIT);
                    case Transition.DatagramReadyToReceive ready ->
                        UNRELIABLE_DATAGRAM.requiredMask(INIT, READY_TO_RECEIVE);
                    case Transition.DatagramReadyToSend ready ->
                        UNRELIABLE_DATAGRAM.requiredMask(READY_TO_RECEIVE, READY_TO_SEND);
                    case Transition.XrcReceiveReadyToSend ready ->
                        XRC_RECEIVE.requiredMask(READY_TO_RECEIVE, READY_TO_SEND);
                    case Transition.DrainSend drain -> drain.raiseEvent() ? DRAINED_NOTIFICATION.mask() : 0;
                    case Transition.Resume resume -> 0;
                    case Transition.ToError error -> 0;
                    case Transition.ToReset reset -> 0;
                };
    }

    private int requiredMask(QueuePairState from, QueuePairState to) {
        return maskOf(Objects.requireNonNull(step(from, to)).required());
    }

    private @Nullable Step step(QueuePairState from, QueuePairState to) {
        for (Step step : steps) {
            if (step.from() == from && step.to() == to) {
                return step;
            }
        }
        return null;
    }

    private String way(QueuePairState from, QueuePairState to) {
        if (from == ERROR) {
            return type + " leaves ERR only by RESET, go to ToReset first";
        }
        if (to == INIT) {
            return type + " goes to INIT from RESET only, go to ToReset first";
        }
        if (from == RESET || from == INIT) {
            return type
                    + (from == RESET
                            ? " goes RESET -> INIT -> RTR -> RTS, go to Init first"
                            : " goes INIT -> RTR -> RTS, go to ReadyToReceive first");
        }
        if (to == READY_TO_RECEIVE) {
            return type + " goes to RTR from INIT only, go to ToReset and Init first";
        }
        if (to == SEND_QUEUE_DRAINED) {
            return type + " goes to SQD from RTS only, go to ReadyToSend first";
        }
        return type + " has no step " + from.abbreviation() + " -> " + to.abbreviation();
    }

    private static int maskOf(Set<QueuePairAttribute> attributes) {
        int mask = 0;
        for (QueuePairAttribute attribute : attributes) {
            mask |= attribute.mask();
        }
        return mask;
    }

    private static String names(int mask) {
        Set<QueuePairAttribute> named = EnumSet.noneOf(QueuePairAttribute.class);
        int unknown = mask;
        for (QueuePairAttribute attribute : QueuePairAttribute.values()) {
            if ((mask & attribute.mask()) != 0) {
                named.add(attribute);
                unknown &= ~attribute.mask();
            }
        }
        return named + (unknown == 0 ? "" : " and unknown bits 0x" + Integer.toHexString(unknown));
    }
}
