// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreatePd;
import org.paraverbs.pvrdma.abi.CreateUc;
import org.paraverbs.pvrdma.abi.DestroyPd;
import org.paraverbs.pvrdma.abi.DestroyUc;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.DeviceVersion;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The contexts of programs and their protection domains (pvrdma_verbs.c). */
final class Contexts {
    private static final Logger LOG = LoggerFactory.getLogger(Contexts.class);

    private final Parts parts;
    private final int version;
    private final UarTable uars;
    private final Limit domainLimit;
    private final Map<Integer, KernelContext> contexts = new ConcurrentHashMap<>();
    private final Map<Integer, KernelDomain> domains = new ConcurrentHashMap<>();

    Contexts(Parts parts, int version) {
        this.parts = parts;
        this.version = version;
        uars = new UarTable(DeviceCaps.maxUar(parts.caps(), 0));
        domainLimit = new Limit("max_pd", "protection domains", DeviceCaps.maxPd(parts.caps(), 0), "maxPd");
    }

    Set<Integer> handles() {
        return contexts.keySet();
    }

    /** Tells every context of an event of a port, or of the device. */
    void tellAll(int type, int port) {
        for (KernelContext context : contexts.values()) {
            context.events().onPortEvent(type, port);
        }
    }

    UserContext open(EventListener events) {
        Call call = Call.of("ibv_open_device", parts::name);
        int page = uars.allocate(call);
        try {
            int handle = parts.commands()
                    .ask(
                            call,
                            CommandCode.CREATE_UC,
                            command -> setPfn(command, DeviceShare.UAR_PFN + page),
                            response -> CreateUc.Response.ctxHandle(response, 0));
            contexts.put(handle, new KernelContext(handle, page, events));
            return new UserContext(handle, page);
        } catch (RuntimeException e) {
            uars.release(page);
            throw e;
        }
    }

    private void setPfn(MemorySegment command, long pfn) {
        if (version < DeviceVersion.PPN64_VERSION) {
            CreateUc.pfn(command, 0, (int) pfn);
        } else {
            CreateUc.pfn64(command, 0, pfn);
        }
    }

    KernelContext require(Call call, int handle) {
        KernelContext context = contexts.get(handle);
        if (context == null) {
            throw call.failure(Errno.EINVAL, "there is no context " + handle);
        }
        return context;
    }

    /** Closes a context of which nothing is left but protection domains. */
    void close(Call call, KernelContext context) {
        for (KernelDomain domain : domains.values()) {
            if (domain.context().equals(context)) {
                destroyDomain(domain.handle());
            }
        }
        contexts.remove(context.handle());
        tellQuietly(call, CommandCode.DESTROY_UC, context.handle());
        uars.release(context.uarPage());
    }

    int createDomain(int contextHandle) {
        Call call = Call.of("ibv_alloc_pd", parts::name);
        KernelContext context = require(call, contextHandle);
        domainLimit.take(call);
        try {
            int handle = parts.commands()
                    .ask(
                            call,
                            CommandCode.CREATE_PD,
                            command -> CreatePd.ctxHandle(command, 0, contextHandle),
                            response -> CreatePd.Response.pdHandle(response, 0));
            domains.put(handle, new KernelDomain(handle, context, new Users("protection domain")));
            return handle;
        } catch (RuntimeException e) {
            domainLimit.give();
            throw e;
        }
    }

    void destroyDomain(int handle) {
        Call call = Call.of("ibv_dealloc_pd", () -> "PD " + handle + " of " + parts.name());
        KernelDomain domain = requireDomain(call, handle);
        domain.users().retire(call);
        domains.remove(handle);
        tellQuietly(call, CommandCode.DESTROY_PD, handle);
        domainLimit.give();
    }

    KernelDomain requireDomain(Call call, int handle) {
        KernelDomain domain = domains.get(handle);
        if (domain == null) {
            throw call.failure(Errno.EINVAL, "there is no protection domain " + handle);
        }
        return domain;
    }

    /** Destroys something at the device; as in Linux, it is gone for the driver whether or not the device agrees. */
    private void tellQuietly(Call call, int code, int handle) {
        try {
            parts.commands().tell(call, code, command -> {
                if (code == CommandCode.DESTROY_UC) {
                    DestroyUc.ctxHandle(command, 0, handle);
                } else {
                    DestroyPd.pdHandle(command, 0, handle);
                }
            });
        } catch (VerbsException e) {
            LOG.warn("Going on after: {}", e.getMessage());
        }
    }
}
