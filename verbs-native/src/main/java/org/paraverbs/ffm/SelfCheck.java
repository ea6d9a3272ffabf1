// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.paraverbs.ffm.lib.DeviceVerbs;
import org.paraverbs.ffm.lib.IbverbsLibrary;
import org.paraverbs.ffm.struct.IbvContext;
import org.paraverbs.ffm.struct.IbvDevice;
import org.paraverbs.ffm.struct.IbvDeviceAttr;
import org.paraverbs.ffm.struct.VerbsContext;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;

/**
 * Whether the library that was loaded has the structs that this module was written for; done whenever a device is opened,
 * before anything is called through a pointer read from them. A wrong offset would otherwise be a jump to nowhere.
 *
 * <p>Each check compares something that the library says in two ways, or that only one layout can give: the address of
 * the name against the offset of the name, the mark at the very end of {@code ibv_context}, the files behind its
 * descriptors, function pointers that point to code, the last byte of the device's attributes.
 */
final class SelfCheck {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Path MAPPINGS = Path.of("/proc/self/maps");

    /** What stands in for the device file where native/preload is preloaded. */
    private static final String EMULATED = "/memfd:infiniband/uverbs0";

    /** More than any rdma-core has: a {@code verbs_context} of 1 MiB is garbage. */
    private static final long CONTEXT_SIZE_MAX = 1 << 20;

    private final String device;

    private SelfCheck(String device) {
        this.device = device;
    }

    /**
     * Checks an opened device.
     *
     * @param device the {@code ibv_device}
     * @param context the {@code ibv_context}
     * @param extended the {@link VerbsContext#REACH} bytes before it; looked at only if it says that they are there
     * @throws VerbsException ENOSYS, if the layout is another one
     */
    static void check(long device, MemorySegment context, MemorySegment extended) {
        MemorySegment fields = DeviceList.fields(device);
        SelfCheck check = new SelfCheck(IbvDevice.name(fields));
        check.that(
                DeviceVerbs.getDeviceName(device) - device == IbvDevice.NAME,
                "ibv_device.name is not where it should be");
        check.that(IbvContext.abiCompat(context) == VerbsContext.PRESENT, "ibv_context.abi_compat is not set");
        check.that(
                VerbsContext.sz(extended) >= IbvContext.SIZE && VerbsContext.sz(extended) <= CONTEXT_SIZE_MAX,
                "verbs_context.sz is " + VerbsContext.sz(extended));
        check.that(IbvContext.numCompVectors(context) >= 0, "ibv_context.num_comp_vectors is negative");
        String file = check.descriptor("cmd_fd", IbvContext.cmdFd(context), "infiniband");
        // an emulated device has no kernel that would make an event file for it
        check.descriptor("async_fd", IbvContext.asyncFd(context), file.startsWith(EMULATED) ? "pipe:" : "infiniband");
        List<AddressRange> code = AddressRange.executable(check.mappings());
        check.code(code, "poll_cq", IbvContext.pollCq(context));
        check.code(code, "req_notify_cq", IbvContext.reqNotifyCq(context));
        check.code(code, "post_srq_recv", IbvContext.postSrqRecv(context));
        check.code(code, "post_send", IbvContext.postSend(context));
        check.code(code, "post_recv", IbvContext.postRecv(context));
    }

    /**
     * Checks what the device answered to {@code ibv_query_device}: every RDMA device has ports and queue pairs.
     *
     * @param device the name of the device
     * @param attributes what it answered
     */
    static void checkAttributes(String device, MemorySegment attributes) {
        SelfCheck check = new SelfCheck(device);
        check.that(IbvDeviceAttr.physPortCnt(attributes) > 0, "ibv_device_attr.phys_port_cnt is 0");
        check.that(IbvDeviceAttr.maxQp(attributes) > 0, "ibv_device_attr.max_qp is not positive");
        check.that(IbvDeviceAttr.maxCqe(attributes) > 0, "ibv_device_attr.max_cqe is not positive");
    }

    /** Both descriptors lead to the device file, or to an event file that the kernel made for it; gives its name. */
    private String descriptor(String field, int descriptor, String expected) {
        String target;
        try {
            target = Files.readSymbolicLink(DESCRIPTORS.resolve(String.valueOf(descriptor)))
                    .toString();
        } catch (IOException e) {
            target = "no open file";
        }
        that(target.contains(expected), "ibv_context." + field + " is " + descriptor + ", which is " + target);
        return target;
    }

    private List<String> mappings() {
        try {
            return Files.readAllLines(MAPPINGS);
        } catch (IOException e) {
            throw new UncheckedIOException("the start-up self-check needs " + MAPPINGS, e);
        }
    }

    private void code(List<AddressRange> code, String operation, long address) {
        that(
                code.stream().anyMatch(range -> range.contains(address)),
                "ibv_context.ops." + operation + " does not point to code");
    }

    private void that(boolean expected, String otherwise) {
        if (!expected) {
            throw new VerbsException(
                    "ibv_open_device",
                    device,
                    Errno.ENOSYS,
                    IbverbsLibrary.name() + " does not have the layout of rdma-core 44 to 65 that this binding knows ("
                            + otherwise + "); use such a libibverbs, or a newer Paraverbs");
        }
    }

    /** A piece of the address space. */
    record AddressRange(long start, long end) {

        /** The mappings with code, proc_pid_maps(5): {@code 7f00-7f10 r-xp 00000000 fe:01 123 /lib/x}. */
        static List<AddressRange> executable(List<String> maps) {
            return maps.stream()
                    .map(line -> line.split(" ", 3))
                    .filter(words -> words.length > 1 && words[1].contains("x"))
                    .map(words -> words[0].split("-"))
                    .map(ends ->
                            new AddressRange(Long.parseUnsignedLong(ends[0], 16), Long.parseUnsignedLong(ends[1], 16)))
                    .toList();
        }

        boolean contains(long address) {
            return Long.compareUnsigned(address, start) >= 0 && Long.compareUnsigned(address, end) < 0;
        }
    }
}
