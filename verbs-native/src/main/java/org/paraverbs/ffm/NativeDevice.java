// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.paraverbs.ffm.lib.DeviceVerbs;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.struct.IbvDevice;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;

/** A device of libibverbs, by its name: its pointer would not outlive the list that it came from. */
final class NativeDevice implements Device {
    private final String name;
    private final long guid;

    NativeDevice(long device) {
        this.name = DeviceList.name(device);
        this.guid = DeviceList.guid(device);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String providerName() {
        return LibibverbsProvider.NAME;
    }

    @Override
    public long guid() {
        return guid;
    }

    @Override
    public boolean emulated() {
        return false;
    }

    @Override
    public Context open() {
        List<NativeContext> opened =
                DeviceList.forEach(device -> DeviceList.name(device).equals(name) ? open(device) : null).stream()
                        .filter(Objects::nonNull)
                        .toList();
        if (opened.isEmpty()) {
            throw new VerbsException(
                    "ibv_open_device", name, Errno.ENODEV, "the device has gone; list the devices again");
        }
        return opened.get(0);
    }

    private NativeContext open(long device) {
        long context = openDevice(device);
        try {
            return new NativeContext(this, device, context);
        } catch (RuntimeException e) {
            NativeCall.nonNegative(
                    "ibv_close_device", name, errno -> "", errno -> DeviceVerbs.closeDevice(errno, context));
            throw e;
        }
    }

    private long openDevice(long device) {
        Path file = SystemDevices.DEVICE_FOLDER.resolve(IbvDevice.devName(DeviceList.fields(device)));
        try {
            return NativeCall.nonNull(
                    "ibv_open_device",
                    name,
                    errno -> Advice.open(errno, file),
                    errno -> DeviceVerbs.openDevice(errno, device));
        } catch (VerbsException e) {
            // The library tries another way after EACCES and leaves the error of that one, ENOENT.
            if (Files.exists(file) && !(Files.isReadable(file) && Files.isWritable(file))) {
                VerbsException denied =
                        new VerbsException(e.verb(), name, Errno.EACCES, Advice.open(Errno.EACCES.number(), file));
                denied.initCause(e);
                throw denied;
            }
            throw e;
        }
    }

    @Override
    public String toString() {
        return LibibverbsProvider.NAME + ":" + name;
    }
}
