"""Questions about several counts at once: shares, ratios, differences, comparisons, means. Each has its interval."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from discreet.errors import BadParameter, CannotAnswer
from discreet.queries import Estimate, Where, bind
from discreet.queries.binding import attribute_index
from discreet.queries.selection import Selection, intersection
from discreet.release.expressions import Expression
from discreet.release.levels import LEVEL, checked_level
from discreet.release.ratios import Ratio
from discreet.schema import Ordinal

if TYPE_CHECKING:
    from discreet.release.comparing import Comparison
    from discreet.release.means import Kind
    from discreet.release.release import Release

#: a predicate, or an estimate that was asked for before, also of another release
Countable = Where | Estimate


class Relations:
    """What a release, or several together, can be asked beyond counts."""

    def share(self, where: Where, *, of: Where = None, level: float = LEVEL) -> Estimate:
        """Which part of the records that satisfy `of` also satisfy `where`, from 0 to 1; of all, if `of` is left out.

        The interval is that of the ratio, by the joint law of both counts where it is known.
        """
        whole = self._selection(of)
        part = intersection([self._selection(where), whole], self._release.schema.sizes)
        counts = (Expression.count(self._release, one) for one in (part, whole))
        return Ratio.of(*counts).answer(checked_level(level))

    def ratio(self, a: Countable, b: Countable, *, level: float = LEVEL, across: bool = False) -> Estimate:
        """How many times b goes into a. Each is a predicate or an estimate, which may be of another release.

        Estimates of different data sets, such as two years, are put together only with `across=True`.
        """
        return Ratio.of(self._asked(a), self._asked(b), across=across).answer(checked_level(level))

    def difference(self, a: Countable, b: Countable, *, level: float = LEVEL, across: bool = False) -> Estimate:
        """a less b; what both count cancels, with its noise. `across` as in `ratio`."""
        return self._asked(a).plus(self._asked(b), -1, across=across).answer(checked_level(level))

    def compare(self, a: Countable, b: Countable, *, level: float = LEVEL, across: bool = False) -> Comparison:
        """Which of the two is larger, how likely that is, and by how much. `across` as in `ratio`."""
        from discreet.release.comparing import compared

        return compared(self._asked(a), self._asked(b), checked_level(level), across=across)

    def change(self, where: Where, *, since: Release, level: float = LEVEL, across: bool = False) -> Estimate:
        """By how many percent the count is higher here than in the release `since`; below zero if it fell.

        Two years are two data sets: say `across=True` if that is what you mean.
        """
        if not isinstance(since, Relations):
            raise BadParameter("change: since must be a release, such as discreet.load('out/last-year')")
        earlier = Expression.count(since, since._selection(where))
        ratio = Ratio.of(self._asked(where), earlier, across=across)
        asked = Expression(constant=Fraction(-100), others=((Fraction(100), ratio),))
        return asked.answer(checked_level(level))

    def mean(self, attribute: str, where: Where = None, *, level: float = LEVEL) -> Estimate:
        """The mean of an ordinal attribute's values, over the selected records that have one.

        Where a bin holds several values, the middle of it is taken, and the interval allows for any place in it.
        """
        return self._moment(attribute, where, "mean", level)

    def variance(self, attribute: str, where: Where = None, *, level: float = LEVEL) -> Estimate:
        """The variance of an ordinal attribute's values: the mean square of their distance from their mean."""
        return self._moment(attribute, where, "variance", level)

    def sum(self, attribute: str, where: Where = None, *, level: float = LEVEL) -> Estimate:
        """The sum of an ordinal attribute's values, over the selected records that have one."""
        return self._moment(attribute, where, "sum", level)

    def _moment(self, attribute: str, where: Where, kind: Kind, level: float) -> Estimate:
        release = self._release
        index = attribute_index(attribute, release.schema, release.manifest["data_attributes"])
        found = release.schema[attribute]
        if not isinstance(found, Ordinal):
            raise CannotAnswer(
                f"{attribute} has labels, not numbers, so it has no {kind}; ask for counts or shares of them"
            )
        if found.kind == "date":
            raise CannotAnswer(
                f'{attribute} has dates, which have no {kind} here; ask for quantile("{attribute}", 0.5)'
            )
        selected = self._selection(where).boxes(release.schema.sizes)
        from discreet.release.means import Moment

        return Moment(release, selected, index, kind).answer(checked_level(level))

    def _asked(self, what: Countable) -> Expression:
        if not isinstance(what, Estimate):
            return Expression.count(self._release, self._selection(what))
        if what.asked is None:
            raise BadParameter("this estimate no longer knows its release; ask the release for it again")
        return cast(Expression, what.asked)

    def _selection(self, where: Where) -> Selection:
        release = self._release
        return bind(where, release.schema, release.manifest["data_attributes"])

    @property
    def _release(self) -> Any:
        return self
