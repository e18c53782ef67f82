"""Claims of grouping-smoothing, section 5, set by set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from experiments.claims.rules import Claim, Trial
from experiments.claims.trials.grouping_smoothing import COMPARED, ENDS, GROUP_SIZES, LARGE, MIDDLE, SAMPLED, SMALL, key

PAPER = "grouping-smoothing"
#: the paper's largest gap between the tuned size of groups and the best one
TUNED = 1.034


def _at(one: str, other: str, name: str, epsilon: Fraction) -> Callable[[Trial], float]:
    """One method's error over another's."""
    return lambda trial: trial[key(one, name, epsilon)] / trial[key(other, name, epsilon)]


def _worst(one: str, others: Sequence[str], name: str, epsilons: Sequence[Fraction]) -> Callable[[Trial], float]:
    """The same for the best of others and the epsilon where it is largest."""
    return lambda trial: max(_at(one, other, name, epsilon)(trial) for other in others for epsilon in epsilons)


def _tuned_ratio(name: str) -> Callable[[Trial], float]:
    return lambda trial: trial[name]


#: the bound is nearly the number of items, so there is one group whatever is sampled: nothing is to be seen of samples
ONE_GROUP = "netflix"
WORDS = {"checkin": "check-ins", "document": "documents", "netflix": "netflix", "trajectory": "trajectories"}
ALL_ALIKE = (
    "No sample tells these counts apart under so much noise, so all three make random groups and err alike; the figure "
    "is the largest of several ratios near 1."
)
NO_GROUPS = (
    "A mean for all items is nearly best here, and one frequency gives just that; which number of frequencies is best "
    "costs fpa nothing. gs spends half of epsilon on a sample that tells little."
)
REASONS = {
    ("columns", "checkin"): ALL_ALIKE,
    ("columns", "trajectory"): ALL_ALIKE + " This is at the smaller epsilon.",
    ("tuned", "checkin"): "One group of all items is best. The spread of the noisy sample is noise, and the tuning "
    "takes it for differences between counts, so it makes smaller groups.",
    ("fpa", "checkin"): NO_GROUPS,
    ("fpa", "trajectory"): NO_GROUPS + " This is at the smaller epsilon.",
    ("gs-r", "checkin"): "The sample tells little, so half of epsilon is spent for nothing; gs-r has all of it for "
    "groups of about the same size.",
}


def _by_set() -> Iterator[Claim]:
    for name, words in WORDS.items():
        if name == ONE_GROUP:
            continue
        yield Claim(
            f"grouping-columns-{name}",
            PAPER,
            "7",
            f"on {words} sampling columns is better than sampling rows and than no sampling",
            SAMPLED,
            "columns / the better of rows and none, the larger of 2 epsilons",
            _worst("columns", ("rows", "none"), name, (SMALL, MIDDLE)),
            below=1,
            reason=REASONS.get(("columns", name), ""),
        )
    for name, words in WORDS.items():
        yield Claim(
            f"grouping-tuned-{name}",
            PAPER,
            "8",
            f"on {words} the tuned size of groups is within 3.4 % of the best",
            GROUP_SIZES,
            "real error at the tuned size / at the best",
            _tuned_ratio(name),
            below=TUNED,
            reason=REASONS.get(("tuned", name), ""),
        )
    for rival in ("lpa", "fpa", "gs-r"):
        for name, words in WORDS.items():
            yield Claim(
                f"grouping-{rival}-{name}",
                PAPER,
                "9",
                f"on {words} GS is better than {rival.upper()}",
                COMPARED,
                f"gs / {rival}, the larger of 2 epsilons",
                _worst("gs", (rival,), name, ENDS),
                below=1,
                reason=REASONS.get((rival, name), ""),
            )


CLAIMS = (
    *_by_set(),
    Claim("grouping-columns-netflix", PAPER, "7", "ours: on netflix no kind of sampling can matter, for the bound is "
          "nearly the number of items and makes one group by construction", SAMPLED,
          "columns / the better of rows and none, the larger of 2 epsilons",
          _worst("columns", ("rows", "none"), ONE_GROUP, (SMALL, MIDDLE)), 0.95, 1.05),
    Claim("grouping-documents-rows", PAPER, "7(b)", "on documents at epsilon 0.1, columns save 56 % of the error "
          "(tested: 50 %)", SAMPLED, "columns / rows on documents, epsilon 0.1",
          _at("columns", "rows", "document", SMALL), below=0.5),
    Claim("grouping-orders", PAPER, "9(a)", "on check-ins GS has an error three orders of magnitude below LPA's",
          COMPARED, "lpa / gs on check-ins, epsilon 0.1", _at("lpa", "gs", "checkin", SMALL), above=1000),
    Claim("grouping-random-documents", PAPER, "9(b)", "on documents GS-R is even worse than LPA", COMPARED,
          "gs-r / lpa on documents, epsilon ln 3", _at("gs-r", "lpa", "document", LARGE), above=1),
    Claim("grouping-netflix", PAPER, "9(c)", "on netflix tuning lowers the error up to five times", COMPARED,
          "gs-s / gs on netflix, epsilon ln 3", _at("gs-s", "gs", "netflix", LARGE), above=2),
    Claim("grouping-trajectories", PAPER, "9(d)", "on trajectories GS and GS-S are comparable", COMPARED,
          "gs / gs-s on trajectories, epsilon ln 3", _at("gs", "gs-s", "trajectory", LARGE), 0.8, 1.25),
)  # fmt: skip
