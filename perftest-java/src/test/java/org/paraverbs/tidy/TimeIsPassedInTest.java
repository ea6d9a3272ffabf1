// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.tidy;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * In the emulator and in perftest, time is a parameter: whoever reads the machine's clock or sleeps by himself cannot
 * run in a simulation. Each of the two has one place that implements the clock and the waiting on the real machine.
 */
class TimeIsPassedInTest {
    // The real clock and the real waiting; anything else gets one of them passed in.
    private static final Set<String> REAL_TIME =
            Set.of("org.paraverbs.pvrdma.link.RealClock", "org.paraverbs.perftest.time.RealTime");

    private static final Set<String> CLOCKS = Set.of(
            "java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis",
            "java.lang.Thread.sleep",
            "java.time.Instant.now",
            "java.time.LocalDateTime.now",
            "java.time.ZonedDateTime.now",
            "java.time.Clock.systemUTC",
            "java.time.Clock.systemDefaultZone",
            "java.util.concurrent.TimeUnit.sleep");

    private static final DescribedPredicate<AccessTarget> A_CLOCK = DescribedPredicate.describe(
            "the machine's clock, or sleeping",
            target -> CLOCKS.contains(target.getOwner().getName() + "." + target.getName()));

    private static final DescribedPredicate<JavaClass> OTHER_THAN_REAL_TIME = DescribedPredicate.describe(
            "other than " + REAL_TIME,
            owner -> !REAL_TIME.contains(outermost(owner).getName()));

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("org.paraverbs");

    @Test
    void perftestTakesItsClockAndItsWaitingFromOutside() {
        check("org.paraverbs.perftest..");
    }

    @Test
    void theEmulatorTakesItsClockAndItsWaitingFromOutside() {
        check("org.paraverbs.pvrdma..");
    }

    private static void check(String packages) {
        // Accesses, not calls: System::nanoTime is the same as calling it.
        noClasses()
                .that()
                .resideInAPackage(packages)
                .and(OTHER_THAN_REAL_TIME)
                .should()
                .accessTargetWhere(target(A_CLOCK))
                .check(CLASSES);
    }

    private static JavaClass outermost(JavaClass inner) {
        JavaClass outer = inner;
        while (outer.getEnclosingClass().isPresent()) {
            outer = outer.getEnclosingClass().get();
        }
        return outer;
    }
}
