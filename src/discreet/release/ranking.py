"""The top items of a release, and how sure it is that they belong there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from discreet.queries import Boxes, Questions, cut_questions, picked
from discreet.summaries import Answers, Summary, simulation

Floats = NDArray[np.float64]

DRAWS = 1000
#: items further down the list than this are not simulated
MOST_RIVALS = 5000
#: the same where counts are drawn by a model, and how often: many who may all be the largest must all be tried, but
#: even where nothing shows, few of the largest are in the lower part of the list
_MODELLED_RIVALS, _MODELLED_DRAWS = 3 * 10**4, 200
_AT_ONCE = 2 * 10**6


@runtime_checkable
class Ranked(Protocol):
    """A summary that can be ranked: it can simulate its own noise."""

    def noise_draws(self, questions: Questions, draws: int, random: Any) -> Floats:
        """draws x questions: noise as it is in the answers, where each question is about one item."""


@runtime_checkable
class Modelled(Protocol):
    """A summary that can be ranked: it can draw counts that may be true, from a model of what counts are like."""

    def count_draws(self, questions: Questions, draws: int, random: Any) -> Floats:
        """draws x questions: counts that may be true, where each question is about one item."""

    def most_certain(self, questions: Questions, others: int, random: Any) -> Floats:
        """How sure it can be at most that these are about the largest, beside so many others; 1 if draws tell all."""


@runtime_checkable
class Selected(Protocol):
    """A summary of items that were selected as the largest: only these are ranked, and how surely is not known."""

    def was_selected(self, questions: Questions) -> NDArray[np.bool_]:
        """Whether it was selected what each question is about, which is one item."""


def answered(
    summary: Summary, questions: Questions, best: NDArray[np.int64], level: float
) -> Iterator[tuple[NDArray[np.int64], Answers]]:
    """Answers to the best of many questions, of which a share of `level` holds the truth: places in `best`, answers.

    Picking the largest of m answers picks the luckiest. If an interval of any of them misses with a chance of
    (1 - level) k / m, so do on average (1 - level) k, and no more of the k that are picked (Benjamini and Yekutieli).
    What some were measured for again is the count; what is said besides always has the noise that picked them.
    """

    def widened(some: Questions, many: int) -> Answers:
        return summary.answer(some, 1 - (1 - level) * best.size / many).of_counts()

    among = np.clip(summary.chosen_among(questions)[best], best.size, questions.count)
    for many in np.unique(among, return_counts=True)[0].tolist():  # without counts it loads masked arrays
        places = np.flatnonzero(among == many)
        some = picked(questions, best[places])
        found = widened(some, many)
        if found.besides is not None and many < questions.count:
            found = replace(found, besides=widened(some, questions.count).besides)
        yield places, found


def item_questions(selected: Boxes, within: Mapping[int, Sequence[int]]) -> tuple[Questions, NDArray[np.int64]]:
    """A question for each item of a selection, its contexts narrowed to first and last codes; and the items' codes.

    Items of which nothing is left then have no question.
    """
    pairs = zip(selected.first[:, 0], selected.last[:, 0], strict=True)
    runs = [np.arange(low, high + 1) for low, high in pairs]
    codes = runs[0] if len(runs) == 1 else np.unique(np.concatenate([np.empty(0, np.int64), *runs]))
    ends = {0: np.column_stack([codes, codes])}
    ends |= {index: np.tile(np.array(both, np.int64), (codes.size, 1)) for index, both in within.items()}
    questions = cut_questions(selected, ends)
    left = np.unique(questions.owner)
    return (questions, codes) if left.size == codes.size else (picked(questions, left), codes[left])


def ranked(
    summary: Ranked | Modelled | Selected, questions: Questions, answers: NDArray[Any], most: int
) -> tuple[NDArray[np.int64], Floats]:
    """The `most` largest answers, largest first, and the share of simulations in which each is among them."""
    values, modelled = np.asarray(answers, np.float64), isinstance(summary, Modelled)
    if isinstance(summary, Selected):
        known = np.flatnonzero(summary.was_selected(questions))
        best = known[np.argsort(-values[known], kind="stable")[:most]]
        return best, np.full(best.size, np.nan)
    if not questions.count:
        return np.zeros(0, np.int64), np.zeros(0)
    rivals = np.argsort(-values, kind="stable")[: max(_MODELLED_RIVALS if modelled else MOST_RIVALS, most)]
    most, wanted = min(most, rivals.size), _MODELLED_DRAWS if modelled else DRAWS
    some = picked(questions, rivals)
    random = simulation.generator()
    total, done = np.zeros(rivals.size), 0
    step = max(1, min(wanted, _AT_ONCE // max(rivals.size, 1)))
    while done < wanted:
        draws = min(step, wanted - done)
        if isinstance(summary, Modelled):
            counts = summary.count_draws(some, draws, random)
        else:
            counts = np.maximum(values[rivals] - summary.noise_draws(some, draws, random), 0.0)
        total += draws * simulation.membership(counts, most, random)
        done += draws
    certain = total[:most] / wanted
    if isinstance(summary, Modelled):
        largest = picked(questions, rivals[:most])
        others = questions.count - most
        certain = np.minimum(certain, summary.most_certain(largest, others, simulation.generator()))
    return rivals[:most], np.asarray(certain)
