"""Tables that agree and have no number below zero, with what was measured: noisy tables, and strengths of pairs.

The number of an answer is a sum over final tables (`agreed_estimates`). Its interval is that of the plain least-squares
estimate, which is unbiased and of known law, widened to hold the number. Attributes that were not measured together
have bounds: what the tables that were measured leave possible.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.numbers import written
from discreet.numbers.laws import DiscreteLaplace
from discreet.privacy import as_text
from discreet.queries import Boxes, Questions
from discreet.schema import Schema
from discreet.summaries.agreed_cells import cell_ends
from discreet.summaries.agreed_estimates import AgreedEstimates
from discreet.summaries.base import Answers, Floats, box_sums, per_question
from discreet.summaries.columns import labelled_tables, read_with_gaps
from discreet.summaries.joint_answers import JointAnswers
from discreet.summaries.joint_bounds import JointBounds
from discreet.summaries.linear_laws import LinearLaw
from discreet.summaries.marginal_tables import Part
from discreet.summaries.several_tables import SeveralTables
from discreet.summaries.whole_tables import WholeTables
from discreet.transforms import Direct
from discreet.transforms.effects import Attributes, Placed
from discreet.transforms.lines import running_sums
from discreet.transforms.noise_moments import box_variances
from discreet.transforms.strengths import likely_strengths

#: the column of what was measured
NOISY = "noisy"
#: how far a table that was not measured is off, of what it could be, if nothing is known of its strength
_UNKNOWN_STRENGTH = 0.5
_LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class PairStrengths:
    """Noisy strengths of pairs of attributes, by which it was chosen which of them to measure."""

    pairs: tuple[tuple[str, ...], ...]
    noisy: NDArray[np.int64]
    scale: Fraction

    def likely(self, total: float) -> dict[tuple[str, ...], float]:
        """As shares of all records, from 0 to 1."""
        found = likely_strengths(self.noisy, DiscreteLaplace.of(self.scale).variance, 2 * total)
        return {pair: float(min(one / max(total, 1.0), 1.0)) for pair, one in zip(self.pairs, found, strict=True)}

    def facts(self) -> dict[str, Any]:
        return {
            "pairs": [list(pair) for pair in self.pairs],
            "noisy": self.noisy.tolist(),
            "scale": as_text(self.scale),
        }

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any]) -> PairStrengths:
        pairs = tuple(tuple(pair) for pair in facts["pairs"])
        noisy = [written.whole({"strength": one}, "strength", -written.MOST) for one in facts["noisy"]]
        known = set(itertools.combinations(schema, 2))
        if len(noisy) != len(pairs) or len(set(pairs)) != len(pairs) or not set(pairs) <= known:
            raise ValueError("strengths are not those of pairs of attributes")
        return cls(pairs, np.array(noisy, np.int64), written.scale(facts["scale"]))


class AgreedTables(SeveralTables):
    """`looks` are the noisy tables by their attributes, () being the total; `sets` are the tables asked for."""

    shape = "agreed-tables"
    adds_up = True

    def __init__(
        self,
        schema: Schema,
        sets: Sequence[Sequence[str]],
        looks: Mapping[tuple[str, ...], Part],
        strengths: PairStrengths | None = None,
        plan: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(schema, sets)
        # in the order in which they are read again, for sums of floats depend on it
        self.looks = {names: looks[names] for names in dict.fromkeys([(), *self.sets, *looks]) if names in looks}
        self.strengths, self.plan = strengths, plan or {}
        self.smallest_scale = float(min(scale for part in self.looks.values() for scale in part.scales))
        self._kurtosis = max(part.fourth / part.variance**2 for part in self.looks.values())
        self._running: dict[tuple[str, Attributes], Floats] = {}

    @cached_property
    def estimates(self) -> AgreedEstimates:
        return AgreedEstimates.of(self.schema, self.looks)

    def tables(self) -> list[NDArray[Any]]:
        return [self.estimates.table(places).reshape(-1) for places in self.places]

    def answer(self, questions: Questions, level: float) -> Answers:
        value, stderr, low, high, plain = (np.zeros(questions.count) for _ in range(5))
        apart, bounds = [], np.zeros(questions.count, np.bool_)
        for group in self.alike(questions):
            if not self.tables_for(group.asked):
                apart.append(group)
                continue
            places, chosen = tuple(group.asked), group.numbers
            known = self.estimates.effects.knows(places)
            one = (self._looked_at if known else self._followed)(group.questions, places, level)
            bounds[chosen] = not known
            value[chosen], stderr[chosen], plain[chosen] = one.value, one.stderr, one.measured
            low[chosen], high[chosen] = np.minimum(one.low, one.value), np.maximum(one.high, one.value)
        held = Answers(value, stderr, low, high, plain=plain, bounds=bounds if bounds.any() else None)
        return self._joint.added(held, apart, level) if apart else held

    def linear_law(self, boxes: Boxes) -> LinearLaw | None:
        """Of least squares without regard to zero, for attributes that were measured together."""
        places, effects = self.narrowed(boxes), self.estimates.effects
        if not effects.knows(places):
            return None

        def sums(some: Boxes) -> Floats:
            each = Questions(some.first, some.last, len(some.first), np.arange(len(some.first)))
            return self._sums(each, places, "plain")

        def covariance(some: Boxes, one: Any, other: Any) -> Floats:
            return effects.covariance(some, places, one, other)

        return LinearLaw(sums, covariance, self._kurtosis, self.smallest_scale)

    @cached_property
    def _joint(self) -> JointAnswers:
        return JointAnswers(self.schema, self.places, self.answer, self.fitted_tables())

    def fitted_tables(self) -> list[Placed]:
        """The final numbers of the tables that were asked for."""
        return [(places, self.estimates.table(places)) for places in self.places]

    def _looked_at(self, questions: Questions, places: Attributes, level: float) -> Answers:
        """Attributes that were measured together."""
        value, found = self._sums(questions, places, "final"), self.around(questions, places, level)
        usual = np.minimum(found.stderr, self._typical(questions, places, value, 1.0))
        # what noise does not explain was moved by all that makes the tables agree
        moved = np.maximum((value - found.value) ** 2 - found.stderr**2, 0.0)
        return replace(found, value=value, stderr=np.sqrt(usual**2 + moved), plain=found.value)

    def around(self, questions: Questions, places: Attributes, level: float) -> Answers:
        """The unbiased estimate, with the law of its noise."""
        plain, variance, fourth = self.moments(questions, list(places))
        return Answers.of_moments(plain, variance, fourth, self.smallest_scale, level)

    def _followed(self, questions: Questions, places: Attributes, level: float) -> Answers:
        """Attributes that were not: between what those leave possible that were."""
        value = self._sums(questions, places, "final")
        stderr = self._typical(questions, places, value, self._strength(places))
        return Answers(value, stderr, *self.bounds.of(questions, places, level))

    @cached_property
    def bounds(self) -> JointBounds:
        """From what was measured."""
        looks = [tuple(self.schema.names.index(name) for name in names) for names in self.looks if names]
        return JointBounds(self.schema.sizes, looks, self.answer)

    def _typical(self, questions: Questions, places: Attributes, value: Floats, strength: float) -> Floats:
        """A guess of how far a number is off: by its margins' noise, and by how little its attributes may depend.

        Of m records of the smaller margin t are in the question; a share of sqrt(t (m - t)), for it is exact if the
        question is about all of a margin. One record more of each, for nobody knows that there are none.
        """
        if len(places) < 2:
            return np.full(questions.count, np.inf)
        margin, noise = np.full(questions.count, np.inf), np.zeros(questions.count)
        for place in places:
            some = _narrowed(questions, (place,))
            here = self._sums(some, (place,), "final")
            variance = self.moments(some, [place])[1]
            less = here < margin
            margin, noise = np.where(less, here, margin), np.where(less, variance, noise)
        records, most = value + 1, np.maximum(margin, value) + 1
        return np.asarray(np.sqrt((records / most) ** 2 * noise + strength**2 * records * (most - records)))

    def _strength(self, places: Attributes) -> float:
        if self.strengths is None or len(places) != 2:
            return _UNKNOWN_STRENGTH
        return self._likely_strengths.get(tuple(self.schema.names[place] for place in places), _UNKNOWN_STRENGTH)

    @cached_property
    def _likely_strengths(self) -> dict[tuple[str, ...], float]:
        assert self.strengths is not None
        return self.strengths.likely(self.estimates.total)

    def moments(self, questions: Questions, asked: list[int]) -> tuple[Floats, Floats, Floats]:
        """Of the least-squares estimate; the fourth cumulant is an upper bound."""
        places = tuple(asked)
        covariance = partial(self.estimates.effects.covariance, questions, places)
        variance = box_variances(questions.owner, questions.count, covariance)
        # no weighted sum has more kurtosis than the draw that has most
        return self._sums(questions, places, "plain"), variance, self._kurtosis * variance**2

    def _sums(self, questions: Questions, places: Attributes, kind: str) -> Floats:
        if (kind, places) not in self._running:
            table = self.estimates.table(places) if kind == "final" else self.estimates.effects.table(places)
            axes = [Direct(size) for size in table.shape]
            self._running[kind, places] = running_sums(axes, table.astype(np.float64))
        there = replace(questions, first=questions.first[:, list(places)], last=questions.last[:, list(places)])
        found = per_question(there, box_sums(there, self._running[kind, places]))
        return np.maximum(found, 0.0) if kind == "final" else found  # differences of running sums

    def whole_counts(self, questions: Questions) -> NDArray[np.int64] | None:
        """Of tables of one and two attributes; larger ones do not agree in all they share."""
        found = np.zeros(questions.count, np.int64)
        for group in self.alike(questions):
            if len(group.asked) > 2 or not self.tables_for(group.asked):
                return None
            found[group.numbers] = self._whole.sums(group.questions, tuple(group.asked))
        return found

    @cached_property
    def _whole(self) -> WholeTables:
        return WholeTables(self.estimates)

    @property
    def _written(self) -> list[tuple[str, ...]]:
        """The tables of the file: those asked for, and what else was measured."""
        return list(dict.fromkeys([*self.sets, *(names for names in self.looks if names)]))

    def to_arrow(self) -> Any:
        import pyarrow as pa

        columns = []
        for names in self._written:
            places = tuple(self.schema.names.index(name) for name in names)
            value = self.estimates.table(places).reshape(-1)
            low, high = cell_ends(self, places, _LEVEL)
            part = self.looks.get(names)
            noisy = pa.nulls(value.size, pa.int64()) if part is None else pa.array(part.values.astype(np.int64))
            columns.append({"count": value, "low": low, "high": high, NOISY: noisy})
        return labelled_tables(self.schema, self._written, columns)

    def facts(self) -> dict[str, Any]:
        tables = []
        for names in self._written:
            part = self.looks.get(names)
            measured = {} if part is None else {"scale": as_text(part.scales[0])}
            tables.append({"attributes": list(names), "asked": names in self.sets, **measured})
        found: dict[str, Any] = {"tables": tables, "plan": self.plan}
        if (total := self.looks.get(())) is not None:
            found["total"] = {NOISY: int(total.values[0]), "scale": as_text(total.scales[0])}
        if self.strengths is not None:
            found["strengths"] = self.strengths.facts()
        return found

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> AgreedTables:
        sets = [tuple(table["attributes"]) for table in facts["tables"]]
        if any(not names or list(names) != [name for name in schema if name in names] for names in sets):
            raise ValueError("a table has no attributes, or not in the order of the schema")
        ends = np.cumsum([0, *(math.prod(schema[name].size for name in names) for names in sets)]).tolist()
        values, known = read_with_gaps(parquet, NOISY, ends[-1], f"the tables have {ends[-1]} cells")
        looks: dict[tuple[str, ...], Part] = {}
        if (total := facts.get("total")) is not None:
            noisy = written.whole(total, NOISY, -written.MOST)
            looks[()] = Part.single(np.array([noisy]), written.scale(total["scale"]))
        for names, table, (start, end) in zip(sets, facts["tables"], pairwise(ends), strict=True):
            if np.any(known[start:end] != ("scale" in table)):
                raise ValueError("what was measured is not what the release says was")
            if "scale" in table:
                looks[names] = Part.single(values[start:end], written.scale(table["scale"]))
        asked = [names for names, table in zip(sets, facts["tables"], strict=True) if table["asked"] is True]
        if {name for names in looks for name in names} != set(schema) or not asked:
            raise ValueError("some attributes are in no table that was measured")
        strengths = PairStrengths.read(schema, facts["strengths"]) if "strengths" in facts else None
        return cls(schema, asked, looks, strengths, dict(facts["plan"]))


def _narrowed(questions: Questions, places: Attributes) -> Questions:
    """The same questions for sums over these attributes: boxes that differ in others only are asked for once."""
    if len(questions.owner) == questions.count:  # one box each
        return questions
    columns = [questions.owner[:, None], questions.first[:, list(places)], questions.last[:, list(places)]]
    _, kept = np.unique(np.concatenate(columns, axis=1), axis=0, return_index=True)
    kept.sort()
    return Questions(questions.first[kept], questions.last[kept], questions.count, questions.owner[kept])
