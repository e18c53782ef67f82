"""Several small tables over the same records, each with noise of its own scale.

A question is answered by every table that holds the attributes it asks about: their answers, which have independent
noise, are weighed by the inverse of their variances. With `consistency` it is answered from tables that agree with
each other instead, see `agreeing_tables`. What no table holds has an estimate and bounds, see `joint_answers`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from discreet.numbers import written
from discreet.numbers.laws import DiscreteLaplace
from discreet.privacy import as_text
from discreet.queries import Boxes, Questions
from discreet.schema import Schema
from discreet.summaries.agreed_estimates import AgreedEstimates
from discreet.summaries.agreeing_tables import AgreeingTables
from discreet.summaries.base import Answers, Floats, Moments, box_sums, cells_asked, per_question
from discreet.summaries.columns import labelled_tables
from discreet.summaries.joint_answers import JointAnswers
from discreet.summaries.linear_laws import LinearLaw, common_cells
from discreet.summaries.several_tables import SeveralTables
from discreet.transforms.effects import Placed


@dataclass(frozen=True, eq=False)
class Part:
    """The noisy values of one table, flat: each the weighted sum of independent draws of these scales."""

    values: NDArray[Any]
    weights: tuple[float, ...]
    scales: tuple[Fraction, ...]

    @classmethod
    def single(cls, values: NDArray[np.int64], scale: Fraction) -> Part:
        return cls(values, (1.0,), (scale,))

    @classmethod
    def combined(cls, draws: Sequence[NDArray[np.int64]], scales: Sequence[Fraction]) -> Part:
        """The weighted mean of independent draws that has the least variance."""
        inverse = np.array([1 / DiscreteLaplace.of(scale).variance for scale in scales])
        weights = inverse / inverse.sum()
        values = sum((weight * draw for weight, draw in zip(weights, draws, strict=True)), np.zeros(draws[0].shape))
        return cls(values, tuple(weights.tolist()), tuple(scales))

    @cached_property
    def variance(self) -> float:
        return float(sum(w**2 * DiscreteLaplace.of(s).variance for w, s in zip(self.weights, self.scales, strict=True)))

    @cached_property
    def fourth(self) -> float:
        laws = [DiscreteLaplace.of(scale) for scale in self.scales]
        return float(sum(w**4 * law.fourth_cumulant for w, law in zip(self.weights, laws, strict=True)))

    def facts(self) -> dict[str, Any]:
        return {"scales": [as_text(scale) for scale in self.scales], "weights": list(self.weights)}

    @classmethod
    def read(cls, facts: dict[str, Any], columns: dict[str, NDArray[Any]]) -> Part:
        scales = tuple(written.scale(scale) for scale in facts["scales"])
        return cls(columns["count"], written.weights(facts["weights"], len(scales)), scales)


#: by how much of its standard error a table leans, if its own noisy values chose its scale: up to 0.12 in trials
_LEAN = 0.15


@dataclass(frozen=True)
class ScaleChoice:
    """How scales were chosen: by `looks` at noisy values that are also published, or by none (1).

    Noise decides then which noise is kept: a table that looks large keeps its wide noise. So each look may fail, and
    the noise of a table leans a little. Averaged over n tables, noise shrinks by the root of n, and this does not.
    """

    looks: float = 1.0

    def level(self, level: float) -> float:
        return 1 - (1 - level) / self.looks

    def lean(self, tables: int) -> float:
        return _LEAN * math.sqrt(tables) if self.looks > 1 else 0.0

    def facts(self) -> dict[str, Any]:
        return {} if self.looks == 1 else {"looks": self.looks}

    @classmethod
    def read(cls, facts: dict[str, Any]) -> ScaleChoice:
        return cls(written.real(facts.get("looks", 1.0), "looks", 1.0, 1e6))


class MarginalTables(SeveralTables):
    """Tables of counts; `consistent` makes them agree."""

    shape = "marginal-tables"

    def __init__(
        self,
        schema: Schema,
        sets: Sequence[Sequence[str]],
        parts: Sequence[Part],
        *,
        consistent: bool = False,
        choice: ScaleChoice | None = None,
    ) -> None:
        super().__init__(schema, sets)
        self.choice = choice or ScaleChoice()
        self.parts: tuple[Part, ...] = tuple(parts)
        self.consistent = consistent
        self.smallest_scale = float(min(scale for part in parts for scale in part.scales))

    def answer(self, questions: Questions, level: float) -> Answers:
        groups = list(self.alike(questions))
        held = [group for group in groups if self.tables_for(group.asked)]
        found = self.answered(held, questions.count, self.choice.level(level))
        apart = [group for group in groups if not self.tables_for(group.asked)]
        return self._joint.added(found, apart, level) if apart else found

    @property
    def noise_of_parts(self) -> Literal["independent", "additive"] | None:
        """Two sets of cells without common ones have no cell of any table in common that answers about either."""
        if self.choice.looks > 1:
            return None
        return "additive" if self.consistent else "independent"

    def moments_of(self, questions: Questions) -> Moments:
        value, variance, fourth = (np.zeros(questions.count) for _ in range(3))
        for group in self.alike(questions):
            some = self.moments(group.questions, group.asked)
            value[group.numbers], variance[group.numbers], fourth[group.numbers] = some
        return Moments(value, variance, fourth, self.smallest_scale)

    def linear_law(self, boxes: Boxes) -> LinearLaw | None:
        """From all tables that hold what is asked, in shares that are the same for every box."""
        asked = self.narrowed(boxes)
        tables = self.tables_for(list(asked))
        if not tables or self.choice.looks > 1:
            return None
        if self.consistent:
            effects = self._agreed.effects
            smallest = min(tables, key=lambda number: effects.cells(self.places[number]))
            places, kurtosis = self.places[smallest], self._agreed.kurtosis

            def covariance(some: Boxes, one: Any, other: Any) -> Floats:
                return effects.covariance(some, places, one, other)

            return LinearLaw(partial(self._box_sums, smallest), covariance, kurtosis, self.smallest_scale)
        return self._independent_tables(asked, tables)

    def _independent_tables(self, asked: tuple[int, ...], tables: list[int]) -> LinearLaw:
        sizes = np.array(self.schema.sizes)
        others = [math.prod(sizes[list(set(self.places[table]) - set(asked))].tolist()) for table in tables]
        variances = [self.parts[table].variance * rest for table, rest in zip(tables, others, strict=True)]
        together = 1 / sum(1 / variance for variance in variances)
        shares = [together / variance for variance in variances]

        def sums(boxes: Boxes) -> Floats:
            return np.asarray(
                sum(share * self._box_sums(table, boxes) for share, table in zip(shares, tables, strict=True))
            )

        def covariance(boxes: Boxes, one: Any, other: Any) -> Floats:
            there = Boxes(boxes.first[:, list(asked)], boxes.last[:, list(asked)])
            return np.asarray(together * common_cells(there, one, other))

        brought = [share**2 * self.parts[table].variance for share, table in zip(shares, tables, strict=True)]
        kurtosis = max(self.parts[table].fourth / self.parts[table].variance ** 2 for table in tables)
        heaviest = math.sqrt(max(brought))
        return LinearLaw(sums, covariance, kurtosis, self.smallest_scale, heaviest, apart=True)

    def _box_sums(self, table: int, boxes: Boxes) -> Floats:
        places = list(self.places[table])
        return box_sums(Boxes(boxes.first[:, places], boxes.last[:, places]), self.running[table])

    @cached_property
    def _joint(self) -> JointAnswers:
        return JointAnswers(self.schema, self.places, self.answer, self.fitted_tables())

    def fitted_tables(self) -> list[Placed]:
        """The tables made non-negative, in agreement: what is known of counts that none of them holds."""
        estimates = AgreedEstimates(self.schema, zip(self.places, self.parts, strict=True))
        return [(places, estimates.table(places)) for places in self.places]

    def lean(self, asked: list[int]) -> float:
        return self.choice.lean(len(self.tables_for(asked)))

    def moments(self, questions: Questions, asked: list[int]) -> tuple[Floats, Floats, Floats]:
        tables = self.tables_for(asked)
        return self._agreed.answer(questions, tables) if self.consistent else self._weighed(questions, tables)

    def _weighed(self, questions: Questions, tables: list[int]) -> tuple[Floats, Floats, Floats]:
        """Value, variance and fourth cumulant, from all these tables together."""
        sums, counts = zip(*(self.sums(questions, table) for table in tables), strict=True)
        variances = np.array([self.parts[table].variance for table in tables])[:, None] * np.array(counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = np.where(variances > 0, 1 / variances, 0.0)
            total = weights.sum(axis=0)
            shares = np.where(total > 0, weights / total, 0.0)
            variance = np.where(total > 0, 1 / total, 0.0)
        fourths = np.array([self.parts[table].fourth for table in tables])[:, None] * np.array(counts)
        return (shares * np.array(sums)).sum(axis=0), variance, (shares**4 * fourths).sum(axis=0)

    def sums(self, questions: Questions, table: int) -> tuple[Floats, Floats]:
        """The sum of a table's cells that each question asks for, and how many these are."""
        places = list(self.places[table])
        there = replace(questions, first=questions.first[:, places], last=questions.last[:, places])
        return per_question(there, box_sums(there, self.running[table])), cells_asked(there)

    def tables(self) -> list[NDArray[Any]]:
        return self._agreed.tables if self.consistent else super().tables()

    @cached_property
    def _agreed(self) -> AgreeingTables:
        return AgreeingTables(self)

    def to_arrow(self) -> Any:
        columns = [{"count": part.values.astype(np.float64)} for part in self.parts]
        if self.consistent:
            for mine, table in zip(columns, self.tables(), strict=True):
                mine["consistent_count"] = table
        return labelled_tables(self.schema, self.sets, columns)

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), "consistency": self.consistent, **self.choice.facts()}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> MarginalTables:
        sets, parts = cls.read_parts(Part, schema, facts, parquet, ["count"])
        return cls(schema, sets, parts, consistent=bool(facts["consistency"]), choice=ScaleChoice.read(facts))
