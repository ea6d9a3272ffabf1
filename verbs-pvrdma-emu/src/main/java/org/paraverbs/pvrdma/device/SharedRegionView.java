// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.DeviceVersion;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.RingPages;
import org.paraverbs.pvrdma.abi.SharedRegion;
import org.paraverbs.verbs.Errno;

/**
 * What the driver put in the device shared region, read once. The guest may change the region later; the device does
 * not look again.
 */
record SharedRegionView(
        int driverVersion,
        long commandSlot,
        long responseSlot,
        int asyncPages,
        long asyncDirectory,
        int completionPages,
        long completionDirectory,
        long uarPage) {

    private static final int VENDOR_ID = 0x15ad;
    private static final int PART_ID = 0x0820;
    private static final long FIRMWARE_VERSION = 1L << 32;
    private static final int HARDWARE_VERSION = 1;
    private static final int ACK_DELAY_CODE = 5;

    /** {@code IBV_DEVICE_CURR_QP_STATE_MOD}: MODIFY_QP compares the state that the guest takes a queue pair to be in. */
    private static final int CURRENT_STATE_COMPARED = 1 << 7;

    /** Reads the region at an address and fills in the capabilities. */
    static SharedRegionView read(DeviceConfiguration configuration, GuestMemory memory, long address)
            throws RefusedException {
        MemorySegment region = memory.resolve(address, SharedRegion.SIZE);
        if (region == null) {
            throw new RefusedException(
                    Errno.EFAULT, "the shared region at 0x" + Long.toHexString(address) + " is not mapped");
        }
        int driver = SharedRegion.driverVersion(region, 0);
        RefusedException.unless(
                driver >= DeviceVersion.ROCEV1_VERSION,
                "the driver's version must be " + DeviceVersion.ROCEV1_VERSION + " at least, and not",
                driver);
        writeCaps(configuration, region, SharedRegion.CAPS_OFFSET);
        return new SharedRegionView(
                driver,
                SharedRegion.cmdSlotDma(region, 0),
                SharedRegion.respSlotDma(region, 0),
                RingPages.numPages(region, SharedRegion.ASYNC_RING_PAGES_OFFSET),
                RingPages.pdirDma(region, SharedRegion.ASYNC_RING_PAGES_OFFSET),
                RingPages.numPages(region, SharedRegion.CQ_RING_PAGES_OFFSET),
                RingPages.pdirDma(region, SharedRegion.CQ_RING_PAGES_OFFSET),
                Math.min(driver, configuration.version()) < DeviceVersion.PPN64_VERSION
                        ? Integer.toUnsignedLong(SharedRegion.uarPfn(region, 0))
                        : SharedRegion.uarPfn64(region, 0));
    }

    private static void writeCaps(DeviceConfiguration configuration, MemorySegment s, long caps) {
        s.asSlice(caps, DeviceCaps.SIZE).fill((byte) 0);
        DeviceCaps.fwVer(s, caps, FIRMWARE_VERSION);
        DeviceCaps.nodeGuid(s, caps, configuration.nodeGuid());
        DeviceCaps.sysImageGuid(s, caps, configuration.nodeGuid());
        DeviceCaps.maxMrSize(s, caps, configuration.limits().maxMrSize());
        DeviceCaps.pageSizeCap(s, caps, PageDirectory.PAGE_SIZE);
        DeviceCaps.vendorId(s, caps, VENDOR_ID);
        DeviceCaps.vendorPartId(s, caps, PART_ID);
        DeviceCaps.hwVer(s, caps, HARDWARE_VERSION);
        DeviceCaps.maxQp(s, caps, configuration.limits().maxQp());
        DeviceCaps.maxQpWr(s, caps, configuration.limits().maxQpWr());
        DeviceCaps.deviceCapFlags(s, caps, CURRENT_STATE_COMPARED);
        DeviceCaps.maxSge(s, caps, configuration.limits().maxSge());
        DeviceCaps.maxSgeRd(s, caps, configuration.limits().maxSge());
        DeviceCaps.maxCq(s, caps, configuration.limits().maxCq());
        DeviceCaps.maxCqe(s, caps, configuration.limits().maxCqe());
        DeviceCaps.maxMr(s, caps, configuration.limits().maxMr());
        DeviceCaps.maxPd(s, caps, configuration.limits().maxPd());
        DeviceCaps.maxQpRdAtom(s, caps, configuration.limits().maxReads());
        DeviceCaps.maxResRdAtom(
                s,
                caps,
                configuration.limits().maxReads() * configuration.limits().maxQp());
        DeviceCaps.maxQpInitRdAtom(s, caps, configuration.limits().maxReads());
        DeviceCaps.maxAh(s, caps, configuration.limits().maxAh());
        DeviceCaps.maxSrq(s, caps, configuration.limits().maxSrq());
        DeviceCaps.maxSrqWr(
                s,
                caps,
                configuration.limits().maxSrq() == 0
                        ? 0
                        : configuration.limits().maxSrqWr());
        DeviceCaps.maxSrqSge(
                s,
                caps,
                configuration.limits().maxSrq() == 0
                        ? 0
                        : configuration.limits().maxSrqSge());
        DeviceCaps.maxUar(s, caps, configuration.limits().maxUar());
        DeviceCaps.gidTblLen(s, caps, configuration.limits().gidTableLength());
        DeviceCaps.maxPkeys(s, caps, 1);
        DeviceCaps.localCaAckDelay(s, caps, ACK_DELAY_CODE);
        DeviceCaps.physPortCnt(s, caps, 1);
        DeviceCaps.gidTypes(s, caps, configuration.gidType());
        if (configuration.atomics()) {
            DeviceCaps.atomicOps(s, caps, DeviceCaps.ATOMIC_COMP_SWAP | DeviceCaps.ATOMIC_FETCH_ADD);
        }
        if (configuration.fastRegistration()) {
            DeviceCaps.bmmeFlags(
                    s, caps, DeviceCaps.BMME_LOCAL_INV | DeviceCaps.BMME_REMOTE_INV | DeviceCaps.BMME_FAST_REG_WR);
            DeviceCaps.maxFastRegPageListLen(s, caps, CreateMr.MAX_FAST_REG_PAGES);
        }
        // mode 0 is RoCE
    }
}
