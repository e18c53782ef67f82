"""A release: a public summary and its manifest. Whatever can be asked of it is post-processing."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter, CannotAnswer
from discreet.left_out import LeftOut, noted
from discreet.naming import usable_path
from discreet.numbers.presentable import whole_total
from discreet.queries import Boxes, Estimate, Named, Questions, Where, bind, cut_questions, read_questions
from discreet.queries.binding import attribute_index
from discreet.queries.questions import MOST_TOTAL_BOXES
from discreet.queries.reliability import FLAG_LEVEL
from discreet.release import files, placing
from discreet.release.answer_columns import BOUNDS, KNOWN, columns_of, known_note
from discreet.release.flagged import Flagged, flagged, one_flag
from discreet.release.frame import Frame
from discreet.release.groups import Group, grouped, met, named_groups
from discreet.release.quantiles import Quantile, prefixes, quantile
from discreet.release.synthetic import synthetic_rows
from discreet.release.synthetic_rows import SyntheticRows
from discreet.release.top_items import top_items
from discreet.release.whole_numbers import whole_numbers
from discreet.schema import Nominal, Schema
from discreet.summaries import Answers, Summary
from discreet.summaries.informed import Informed

LEVEL = 0.95
#: an interval of more standard errors than this has more in it than noise
_FAR = 20.0
_BUYS_AN_END = {
    **dict.fromkeys(("filter", "filter-threshold", "filter-priority"), "`total = 0.03`"),
    "hpa": "`rescale = true`",
}
#: how many items `top` shows if nobody says
_TOP = 10
_USELESS = "the interval is wider than the count of everything, so it says next to nothing"


class Release:
    """Noisy counts that anyone may query; every answer carries its error."""

    def __init__(self, summary: Summary, manifest: dict[str, Any]) -> None:
        self.summary = summary
        self.manifest = manifest

    @property
    def schema(self) -> Schema:
        return self.summary.schema

    @property
    def publishable(self) -> bool:
        """False if the noise came from a seed, a script or nowhere: for tests only."""
        return bool(self.manifest["noise"]["publishable"])

    @property
    def leaves_out(self) -> list[str]:
        """What the intervals do not cover, in plain sentences."""
        return [one.sentence for one in self._left_out]

    @cached_property
    def _left_out(self) -> list[LeftOut]:
        return [LeftOut.from_dict(said) for said in self.manifest["leaves_out"]]

    @cached_property
    def note(self) -> str:
        """The same in short, as every answer carries it, and whether answers were made to agree with known totals."""
        return "; ".join(filter(None, [noted(self._left_out), known_note(self.manifest)]))

    def count(
        self,
        where: Where = None,
        *,
        cells: Any = None,
        level: float = LEVEL,
        measured: bool = False,
        whole: bool = False,
        reliable: Any = None,
    ) -> Estimate:
        """How many records satisfy `where`: a dict, a text such as "age between 30 and 39", or None for all.

        The number is the best estimate; with `measured` the plain noisy measurement, which may be below zero; with
        `whole` the best estimate as a whole number. The interval is the same (of a measurement, without known totals).

        With `cells`, how many lie in a list of cells instead: a data frame or CSV file with a column per attribute and
        a row per cell; a cell that is listed twice counts once. With `reliable`, counts of a larger relative error are
        flagged: 0.3, or several by flag, in place of the release's own.
        """
        if whole and measured:
            raise BadParameter("count: a whole number is an estimate; ask for either `whole` or `measured`")
        if cells is not None and where is not None:
            raise BadParameter("count: give either a predicate (`where`) or a list of cells, not both")
        boxes = self._selected(where) if cells is None else self._listed(cells)
        asked = Questions(boxes.first, boxes.last, 1, np.zeros(len(boxes.first), np.int64))
        found = self._answers(asked, level, measured=measured)
        value, stderr, low, high, plain = (
            column.item() for column in (found.value, found.stderr, found.low, found.high, found.measured)
        )
        besides = None
        if found.besides is not None:
            inner = found.besides
            besides = Named(inner.name, *(column.item() for column in (inner.value, inner.low, inner.high)))
        bounds = found.bounds is not None and bool(found.bounds[0])
        note = "; ".join(filter(None, [BOUNDS if bounds else self._useless(found, level), self.note]))
        parts = {name: float(part[0]) for name, part in found.parts.items()}
        if bounds:  # the one nan that is itself, so that equal estimates are equal
            stderr, plain = math.nan if math.isnan(stderr) else stderr, None
        number = self._whole_count(asked, found) if whole else value
        ends: Literal["interval", "bounds", "known"] = "bounds" if bounds else "interval"
        if found.known is not None and found.known[0]:
            ends, note = "known", "; ".join(filter(None, [KNOWN, noted(self._left_out)]))
        flag, said = one_flag(self._flagged(asked, found, level, measured, reliable))
        note = "; ".join(filter(None, [said, note]))
        return Estimate(number, stderr, low, high, level, note, plain, besides, parts, ends, flag)

    @property
    def _why_no_end(self) -> str:
        """What keeps a method from promising an upper end, and what can be done."""
        reasons = "; ".join(one.short for one in self._left_out if not one.by_rule)
        buys = _BUYS_AN_END.get(self.manifest["method"])
        return f"{reasons}; publishing with {buys} would give one" if buys else reasons

    def _useless(self, found: Answers, level: float) -> str:
        """What to say of an interval that holds nearly anything; nothing of others."""
        width = float(found.high[0] - found.low[0])
        if math.isinf(width):
            return self._why_no_end
        if width <= _FAR * float(found.stderr[0]):
            return ""
        ends = np.zeros((1, len(self.schema)), np.int64), np.array([self.schema.sizes]) - 1
        try:
            every = self._answers(Questions(*ends, 1, np.zeros(1, np.int64)), level)
        except CannotAnswer:
            return ""
        return _USELESS if width > float(every.value[0]) else ""

    def _listed(self, cells: Any) -> Boxes:
        asked = read_questions(cells, self.schema, self._known)
        if len(asked.first) != asked.count or np.any(asked.first != asked.last):
            raise BadParameter(
                f"count: each row of cells must name one value of every attribute ({', '.join(self.schema)}); "
                "for ranges and groups use a predicate (`where`)"
            )
        codes = np.unique(asked.first, axis=0)
        return Boxes(codes, codes)

    def ask(self, questions: Any, *, level: float = LEVEL, measured: bool = False, reliable: Any = None) -> Frame:
        """Many questions at once, from a CSV file or a data frame; see `discreet.queries.questions` for its form."""
        asked = read_questions(questions, self.schema, self._known)
        found = self._answers(asked, level, measured=measured)
        return Frame(*columns_of(found, self._flagged(asked, found, level, measured, reliable)))

    def table(
        self,
        by: Group | Sequence[Group] | None = None,
        where: Where = None,
        *,
        level: float = LEVEL,
        whole: bool = False,
        measured: bool = False,
        largest: int | None = None,
        reliable: Any = None,
    ) -> Frame:
        """Counts grouped by attributes, each with its interval.

        An attribute with a hierarchy can be rolled up to one of its levels: "country.region", or ("country", 0). Each
        count is the best estimate of itself; with `whole`, they are whole numbers of at least zero that add up to that
        of all; with `measured`, plain noisy measurements. Intervals are the same. With `largest`, so many groups only,
        those of the highest counts, in falling order. Groups that `where` rules out have rows too, unless there would
        be too many. `reliable` as in `count`.
        """
        if largest is not None and (isinstance(largest, bool) or not isinstance(largest, int) or largest < 1):
            raise BadParameter(f"table: largest must be a whole number of at least 1, not {largest!r}")
        if whole and measured:
            raise BadParameter("table: whole numbers are estimates; ask for either `whole` or `measured`")
        names = self.schema.names if by is None else named_groups(by)
        if not names:
            raise BadParameter("table: name at least one attribute to group by")
        selected = self._selected(where)
        groups = [grouped(name, self.schema, self._known) for name in names]
        if len({index for index, _, _ in groups}) != len(groups):
            raise BadParameter("table: an attribute can be grouped by once only; name each attribute once")
        if math.prod(len(labels) for _, labels, _ in groups) > MOST_TOTAL_BOXES:
            groups = [met(group, selected) for group in groups]
        lengths = [len(labels) for _, labels, _ in groups]
        if math.prod(lengths) > MOST_TOTAL_BOXES:
            raise CannotAnswer(f"this would be a table of {math.prod(lengths):,} rows; group by less, or add `where`")
        places = np.indices(lengths).reshape(len(lengths), -1)
        ends, columns = {}, {}
        for (index, labels, codes), place in zip(groups, places, strict=True):
            ends[index] = codes[place]
            columns[self.schema.names[index]] = [labels[i] for i in place.tolist()]
        questions = cut_questions(selected, ends)
        found = self._answers(questions, level, measured=measured)
        answers, notes = columns_of(found, self._flagged(questions, found, level, measured, reliable))
        if whole:
            agreed = self.summary.whole_counts(questions)
            answers["count"] = self._whole(found, selected, questions) if agreed is None else agreed
        frame = Frame({**columns, **answers}, notes)
        return frame if largest is None else frame.chosen(np.argsort(-answers["count"], kind="stable")[:largest])

    def _whole(self, parts: Answers, selected: Boxes, questions: Questions) -> NDArray[np.int64]:
        every = Questions(selected.first, selected.last, 1, np.zeros(len(selected.first), np.int64))
        total = self._whole_count(every, self._answers(every, LEVEL))
        return whole_numbers(self.summary, questions, parts, total)

    def _whole_count(self, asked: Questions, found: Answers) -> int:
        """Of one question."""
        agreed = self.summary.whole_counts(asked)
        return whole_total(found.value[0]) if agreed is None else int(agreed[0])

    def prefix(self, attribute: str, where: Where = None, *, level: float = LEVEL, whole: bool = False) -> Frame:
        """For each value of an ordinal attribute, how many records have that value or a lower one.

        With `whole`, the counts are whole numbers that do not fall.
        """
        labels, questions = prefixes(self.schema, self._selected(where), self._ordinal(attribute))
        found = self._answers(questions, level)
        answers, notes = columns_of(found, self._flagged(questions, found, level, False, None))
        if whole:
            parts = self.table(attribute, where, whole=True)
            answers["count"] = np.cumsum(parts["count"])[: len(labels)]
        return Frame({attribute: labels, **answers}, notes)

    def quantile(self, attribute: str, share: float, where: Where = None, *, level: float = LEVEL) -> Quantile:
        """The value of an ordinal attribute that `share` of the records do not exceed; 0.5 gives the median."""
        index = self._ordinal(attribute)
        return quantile(self.summary, self._selected(where), index, share, _checked(level))

    def top(
        self, k: int | None = None, where: Where = None, *, per: str | Sequence[str] = (), level: float = LEVEL
    ) -> Frame:
        """The `k` items with the highest counts, of a release of `Items`; with `per`, for each value of a context.

        Ten, or as many as were selected with `Items(..., top=)`. Intervals allow for that only the largest are shown:
        on average a share of `level` of a list's intervals holds the truth. `certainty` is the share of simulations of
        the known noise in which the item is among the top k. It takes counts as not below zero and nothing else as
        known; what `leaves_out` says is not in it. `even-shares` knows more: it draws counts from a law that it fitted
        to all of them. NaN if nothing can be told.
        """
        names = [per] if isinstance(per, str) else list(per)
        wanted = self.manifest["task"].get("top", _TOP) if k is None else k
        if len(set(names)) < len(names):
            raise BadParameter("top: per must name contexts, each once")
        groups = {name: grouped(name, self.schema, self._known) for name in names}
        return top_items(self.summary, self._selected(where), groups, wanted, _checked(level))

    def rows(
        self, n: int | None = None, *, seed: int | None = None, progress: Callable[[str], None] = lambda stage: None
    ) -> SyntheticRows:
        """Synthetic rows that fit this release: `n` of them, or as many as it has records.

        They have the schema's labels and types, and are marked as synthetic. The same seed gives the same rows; without
        one, rows are drawn afresh and the mark says by which seed. Error bars belong to the release, not to the rows.
        """
        return synthetic_rows(self, n, seed, progress)

    def _answers(self, questions: Questions, level: float, *, measured: bool = False) -> Answers:
        summary = self.summary.inner if measured and isinstance(self.summary, Informed) else self.summary
        found = summary.answer(questions, _checked(level)).of_counts()
        if measured and found.bounds is not None and found.bounds.any():
            raise CannotAnswer("no measured table holds all that is asked; leave out `measured`")
        return replace(found, value=found.measured) if measured else found

    def _flagged(self, asked: Questions, found: Answers, level: float, measured: bool, reliable: Any) -> Flagged | None:
        given = self.manifest.get("reliable") if reliable is None else reliable
        usual = None if level == FLAG_LEVEL else lambda: self._answers(asked, FLAG_LEVEL, measured=measured)
        return flagged(self.schema, given, found, usual)

    def _selected(self, where: Where) -> Boxes:
        return bind(where, self.schema, self._known).boxes(self.schema.sizes)

    def _ordinal(self, name: str) -> int:
        index = attribute_index(name, self.schema, self._known)
        if isinstance(self.schema[name], Nominal):
            raise CannotAnswer(f"{name} has no order, so it has no quantiles; ask for an ordinal attribute")
        return index

    @property
    def _known(self) -> Iterable[str]:
        return list(self.manifest["data_attributes"])

    def to_arrow(self) -> Any:
        return self.summary.to_arrow()

    def to_pandas(self) -> Any:
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        import polars as pl

        return pl.from_arrow(self.to_arrow())

    def save(self, path: str | Path) -> Path:
        """Write the release as a folder, whole or not at all; never over something that exists."""
        target = usable_path(path, "the folder of a release")
        placing.check(target)
        complete, table = files.sealed(self.manifest, self.summary)
        placing.place(target, complete, table)
        self.manifest = complete
        return target

    def __repr__(self) -> str:
        mark = "" if self.publishable else "NOT PRIVATE, for tests only: "
        by = ", ".join(self.schema.names)
        return f"<{mark}Release by {by}; {self.manifest['method']}, epsilon {self.manifest['epsilon']}>"

    def _repr_html_(self) -> str:
        facts = self.describe()
        rows = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in facts.items())
        return f"<table>{rows}</table>"

    def describe(self) -> dict[str, str]:
        """What a reader should know first, in words."""
        said, unit = self.manifest, self.manifest["unit"]
        who = "one row" if unit["unit"] == "row" else f"one {unit['unit']}, of at most {unit['max_rows']} rows"
        facts = {
            "counts by": ", ".join(f"{name} ({self.schema[name].size:,})" for name in self.schema),
            "method": f"{said['method']} ({said['task']['task']})",
            "protects": f"{who} ({unit['neighbours']}), epsilon {said['epsilon']}",
            "noise": said["noise"]["law"],
            "leaves out": "; ".join(self.leaves_out) or "nothing",
            **({"known totals": known_note(said)} if "known" in said["task"] else {}),
        }
        return facts if self.publishable else {"NOT PRIVATE": "made with test noise; do not publish", **facts}


def load(path: str | Path) -> Release:
    """A release from its folder; refused if a byte of it is not as published."""
    place = usable_path(path, "the folder of a release")
    manifest = files.read_manifest(place)
    return Release(files.read_summary(place, manifest), manifest)


def _checked(level: float) -> float:
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise BadParameter(f"level must lie strictly between 0 and 1 (0.95 means 95 %), not {level!r}")
    return float(level)
