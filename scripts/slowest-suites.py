"""Prints the suites that took longest, from the xUnit files named on the command line. Tests of a suite run side by side,
so that their sum is more than the time that passed."""

import collections
import os
import sys
import xml.etree.ElementTree as ElementTree

SHOWN = 10


def main():
    seconds = collections.Counter()
    for path in filter(os.path.exists, sys.argv[1:]):
        for case in ElementTree.parse(path).iter("testcase"):
            seconds[case.get("classname")] += float(case.get("time") or 0)
    for suite, sum_of_tests in seconds.most_common(SHOWN):
        print(f"{sum_of_tests:6.0f} s    {suite}")


main()
