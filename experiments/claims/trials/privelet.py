"""Claims of privelet: bounds on the variance of noise (sections 4 to 6), and section 8.1 on a small census."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.evaluate.random_questions import boxes, covered, predicates, random_boxes
from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.schema import Nominal, Ordinal, Schema
from discreet.summaries.coefficients import Coefficients
from discreet.summaries.shrunk import Shrunk
from experiments.claims.rules import Claim, Setting, Trial, derived, noise_of, ratio
from experiments.privelet.trials.census import STAR, UNIT
from experiments.privelet.trials.questions import true_answers
from experiments.shared.item_histories import Dice
from experiments.shared.range_errors import missed, ready
from experiments.shared.tables import Truth
from experiments.sparse_summaries.trials.subset_errors import Method

PAPER = "privelet"
EPSILON = Fraction(1)
RELEASES = 100
ASKED = 300
PEOPLE = 50_000
QUESTIONS = 4000
PARTS = 5
PRIVELET: Method = ("privelet", {})
BASIC: Method = ("geometric", {})

Floats = NDArray[np.float64]


def _tree(leaves: int, groups: int) -> Nominal:
    """A hierarchy of three levels, the root among them; groups of about equal size."""
    parts = np.array_split(np.arange(leaves), groups)
    return Nominal(hierarchy=[{f"g{place}": [f"v{leaf}" for leaf in part] for place, part in enumerate(parts)}])


def _squares(schema: Schema, method: Method, questions: Questions, seed: int, half: str) -> Floats:
    """The mean squared error of each question over many releases of an empty table: all of it is noise."""
    empty = Counts(schema.sizes, np.empty((0, len(schema)), np.int64), np.empty(0, np.int64))
    made, total = ready(schema, method, EPSILON, UNIT), np.zeros(questions.count)
    for number in range(RELEASES):
        summary = made.measure(empty, noise_of(seed, method[0], half, number))
        total += missed(summary, questions, np.zeros(questions.count)).off ** 2
    return np.asarray(total / RELEASES)


def _worst(schema: Schema, method: Method, questions: Questions, seed: int) -> float:
    """The variance of the noisiest question: found on some releases, measured on others, so that luck cannot add."""
    noisiest = np.argsort(_squares(schema, method, questions, seed, "find"))[-10:]
    return float(_squares(schema, method, questions, seed, "measure")[noisiest].mean())


def _bound(schema: Schema) -> float:
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
JOBS = Schema({"a": _tree(512, 22)})
AS_LINE = Schema({"a": Ordinal(0, 511)})
BOTH = Schema({"a": Ordinal(0, 31), "b": _tree(36, 6)})


def _nodes(attribute: Nominal) -> Questions:
    ends = np.array([node[1:] for depth in range(attribute.depth) for node in attribute.level(depth)], np.int64)
    return boxes(ends[:, :1], ends[:, 1:])


def _every_range(size: int) -> Questions:
    first, last = np.triu_indices(size)
    return boxes(first[:, None].astype(np.int64), last[:, None].astype(np.int64))


def _line(seed: int) -> Trial:
    worst = _worst(LINE, PRIVELET, random_boxes(LINE, ASKED, derived(seed, "ranges")), seed)
    return {"worst": worst, "bound": _bound(LINE)}


def _jobs(seed: int) -> Trial:
    jobs = JOBS["a"]
    assert isinstance(jobs, Nominal)
    nodes = _nodes(jobs)
    return {
        "worst": _worst(JOBS, PRIVELET, nodes, seed),
        "bound": _bound(JOBS),
        "as line": _worst(AS_LINE, PRIVELET, nodes, derived(seed, "line")),
    }


def _both(seed: int) -> Trial:
    questions = predicates(BOTH, ASKED, derived(seed, "questions"))
    return {"worst": _worst(BOTH, PRIVELET, questions, seed), "bound": _bound(BOTH)}


def _short(seed: int) -> Trial:
    ranges = _every_range(16)
    methods = (PRIVELET, BASIC)
    found = {f"{method[0]} mean": float(_squares(SHORT, method, ranges, seed, "mean").mean()) for method in methods}
    return found | {f"{method[0]} worst": _worst(SHORT, method, ranges, seed) for method in methods}


CENSUS = Schema(
    {"age": Ordinal(0, 3), "sex": Nominal(["m", "f"]), "occupation": _tree(64, 8), "income": Ordinal(0, 1023)}
)


def _people(seed: int) -> Truth:
    """Incomes with a long tail, higher for older people and for some occupations, which are unequally common."""
    dice = Dice(seed)
    age = (dice.uniform(PEOPLE) ** 1.3 * 4).astype(np.int64)
    sex = (dice.uniform(PEOPLE) < 0.5).astype(np.int64)
    weights = np.cumsum(np.arange(1, 65) ** -0.8)
    occupation = dice.order(64)[np.searchsorted(weights / weights[-1], dice.uniform(PEOPLE), side="right")]
    # the sum of four uniform numbers is nearly normal
    bell = sum((dice.uniform(PEOPLE) for _ in range(4)), np.zeros(PEOPLE)) - 2
    income = np.exp(3.5 + 0.25 * age + 0.02 * (occupation % 32) + 1.2 * bell)
    codes = np.stack([age, sex, occupation, np.minimum(income.astype(np.int64), 1023)], axis=1)
    return Truth(CENSUS, Counts.from_arrays(CENSUS.sizes, codes, np.ones(PEOPLE, np.int64)))


def _census(seed: int) -> Trial:
    """Mean absolute errors by fifths of the questions, in the order of their coverage, and overall."""
    truth = _people(derived(seed, "data"))
    questions = predicates(CENSUS, QUESTIONS, derived(seed, "questions"))
    cells, true = covered(CENSUS, questions), true_answers(truth, questions)
    star = ready(CENSUS, STAR, EPSILON, UNIT).measure(truth.counts, noise_of(seed, "star"))
    assert isinstance(star, Shrunk)
    made = {
        "basic": ready(CENSUS, BASIC, EPSILON, UNIT).measure(truth.counts, noise_of(seed, "basic")),
        "privelet": ready(CENSUS, PRIVELET, EPSILON, UNIT).measure(truth.counts, noise_of(seed, "privelet")),
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


def _slope(name: str) -> Callable[[Trial], float]:
    def figure(trial: Trial) -> float:
        last = PARTS - 1
        wider = np.log(trial[f"coverage {last}"] / trial["coverage 0"])
        return float(np.log(trial[f"{name} {last}"] / trial[f"{name} 0"]) / wider)

    return figure


def _over(name: str, parts: Sequence[str]) -> Callable[[Trial], float]:
    return lambda trial: trial[name] / min(trial[part] for part in parts)


def _flat(trial: Trial) -> float:
    errors = [trial[f"plus {place}"] for place in range(PARTS)]
    return max(errors) / min(errors)


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

CLAIMS = (
    Claim("privelet-lemma-3", PAPER, "lemma 3", "the variance of a range's noise is at most (2 + log2 m) / 2 sigma^2",
          LINE_NOISE, "measured variance of the noisiest ranges / bound", ratio("worst", "bound"), below=1),
    Claim("privelet-lemma-5", PAPER, "lemma 5", "over a hierarchy it is less than 4 sigma^2", JOBS_NOISE,
          "measured variance of the noisiest nodes / bound", ratio("worst", "bound"), below=1),
    Claim("privelet-theorem-3", PAPER, "theorem 3", "over several attributes the bounds multiply", BOTH_NOISE,
          "measured variance of the noisiest predicates / bound", ratio("worst", "bound"), below=1),
    Claim("privelet-nominal", PAPER, "5.4", "on 512 values in three levels the nominal transform has a 15th of the "
          "variance of Haar's", JOBS_NOISE, "Haar / nominal, measured variance of the noisiest nodes",
          ratio("as line", "worst"), above=10,
          reason="15 is the ratio of the two bounds. The nominal one is nearly reached; Haar's is far above what any "
          "range has, and nodes are not the noisiest ranges."),
    Claim("privelet-small-domain", PAPER, "6.4", "on 16 values Basic has less variance than Privelet", SHORT_NOISE,
          "Basic / Privelet, the larger of the mean over all ranges and of the noisiest ranges",
          lambda trial: max(trial[f"geometric {what}"] / trial[f"privelet {what}"] for what in ("mean", "worst")),
          below=1),
    Claim("privelet-example", PAPER, "6.4", "on 16 values the variances are at most 600 and 128 over epsilon^2",
          SHORT_NOISE, "measured variance of the noisiest ranges / bound, the larger of Privelet and Basic",
          lambda trial: max(trial["privelet worst"] / 600, trial["geometric worst"] / 128), below=1),
    Claim("privelet-basic-linear", PAPER, "9 to 12", "the error of Basic grows linearly with coverage", CENSUS_TRIALS,
          "power of coverage with which it grows, from the first fifth of the questions to the last", _slope("basic"),
          above=0.9,
          reason="Independent noises add up by their squares, so the error grows with the root of the number of cells: "
          "a straight line only if both axes are logarithmic."),
    Claim("privelet-basic-grows", PAPER, "9 to 12", "the error of Basic grows with coverage", CENSUS_TRIALS,
          "power of coverage with which it grows, from the first fifth of the questions to the last", _slope("basic"),
          above=0.25),
    Claim("privelet-insensitive", PAPER, "9 to 12", "the error of Privelet+ is insensitive to coverage", CENSUS_TRIALS,
          "largest / smallest error of fifths by coverage", _flat, below=3),
    Claim("privelet-wide", PAPER, "8.1", "Privelet+ beats Basic where coverage is above 1 %", CENSUS_TRIALS,
          "Privelet+ / Basic, coverage above 1 %", ratio("plus wide", "basic wide"), below=1),
    Claim("privelet-crossing", PAPER, "8.1", "the two cross over: Basic is better where coverage is least",
          CENSUS_TRIALS, "Privelet+ / Basic, the fifth of least coverage", ratio("plus 0", "basic 0"), above=1),
    Claim("privelet-plus", PAPER, "6.4", "Privelet+ has the best of both: less error than Basic and than Privelet",
          CENSUS_TRIALS, "Privelet+ / the better of the two, all questions", _over("plus", ("basic", "privelet")),
          below=1),
    Claim("privelet-star", PAPER, "8.1", "Privelet* outperforms Privelet+", CENSUS_TRIALS,
          "Privelet* / Privelet+, all questions", ratio("star", "plus"), below=1),
    Claim("privelet-star-narrow", PAPER, "9, 10", "Privelet* is considerably better where coverage is below 0.01",
          CENSUS_TRIALS, "Privelet* / Privelet+, coverage below 1 %", ratio("star narrow", "plus narrow"), below=0.8),
)  # fmt: skip
