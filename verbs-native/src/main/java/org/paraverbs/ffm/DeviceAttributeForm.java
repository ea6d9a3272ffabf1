// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.MemorySegment;
import org.paraverbs.ffm.struct.IbvDeviceAttr;
import org.paraverbs.verbs.DeviceAttributes;

/** {@code struct ibv_device_attr} as the interface has it. */
final class DeviceAttributeForm {
    private DeviceAttributeForm() {}

    static DeviceAttributes read(MemorySegment answer, int completionVectors) {
        return new DeviceAttributes(
                IbvDeviceAttr.fwVer(answer),
                IbvDeviceAttr.nodeGuid(answer),
                IbvDeviceAttr.sysImageGuid(answer),
                IbvDeviceAttr.maxMrSize(answer),
                IbvDeviceAttr.pageSizeCap(answer),
                IbvDeviceAttr.vendorId(answer),
                IbvDeviceAttr.vendorPartId(answer),
                IbvDeviceAttr.hwVer(answer),
                IbvDeviceAttr.maxQp(answer),
                IbvDeviceAttr.maxQpWr(answer),
                IbvDeviceAttr.deviceCapFlags(answer),
                IbvDeviceAttr.maxSge(answer),
                IbvDeviceAttr.maxSgeRd(answer),
                IbvDeviceAttr.maxCq(answer),
                IbvDeviceAttr.maxCqe(answer),
                IbvDeviceAttr.maxMr(answer),
                IbvDeviceAttr.maxPd(answer),
                IbvDeviceAttr.maxQpRdAtom(answer),
                IbvDeviceAttr.maxQpInitRdAtom(answer),
                IbvDeviceAttr.atomicCap(answer),
                IbvDeviceAttr.maxSrq(answer),
                IbvDeviceAttr.maxSrqWr(answer),
                IbvDeviceAttr.maxSrqSge(answer),
                IbvDeviceAttr.maxAh(answer),
                IbvDeviceAttr.maxPkeys(answer),
                IbvDeviceAttr.physPortCnt(answer),
                completionVectors);
    }
}
