// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.CreateQp;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.pvrdma.link.VirtualClock;

/** What tests of the control path share: drivers in a network in virtual time, and commands that a test may spoil. */
abstract class ControlPathFixture {
    static final int EPERM = 1;
    static final int ENOMEM = 12;
    static final int EFAULT = 14;
    static final int EBUSY = 16;
    static final int ENODEV = 19;
    static final int EINVAL = 22;
    static final int ENOSYS = 38;
    static final int ENODATA = 61;
    static final int EOPNOTSUPP = 95;

    final VirtualClock clock = new VirtualClock();
    final Fabric fabric = new Fabric(clock);
    private final List<MockDriver> drivers = new ArrayList<>();

    @AfterEach
    void close() {
        drivers.forEach(MockDriver::close);
    }

    MockDriver booted() {
        return booted(DeviceConfiguration.defaults());
    }

    MockDriver booted(DeviceConfiguration configuration) {
        return keep(MockDriver.booted(fabric, drivers.size() + 1, configuration));
    }

    MockDriver off() {
        return off(DeviceConfiguration.defaults());
    }

    MockDriver off(DeviceConfiguration configuration) {
        return keep(new MockDriver(fabric, drivers.size() + 1, configuration));
    }

    private MockDriver keep(MockDriver driver) {
        drivers.add(driver);
        return driver;
    }

    static DeviceConfiguration version(int version) {
        return DeviceConfiguration.builder().version(version).build();
    }

    static int createMr(MockDriver driver, int pd, long start, long length, int chunks, Consumer<MemorySegment> more) {
        MockMemory.Pages pages = driver.memory.pages(4);
        return driver.command(CommandCode.CREATE_MR, s -> {
            CreateMr.pdHandle(s, 0, pd);
            CreateMr.start(s, 0, start);
            CreateMr.length(s, 0, length);
            CreateMr.nchunks(s, 0, chunks);
            CreateMr.pdirDma(s, 0, driver.memory.directory(pages.addresses()));
            more.accept(s);
        });
    }

    static int createQp(MockDriver driver, int pd, MockCompletionQueue cq, Consumer<MemorySegment> more) {
        MockMemory.Pages pages = driver.memory.pages(3);
        return driver.command(CommandCode.CREATE_QP, s -> {
            CreateQp.pdirDma(s, 0, driver.memory.directory(pages.addresses()));
            CreateQp.pdHandle(s, 0, pd);
            CreateQp.sendCqHandle(s, 0, cq.handle);
            CreateQp.recvCqHandle(s, 0, cq.handle);
            CreateQp.maxSendWr(s, 0, 32);
            CreateQp.maxRecvWr(s, 0, 128);
            CreateQp.maxSendSge(s, 0, 3);
            CreateQp.maxRecvSge(s, 0, 1);
            CreateQp.totalChunks(s, 0, 3);
            CreateQp.sendChunks(s, 0, 1);
            CreateQp.qpType(s, 0, QpType.RC);
            more.accept(s);
        });
    }
}
