// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Errno;

/** rdma-core's own Python tests, unmodified, on the emulated device, and what they leave out. */
class PyverbsTest extends ServerFixture {
    private static final int OTHER_VERSION = 77;

    /** Prints whether it has CAP_NET_RAW, and errno numbers, 0 for success. */
    private static final String PROGRAM = """
            from pyverbs.cq import CQ
            from pyverbs.device import Context
            from pyverbs.mr import MR
            from pyverbs.pd import PD
            from pyverbs.pyverbs_error import PyverbsRDMAError
            from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
            import pyverbs.enums as e
            import re

            def errno(name, action):
                try:
                    action()
                    print(name, 0)
                except PyverbsRDMAError as error:
                    print(name, error.error_code)

            capabilities = re.search("CapEff:\\s*(\\w+)", open("/proc/self/status").read()).group(1)
            print("raw", int(capabilities, 16) >> 13 & 1)
            context = Context(name="vmw_pvrdma0")
            pd = PD(context)
            cq = CQ(context, 1)
            qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_UD, scq=cq, rcq=cq, cap=QPCap()))
            attributes = QPAttr(port_num=1)
            attributes.qkey = 0x80000000
            errno("qkey", lambda: qp.to_init(attributes))
            errno("bind", lambda: MR(pd, 100, e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_MW_BIND))
            errno("demand", lambda: MR(pd, 100, e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_ON_DEMAND))
            errno("flush", lambda: MR(pd, 100, e.IBV_ACCESS_LOCAL_WRITE | 0x100))
            """;

    @Override
    String[] required() {
        return new String[] {"bash", "dpkg-query", "setpriv", "/usr/lib/python3/dist-packages/pyverbs/__init__.py"};
    }

    /** Compares with {@code pyverbs/results-44.txt}. */
    @Test
    void whatBecomesOfEachIsAsTheListSays() throws Exception {
        CPrograms.Program run =
                programs.start("pyverbs/run", directory.resolve("results.txt").toString());
        if (run.await() == OTHER_VERSION) {
            abort(run.output());
        }
        run.succeed();
        assertNothingIsLeft();
    }

    /** Of the kernel's checks, those that need to know more than the command. */
    @Test
    void whatTheKernelAsksForIsAskedFor() throws Exception {
        String as = results();
        boolean raw = as.contains("raw 1");
        assertThat(as).contains("qkey " + (raw ? 0 : Errno.EPERM.number()));
        if (raw) {
            assertThat(results("setpriv", "--bounding-set", "-net_raw"))
                    .contains("raw 0", "qkey " + Errno.EPERM.number());
        }
        assertThat(as).contains("bind 0", "demand " + Errno.EOPNOTSUPP.number(), "flush " + Errno.EOPNOTSUPP.number());
        assertNothingIsLeft();
    }

    private String results(String... before) throws Exception {
        List<String> command = new ArrayList<>(List.of(before));
        command.addAll(List.of("/usr/bin/python3", "-c", PROGRAM));
        return programs.start(command.toArray(String[]::new)).succeed();
    }
}
