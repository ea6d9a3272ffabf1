# SPDX-License-Identifier: Apache-2.0
"""Runs rdma-core's own Python tests and lists what became of each.

Usage: run_tests.py FOLDER LIST OUTPUT

FOLDER holds rdma-core's folder tests; LIST is an earlier list, from which the explanations are taken; OUTPUT becomes the new one.
"""

import collections
import io
import os
import random
import re
import sys
import unittest

# Whether there is a graphics card, CUDA or huge pages, and who runs them, decides what those say.
ABOUT_THE_MACHINE = re.compile(r"dmabuf|cuda|huge|_raw_qp(?!_ex_with_illegal)|test_flow|test_rss", re.IGNORECASE)
HEADINGS = ("failed", "skipped")
BECAUSE = "    because "


def explanations(path):
    """The explanation below each heading of a list."""
    found = {}
    heading = None
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith(HEADINGS):
                heading = line.strip()
            elif line.startswith(BECAUSE):
                found[heading] = line[len(BECAUSE):].strip()
    return found


class Outcomes(unittest.TestResult):
    """What became of each test, by heading."""

    def __init__(self):
        super().__init__()
        self.lists = collections.defaultdict(list)

    def startTest(self, test):
        super().startTest(test)
        random.seed(test.id())  # many tests draw what they do

    def put(self, outcome, test, message):
        if outcome == "skipped" and ABOUT_THE_MACHINE.search(test.id()):
            message = "(what they say depends on the machine and the user)"
        self.lists[f"{outcome}: {message}" if message else outcome].append(test.id())

    def addSuccess(self, test):
        super().addSuccess(test)
        self.put("passed", test, "")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.put("skipped", test, reason)

    def fail(self, test, error):
        print(test.id(), self._exc_info_to_string(error, test), sep="\n", file=sys.stderr)
        self.put("failed", test, f"{error[0].__name__}: {error[1]}".splitlines()[0])

    def addError(self, test, err):
        super().addError(test, err)
        self.fail(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.fail(test, err)


def write(lists, known, path):
    text = io.StringIO()
    print("What becomes of rdma-core's own Python tests on the emulated device; pyverbs/run writes it.", file=text)
    for heading in sorted(lists):
        print(heading, file=text)
        if heading.startswith(HEADINGS):
            print(BECAUSE + known.get(heading, "?"), file=text)
        for name in sorted(lists[heading]):
            print("  " + name, file=text)
    with open(path, "w", encoding="utf-8") as output:
        output.write(text.getvalue())


def main():
    folder, earlier, output = sys.argv[1:]
    known = explanations(earlier) if os.path.exists(earlier) else {}
    sys.argv[1:] = []
    sys.path[:0] = [os.path.join(folder, "tests"), folder]
    from args_parser import parser  # rdma-core's

    parser.parse_args()
    import tests  # rdma-core's

    outcomes = Outcomes()
    unittest.defaultTestLoader.loadTestsFromModule(tests).run(outcomes)
    write(outcomes.lists, known, output)


if __name__ == "__main__":
    main()
