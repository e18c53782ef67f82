"""Privelet: the variance of noise (sections 4 to 6), and section 8.1 on a small census."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.evaluate.named_workloads import boxes, covered, predicates, random_boxes
from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.schema import Nominal, Ordinal, Schema
from discreet.summaries.coefficients import Coefficients
from discreet.summaries.shrunk import Shrunk
from experiments.claims.data.small_census import CENSUS, PEOPLE, people, tree
from experiments.claims.rules import Setting, Trial, derived, noise_of
from experiments.privelet.trials.census import STAR, UNIT
from experiments.privelet.trials.questions import true_answers
from experiments.shared.methods import Method, ready
from experiments.shared.range_errors import missed

EPSILON = Fraction(1)
RELEASES = 100
ASKED = 300
QUESTIONS = 4000
PARTS = 5
PRIVELET: Method = ("privelet", {})
BASIC: Method = ("geometric", {})

Floats = NDArray[np.float64]


def _squares(schema: Schema, method: Method, questions: Questions, seed: int, half: str) -> Floats:
    """The mean squared error of each question over many releases of an empty table: all of it is noise."""
    empty = Counts(schema.sizes, np.empty((0, len(schema)), np.int64), np.empty(0, np.int64))
    made, total = ready("ranges", schema, method, EPSILON, UNIT), np.zeros(questions.count)
    for number in range(RELEASES):
        summary = made.measure(empty, noise_of(seed, method[0], half, number))
        total += missed(summary, questions, np.zeros(questions.count)).off ** 2
    return np.asarray(total / RELEASES)


def _worst(schema: Schema, method: Method, questions: Questions, seed: int) -> float:
    """The variance of the noisiest question: found on some releases, measured on others, so that luck cannot add."""
    noisiest = np.argsort(_squares(schema, method, questions, seed, "find"))[-10:]
    return float(_squares(schema, method, questions, seed, "measure")[noisiest].mean())


def bound(schema: Schema) -> float:
    """Section 6.3: 2 (2 / epsilon * product of P)^2 * product of H."""
    found = 8 / float(EPSILON) ** 2
    for attribute in schema.values():
        if isinstance(attribute, Nominal):
            levels, spread = attribute.depth + 1, 4.0
        else:
            levels = 1 + (attribute.size - 1).bit_length()
            spread = (1 + levels) / 2
        found *= levels**2 * spread
    return found


LINE = Schema({"a": Ordinal(0, 1023)})
SHORT = Schema({"a": Ordinal(0, 15)})
JOBS = Schema({"a": tree(512, 22)})
AS_LINE = Schema({"a": Ordinal(0, 511)})
BOTH = Schema({"a": Ordinal(0, 31), "b": tree(36, 6)})


def _nodes(attribute: Nominal) -> Questions:
    ends = np.array([node[1:] for depth in range(attribute.depth) for node in attribute.level(depth)], np.int64)
    return boxes(ends[:, :1], ends[:, 1:])


def _every_range(size: int) -> Questions:
    first, last = np.triu_indices(size)
    return boxes(first[:, None].astype(np.int64), last[:, None].astype(np.int64))


def _line(seed: int) -> Trial:
    worst = _worst(LINE, PRIVELET, random_boxes(LINE, ASKED, derived(seed, "ranges")), seed)
    return {"worst": worst, "bound": bound(LINE)}


def _jobs(seed: int) -> Trial:
    jobs = JOBS["a"]
    assert isinstance(jobs, Nominal)
    nodes = _nodes(jobs)
    return {
        "worst": _worst(JOBS, PRIVELET, nodes, seed),
        "bound": bound(JOBS),
        "line bound": bound(AS_LINE),
        "as line": _worst(AS_LINE, PRIVELET, nodes, derived(seed, "line")),
    }


def _both(seed: int) -> Trial:
    questions = predicates(BOTH, ASKED, derived(seed, "questions"))
    return {"worst": _worst(BOTH, PRIVELET, questions, seed), "bound": bound(BOTH)}


def _short(seed: int) -> Trial:
    ranges = _every_range(16)
    methods = (PRIVELET, BASIC)
    found = {f"{method[0]} mean": float(_squares(SHORT, method, ranges, seed, "mean").mean()) for method in methods}
    return found | {f"{method[0]} worst": _worst(SHORT, method, ranges, seed) for method in methods}


def _census(seed: int) -> Trial:
    """Mean absolute errors by fifths of the questions, in the order of their coverage, and overall."""
    truth = people(derived(seed, "data"))
    questions = predicates(CENSUS, QUESTIONS, derived(seed, "questions"))
    cells, true = covered(CENSUS, questions), true_answers(truth, questions)
    star = ready("ranges", CENSUS, STAR, EPSILON, UNIT).measure(truth.counts, noise_of(seed, "star"))
    assert isinstance(star, Shrunk)
    made = {
        "basic": ready("ranges", CENSUS, BASIC, EPSILON, UNIT).measure(truth.counts, noise_of(seed, "basic")),
        "privelet": ready("ranges", CENSUS, PRIVELET, EPSILON, UNIT).measure(truth.counts, noise_of(seed, "privelet")),
        # thresholds come after the noise, so the two share it
        "plus": Coefficients(CENSUS, star.axes, star.values, star.scale),
        "star": star,
    }
    fifths = np.array_split(np.argsort(cells, kind="stable"), PARTS)
    found = {f"coverage {place}": float(cells[part].mean()) for place, part in enumerate(fifths)}
    for name, summary in made.items():
        off = np.abs(missed(summary, questions, true).off)
        found[name] = float(off.mean())
        found |= {f"{name} {place}": float(off[part].mean()) for place, part in enumerate(fifths)}
        found |= {f"{name} wide": float(off[cells > 0.01].mean()), f"{name} narrow": float(off[cells < 0.01].mean())}
    return found


_NOISE = f"{2 * RELEASES} releases of epsilon 1 of an empty table"
LINE_NOISE = Setting("privelet line", f"1,024 ordinal values, {ASKED} random ranges, {_NOISE}", _line, 15)
JOBS_NOISE = Setting("privelet jobs", f"512 values in 22 groups (three levels), all nodes, {_NOISE}", _jobs, 12)
BOTH_NOISE = Setting(
    "privelet both", f"32 ordinal values x 36 in 6 groups, {ASKED} random predicates, {_NOISE}", _both, 12
)
SHORT_NOISE = Setting("privelet short", f"16 ordinal values, all ranges, {_NOISE}", _short, 24)
CENSUS_TRIALS = Setting(
    "privelet census",
    f"{PEOPLE:,} made-up people, age 4 x sex 2 x occupation 64 in 8 groups x income 1,024 = {CENSUS.cells:,} cells, "
    f"{QUESTIONS:,} random predicates, epsilon 1; age and sex untransformed by the paper's rule",
    _census,
    24,
)
