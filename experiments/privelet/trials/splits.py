"""Whether errors average out or add up: questions over all codes of the untransformed attributes, code by code."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.evaluate.named_workloads import boxes
from discreet.queries import Questions
from discreet.schema import Schema
from experiments.shared.records import short

MOST_QUESTIONS = 200

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Split:
    """`questions` has, for each question that was taken apart, one box per combination of codes; `part` its group."""

    questions: Questions
    combinations: int
    part: Integers

    @classmethod
    def of(cls, schema: Schema, direct: Sequence[str], questions: Questions, groups: Sequence[Integers]) -> Split:
        """From every group of questions an even choice of those that do not restrict the attributes `direct`."""
        places = [place for place, name in enumerate(schema) if name in direct]
        sizes = [schema.sizes[place] for place in places]
        whole = (questions.last - questions.first + 1)[:, places] == np.array(sizes)
        chosen, part = [], []
        for number, group in enumerate(groups):
            able = group[whole[group].all(axis=1)]
            some = able[:: max(1, math.ceil(able.size / MOST_QUESTIONS))]
            chosen.append(some)
            part.append(np.full(some.size, number))
        rows, combinations = np.concatenate(chosen), math.prod(sizes)
        first, last = (np.repeat(ends[rows], combinations, axis=0) for ends in (questions.first, questions.last))
        codes = np.stack(np.unravel_index(np.arange(combinations), sizes), axis=1)
        first[:, places] = last[:, places] = np.tile(codes, (rows.size, 1))
        return cls(boxes(first, last), combinations, np.concatenate(part))

    def added_up(self, off: NDArray[np.float64]) -> dict[int, dict[str, Any]]:
        """By group: the mean error of the sums, and what it would be if the errors of the boxes were independent."""
        errors = off.reshape(-1, self.combinations)
        sums, apart = np.abs(errors.sum(axis=1)), np.sqrt((errors**2).sum(axis=1)) * math.sqrt(2 / math.pi)
        return {
            int(number): {
                "questions": int((self.part == number).sum()),
                "independent": short(float(apart[self.part == number].mean())),
                "measured": short(float(sums[self.part == number].mean())),
            }
            for number in np.unique(self.part)
        }
