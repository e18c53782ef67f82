"""Plans as tables for people and as JSON for programs."""

from __future__ import annotations

import math
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from discreet.cli.show import print_table, text_or_none
from discreet.plan import MethodPlan, Plan
from discreet.planning.budget_split import BudgetPart
from discreet.planning.least_epsilon import GRID, Goal, Needed
from discreet.planning.predicted import PlannedError
from discreet.privacy import as_text

Json = dict[str, Any]

_MARK = " *"


def show_plan(name: str, found: Plan, within: bool) -> None:
    """A row for each method, or for each class of questions if these are more; notes below."""
    able = [one for one in found.methods if one.errors]
    what = f"{found.share:.4g} of the answers are off by at most" if within else "standard errors"
    title = f"{name}, epsilon {as_text(found.epsilon)}: {what}, before anything is spent"
    if able:
        cells = [[error_text(one.errors[label], within) for label in found.classes] for one in able]
        _print_either_way(title, "method", [_marked(one) for one in able], list(found.classes), cells)
    else:
        print(title)
    for one in found.methods:
        if one.auto:
            wrapped(f"* {one.method}: {one.auto}.")
    for one in found.methods:
        if one.refused:
            wrapped(f"{one.method}: cannot; {one.refused}")
        elif said := "; ".join(filter(None, [one.parameters, one.note])):
            wrapped(f"{one.method}: {said}")
    for line in [found.words, *found.advice]:
        wrapped(line)


def _print_either_way(title: str, corner: str, rows: list[str], columns: list[str], cells: list[list[str]]) -> None:
    """The longer of the two goes down."""
    if len(columns) > max(7, len(rows)):
        rows, columns, corner = columns, rows, "questions"
        cells = [list(column) for column in zip(*cells, strict=True)]
    lines = [[label, *values] for label, values in zip(rows, cells, strict=True)]
    print_table(title, [corner, *columns], lines, right=columns)


def show_needed(name: str, goals: Mapping[str, Goal], found: Sequence[Needed]) -> None:
    able = [one for one in found if one.by_class]
    wanted = "; ".join(f"{goal}{label and f' ({label})'}" for label, goal in goals.items())
    title = f"{name}: the least epsilon for {wanted}"
    if able:
        classes = list(able[0].by_class)
        cells = [[*(least_text(one.by_class[label]) for label in classes), least_text(one.epsilon)] for one in able]
        _print_either_way(title, "method", [_marked(one) for one in able], [*classes, "all of these"], cells)
    else:
        print(title)
    for one in found:
        if one.auto:
            wrapped(f"* {one.method}: {one.auto}.")
        if one.refused:
            wrapped(f"{one.method}: cannot; {one.refused}")


def show_split(parts: Sequence[BudgetPart], total: Fraction, budget: Fraction | None) -> None:
    rows = [[part.release, part.method, least_text(part.needs), text_or_none(part.suggested) or ""] for part in parts]
    print_table(
        "a division of the budget", ("release", "method", "needs", "suggested"), rows, right=("needs", "suggested")
    )
    if any(part.needs is None for part in parts):
        wrapped(f"Where nothing is suggested, no epsilon up to {as_text(GRID[-1])} meets the error.")
    if budget is None:
        wrapped(f"Together they need {as_text(total)}; the spec has no budget.")
    elif total > budget:
        wrapped(
            f"Together they need {as_text(total)}, more than the budget of {as_text(budget)}: with what is suggested, "
            f"errors are about {float(total / budget):.2g} times what was asked for."
        )
    else:
        wrapped(f"Together they need {as_text(total)} of {as_text(budget)}; the rest is shared in proportion.")


def fields_of(found: Plan) -> Json:
    """A plan as JSON."""
    return {
        "epsilon": as_text(found.epsilon),
        "share": found.share,
        "in words": found.words,
        "questions": {name: {"cells": cells} for name, cells in found.classes.items()},
        "methods": [_method(one) for one in found.methods],
        "advice": found.advice,
    }


def _method(one: MethodPlan) -> Json:
    errors = {
        name: {
            "basis": error.basis,
            "error": [_finite(error.low), _finite(error.high)],
            "within": [_finite(error.reach_low), _finite(error.reach_high)],
        }
        for name, error in one.errors.items()
    }
    said = {"parameters": one.parameters, "note": one.note, "refused": one.refused or None}
    return {"method": one.method, "auto": one.auto or None, "errors": errors, **said}


def needed_fields(goals: Mapping[str, Goal], found: Sequence[Needed]) -> Json:
    methods = [
        {
            "method": one.method,
            "auto": one.auto or None,
            "epsilon": text_or_none(one.epsilon),
            "by questions": {name: text_or_none(epsilon) for name, epsilon in one.by_class.items()},
            "refused": one.refused or None,
        }
        for one in found
    ]
    wanted = {name or "all": {"error": goal.error, "share": goal.share} for name, goal in goals.items()}
    return {"goals": wanted, "methods": methods}


def wrapped(text: str) -> None:
    """Folded to the terminal, later lines indented."""
    width = max(40, shutil.get_terminal_size((100, 24)).columns)
    print(textwrap.fill(text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))


def _marked(one: MethodPlan | Needed) -> str:
    return one.method + (_MARK if one.auto else "")


def least_text(epsilon: Fraction | None) -> str:
    return f"above {as_text(GRID[-1])}" if epsilon is None else as_text(epsilon)


def error_text(error: PlannedError, within: bool) -> str:
    low, high = (error.reach_low, error.reach_high) if within else (error.low, error.high)
    texts = [_number(end) for end in (low, high)]
    return texts[0] if texts[0] == texts[1] else " to ".join(texts)


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "no limit"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 0.001 else "0"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
