// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** docs/coverage.md says which test covers what, and nothing goes without a test or a reason. */
class CoveragePageTest {
    private static final String PAGE = "docs/coverage.md";
    private static final String REFRESH = "paraverbs.coverage.refresh";

    private final ProjectTree tree = ProjectTree.find();
    private final Coverage coverage = Coverage.of(tree);

    @Test
    void everythingIsCoveredOrHasAReason() {
        assertThat(coverage.faults())
                .as(
                        "what is wrong with the coverage; give a test the annotation, or say in %s why there is none",
                        Coverage.REASONS)
                .isEmpty();
    }

    @Test
    void thePageIsFresh() throws IOException {
        Path page = tree.resolve(PAGE);
        if (Boolean.getBoolean(REFRESH)) {
            Files.writeString(page, coverage.page());
        }
        assertThat(Files.exists(page) ? Files.readString(page) : "")
                .as(
                        "%s is stale; refresh it with ./mvnw -o test -pl perftest-java -am -Dtest=CoveragePageTest"
                                + " -Dsurefire.failIfNoSpecifiedTests=false -D%s=true",
                        PAGE, REFRESH)
                .isEqualTo(coverage.page());
    }

    /** The rows come from the code: some that have to be there, and how many of those that are counted elsewhere. */
    @Test
    void theRowsAreThoseOfTheCode() {
        assertThat(coverage.rows(CoveredSubject.VERB))
                .containsKeys("Verbs.open", "QueuePair.modify", "CompletionQueue.poll", "Transition.DatagramInit")
                .doesNotContainKeys("Transition.requireBits", "Gid.of");
        assertThat(coverage.rows(CoveredSubject.OPERATION)).hasSize(10).containsKey("FETCH_AND_ADD");
        assertThat(coverage.rows(CoveredSubject.STATUS)).containsKeys("SUCCESS", "RNR_RETRY_EXCEEDED", "UNKNOWN");
        assertThat(coverage.rows(CoveredSubject.EVENT)).containsKeys("COMPLETION_QUEUE_ERROR", "UNKNOWN");
        assertThat(coverage.rows(CoveredSubject.LIMIT))
                .containsKeys("DeviceAttributes.maxQueuePairs", "DeviceLimits.maxSrq", "HostPolicy.maxHeldBack")
                .doesNotContainKey("DeviceAttributes.vendorId");
        assertThat(coverage.rows(CoveredSubject.COMMAND)).hasSize(21).containsKeys("QUERY_PORT", "DESTROY_SRQ");
        assertThat(coverage.rows(CoveredSubject.REGISTER)).hasSize(10).containsKey("DSRHIGH");
        assertThat(coverage.rows(CoveredSubject.WORK_REQUEST)).containsKeys("SEND", "FAST_REG_MR");
    }
}
