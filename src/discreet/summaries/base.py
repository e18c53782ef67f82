"""What every summary can do: answer questions with their error, and be written and read as plain columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.queries import Questions
from discreet.schema import Schema


@dataclass(frozen=True, eq=False)
class Answers:
    """One estimate per question, as columns."""

    value: NDArray[Any]
    stderr: NDArray[np.float64]
    low: NDArray[Any]
    high: NDArray[Any]
    #: the most that lies outside low..high for reasons other than noise; zero where there are none
    bias: NDArray[np.float64]


def per_question(questions: Questions, parts: NDArray[Any]) -> NDArray[Any]:
    """The parts of each question added up; most questions are one box."""
    if parts.size == questions.count and np.array_equal(questions.owner, np.arange(questions.count)):
        return parts
    total = np.zeros(questions.count, parts.dtype)
    np.add.at(total, questions.owner, parts)
    return total


def running_sums(shape: tuple[int, ...], values: NDArray[Any]) -> NDArray[np.float64]:
    """Sums from the first cell on along every axis, from which any box is a few look-ups away."""
    running = values.reshape(shape).astype(np.float64)
    for axis in range(len(shape)):
        np.cumsum(running, axis=axis, out=running)
    return running


class Summary(ABC):
    """Noisy values that know their error. Public: nothing here can reach the data."""

    #: names the shape in release.json
    shape: ClassVar[str]
    schema: Schema

    @abstractmethod
    def answer(self, questions: Questions, level: float) -> Answers:
        """Every question with an interval that covers the truth with probability `level`."""

    @abstractmethod
    def to_arrow(self) -> Any:
        """The whole summary as an Arrow table: attribute columns with their labels, `count`, and what else it needs."""

    def stored(self) -> Any:
        """What is written to disk, as an Arrow table; the same, unless labels would only repeat the schema's order."""
        return self.to_arrow()

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """What, besides the table, is needed to read the summary back: plain JSON."""

    @classmethod
    @abstractmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> Summary:
        """The summary from its facts and the path of its Parquet file; a ValueError if they do not fit together."""
