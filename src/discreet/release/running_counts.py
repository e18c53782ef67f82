"""Cumulative counts of an ordinal attribute: of each value, how many records have it or a lower one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from discreet.errors import BadParameter, CannotAnswer
from discreet.queries import Boxes, Questions
from discreet.release.answer_columns import columns_of
from discreet.release.flagged import Flagged
from discreet.release.frame import Frame
from discreet.release.group_tables import whole_table
from discreet.release.groups import Grouped, grouped, grouping
from discreet.release.quantiles import MOST_CODES
from discreet.schema import Ordinal
from discreet.summaries import Answers, Summary


def running_counts(
    summary: Summary,
    selected: Boxes,
    named: Sequence[Grouped],
    attribute: int,
    level: float,
    *,
    whole: bool,
    flagged: Callable[[Questions, Answers], Flagged | None],
) -> Frame:
    """A row for each group and value; with `whole`, in whole numbers that do not fall."""
    schema, name = summary.schema, summary.schema.names[attribute]
    ordinal = schema[name]
    assert isinstance(ordinal, Ordinal)
    if ordinal.bins > MOST_CODES:
        raise CannotAnswer(
            f"{name} has {ordinal.bins:,} bins, too many for a row each (at most {MOST_CODES:,}); "
            "ask for quantiles, or for counts of ranges"
        )
    if attribute in [index for index, _, _ in named]:
        raise BadParameter(f"prefix: {name} cannot be grouped by itself; leave it out of `by`")
    codes = np.arange(ordinal.bins)  # without the one for other values, which has no place in the order
    groups = grouping(named, schema, selected)
    asked = groups.within(attribute, np.zeros_like(codes), codes)
    found = summary.answer(asked, level).of_counts()
    answers, notes = columns_of(found, summary.why_bounds, flagged(asked, found))
    if whole:
        cells = grouping([*named, grouped(name, schema, ())], schema, selected)
        parts = summary.answer(cells.questions, level).of_counts()
        counts = whole_table(summary, cells.questions, parts, selected, level).reshape(len(groups), -1)
        answers["count"] = np.cumsum(counts, axis=1)[:, : ordinal.bins].reshape(-1)
    labels = {column: [label for label in given for _ in codes] for column, given in groups.columns.items()}
    values = [ordinal.label(code) for code in codes.tolist()] * len(groups)
    return Frame({**labels, name: values, **answers}, notes)
