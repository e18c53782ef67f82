"""How far off answers are: mean absolute error, coverage and width of intervals, of methods against a baseline.

What is asked is what users ask: `release.ask` of a release with fresh noise, published from ready counts; items are
counted in users' records. Real data are read from the folder that DISCREET_DATA names (or ../shared/data); without it
there are only made-up kinds. Constants of methods may be chosen on data sets of half A; both halves are shown.
"""

from __future__ import annotations

from benchmarks.accuracy import adult, commuting, grids, item_counts, long_line, many_tables, three_ways
from benchmarks.accuracy.shapes import absent
from benchmarks.measure import Report


def run(quick: bool) -> Report:
    report = Report("accuracy: mean absolute errors, as ratios to a baseline's", quick)
    for name in absent():
        report.note(f"{name}: real data", "not there; set DISCREET_DATA to the folder that has it")
    for case in (grids, long_line, commuting, adult, many_tables, three_ways, item_counts):
        case.run(report)
    return report
