// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The programs: an operation in a shape, with the C program's name and defaults. */
enum Program {
    IB_WRITE_BW(Operation.WRITE, Shape.BANDWIDTH, 65536, 5000, 128, 1),
    IB_SEND_LAT(Operation.SEND, Shape.LATENCY, 2, 1000, 1, 512);

    /** How a test measures: each shape has one loop. */
    enum Shape {
        BANDWIDTH,
        LATENCY
    }

    private final Operation operation;
    private final Shape shape;
    private final int defaultSize;
    private final int defaultIterations;
    private final int defaultTxDepth;
    private final int defaultRxDepth;

    Program(
            Operation operation,
            Shape shape,
            int defaultSize,
            int defaultIterations,
            int defaultTxDepth,
            int defaultRxDepth) {
        this.operation = operation;
        this.shape = shape;
        this.defaultSize = defaultSize;
        this.defaultIterations = defaultIterations;
        this.defaultTxDepth = defaultTxDepth;
        this.defaultRxDepth = defaultRxDepth;
    }

    /** The name of its launcher. */
    String commandName() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Program of(String commandName) {
        return Arrays.stream(values())
                .filter(program -> program.commandName().equals(commandName))
                .findFirst()
                .orElseThrow(() -> new PerftestException("there is no program " + commandName + "; there are "
                        + Arrays.stream(values()).map(Program::commandName).collect(Collectors.joining(", "))));
    }

    Operation operation() {
        return operation;
    }

    boolean isBandwidth() {
        return shape == Shape.BANDWIDTH;
    }

    int defaultSize() {
        return defaultSize;
    }

    int defaultIterations() {
        return defaultIterations;
    }

    int defaultTxDepth() {
        return defaultTxDepth;
    }

    int defaultRxDepth() {
        return defaultRxDepth;
    }
}
