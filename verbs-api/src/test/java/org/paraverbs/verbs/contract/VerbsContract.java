// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.Verbs;

/**
 * The base of the contract tests: two contexts that can talk to each other, opened for each test when it asks for them
 * and closed after it. A failure of closing fails the test.
 */
@ExtendWith(ContractReport.class)
public abstract class VerbsContract implements DevicesUnderTest {

    private final List<Context> opened = new ArrayList<>();
    private @Nullable Context first;
    private @Nullable Context second;

    @BeforeEach
    final void requireDevices() {
        unavailability().ifPresent(VerbsContract::skip);
    }

    @AfterEach
    final void closeContexts() {
        RuntimeException failure = null;
        // the newest first, so that a peer does not vanish from under the one that was opened for it
        for (Context context : opened.reversed()) {
            try {
                context.close();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Ends the test as skipped, for a reason that the report shows. */
    static void skip(String reason) {
        Assumptions.abort(reason);
    }

    /** Skips the test unless a device has what it needs. */
    static void require(Context context, Feature feature) {
        if (!context.supports(feature)) {
            skip(context.device().providerName() + ":" + context.device().name() + " does not support " + feature);
        }
    }

    /** Skips the test if the devices are known not to do what it asks for. */
    final void requireBehaviour(Behaviour behaviour) {
        missing(behaviour).ifPresent(VerbsContract::skip);
    }

    /** The context of the first device, the same during a test. */
    final Context first() {
        Context context = first;
        if (context == null) {
            context = open(firstDevice());
            first = context;
        }
        return context;
    }

    /** The context of the second device, the same during a test. */
    final Context second() {
        Context context = second;
        if (context == null) {
            context = open(secondDevice());
            second = context;
        }
        return context;
    }

    /** Another context, closed after the test. */
    final Context open(String device) {
        Context context = Verbs.open(device);
        opened.add(context);
        ContractReport.openedDevice(
                context.device().providerName() + ":" + context.device().name());
        return context;
    }

    /** Two sides on the two devices, connected to each other. */
    final Pair connected(Shape shape) {
        Pair pair = unconnected(shape);
        pair.connect();
        return pair;
    }

    /** Two sides of the default shape, connected to each other. */
    final Pair connected() {
        return connected(Shape.DEFAULT);
    }

    /** Two sides on the two devices in state RESET. */
    final Pair unconnected(Shape shape) {
        return new Pair(new Side(first(), shape), new Side(second(), shape));
    }

    /** How often to do what an emulator on a machine of its own does so often. */
    final int repetitions(int full) {
        return (int) Math.max(1, Math.round(full * scale()));
    }

    /** Asserts how a request failed, or that it failed in the way that the provider is known to deviate. */
    final void assertStatus(Situation situation, CompletionRecord completion, CompletionStatus specified) {
        Optional<Deviation> known = deviation(situation);
        if (known.isPresent() && known.get().instead() == completion.status()) {
            ContractReport.deviation(firstDevice() + ", " + situation + ": " + completion.status() + " instead of "
                    + specified + "; " + known.get().reason());
            return;
        }
        assertThat(completion.status()).as("%s: %s", situation, completion).isEqualTo(specified);
    }

    /** Posts what has been begun here, and asserts how its first request fails and that the queue pair does too. */
    static void assertRefused(Pair pair, CompletionStatus expected) {
        pair.here().sends.post();
        CompletionRecord completion = pair.here().sent();
        assertThat(completion.status()).as("%s", completion).isEqualTo(expected);
        assertThat(completion.isSuccess()).isFalse();
        assertThat(completion.qpn()).isEqualTo(pair.here().qp.qpn());
        assertInError(pair.here());
    }

    /** Waits until the queue pair of a side has failed. */
    static void assertInError(Side side) {
        Waiting.until("state ERROR", () -> side.qp.state() == QueuePairState.ERROR);
    }
}
