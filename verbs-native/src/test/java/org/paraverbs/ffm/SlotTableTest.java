// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SlotTableTest {
    private final SlotTable<String> table = new SlotTable<>();

    @Test
    void growsAndKeepsWhatStandsInIt() {
        Set<Integer> slots = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            int slot = table.reserve();
            table.put(slot, "entry " + i);
            slots.add(slot);
        }
        assertThat(slots).hasSize(1000);
        assertThat(table.get(0)).isEqualTo("entry 0");
        assertThat(table.get(999)).isEqualTo("entry 999");
    }

    @Test
    void numbersThatNoSlotHasLeadNowhere() {
        assertThat(table.get(0)).isNull();
        table.put(table.reserve(), "one");
        assertThat(table.get(-1)).isNull();
        assertThat(table.get(RequestId.SLOT_COUNT - 1)).isNull();
    }

    @Test
    void aRemovedEntryIsGoneBeforeItsSlotIsFree() {
        int slot = table.reserve();
        table.put(slot, "one");
        table.remove(slot);
        assertThat(table.get(slot)).isNull();
        for (int i = 0; i < 500; i++) {
            assertThat(table.reserve()).isNotEqualTo(slot);
        }
    }

    @Test
    void aSlotComesBackAfterAllOthers() {
        int first = table.reserve();
        int second = table.reserve();
        table.free(first);
        table.free(second);
        int next = table.reserve();
        while (next != first) {
            assertThat(next).isNotEqualTo(second);
            next = table.reserve();
        }
        assertThat(table.reserve()).isEqualTo(second);
    }

    @Test
    void showsWhatStandsInIt() {
        int one = table.reserve();
        int two = table.reserve();
        table.put(one, "one");
        table.put(two, "two");
        table.remove(one);
        List<String> seen = new ArrayList<>();
        table.forEach(seen::add);
        assertThat(seen).containsExactly("two");
    }

    @Test
    void generationsDifferUntilTheyWrap() {
        int slot = table.reserve();
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i <= RequestId.GENERATION_MASK; i++) {
            seen.add(table.nextGeneration(slot));
        }
        assertThat(seen).hasSize(RequestId.GENERATION_MASK + 1);
    }

    @Test
    void saysWhenItIsFull() {
        for (int i = 0; i < RequestId.SLOT_COUNT; i++) {
            table.reserve();
        }
        assertThat(table.reserve()).isEqualTo(-1);
    }
}
