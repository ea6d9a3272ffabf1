// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.contract;

import java.util.List;
import java.util.Optional;
import org.paraverbs.ffm.LibibverbsProvider;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.contract.DevicesUnderTest;

/**
 * The devices of libibverbs on this machine: the first two, or the first one twice, or those named by the system
 * properties {@code paraverbs.ibv.first} and {@code paraverbs.ibv.second}. Where there is none the tests are skipped.
 */
interface RealDevices extends DevicesUnderTest {

    @Override
    default String firstDevice() {
        return name("paraverbs.ibv.first", 0);
    }

    @Override
    default String secondDevice() {
        return name("paraverbs.ibv.second", 1);
    }

    private static String name(String property, int index) {
        List<Device> devices = new LibibverbsProvider().devices();
        String otherwise = devices.get(Math.min(index, devices.size() - 1)).name();
        return LibibverbsProvider.NAME + ":" + System.getProperty(property, otherwise);
    }

    @Override
    default Optional<String> unavailability() {
        LibibverbsProvider provider = new LibibverbsProvider();
        return provider.devices().isEmpty()
                ? Optional.of(provider.unavailability().orElse("libibverbs lists no device"))
                : Optional.empty();
    }

    /**
     * What Soft-RoCE of Linux 6.1 answers, seen, or from its source (rxe_resp.c) in the case of {@link
     * Situation#RECEIVE_OF_REFUSED_WRITE}; the statuses of the InfiniBand specification stand in the tests. {@code docs/soft-roce.md}
     * lists these and what follows.
     */
    @Override
    default Optional<Deviation> deviation(Situation situation) {
        if (!isSoftRoce()) {
            return Optional.empty();
        }
        return switch (situation) {
            case SEND_WITH_WRONG_LOCAL_KEY, RECEIVE_WITH_WRONG_LOCAL_KEY, RECEIVE_TOO_SMALL ->
                softRoceAnswers(CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
            case SEND_TO_RECEIVE_TOO_SMALL -> softRoceAnswers(CompletionStatus.REMOTE_OPERATION_ERROR);
            case RECEIVE_OF_REFUSED_WRITE -> softRoceAnswers(CompletionStatus.REMOTE_ACCESS_ERROR);
            case SEND_TO_RECEIVE_WITH_WRONG_LOCAL_KEY, READ_INTO_READ_ONLY_REGION -> Optional.empty();
        };
    }

    private static Optional<Deviation> softRoceAnswers(CompletionStatus instead) {
        return Optional.of(new Deviation(instead, "Soft-RoCE of Linux 6.1 answers so"));
    }

    @Override
    default Optional<String> keepsReceivesPostedInError() {
        return isSoftRoce()
                ? Optional.of("Soft-RoCE of Linux 6.1 gives back only receives that were posted before the error")
                : Optional.empty();
    }

    /** What Soft-RoCE of Linux 6.1 lacks, from its source, drivers/infiniband/sw/rxe. */
    @Override
    default Optional<String> missing(Behaviour behaviour) {
        if (!isSoftRoce()) {
            return Optional.empty();
        }
        return Optional.of("Soft-RoCE of Linux 6.1 "
                + switch (behaviour) {
                    case COMMUNICATION_ESTABLISHED_EVENT,
                            ACCESS_ERROR_EVENT,
                            REQUEST_ERROR_EVENT,
                            LAST_WORK_REQUEST_EVENT ->
                        "raises no events of queue pairs but that of a drained send queue";
                    case MESSAGE_TOO_LONG_FAILS -> "sends messages that are longer than its port allows";
                    case DATAGRAM_RECEIVE_TOO_SMALL_FAILS -> "drops a datagram that is longer than its receive";
                    case PRIVILEGED_QKEY -> "sends the Q_Key of a request as it is";
                    case SEND_QUEUE_ERROR_STATE -> "has no state SQE: a failed datagram leads to ERR";
                    case READ_WITHOUT_DEPTH_FAILS -> "lets a READ wait for ever when none may be outstanding";
                    case WINDOW_BOUNDS -> "looks whether an access is within the region of a window, not the window";
                    case INVALIDATED_KEY_IN_COMPLETION ->
                        "marks an invalidated key with a number that means something else in user space";
                    case OVERFLOW_REPORTED_ONCE -> "reports the overflow of a completion queue again and again";
                    case EARLIER_REQUESTS_COMPLETE ->
                        "may forget requests that are under way when a later one fails on its own side";
                    case DRAINING_WAITS_FOR_RECEIVER ->
                        "reports a send queue as drained whose SEND waits for a receive";
                });
    }

    private boolean isSoftRoce() {
        return firstDevice().contains("rxe");
    }
}
