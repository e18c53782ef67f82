"""Flags for counts whose relative error is above a threshold, as answers carry them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from discreet.naming import refuse_columns
from discreet.queries.reliability import FLAG, Thresholds, flags, legend, read_thresholds, relative_errors
from discreet.summaries import Answers


@dataclass(frozen=True)
class Flagged:
    """A flag for each answer, "" where there is none, and what flags mean."""

    flags: list[str]
    thresholds: Thresholds

    @classmethod
    def of(cls, found: Answers, thresholds: Thresholds) -> Flagged:
        errors = relative_errors(found.value, found.stderr, found.low, found.high)
        return cls(flags(errors, thresholds), thresholds)

    @property
    def said(self) -> str:
        return legend(self.thresholds)


def flagged(names: Iterable[str], given: Any, found: Answers, usual: Callable[[], Answers] | None) -> Flagged | None:
    """Flags of answers in tables with these attributes; None without thresholds. `usual` has them at FLAG_LEVEL."""
    thresholds = thresholds_for(names, given)
    return None if thresholds is None else Flagged.of(found if usual is None else usual(), thresholds)


def one_flag(made: Flagged | None) -> tuple[str | None, str]:
    """The flag of a single answer, and what to say of it."""
    if made is None:
        return None, ""
    flag = made.flags[0]
    return flag, legend({flag: made.thresholds[flag]}) if flag else ""


def thresholds_for(names: Iterable[str], given: Any) -> Thresholds | None:
    """Thresholds for tables that have these attributes as columns."""
    if (thresholds := read_thresholds(given)) is not None:
        refuse_columns(names, (FLAG,), "any method with `reliable`")
    return thresholds
