"""What a release can be asked beyond counts: cumulative counts, quantiles, SQL, and the top of a list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, overload

from discreet.errors import BadParameter, CannotAnswer
from discreet.queries import Boxes, Questions, Where, bind
from discreet.queries.binding import attribute_index
from discreet.queries.reliability import FLAG_LEVEL
from discreet.release.files import Content
from discreet.release.flagged import Flagged, flagged
from discreet.release.frame import Frame
from discreet.release.groups import Bins, Group, grouped, groups_of
from discreet.release.levels import LEVEL, checked_level
from discreet.release.quantiles import Quantile, quantile, quantile_table
from discreet.release.running_counts import running_counts
from discreet.release.top_items import top_items
from discreet.schema import Nominal, Schema
from discreet.summaries import Answers, Summary
from discreet.summaries.informed import Informed

#: how many items `top` shows if nobody says
_TOP = 10


class FurtherQuestions:
    """A summary, its manifest, and questions about order; `Release` adds counts, tables and files."""

    def __init__(self, summary: Summary, manifest: dict[str, Any], beside: Mapping[str, Content] | None = None) -> None:
        self.summary, self.manifest = summary, manifest
        #: files besides the table, by name; None if they are still to be made
        self._beside = beside

    @property
    def schema(self) -> Schema:
        """The attributes that it counts by, with their domains."""
        return self.summary.schema

    def prefix(
        self,
        attribute: str,
        where: Where = None,
        *,
        by: Group | Sequence[Group] = (),
        bins: Bins = None,
        level: float = LEVEL,
        whole: bool = False,
    ) -> Frame:
        """For each value of an ordinal attribute, how many records have that value or a lower one.

        With `by`, the same for each group; with `whole`, the counts are whole numbers that do not fall.
        """
        index = self._ordinal(attribute)
        named = groups_of(by, bins, self.schema, self._known)
        flags = partial(self._flagged, level=level, measured=False, reliable=None)
        counted = self.summary, self._selected(where), named, index, checked_level(level)
        return running_counts(*counted, whole=whole, flagged=flags)

    @overload
    def quantile(self, attribute: str, share: float, where: Where = None, *, level: float = LEVEL) -> Quantile: ...

    @overload
    def quantile(
        self,
        attribute: str,
        share: float | Sequence[float],
        where: Where = None,
        *,
        by: Group | Sequence[Group] = (),
        bins: Bins = None,
        level: float = LEVEL,
    ) -> Quantile | Frame: ...

    def quantile(
        self,
        attribute: str,
        share: float | Sequence[float],
        where: Where = None,
        *,
        by: Group | Sequence[Group] = (),
        bins: Bins = None,
        level: float = LEVEL,
    ) -> Quantile | Frame:
        """The value of an ordinal attribute that `share` of the records do not exceed; 0.5 gives the median.

        Several shares, or groups (`by`), give a table; each of its intervals holds the truth with probability `level`.
        """
        index, selected = self._ordinal(attribute), self._selected(where)
        named = groups_of(by, bins, self.schema, self._known)
        if isinstance(share, int | float) and not named:
            return quantile(self.summary, selected, index, share, checked_level(level))
        return quantile_table(self.summary, selected, named, index, share, checked_level(level))

    def sql(self, text: str, *, level: float = LEVEL) -> Frame:
        """The answer to a statement such as "select sex, count(*) from release where age >= 18 group by sex".

        A part of SQL, see docs/asking.md: groups, counts, shares and quantiles, each with its ends (`low`, `high`; of
        several, `count_low` and so on). What cannot be answered is refused, and the message says what can.
        """
        from discreet.release.sql_answers import sql_answers

        return sql_answers(self.summary, self._known, text, checked_level(level))

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
        found = top_items(self.summary, self._selected(where), groups, wanted, checked_level(level))
        if "top" in self.manifest["task"] and self.summary.shape != "selected-counts":
            said = "all items were counted, none selected: users have too few items for that to be better"
            return Frame(found.columns, [*found.notes, said])
        return found

    def answers(self, questions: Questions, level: float, *, measured: bool = False) -> Answers:
        """Answers to questions about any boxes of cells, as columns."""
        summary = self.summary.inner if measured and isinstance(self.summary, Informed) else self.summary
        found = summary.answer(questions, checked_level(level)).of_counts()
        if measured and found.bounds is not None and found.bounds.any():
            why = self.summary.why_bounds.split(":")[0]
            raise CannotAnswer(f"{why}; leave out `measured`")
        return replace(found, value=found.measured) if measured else found

    def _flagged(self, asked: Questions, found: Answers, level: float, measured: bool, reliable: Any) -> Flagged | None:
        given = self.manifest.get("reliable") if reliable is None else reliable
        usual = None if level == FLAG_LEVEL else lambda: self.answers(asked, FLAG_LEVEL, measured=measured)
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
