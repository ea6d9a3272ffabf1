// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class EthernetHeaderTest {
    private static final long VETH1 = 0x46b1c57bbb18L;
    private static final long VETH0 = 0xa28c602da6beL;

    @Test
    void readsWhatWasCaptured() {
        MemorySegment frame = Capture.frame(3).segment();
        assertThat(EthernetHeader.destination(frame, 0)).isEqualTo(VETH1);
        assertThat(EthernetHeader.source(frame, 0)).isEqualTo(VETH0);
        assertThat(EthernetHeader.type(frame, 0)).isEqualTo(EthernetHeader.TYPE_IPV4);
        assertThat(EthernetHeader.type(Capture.frame(46).segment(), 0)).isEqualTo(EthernetHeader.TYPE_IPV6);
    }

    @Test
    void writesTheSameBytes() {
        byte[] bytes = new byte[EthernetHeader.SIZE];
        MemorySegment header = MemorySegment.ofArray(bytes);
        EthernetHeader.destination(header, 0, VETH1);
        EthernetHeader.source(header, 0, VETH0);
        EthernetHeader.type(header, 0, EthernetHeader.TYPE_IPV4);
        assertThat(bytes).isEqualTo(Capture.frame(3).slice(0, EthernetHeader.SIZE));
    }
}
