"""Regret: how much worse than the best method of the task the one is that `auto` takes, for every task.

The error of a method in one setting (data, task, epsilon) is the geometric mean over the classes of questions that
people ask (`asked_tables`, `asked_people`) of the mean absolute errors of its answers; classes of one family, such as
the roll-ups by each attribute, count as one together. Regret is this error of `auto`, over the least that any method of
the task has with its defaults. Which method is best is found in some trials, the ratio in others, so that luck is no
part of it; ratios above 1.3 are judged again by more trials. A regret below 1 is taken as 1. About half of the settings
of tables and ranges come with a public guess of the rows, to one digit. Limits are for all settings, and both halves
are shown. The numbers that `auto` goes by were chosen with both in view, so neither is an independent check.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.accuracy.shapes import absent, dice
from benchmarks.measure import Report
from benchmarks.regret import asked_people, asked_tables
from benchmarks.regret.counted import counted
from benchmarks.regret.scores import Regret, Setting, regret

EPSILONS = ("1", "0.1")
TASKS = ("table", "ranges", "marginals", "items")
MEAN, WORST = 1.15, 1.5


def run(quick: bool) -> Report:
    report = Report("regret: errors of auto / errors of the best method", quick)
    for name in absent():
        report.note(f"{name}: real data", "not there; set DISCREET_DATA to the folder that has it")
    for task in TASKS:
        judged(report, task)
    return report


def judged(report: Report, task: str) -> None:
    found = []
    for setting in settings(task, report.quick):
        found.append(regret(setting, report.quick))
        _say(report, found[-1])
    for half in "AB":
        inside = [one for one in found if one.half == half]
        if inside:
            report.note(f"{task}, half {half}: geometric mean of {len(inside)} settings", _mean(inside))
    worst = max(found, key=lambda one: one.value)
    report.at_most(f"{task}: geometric mean of {len(found)} settings", _mean(found), MEAN)
    report.at_most(f"{task}: worst, +- {worst.value * worst.chance:.2f} ({worst.setting})", worst.value, WORST)


def settings(task: str, quick: bool) -> Iterator[Setting]:
    for epsilon in EPSILONS:
        if task == "marginals":
            yield from asked_people.marginals(epsilon, quick)
        elif task == "items":
            yield from asked_people.items(epsilon, quick)
        else:
            for one in counted(quick):
                if one.task.name == task:
                    yield asked_tables.setting(one, epsilon, guessed=bool(dice(one.name, epsilon).integers(2)))


def _say(report: Report, one: Regret) -> None:
    if one.picked == one.best and one.value == 1:
        report.note(one.setting, f"1, {one.picked} is best")
        return
    worst = max(one.classes, key=lambda name: one.classes[name])
    said = f"{one.value:.3g} +- {one.value * one.chance:.2g}, {one.picked} against {one.best}"
    report.note(one.setting, f"{said}; most in {worst}: {one.classes[worst]:.3g}")


def _mean(found: list[Regret]) -> float:
    return float(np.exp(np.mean([np.log(one.value) for one in found])))
