"""Noise on the counts of a few levels of blocks, with shares of epsilon that suit a workload, and least squares.

Source: hierarchies of consistent counts (Hay, Rastogi, Miklau, Suciu), with levels and shares of our own choice.
Guarantee: pure epsilon. A record counts in one block of each level, so noise of scales s_1, s_2, ... costs
sensitivity * (1 / s_1 + 1 / s_2 + ...), and the scales are sensitivity / (epsilon * share), shares adding up to 1.
Numerics: exact noise on whole numbers; estimates in floating point. Bias: none.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter, CountOverflow
from discreet.mechanisms.base import Mechanism, Request
from discreet.mechanisms.predicates import read_predicates
from discreet.mechanisms.ranges.range_dense import MOST_COEFFICIENTS, WRITE
from discreet.mechanisms.ranges.range_levels import Asked, LevelChoice
from discreet.mechanisms.ranges.range_workload import spread_workload
from discreet.noise import Noise
from discreet.numbers.laws import DiscreteLaplace
from discreet.parameters import Form, Parameter
from discreet.privacy import Alpha, as_text, cost, exact, scale_of
from discreet.private.bounded import Bounded
from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.schema import Attribute, Nominal
from discreet.summaries import Answers, Summary
from discreet.summaries.weighted_levels import WeightedLevels
from discreet.transforms.level_fit import LevelFit
from discreet.transforms.nested_levels import Cuts, NestedLevels

WORKLOAD = Parameter(
    "workload",
    Form("'ranges', 'prefixes' (ranges that begin at the first code) or a list of predicates"),
    "The questions that levels and shares should serve best, hierarchy nodes among them",
    "ranges",
)
LEVELS = Parameter(
    "levels",
    Form(
        "a list from wide to narrow of {attribute: number of codes, or level of its hierarchy}, or just that number "
        "for a single attribute, with 'cells' at the end"
    ),
    "The levels of blocks to count; an attribute that a level does not name is left whole",
    otherwise="those of the least mean variance over the workload",
)
SHARES = Parameter(
    "shares",
    Form("a list of numbers that add up to 1, one for each of the `levels`"),
    "The part of epsilon that each level has",
    otherwise="those of the least mean variance over the workload",
)
CELLS = "cells"


class Weighted(Mechanism):
    tasks = ("ranges",)
    method = "weighted"
    parameters = (WORKLOAD, LEVELS, SHARES, WRITE)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.write = self.value(WRITE)
        self._check_size(request.schema.cells)
        asked = self._asked()
        self.levels = self._chosen_levels(asked)
        self._check_size(self.levels.lengths[-1])
        self.shares = self._chosen_shares(asked)
        self.scales = [scale_of(request.epsilon * share, request.unit.sensitivity) for share in self.shares]
        for scale in self.scales:
            Alpha.of(scale)  # refused before anything is charged

    def _check_size(self, cells: int) -> None:
        if cells > MOST_COEFFICIENTS:
            raise BadParameter(
                f"weighted: the table has {cells:,} cells, too many to hold (at most {MOST_COEFFICIENTS:,}). Use "
                "adaptive, fewer attributes, or wider bins"
            )

    def _asked(self) -> Asked | None:
        """The workload; None if nothing is left to choose by it."""
        given = self.request.parameters.get("workload")
        if {"levels", "shares"} <= self.request.parameters.keys():
            if given is not None:
                raise BadParameter("`levels` and `shares` leave nothing to choose by a workload: leave one of them out")
            return None
        if "shares" in self.request.parameters:
            raise BadParameter("`shares` are those of `levels`: give both, or neither")
        if given is not None and not isinstance(given, str):
            questions = read_predicates("workload", given, self.request.schema)
            self.note_choice("workload", f"{questions.count} questions", "given")
            return Asked.of(questions)
        if (workload := self.value(WORKLOAD)) not in ("ranges", "prefixes"):
            raise BadParameter(f"workload must be {WORKLOAD.kind}, not {workload!r}")
        return Asked.of(spread_workload(self.request.schema, prefixes=workload == "prefixes"))

    def _chosen_levels(self, asked: Asked | None) -> NestedLevels:
        schema, given = self.request.schema, self.request.parameters.get("levels")
        if given is None:
            assert asked is not None
            cuts, origin = LevelChoice(schema, asked).best(), "default: least mean variance over the workload"
        else:
            cuts, origin = self._read_levels(given), "given"
        levels = NestedLevels(schema, cuts)
        self.note_choice("levels", [self._shown(level) for level in levels.cuts[:-1]] + [CELLS], origin)
        return levels

    def _chosen_shares(self, asked: Asked | None) -> list[Fraction]:
        if asked is not None:
            shares, origin = asked.shares(self.levels), "default: least mean variance over the workload"
        else:
            shares, origin = self._read_shares(self.request.parameters["shares"]), "given"
        self.note_choice("shares", [as_text(share) for share in shares], origin)
        return shares

    def _read_levels(self, given: Any) -> list[Cuts]:
        if not isinstance(given, list | tuple) or not given:
            raise BadParameter(f"levels must be {LEVELS.kind}, not {given!r}")
        return [self._read_level(level) for level in given]

    def _read_level(self, given: Any) -> Cuts:
        schema = self.request.schema
        if given == CELLS:
            return {name: kind.depth - 1 if isinstance(kind, Nominal) else 1 for name, kind in schema.items()}
        if isinstance(given, int | str) and len(schema) == 1:
            given = {schema.names[0]: given}
        if not isinstance(given, dict):
            raise BadParameter(f"levels must be {LEVELS.kind}; {given!r} is none")
        for name in given:
            if name not in schema:
                raise BadParameter(f"levels: {name!r} is not among the release's attributes: {', '.join(schema)}")
        return {name: _part(name, schema[name], part) for name, part in given.items()}

    def _read_shares(self, given: Any) -> list[Fraction]:
        count = len(self.levels.cuts)
        if not isinstance(given, list | tuple) or len(given) != count:
            raise BadParameter(f"shares must be a list of {count} numbers, one for each level, not {given!r}")
        shares = [exact(share, "shares") for share in given]
        if (total := sum(shares, Fraction(0))) != 1:
            raise BadParameter(f"shares must add up to 1, and these to {as_text(total)}; write thirds as '1/3'")
        return shares

    def _shown(self, level: dict[str, int]) -> Any:
        """A level as `levels` takes it."""
        return level[self.request.schema.names[0]] if level and len(self.request.schema) == 1 else level

    @property
    def cost(self) -> Fraction:
        return cost(self.request.unit, sum((1 / scale for scale in self.scales), Fraction(0)))

    def measure(self, data: Bounded, noise: Noise) -> Summary:
        summary = WeightedLevels(self.levels, self.measured(data.table(), noise), self.scales)
        return summary if self.write == "coefficients" else summary.as_cells()

    def noise_alone(self, questions: Questions, level: float) -> Answers:
        fit = LevelFit(self.levels, [DiscreteLaplace.of(scale) for scale in self.scales])
        zeros, moments = np.zeros(questions.count), fit.moments(questions)
        return Answers.of_moments(zeros, *moments, float(min(self.scales)), level)

    def measured(self, counts: Counts, noise: Noise) -> list[NDArray[np.int64]]:
        """The noisy counts of all blocks, level by level: the only use of the counts."""
        if int(counts.counts.sum()) >= 1 << 61:
            raise CountOverflow("the counts are too large for 64-bit sums")
        cells = np.zeros(self.levels.shapes[-1], np.int64)
        cells[tuple(counts.codes.T)] = counts.counts
        tables = [cells]
        for level in reversed(range(len(self.levels.shapes) - 1)):
            tables.insert(0, self.levels.sums(level, tables[0]))
        for table, scale in zip(tables, self.scales, strict=True):
            noise.add_into(table, scale)
        return tables

    def noise_law(self) -> dict[str, Any]:
        return {
            "law": "discrete Laplace: Pr[x] proportional to exp(-|x| / s), independent in every block; s is that of "
            "the block's level",
            "s": [as_text(scale) for scale in self.scales],
        }


def _part(name: str, attribute: Attribute, given: Any) -> Any:
    """How a level cuts an attribute, with the name of a level of its hierarchy as that level's number."""
    names: Sequence[str] = (attribute.levels or ()) if isinstance(attribute, Nominal) else ()
    if not isinstance(given, str):
        return given
    if given not in names:
        known = f"its levels are {', '.join(names)}" if names else "give a number"
        raise BadParameter(f"levels: {name!r} has no level {given!r}; {known}")
    return list(names).index(given)
