// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.paraverbs.verbs.Errno;

/** Which refusals of an attempt say that the device cannot do something. */
class FeatureProbeTest {

    @ParameterizedTest
    @EnumSource(names = {"EOPNOTSUPP", "ENOSYS", "EINVAL", "EFAULT"})
    void aRefusalOfTheVerbIsAnAnswer(Errno errno) {
        assertThat(FeatureProbe.isDefinite(errno)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"ENOMEM", "EINTR", "EAGAIN", "EBUSY", "ETIMEDOUT"})
    void aLackOfResourcesIsNone(Errno errno) {
        assertThat(FeatureProbe.isDefinite(errno)).isFalse();
    }

    @Test
    void anErrorThatThisVersionDoesNotKnowIsAnAnswer() {
        assertThat(FeatureProbe.isDefinite(Errno.of(4711))).isTrue();
    }
}
