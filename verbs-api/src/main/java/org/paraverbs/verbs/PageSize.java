// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** The pages that memory is allocated for. */
public enum PageSize {
    /** Aligned to the base page, 4 KiB. */
    BASE(4096),
    /** Aligned to 2 MiB; on Linux the system is asked for transparent huge pages where the provider can. */
    HUGE(2 << 20);

    private final int bytes;

    PageSize(int bytes) {
        this.bytes = bytes;
    }

    /** The alignment in bytes. */
    public int bytes() {
        return bytes;
    }
}
