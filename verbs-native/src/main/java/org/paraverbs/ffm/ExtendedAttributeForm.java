// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.MemorySegment;
import org.paraverbs.ffm.struct.IbvDeviceAttrEx;
import org.paraverbs.verbs.ExtendedDeviceAttributes;

/** The attributes of a device in the form of {@code struct ibv_device_attr_ex}. */
final class ExtendedAttributeForm {
    private ExtendedAttributeForm() {}

    static ExtendedDeviceAttributes read(MemorySegment answer) {
        return new ExtendedDeviceAttributes(
                IbvDeviceAttrEx.odpCapsGeneralCaps(answer),
                IbvDeviceAttrEx.odpCapsPerTransportCapsRcOdpCaps(answer),
                IbvDeviceAttrEx.odpCapsPerTransportCapsUcOdpCaps(answer),
                IbvDeviceAttrEx.odpCapsPerTransportCapsUdOdpCaps(answer),
                IbvDeviceAttrEx.completionTimestampMask(answer),
                IbvDeviceAttrEx.hcaCoreClock(answer),
                IbvDeviceAttrEx.deviceCapFlagsEx(answer),
                IbvDeviceAttrEx.tsoCapsMaxTso(answer),
                IbvDeviceAttrEx.tsoCapsSupportedQpts(answer),
                IbvDeviceAttrEx.maxWqTypeRq(answer),
                IbvDeviceAttrEx.rawPacketCaps(answer),
                IbvDeviceAttrEx.cqModCapsMaxCqCount(answer),
                IbvDeviceAttrEx.cqModCapsMaxCqPeriod(answer),
                IbvDeviceAttrEx.maxDmSize(answer),
                IbvDeviceAttrEx.pciAtomicCapsFetchAdd(answer),
                IbvDeviceAttrEx.pciAtomicCapsSwap(answer),
                IbvDeviceAttrEx.pciAtomicCapsCompareSwap(answer),
                IbvDeviceAttrEx.physPortCntEx(answer));
    }
}
