// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG;

import java.lang.foreign.MemorySegment;

/**
 * CREATE_MR. {@code nchunks} counts the 4 KiB pages that {@code start} and {@code length} touch; the first
 * page's offset is {@code start}'s. A region with {@link #FLAG_DMA} has no pages: its addresses are DMA
 * addresses.
 */
public final class CreateMr {
    /** Bytes of {@code struct pvrdma_cmd_create_mr}. */
    public static final int SIZE = 56;

    public static final int START_OFFSET = 16;
    public static final int LENGTH_OFFSET = 24;
    public static final int PDIR_DMA_OFFSET = 32;
    public static final int PD_HANDLE_OFFSET = 40;
    public static final int ACCESS_FLAGS_OFFSET = 44;
    public static final int FLAGS_OFFSET = 48;
    public static final int NCHUNKS_OFFSET = 52;

    /** {@code flags}: the region covers all DMA addresses. */
    public static final int FLAG_DMA = 1;

    /** {@code flags}: the region is filled in later by a fast registration work request. */
    public static final int FLAG_FRMR = 2;

    /** Pages of a region for fast registration at most ({@code PVRDMA_MAX_FAST_REG_PAGES}). */
    public static final int MAX_FAST_REG_PAGES = 128;

    public static long start(MemorySegment s, long base) {
        return s.get(LONG, base + START_OFFSET);
    }

    public static void start(MemorySegment s, long base, long value) {
        s.set(LONG, base + START_OFFSET, value);
    }

    public static long length(MemorySegment s, long base) {
        return s.get(LONG, base + LENGTH_OFFSET);
    }

    public static void length(MemorySegment s, long base, long value) {
        s.set(LONG, base + LENGTH_OFFSET, value);
    }

    public static long pdirDma(MemorySegment s, long base) {
        return s.get(LONG, base + PDIR_DMA_OFFSET);
    }

    public static void pdirDma(MemorySegment s, long base, long value) {
        s.set(LONG, base + PDIR_DMA_OFFSET, value);
    }

    public static int pdHandle(MemorySegment s, long base) {
        return s.get(INT, base + PD_HANDLE_OFFSET);
    }

    public static void pdHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + PD_HANDLE_OFFSET, value);
    }

    public static int accessFlags(MemorySegment s, long base) {
        return s.get(INT, base + ACCESS_FLAGS_OFFSET);
    }

    public static void accessFlags(MemorySegment s, long base, int value) {
        s.set(INT, base + ACCESS_FLAGS_OFFSET, value);
    }

    public static int flags(MemorySegment s, long base) {
        return s.get(INT, base + FLAGS_OFFSET);
    }

    public static void flags(MemorySegment s, long base, int value) {
        s.set(INT, base + FLAGS_OFFSET, value);
    }

    public static int nchunks(MemorySegment s, long base) {
        return s.get(INT, base + NCHUNKS_OFFSET);
    }

    public static void nchunks(MemorySegment s, long base, int value) {
        s.set(INT, base + NCHUNKS_OFFSET, value);
    }

    /** Carries handle and keys. */
    public static final class Response {
        /** Bytes of {@code struct pvrdma_cmd_create_mr_resp}. */
        public static final int SIZE = 32;

        public static final int MR_HANDLE_OFFSET = 16;
        public static final int LKEY_OFFSET = 20;
        public static final int RKEY_OFFSET = 24;

        public static int mrHandle(MemorySegment s, long base) {
            return s.get(INT, base + MR_HANDLE_OFFSET);
        }

        public static void mrHandle(MemorySegment s, long base, int value) {
            s.set(INT, base + MR_HANDLE_OFFSET, value);
        }

        public static int lkey(MemorySegment s, long base) {
            return s.get(INT, base + LKEY_OFFSET);
        }

        public static void lkey(MemorySegment s, long base, int value) {
            s.set(INT, base + LKEY_OFFSET, value);
        }

        public static int rkey(MemorySegment s, long base) {
            return s.get(INT, base + RKEY_OFFSET);
        }

        public static void rkey(MemorySegment s, long base, int value) {
            s.set(INT, base + RKEY_OFFSET, value);
        }

        private Response() {}
    }

    private CreateMr() {}
}
