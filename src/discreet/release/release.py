"""A release: a public summary and its manifest. Whatever can be asked of it is post-processing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from discreet.charts import Picture
from discreet.charts.small_bars import html_facts
from discreet.errors import BadParameter
from discreet.left_out import LeftOut, noted
from discreet.naming import usable_path
from discreet.queries import Boxes, Estimate, Named, Questions, Where, bind, read_questions
from discreet.queries.forms import selection_of
from discreet.queries.questions import read_question_table
from discreet.release import files, placing
from discreet.release.answer_columns import KNOWN, columns_of, known_note
from discreet.release.description import described
from discreet.release.expressions import Expression
from discreet.release.flagged import one_flag
from discreet.release.frame import Frame, extra
from discreet.release.further_questions import FurtherQuestions
from discreet.release.group_tables import arranged, whole_count, whole_table
from discreet.release.groups import Bins, Group, grouping, groups_of
from discreet.release.levels import ALL_TOGETHER, LEVEL, checked_level, simultaneous_level
from discreet.release.plots import curve_picture, one_or_two, table_picture
from discreet.release.relations import Relations
from discreet.release.remarks import remark, why_no_end
from discreet.release.reported import reported
from discreet.release.subset_shares import subset_shares
from discreet.release.synthetic_rows import SyntheticRows


class Release(FurtherQuestions, Relations):
    """Noisy counts that anyone may query; every answer carries its error."""

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
        sizes = self.schema.sizes
        if cells is None:
            selection = bind(where, self.schema, self._known)
            boxes = selection.boxes(sizes)
        else:
            boxes = self._listed(cells)
            selection = selection_of(boxes, sizes)
        found = self.counted(boxes, level, measured=measured, whole=whole, reliable=reliable)
        return replace(found, asked=Expression.count(self, selection, measured=measured))

    def counted(
        self, boxes: Boxes, level: float, *, measured: bool = False, whole: bool = False, reliable: Any = None
    ) -> Estimate:
        """How many records lie in disjoint boxes of cells."""
        asked = Questions(boxes.first, boxes.last, 1, np.zeros(len(boxes.first), np.int64))
        found = self.answers(asked, level, measured=measured)
        value, stderr, low, high, plain = (
            column.item() for column in (found.value, found.stderr, found.low, found.high, found.measured)
        )
        besides = None
        if found.besides is not None:
            inner = found.besides
            besides = Named(inner.name, *(column.item() for column in (inner.value, inner.low, inner.high)))
        bounds = found.bounds is not None and bool(found.bounds[0])
        no_end = why_no_end(self.manifest["method"], self._left_out)
        said = self.summary.why_bounds if bounds else remark(self.summary, found, level, no_end)
        note = "; ".join(filter(None, [said, noted(self._left_out) if measured else self.note]))
        parts = {name: float(part[0]) for name, part in found.parts.items()}
        if bounds:  # the one nan that is itself, so that equal estimates are equal
            stderr, plain = math.nan if math.isnan(stderr) else stderr, None
        number = whole_count(self.summary, asked, found) if whole else value
        ends: Literal["interval", "bounds", "known"] = "bounds" if bounds else "interval"
        if found.known is not None and found.known[0]:
            ends, note = "known", "; ".join(filter(None, [KNOWN, noted(self._left_out)]))
        flag, flagged_as = one_flag(self._flagged(asked, found, level, measured, reliable))
        note = "; ".join(filter(None, [flagged_as, note]))
        return Estimate(number, stderr, low, high, level, note, plain, besides, parts, ends, flag)

    def _listed(self, cells: Any) -> Boxes:
        asked = read_questions(cells, self.schema, self._known)
        if len(asked.first) != asked.count or np.any(asked.first != asked.last):
            raise BadParameter(
                f"count: each row of cells must name one value of every attribute ({', '.join(self.schema)}); "
                "for ranges and groups use a predicate (`where`)"
            )
        codes = np.unique(asked.first, axis=0)
        return Boxes(codes, codes)

    def ask(
        self,
        questions: Any,
        *,
        keep: Sequence[str] = (),
        level: float = LEVEL,
        measured: bool = False,
        reliable: Any = None,
    ) -> Frame:
        """Many questions at once, from a CSV file or a data frame; see `discreet.queries.questions` for its form.

        Their own columns come before the answers: attributes, `id`, `name`, `label`, `question`, `note`, and others
        that are not about attributes if `keep` names them.
        """
        asked = read_question_table(questions, self.schema, self._known, keep)
        found = self.answers(asked.questions, level, measured=measured)
        flags = self._flagged(asked.questions, found, level, measured, reliable)
        answers, notes = columns_of(found, self.summary.why_bounds, flags)
        return Frame({**asked.columns(taken=answers), **answers}, notes)

    def table(
        self,
        by: Group | Sequence[Group] | None = None,
        where: Where = None,
        *,
        level: float = LEVEL,
        whole: bool = False,
        measured: bool = False,
        largest: int | None = None,
        bins: Bins = None,
        sort: str | None = None,
        ascending: bool | None = None,
        shares: bool = False,
        simultaneous: bool = False,
        reliable: Any = None,
    ) -> Frame:
        """Counts grouped by attributes, each with its interval.

        An attribute with a hierarchy can be rolled up to one of its levels: "country.region", or ("country", 0);
        ordinal ones can be put into ranges, by their number or by where they start: `bins=10`,
        `bins={"age": [18, 65]}`. Each count is the best estimate of itself; with `whole`, they are whole numbers of at
        least zero that add up to that of all; with `measured`, plain noisy measurements. Intervals are the same. `sort`
        names a column to go by: numbers from the highest, groups as declared, unless `ascending` says otherwise. With
        `largest`, so many groups only, those of the highest counts, in falling order. Groups that `where` rules out
        have rows too, unless there would be too many. With `shares`, also which part of all that is selected each group
        is. With `simultaneous`, the intervals are so wide that all of a table hold the truth together with probability
        `level`, not each of them. `reliable` as in `count`.
        """
        if whole and measured:
            raise BadParameter("table: whole numbers are estimates; ask for either `whole` or `measured`")
        selected = self._selected(where)
        named = groups_of(list(self.schema) if by is None else by, bins, self.schema, self._known)
        if not named:
            raise BadParameter("table: name at least one attribute to group by")
        groups = grouping(named, self.schema, selected)
        questions = groups.questions
        intervals = questions.count * (2 if shares else 1)
        each = simultaneous_level(checked_level(level), intervals) if simultaneous else level
        found = self.answers(questions, each, measured=measured)
        flags = self._flagged(questions, found, each, measured, reliable)
        answers, notes = columns_of(found, self.summary.why_bounds, flags)
        if shares:
            part = subset_shares(self.summary, groups, (), None, each)
            answers |= {"share": part.value, "share_low": part.low, "share_high": part.high}
        notes += [ALL_TOGETHER] if simultaneous else []
        if whole:
            answers["count"] = whole_table(self.summary, questions, found, selected, LEVEL)
        return arranged(Frame({**groups.columns, **answers}, notes), groups, sort, ascending, largest)

    def plot(
        self,
        by: Group | Sequence[Group],
        where: Where = None,
        *,
        bins: Bins = None,
        cumulative: bool = False,
        level: float = LEVEL,
    ) -> Picture:
        """Counts as a picture: bars of one attribute, a map of two; `save` writes it as SVG.

        With `cumulative`, a curve of how many have each value of the first attribute or a lower one, for each group of
        the second.
        """
        first, *rest = one_or_two(by)
        if cumulative:
            return curve_picture(self.prefix(first, where, by=rest, bins=bins, level=level), level)
        return table_picture(self.table([first, *rest], where, bins=bins, level=level), level)

    def rows(
        self, n: int | None = None, *, seed: int | None = None, progress: Callable[[str], None] = lambda stage: None
    ) -> SyntheticRows:
        """Synthetic rows that fit this release: `n` of them, or as many as it has records.

        They have the schema's labels and types, and are marked as synthetic. The same seed gives the same rows; without
        one, rows are drawn afresh and the mark says by which seed. Error bars belong to the release, not to the rows.
        """
        from discreet.release.synthetic import synthetic_rows

        return synthetic_rows(self, n, seed, progress)

    def to_arrow(self) -> Any:
        """What was published, with its labels, as an Arrow table."""
        return self.summary.to_arrow()

    def to_pandas(self) -> Any:
        """The same as a pandas frame; needs the extra `frames`."""
        extra("pandas", "to_pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The same as a polars frame; needs the extra `frames`."""
        return extra("polars", "to_polars").from_arrow(self.to_arrow())

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the release as a folder, whole or not at all.

        Never over something that exists; with `overwrite` over a release, but nothing else.
        """
        target = usable_path(path, "the folder of a release")
        (placing.check_replaceable if overwrite else placing.check)(target)
        complete, contents = files.sealed(self.manifest, self.summary, self._beside)
        placing.place(target, complete, contents, instead=overwrite)
        self.manifest = complete
        return target

    def report(self, *, ledger: Any = None, audit: Any = None, about: Any = None) -> str:
        """The report that a reviewer reads before signing off, as one page of HTML; `discreet report` writes the same.

        `ledger` is the file that it was charged to, `audit` what `discreet audit SPEC -o audit.json` wrote, `about`
        words of the custodian: a TOML file, or a dict such as {"organisation": "Town"}.
        """
        return str(reported(self, ledger=ledger, audit=audit, about=about).html)

    def __repr__(self) -> str:
        mark = "" if self.publishable else "NOT PRIVATE, for tests only: "
        by = ", ".join(self.schema.names)
        return f"<{mark}Release by {by}; {self.manifest['method']}, epsilon {self.manifest['epsilon']}>"

    def _repr_html_(self) -> str:
        return html_facts(self.describe())

    def describe(self) -> dict[str, str]:
        """What a reader should know first, in words."""
        return {**described(self.manifest, self.schema, self.leaves_out), **self.summary.said()}


def load(path: str | Path) -> Release:
    """A release from its folder; refused if a byte of it is not as published."""
    place = usable_path(path, "the folder of a release")
    placing.restore(place)
    manifest = files.read_manifest(place)
    return Release(files.read_summary(place, manifest), manifest, files.read_beside(place, manifest))
