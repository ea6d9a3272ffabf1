// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import java.util.List;
import java.util.Optional;
import org.paraverbs.verbs.Device;

/**
 * A source of RDMA devices, found by {@link java.util.ServiceLoader}. Implementations have a public constructor without
 * arguments that does not fail and does next to nothing: what cannot work is told by {@link #unavailability()}.
 */
public interface VerbsProvider {

    /** The short name that may stand before a device's name, as {@code ibv} in {@code ibv:mlx5_0}. */
    String name();

    /**
     * The devices present at this moment. Does not throw: a provider that cannot work has none.
     *
     * @return the devices, possibly none
     */
    List<Device> devices();

    /**
     * Why {@link #devices()} lists less than one might expect, and what to do about it, in one sentence.
     *
     * @return the sentence, or empty if all is well
     */
    Optional<String> unavailability();
}
