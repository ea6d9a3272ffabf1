// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MailSetTest {
    private final MailSet set = new MailSet(130);

    private List<Integer> take() {
        List<Integer> taken = new ArrayList<>();
        set.takeAll(taken::add);
        return taken;
    }

    @Test
    void givesEachNumberOnce() {
        for (int number : new int[] {129, 0, 63, 64, 0, 129}) {
            set.put(number);
        }
        assertThat(take()).containsExactly(0, 63, 64, 129);
        assertThat(take()).isEmpty();
    }

    @Test
    void ignoresWhatIsOutsideItsRange() {
        for (int number : new int[] {-1, 192, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            set.put(number);
        }
        assertThat(take()).isEmpty();
    }

    @Test
    void whatIsPutWhileTakingComesNowOrNextTime() {
        set.put(5);
        List<Integer> taken = new ArrayList<>();
        set.takeAll(number -> {
            taken.add(number);
            if (number == 5) {
                set.put(2);
                set.put(100);
            }
        });
        taken.addAll(take());
        assertThat(taken).containsExactlyInAnyOrder(5, 2, 100);
    }
}
