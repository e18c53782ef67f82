"""The report: the same bytes each time, every label escaped, and a red verdict for whatever was tampered with."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.audit import samplers
from discreet.audit.samplers import verified
from discreet.errors import BadParameter, DiscreetError, LedgerError
from discreet.ledger import Ledger
from discreet.noise import Noise, SeededSource
from discreet.release.files import seal_of
from discreet.report import registry_entry, rendered
from discreet.report.document import paged
from discreet.report.evidence import FAILED, INCOMPLETE, PASSED, gathered
from tests.conformance.examples import EXAMPLES
from tests.conformance.test_answers import data
from tests.unit.report import report_cases
from tests.unit.report.report_cases import HOSTILE, audit_of

made = report_cases.made  # a fixture
RELEASES = Path(__file__).parents[2] / "fixtures" / "releases"
SVG = "http://www.w3.org/2000/svg"
OWN = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "footer", "nav", "section", "div", "span"),
    *("h1", "h2", "h3", "p", "ul", "ol", "li", "dl", "dt", "dd", "a", "code", "pre", "strong", "figure"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("svg", "rect", "text", "line", "path", "polyline", "polygon", "circle"),
}


class Reader(HTMLParser):
    """Which elements and attributes a browser would find."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]


def copied(made: tuple[Path, Path], here: Path) -> tuple[Path, Path]:
    shutil.copytree(made[0].parent, here, dirs_exist_ok=True)
    return here / "r", here / "l"


def changed(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Edits release.json as someone would who knows about seals."""
    said = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    change(said)
    said["seal"] = seal_of(said)
    (folder / "release.json").write_text(json.dumps(said), encoding="utf-8")


def test_the_same_bytes_wherever_it_lies_and_whoever_asks(made: tuple[Path, Path], tmp_path: Path) -> None:
    folder, ledger = made
    page = rendered(folder, ledger=ledger)
    assert page == rendered(copied(made, tmp_path)[0], ledger=tmp_path / "l")
    assert page == discreet.load(folder).report(ledger=Ledger.read(ledger))
    code = "import sys, discreet.report as r; sys.stdout.write(r.rendered(sys.argv[1], ledger=sys.argv[2]))"
    command = [sys.executable, "-X", "utf8", "-c", code, str(folder), str(ledger)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == page
    for place in (str(folder), str(folder.parent), str(ledger)):
        assert place not in page


def test_it_says_what_it_should(made: tuple[Path, Path]) -> None:
    folder, ledger = made
    evidence = gathered(folder, ledger, None, None)
    assert evidence.verdict == PASSED
    page = paged(evidence).html
    for text in (
        "All checks passed",
        "delta zero",
        "becomes at most 13.5 %",  # of ten, by exp(1/3)
        "becomes at most 20.4 %",  # by both releases, exp(5/6)
        "at most 3 of its rows",
        "no legal verdict",
        "Pr[X = x] = (1 - a)/(1 + a)",  # the claim on its card
        "NIST SP 800-226",
        "signature",
        "under the seal",
    ):
        assert text in page, text
    said = evidence.said
    assert said["guarantee"]["delta"] == 0
    assert said["guarantee"]["cost"] == "1/3"
    assert said["ledger"]["cap"] == "3"
    assert said["ledger"]["spent_before"] == "0"
    assert said["ledger"]["spent_after"] == "0.333333334"
    assert said["versions"].keys() >= {"python", "numpy", "pyarrow"}


def test_every_label_is_escaped(made: tuple[Path, Path]) -> None:
    folder, ledger = made
    manifest = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    audit = audit_of(manifest)
    page = rendered(folder, ledger=ledger, audit=audit, about={"domains": HOSTILE, "licence": HOSTILE})
    assert "<img" not in page
    assert page.count("&lt;img") > 20
    assert not {"\u202e", "\x07"} & {*page}
    found = Reader(page)
    assert found.elements <= OWN
    assert not [name for name in found.attributes if name.startswith("on") or name == "style"]
    assert all(link.startswith("#") for link in found.links)
    assert not [text for text in ("url(", "@import", "http://", "https://") if text in page.replace(SVG, "")]
    yaml = registry_entry(folder, ledger=ledger)
    assert all(line.isprintable() and line.isascii() for line in yaml.splitlines())


def test_without_a_ledger_it_says_what_could_not_be_checked(made: tuple[Path, Path]) -> None:
    page = paged(gathered(made[0], None, None, None))
    assert page.evidence.verdict == INCOMPLETE
    assert "no ledger was given for this report" in page.html


@pytest.mark.parametrize("name", ["table.parquet", "release.json"])
def test_a_changed_byte_gives_a_red_verdict(made: tuple[Path, Path], tmp_path: Path, name: str) -> None:
    folder, ledger = copied(made, tmp_path)
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole.replace(b"geometric", b"geometrix", 1) if name == "release.json" else whole[:-1])
    page = paged(gathered(folder, ledger, None, None))
    assert page.evidence.verdict == FAILED
    assert "Do not sign" in page.html
    assert "signature" not in page.html
    assert str(tmp_path) not in page.html
    with pytest.raises(BadParameter, match="checks pass"):
        registry_entry(folder, ledger=ledger)


def test_a_changed_ledger_gives_a_red_verdict(made: tuple[Path, Path], tmp_path: Path) -> None:
    folder, ledger = copied(made, tmp_path)
    with closing(sqlite3.connect(ledger)) as connection:
        for (name,) in connection.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            connection.execute(f'drop trigger "{name}"')
        connection.execute("update entries set nano = 1 where kind = 'charge'")
        connection.commit()
    page = paged(gathered(folder, ledger, None, None))
    assert page.evidence.verdict == FAILED
    assert "cannot be relied on" in page.html
    assert str(tmp_path) not in page.html
    ledger.write_bytes(b"nothing of the kind")
    assert paged(gathered(folder, ledger, None, None)).evidence.verdict == FAILED


FORGERIES: dict[str, Callable[[dict[str, Any]], object]] = {
    "epsilon": lambda said: said.update(epsilon="abc"),
    "smaller epsilon": lambda said: said.update(epsilon="1/30"),
    "leaves_out": lambda said: said.update(leaves_out=[1, {"kind": 2}]),
    "noise": lambda said: said["noise"].update(scale=["1", {}]),
    "summary": lambda said: said["summary"].update(scale="1e9999999"),
    "schema": lambda said: said.update(schema={"a": 1}),
    "parameters": lambda said: said.update(parameters=[1, "x", {}]),
    "about": lambda said: said.update(about={"organisation": 5}),
    "versions": lambda said: said.update(versions=["1"]),
    "spent": lambda said: said["ledger"].update(spent_after="9" * 10_000),
    "cost": lambda said: said.update(guarantee=7),
    "period": lambda said: said.update(period={"period": "2026", "attribute": "x"}),
    "time": lambda said: said.update(time=HOSTILE),
    "files": lambda said: said["files"].update({HOSTILE: 3}),
    "another release": lambda said: said.update(id="other"),
}


@pytest.mark.parametrize("forged", FORGERIES)
def test_what_is_sealed_anew_gives_a_red_verdict(made: tuple[Path, Path], tmp_path: Path, forged: str) -> None:
    folder, ledger = copied(made, tmp_path)
    changed(folder, FORGERIES[forged])
    page = paged(gathered(folder, ledger, None, None))
    assert page.evidence.verdict == FAILED
    assert "<img" not in page.html


def test_test_noise_gives_a_red_verdict(tmp_path: Path) -> None:
    release = data().publish(discreet.Table("age"), 1, noise=Noise(SeededSource(5)))
    evidence = gathered(release, None, None, None)
    assert evidence.verdict == FAILED
    assert "NOT PRIVATE" in paged(evidence).html


def test_what_is_not_there_is_an_error(made: tuple[Path, Path], tmp_path: Path) -> None:
    folder, ledger = made
    (tmp_path / "x").write_text("[", encoding="utf-8")
    with pytest.raises(DiscreetError, match="no such folder"):
        rendered(tmp_path / "nothing")
    with pytest.raises(LedgerError, match="no such ledger"):
        rendered(folder, ledger=tmp_path / "nothing")
    for wrong in ({"audit": tmp_path / "x"}, {"about": tmp_path / "x"}, {"audit": {"a": 1}}, {"about": {"who": "me"}}):
        with pytest.raises(BadParameter):
            rendered(folder, ledger=ledger, **wrong)


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, PASSED),
        ({"verdict": "BROKEN", "problems": ["it leaks"]}, FAILED),
        ({"epsilon": "2"}, FAILED),
        ({"release": "x"}, FAILED),
    ],
)
def test_an_audit_counts_if_it_is_of_this_release(made: tuple[Path, Path], changes: Any, verdict: str) -> None:
    manifest = json.loads((made[0] / "release.json").read_text(encoding="utf-8"))
    page = paged(gathered(made[0], made[1], audit_of(manifest, **changes), None))
    assert page.evidence.verdict == verdict
    assert ("Record and replay" in page.html) == ("release" not in changes and "epsilon" not in changes)


def test_words_that_are_not_under_the_seal_say_so(made: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "about.toml").write_text('[about]\nlicence = "CC0"\n[data]\nsource = "x"\n', encoding="utf-8")
    page = rendered(made[0], ledger=made[1], about=tmp_path / "about.toml")
    assert "<td>CC0</td><td>given for this report only</td>" in page


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of the sampler, which has tests of its own, at one scale for all."""
    monkeypatch.setattr(samplers, "verified", lambda scale: verified(Fraction(1)))


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("folder", sorted(path.name for path in RELEASES.iterdir() if path.is_dir()))
def test_releases_of_earlier_versions_have_reports(folder: str) -> None:
    page = paged(gathered(RELEASES / folder, None, None, None))
    assert page.evidence.verdict == INCOMPLETE
    assert "How exact answers are" in page.html


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("case", EXAMPLES, ids="-".join)
def test_every_method_of_every_task_has_a_report(case: tuple[str, str]) -> None:
    account = data()
    release = account.publish(EXAMPLES[case][0], "0.3")
    page = paged(gathered(release, account.ledger, None, None))
    left = [one.check for one in page.evidence.checks if one.result != "ok"]
    assert left == ["it was charged to a ledger that remembers"]
    assert "Proof sketch" in page.html
    assert "everything" in page.html or "queries" in release.manifest["summary"]
