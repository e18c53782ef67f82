"""Several small tables over the same records, each with noise of its own scale.

A question is answered by every table that holds the attributes it asks about: their answers, which have independent
noise, are weighed by the inverse of their variances. With `consistency` it is answered from tables that agree with
each other instead, see `agreeing_tables`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import CannotAnswer
from discreet.numbers import spreads
from discreet.numbers.laws import DiscreteLaplace
from discreet.privacy import as_text, exact
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Summary, per_question, running_sums
from discreet.summaries.labels import labelled

Floats = NDArray[np.float64]


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


class MarginalTables(Summary):
    """One part for each set of attributes, its cells in the schema's order."""

    shape = "marginal-tables"

    def __init__(
        self, schema: Schema, sets: Sequence[Sequence[str]], parts: Sequence[Part], *, consistent: bool = False
    ) -> None:
        self.schema, self.parts, self.consistent = schema, tuple(parts), consistent
        self.places = [tuple(schema.names.index(name) for name in names) for names in sets]

    def answer(self, questions: Questions, level: float) -> Answers:
        value, variance, fourth = (np.zeros(questions.count) for _ in range(3))
        groups, group_of = np.unique(self._asked(questions), axis=0, return_inverse=True)
        for group, asked in enumerate(groups):
            chosen = np.flatnonzero(group_of == group)
            boxes = np.flatnonzero(group_of[questions.owner] == group)
            number = np.searchsorted(chosen, questions.owner[boxes])
            some = Questions(questions.first[boxes], questions.last[boxes], chosen.size, number)
            tables = self.tables_for(np.flatnonzero(asked).tolist())
            found = self._agreed.answer(some, tables) if self.consistent else self._weighed(some, tables)
            value[chosen], variance[chosen], fourth[chosen] = found
        half = spreads.half_widths(variance, fourth, self._smallest_scale, level)
        return Answers(value, np.sqrt(variance), value - half, value + half, np.zeros(questions.count))

    def _asked(self, questions: Questions) -> NDArray[np.bool_]:
        """Which attributes (columns) each question (row) restricts."""
        narrowed = (questions.first > 0) | (questions.last < np.array(self.schema.sizes) - 1)
        asked = np.zeros((questions.count, len(self.schema)), np.bool_)
        np.logical_or.at(asked, questions.owner, narrowed)
        return asked

    def tables_for(self, wanted: list[int]) -> list[int]:
        """The tables that hold all these attributes."""
        tables = [number for number, places in enumerate(self.places) if set(wanted) <= set(places)]
        if not tables:
            names = ", ".join(self.schema.names[place] for place in wanted)
            raise CannotAnswer(
                f"no table of this release holds {names} together; it has {self._listing()}. Ask about fewer at once"
            )
        return tables

    def _listing(self) -> str:
        names = [" x ".join(self.schema.names[place] for place in places) for places in self.places]
        return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")

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
        from discreet.kernels.prefix import running_box_sums

        places = list(self.places[table])
        running = self._running[table]
        first, last = (np.ascontiguousarray(ends[:, places]) for ends in (questions.first, questions.last))
        strides, parts = np.array(running.strides, np.int64) // running.itemsize, np.empty(len(first))
        running_box_sums(running.reshape(-1), strides, first, last, parts)
        cells = np.prod(last - first + 1.0, axis=1)
        return per_question(questions, parts), per_question(questions, cells)

    @cached_property
    def _running(self) -> list[Floats]:
        values = self._agreed.tables if self.consistent else [part.values for part in self.parts]
        return [running_sums(self.table_shape(i), table) for i, table in enumerate(values)]

    @cached_property
    def _agreed(self) -> Any:
        from discreet.summaries.agreeing_tables import AgreeingTables

        return AgreeingTables(self)

    @cached_property
    def _smallest_scale(self) -> float:
        return float(min(scale for part in self.parts for scale in part.scales))

    def table_shape(self, table: int) -> tuple[int, ...]:
        return tuple(self.schema.sizes[place] for place in self.places[table])

    def to_arrow(self) -> Any:
        columns = [{"count": part.values.astype(np.float64)} for part in self.parts]
        if self.consistent:
            for mine, table in zip(columns, self._agreed.tables, strict=True):
                mine["consistent_count"] = table
        return labelled(
            self.schema, [[self.schema.names[place] for place in places] for places in self.places], columns
        )

    def facts(self) -> dict[str, Any]:
        tables = [
            {
                "attributes": [self.schema.names[place] for place in places],
                "scales": [as_text(scale) for scale in part.scales],
                "weights": list(part.weights),
            }
            for places, part in zip(self.places, self.parts, strict=True)
        ]
        return {"tables": tables, "consistency": self.consistent}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> MarginalTables:
        import pyarrow.parquet as pq

        values = pq.read_table(parquet, columns=["count"])["count"].to_numpy()
        sets = [table["attributes"] for table in facts["tables"]]
        cells = [int(np.prod([schema[name].size for name in names])) for names in sets]
        if values.size != sum(cells):
            raise ValueError(f"the table has {values.size} rows where the marginals have {sum(cells)} cells")
        parts = []
        for table, end, count in zip(facts["tables"], np.cumsum(cells), cells, strict=True):
            scales = tuple(exact(scale, "scale") for scale in table["scales"])
            parts.append(Part(values[end - count : end], tuple(table["weights"]), scales))
        return cls(schema, sets, parts, consistent=bool(facts["consistency"]))
