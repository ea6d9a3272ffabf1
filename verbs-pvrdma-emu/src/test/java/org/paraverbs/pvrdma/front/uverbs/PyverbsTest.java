// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import org.junit.jupiter.api.Test;

/** rdma-core's own Python tests, unmodified, on the emulated device. */
class PyverbsTest extends ServerFixture {
    @Override
    String[] required() {
        return new String[] {"bash", "dpkg-query", "/usr/lib/python3/dist-packages/pyverbs/__init__.py"};
    }

    /** Compares with {@code pyverbs/results-44.txt}, or the list of another version. */
    @Test
    void whatBecomesOfEachIsAsTheListSays() throws Exception {
        programs.start("pyverbs/run", directory.resolve("results.txt").toString())
                .succeed();
        assertNothingIsLeft();
    }
}
