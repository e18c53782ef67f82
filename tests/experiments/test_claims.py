"""The papers' claims: the rule that decides, that the list is whole, that trials repeat, and the page."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.claims import checks
from experiments.claims.__main__ import main
from experiments.claims.data.small_sets import SETS
from experiments.claims.decisions import run
from experiments.claims.page import STEM
from experiments.claims.page.whole import TITLES, found, render, sentence, wanted
from experiments.claims.rules import (
    FAILS,
    HOLDS,
    OPEN,
    Claim,
    Setting,
    check,
    decide,
    derived,
    interval,
    largest_ratio,
    rank,
    ratio,
)
from experiments.claims.trials.ireduct import SMALLEST
from experiments.claims.trials.privelet import AS_LINE, JOBS, LINE_NOISE, bound
from experiments.claims.trials.sparse_summaries import THIN
from experiments.shared.made_up_histories import PUBLISHED
from tests.experiments.recorded import recorded

AFTER = [1.0 + place / 100 for place in range(10)]


def dice(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def made_up(key: str = "made-up", *, above: float = -math.inf, below: float = math.inf, trials: int = 10) -> Claim:
    """A claim about a number around 2, in the name of a paper."""
    setting = Setting(f"setting of {key}", "nothing", lambda seed: {"a": 2 + dice(seed).uniform(), "b": 1.0}, trials)
    return Claim(key, "privelet", "1", "twice as much", setting, "a / b", ratio("a", "b"), above, below)


@pytest.mark.parametrize(
    ("above", "below", "verdict"),
    [
        (0.9, math.inf, HOLDS),
        (-math.inf, 1.2, HOLDS),
        (0.9, 1.2, HOLDS),
        (1.2, math.inf, FAILS),
        (-math.inf, 0.9, FAILS),
        (1.2, 1.3, FAILS),
        (-math.inf, 1.0, FAILS),
        (1.05, math.inf, OPEN),
        (-math.inf, 1.05, OPEN),
        (0.9, 1.05, OPEN),
    ],
)
def test_the_verdict_is_where_the_interval_lies(above: float, below: float, verdict: str) -> None:
    decision = decide(AFTER, above, below)
    assert (decision.low, decision.high) == (AFTER[0], AFTER[-1])
    assert decision.estimate == pytest.approx(1.045)
    assert decision.verdict == verdict


def test_what_is_always_level_does_not_exceed() -> None:
    assert decide([0.0] * 10, 0, math.inf).verdict == FAILS


def test_too_few_trials_decide_nothing() -> None:
    assert decide([5.0] * 6, 1, math.inf).verdict == OPEN
    assert decide([5.0] * 7, 1, math.inf).verdict == HOLDS
    assert interval([5.0] * 6, 0.99) == (-math.inf, math.inf)


@pytest.mark.parametrize(("count", "k"), [(6, 0), (7, 1), (10, 1), (12, 2), (20, 5), (30, 9)])
def test_the_rank_is_that_of_the_sign_test(count: int, k: int) -> None:
    """Fewer than k heads in so many throws: at most one in a hundred, and k + 1 would be too many."""
    tails = np.cumsum([math.comb(count, heads) for heads in range(count + 1)]) / 2.0**count
    assert rank(count, 0.99) == k
    assert k == 0 or tails[k - 1] <= 0.01
    assert tails[k] > 0.01


@pytest.mark.parametrize("count", [10, 20, 40])
def test_false_alarms_are_as_rare_as_stated(count: int) -> None:
    """The true median is at the bound, under a law with a long tail: both wrong verdicts have the stated chance."""
    runs, random = 20_000, dice(count)
    values = np.exp(2 * random.standard_normal((runs, count)))
    verdicts = Counter(decide(row, 1, math.inf).verdict for row in values.tolist())
    k = rank(count, 0.99)
    chance = sum(math.comb(count, heads) for heads in range(k)) / 2.0**count
    spread = 5 * math.sqrt(chance / runs)
    assert chance <= 0.01
    for wrong in (HOLDS, FAILS):
        assert abs(verdicts[wrong] / runs - chance) < spread


def test_a_clear_difference_is_found() -> None:
    random = dice(1)
    values = (random.standard_normal((500, 20)) + 1.5).tolist()
    assert sum(decide(row, 0, math.inf).verdict == HOLDS for row in values) > 480


def test_the_list_of_claims_is_whole() -> None:
    keys = [claim.key for claim in checks.CLAIMS]
    assert len(keys) == len(set(keys))
    numbers = Counter(claim.paper for claim in checks.CLAIMS)
    assert set(numbers) == set(TITLES)
    assert min(numbers.values()) >= 7
    settings = {claim.setting for claim in checks.CLAIMS}
    assert len({setting.key for setting in settings}) == len(settings)
    assert len({setting.words for setting in settings}) == len(settings)


@pytest.mark.parametrize("claim", checks.CLAIMS, ids=lambda claim: claim.key)
def test_a_claim_can_fail_and_can_be_decided(claim: Claim) -> None:
    assert claim.above < claim.below
    assert math.isfinite(claim.above) or math.isfinite(claim.below)
    assert rank(claim.setting.trials, 0.99) > 0


@pytest.mark.parametrize("setting", [THIN, LINE_NOISE, SMALLEST], ids=lambda setting: setting.key)
def test_a_trial_follows_from_its_seed(setting: Setting) -> None:
    one, other = setting.seeds(7, 2)
    assert setting.measure(one) == setting.measure(one)
    assert setting.measure(one) != setting.measure(other)


def test_seeds_differ_by_purpose_and_stay() -> None:
    settings = {claim.setting for claim in checks.CLAIMS}
    seeds = [seed for setting in settings for seed in setting.seeds(1, 5)]
    assert len(seeds) == len(set(seeds))
    assert derived(1, "a") == 15374730731433132414 != derived(2, "a")


def test_a_planted_reversal_flips_the_verdict() -> None:
    claim = next(claim for claim in checks.CLAIMS if claim.key == "sparse-filter-best")
    turned = replace(claim, key="turned", figure=lambda trial: 1 / claim.figure(trial))
    verdicts = run([claim, turned], 3, 0.99, 1 / 6)
    assert [verdict["verdict"] for verdict in verdicts] == [HOLDS, FAILS]
    assert verdicts[0]["trials"] == 10


def test_claims_on_one_setting_share_its_trials() -> None:
    calls: list[int] = []

    def measure(seed: int) -> dict[str, float]:
        calls.append(seed)
        return {"a": 1.0, "b": 2.0}

    setting = Setting("shared", "nothing", measure, 8)
    one = Claim("one", "privelet", "1", "less", setting, "a / b", ratio("a", "b"), below=1)
    other = replace(one, key="other", figure=largest_ratio([("a", "b"), ("b", "a")]))
    verdicts = run([one, other], 1, 0.99)
    assert calls == setting.seeds(1, 8)
    assert [verdict["verdict"] for verdict in verdicts] == [HOLDS, FAILS]


def test_claims_are_of_what_the_papers_compare() -> None:
    """Section 5.4 of privelet compares bounds; the words of documents are as many and as rare as the paper's."""
    assert bound(AS_LINE) / bound(JOBS) == pytest.approx(15.28, abs=0.01)
    ours, paper = SETS["document"], PUBLISHED["document"]
    assert (ours.users, ours.items, ours.skew, ours.shift) == (paper.users, paper.items, paper.skew, paper.shift)
    assert ours.records / ours.most == pytest.approx(paper.records / paper.most, rel=0.02)


def test_a_record_is_plain_json_and_says_all() -> None:
    claim = made_up(above=1.5)
    record = check(claim, [2.5] * 3, 0.99)
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert (wanted(record), found(record)) == ("above 1.5", "2.5 (no interval)")
    assert "undecided" in sentence(record)
    assert "after 3 trials" in sentence(record)
    record = check(replace(claim, above=1.0, below=3.0), [2.0, 2.5] * 4, 0.99)
    assert (wanted(record), found(record)) == ("1 to 3", "2.25 (2 to 2.5)")


def test_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    holding, failing = made_up("holding", above=1.5), made_up("failing", below=1.5)
    monkeypatch.setattr(checks, "CLAIMS", (holding, failing))
    folder, file = str(tmp_path), tmp_path / "some.json"
    assert main(["--folder", folder, "--page", "--strict"]) == 0
    said = capsys.readouterr()
    assert "holds          1: twice as much; a / b: " in said.out
    assert "does not hold  1: twice as much; a / b: " in said.out
    assert "trial 10 of 10" in said.err
    written = json.loads((tmp_path / f"{STEM}.json").read_text(encoding="utf-8"))
    assert [claim["verdict"] for claim in written["claims"]] == [HOLDS, FAILS]
    assert (tmp_path / f"{STEM}.md").read_text(encoding="utf-8") == render(written)[f"{STEM}.md"]

    again = ["--folder", folder, "--strict", "--quiet", "--json", str(file)]
    assert main(again) == 0
    assert capsys.readouterr().err == ""
    assert json.loads(file.read_text(encoding="utf-8"))["claims"] == written["claims"]

    monkeypatch.setattr(checks, "CLAIMS", (replace(holding, above=4.0), failing))
    assert main(again[:2]) == 0
    assert main(again) == 1
    assert "no longer hold: holding" in capsys.readouterr().err
    monkeypatch.setattr(checks, "CLAIMS", (failing,))
    assert main(again) == 1
    assert main([*again, "--paper", "ireduct"]) == 0


def test_a_page_of_some_papers_is_refused() -> None:
    with pytest.raises(SystemExit):
        main(["--page", "--paper", "privelet"])


def test_the_recorded_verdicts_are_on_these_claims() -> None:
    assert [claim["key"] for claim in recorded(STEM)["claims"]] == [
        claim.key for paper in TITLES for claim in checks.CLAIMS if claim.paper == paper
    ]


def test_another_verdict_is_another_page() -> None:
    results = recorded(STEM)
    page = render(results)
    results["claims"][0]["verdict"] = OPEN
    assert render(results) != page
