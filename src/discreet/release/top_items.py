"""The largest items of a release, as a table."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.errors import BadParameter, CannotAnswer
from discreet.queries import Boxes
from discreet.release.answer_columns import columns_of
from discreet.release.frame import Frame
from discreet.release.groups import Grouped
from discreet.release.ranking import Modelled, Ranked, Selected, answered, item_questions, ranked
from discreet.summaries import Summary

#: below it, a certainty tells nothing
TELLS = 0.5
_OF_NOISE = "certainty is by the noise alone: too high where most items are hidden by it, or some records do not count"

_CANNOT_TELL = f"where certainty is below {TELLS}, it cannot tell whether the item belongs to the list"


def top_items(summary: Summary, selected: Boxes, per: Mapping[str, Grouped], k: int, level: float) -> Frame:
    """The `k` largest items of a selection; for each combination of groups of the contexts `per`."""
    if not isinstance(summary, Ranked | Modelled | Selected):
        raise CannotAnswer("top works for releases of Items only; for others ask table(by, largest=10)")
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise BadParameter(f"top: k must be a whole number of at least 1, not {k!r}")
    schema = summary.schema
    item = schema.names[0]
    if item in per:
        raise BadParameter(f"top: per must name contexts, and not {item} itself")
    rows: dict[str, list[Any]] = {}
    notes: list[str] = []
    for chosen in itertools.product(*(range(len(labels)) for _, labels, _ in per.values())):
        around = {name: (group, place) for (name, group), place in zip(per.items(), chosen, strict=True)}
        questions, codes = item_questions(selected, {index: ends[i] for (index, _, ends), i in around.values()})
        if not codes.size and len(selected.first):
            continue  # a group that the condition rules out
        values = summary.answer(questions, level).of_counts().value
        best, certainty = ranked(summary, questions, values, k)
        part: dict[str, Any] = {name: [labels[i]] * best.size for name, ((_, labels, _), i) in around.items()}
        part |= {"rank": np.arange(1, best.size + 1)}
        part |= {item: [schema[item].label(code) for code in codes[best].tolist()]}
        for places, found in answered(summary, questions, best, level):
            columns, notes = columns_of(found, summary.why_bounds)
            for name, column in columns.items():
                part.setdefault(name, np.empty(best.size, np.asarray(column).dtype))[places] = column
        for name, column in {**part, "certainty": certainty}.items():
            rows.setdefault(name, []).extend(np.asarray(column).tolist())  # one list below the other
    if isinstance(summary, Selected) and rows:
        notes = [*notes, *_of_selected(len(rows["rank"]), k)]
    elif not isinstance(summary, Modelled):
        notes = [*notes, _OF_NOISE]
    if rows and any(certainty < TELLS for certainty in rows["certainty"]):
        notes = [*notes, _CANNOT_TELL]
    return Frame(rows, notes)


def _of_selected(shown: int, k: int) -> list[str]:
    said = "items were selected by noisy counts that are not published, so how sure each is cannot be told"
    if shown == 0:
        return ["none of the items asked for was selected"]
    return [said, f"only {shown} of the items asked for were selected"] if shown < k else [said]
