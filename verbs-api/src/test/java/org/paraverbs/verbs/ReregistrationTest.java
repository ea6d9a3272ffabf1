// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReregistrationTest {

    @Test
    void somethingBecomesDifferent() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Reregistration(null, null, null))
                .withMessageContaining("changes the memory, the domain or the rights");
    }

    @Test
    void noRightsAtAllAreAChangeOfRights() {
        assertThat(Reregistration.ofAccess().access()).isEmpty();
        assertThat(Reregistration.ofMemory(MemorySegment.NULL).access()).isNull();
        assertThat(Reregistration.ofMemory(MemorySegment.NULL)
                        .withAccess(Access.REMOTE_READ)
                        .access())
                .containsExactly(Access.REMOTE_READ);
    }

    @Test
    void theRightsAreACopy() {
        Set<Access> rights = EnumSet.of(Access.LOCAL_WRITE);
        Reregistration change = new Reregistration(null, null, rights);
        rights.clear();
        assertThat(change.access()).containsExactly(Access.LOCAL_WRITE);
    }
}
