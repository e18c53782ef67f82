"""How far one release is off: measures of its answers against the truth, in all and by class of question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.evaluate.named_workloads import Workload
from discreet.summaries import Summary
from discreet.summaries.base import cells_asked

Json = dict[str, Any]
Floats = NDArray[np.float64]

#: what the paper puts in place of counts of zero or less before a divergence
LITTLE = 0.01
LEVEL, TOP, BINS = 0.95, 10, 5
CLASSES = ("heavy", "rare", "empty", "roll-up")


def _mean_width(widths: Floats) -> float:
    """Of the intervals that have two ends; zero if none has."""
    closed = widths[np.isfinite(widths)]
    return float(closed.mean()) if closed.size else 0.0


def errors(
    summary: Summary, workload: Workload, truth: Floats, sanity: float | None, by_rules: Floats | None = None
) -> Json:
    """Every measure of one release against the truth.

    `by_rules` is what the unit's bounds leave of it, which is what intervals promise to hold; without it, the truth.
    """
    found = summary.answer(workload.questions, LEVEL).of_counts()
    value = np.asarray(found.value, np.float64)
    off = np.abs(value - truth)
    least = max(sanity if sanity is not None else 0.001 * float(truth.max(initial=0.0)), 1.0)
    relative = off / np.maximum(truth, least)
    low, high = np.asarray(found.low), np.asarray(found.high)
    promised = truth if by_rules is None else by_rules
    inside = (low <= promised) & (promised <= high)
    line: Json = {
        "absolute": _short(off.mean()),
        "relative": _short(relative.mean()),
        "squared": _short((off**2).mean()),
        "covered": _short(inside.mean()),
        "width": _short(_mean_width(np.asarray(found.high - found.low, np.float64))),
        "by coverage": _binned(workload.coverage, off, relative),
        "by class": {
            name: {
                "questions": int(mask.sum()),
                "absolute": _short(off[mask].mean()),
                "relative": _short(relative[mask].mean()),
                "covered": _short(inside[mask].mean()),
            }
            for name, mask in question_classes(workload, truth)
        },
    }
    if by_rules is not None:
        line["covered of all"] = _short(((low <= truth) & (truth <= high)).mean())
    if found.bounds is not None:
        line["bounds"] = _short(found.bounds.mean())
    if workload.tabular and truth.size > 1 and truth.sum() > 0:
        line["divergence"] = _short(divergence(value, truth))
        line["top"] = _short(precision(value, truth, min(TOP, truth.size)))
    return line


def _binned(by: Floats, off: Floats, relative: Floats) -> list[list[float]]:
    """Mean of `by`, of the absolute and of the relative error, in bins of about as many questions each."""
    order = np.argsort(by, kind="stable")
    parts = [part for part in np.array_split(order, min(BINS, by.size)) if part.size]
    return [[_short(by[part].mean()), _short(off[part].mean()), _short(relative[part].mean())] for part in parts]


def question_classes(workload: Workload, truth: Floats) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Single counts by how much they hold: the largest, which have half of all records (heavy), others (rare), empty.

    Sums over several counts of the release are roll-ups.
    """
    single = np.full(truth.size, workload.counted) | (cells_asked(workload.questions) <= 1)
    order = np.argsort(-truth, kind="stable")
    before = np.zeros(truth.size)
    before[order] = np.cumsum(np.where(single, truth, 0)[order]) - np.where(single, truth, 0)[order]
    heavy = single & (truth > 0) & (before < np.where(single, truth, 0).sum() / 2)
    masks = (heavy, single & (truth > 0) & ~heavy, single & (truth == 0), ~single)
    for name, mask in zip(CLASSES, masks, strict=True):
        if mask.any():
            yield name, mask


def _short(value: Any) -> float:
    return float(f"{float(value):.6g}")


def divergence(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Kullback-Leibler, in natural units, of the shares of the first from those of the second."""
    p, q = _shares(one), _shares(other)
    return float(np.sum(p * np.log(p / q)))


def _shares(counts: NDArray[Any]) -> Floats:
    positive = np.where(counts > 0, counts, LITTLE).astype(np.float64)
    return np.asarray(positive / positive.sum())


def in_top(counts: NDArray[Any], many: int) -> Floats:
    """For each item the chance to be among the `many` largest, when equal counts are put in random order."""
    least = np.partition(counts, counts.size - many)[counts.size - many]
    above, level = counts > least, counts == least
    return np.asarray(above + level * ((many - np.count_nonzero(above)) / np.count_nonzero(level)), np.float64)


def precision(noisy: NDArray[Any], true: NDArray[Any], many: int) -> float:
    """The share of the `many` largest noisy counts that is among the `many` largest true ones, ties in random order."""
    return float(in_top(noisy, many) @ in_top(true, many)) / many
