"""The commands `check` and `schema draft`: every mistake of a spec at once, and drafts that wait for review."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.release import load
from discreet.spec import load_spec
from tests.unit.cli import cli_runs
from tests.unit.cli.cli_runs import DENSE, SMALL, SPEC, Cli, done, left, process, refused

cli, odd, small = cli_runs.cli, cli_runs.odd, cli_runs.small  # fixtures


# --- check


def test_check_of_a_good_spec(cli: Cli, odd: Path) -> None:
    (odd / "good.toml").write_text(SPEC.replace("budget = 3", "budget = 3.6"), encoding="utf-8")
    said = done(process(odd, "check", "good.toml"))
    assert "no mistakes" in said
    assert "by-day, dear, days" in said
    found = json.loads(done(cli(odd, "check", "good.toml", "--json")))
    names = 'questions and predicates have these names in double quotes: "no[/te]"'
    assert found == {"spec": "good.toml", "problems": [], "notes": [names]}


def test_check_adds_up_what_releases_cost(cli: Cli, odd: Path) -> None:
    said = cli(odd, "check", "people.toml", "--json")
    assert said.returncode == 1
    (problem,) = json.loads(said.stdout)["problems"]
    assert problem == {
        "place": "releases.epsilon",
        "message": "all releases together cost 3.6, more than the budget of 3",
        "fix": "lower some, or leave some out",
    }
    assert load_spec(odd / "people.toml").releases["days"]  # one by one they can be published, while the budget lasts


def test_check_looks_at_the_source_but_at_no_row(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def untouched(*_: object, **__: object) -> None:
        raise AssertionError("a row was read")

    for way in ("duckdb.connect", "discreet.private.engines.base.Source.read"):
        monkeypatch.setattr(way, untouched)
    user = SMALL.replace("[privacy]", '[privacy]\nunit = "peson"\nmax_rows = 2')
    (small / "columns.toml").write_text(user.replace("attributes.sex", "attributes.sexx").replace('"sex"]', '"sexx"]'))
    (small / "people.csv").write_text("age,sex,person,place\n1,SECRET,SECRET,SECRET\n")
    said = cli(small, "check", "columns.toml", "--json")
    assert "SECRET" not in said.stdout + said.stderr
    unit, sex = sorted(json.loads(said.stdout)["problems"], key=lambda problem: str(problem["place"]), reverse=True)
    assert (sex["place"], unit["place"]) == ("attributes.sexx.column", "privacy.unit")
    assert sex["message"].endswith("people.csv has no column 'sexx'")
    assert sex["fix"].startswith("Did you mean 'sex'? It has: age, sex, person, place. ")
    assert unit["fix"].startswith("Did you mean 'person'? It has: ")

    (small / "people.csv").write_text("SECRET,SECRET2,3\n1,f,x\n")
    said = cli(small, "check", "columns.toml")
    assert said.returncode == 1
    assert "[data] source: people.csv: has none of the columns age, sexx, peson" in said.stdout
    assert "SECRET" not in said.stdout

    (small / "people.csv").unlink()
    assert "[data] source: people.csv: " in cli(small, "check", "columns.toml").stdout
    (small / "none.toml").write_text(SMALL.replace('source = "people.csv"', ""))
    said = cli(small, "check", "none.toml")
    assert said.stdout.startswith("none.toml: [data] source: missing; name the file to publish from")


def test_a_spec_without_privacy_is_noted(cli: Cli, small: Path) -> None:
    text = SMALL.replace('[privacy]\nbudget = 3\nledger = "small.ledger"\n', "")
    (small / "plain.toml").write_text(text)
    said = done(cli(small, "check", "plain.toml"))
    assert "no mistakes" in said
    assert "note: no unit and no ledger are declared" in said
    assert "note:" not in done(cli(small, "check", "small.toml"))


def test_what_is_right_is_checked_beside_what_is_wrong(cli: Cli, small: Path) -> None:
    """Mistakes of methods, of the source and of questions are not held back by mistakes elsewhere."""
    text = SMALL.replace('values = ["f", "m"]', 'valeus = ["f", "m"]') + (
        '[releases.b]\ntask = "table"\nby = ["age"]\nepsilon = 1\nmethod = "filter"\nthtea = 1\n'
        '[releases.c]\ntask = "marginals"\nqueries = ["hours-per-week > 3"]\nepsilon = 1\n'
        '[releases.d]\ntask = "marginals"\nways = 2\nepsilon = 1\n'
        "[attributes.hours-per-week]\nkind = 'ordinal'\nlow = 0\nhigh = 9\n"
    )
    (small / "mixed.toml").write_text(text)
    problems = json.loads(cli(small, "check", "mixed.toml", "--json").stdout)["problems"]
    found = {(problem["place"], problem["message"]) for problem in problems}
    for place, words in (
        ("attributes.sex.valeus", "unknown key"),
        ("attributes.hours-per-week.column", "has no column 'hours-per-week'"),
        ("releases.epsilon", "cost 4, more than the budget of 3"),
        ("releases.b", "has no parameter 'thtea'"),
    ):
        assert any(place == where and words in said for where, said in found), (place, found)
    assert not [where for where, _ in found if where.startswith(("releases.a", "releases.d"))]


def test_names_that_need_quotes_are_told(cli: Cli, small: Path) -> None:
    lines = "kind = 'ordinal'\nlow = 0\nhigh = 9\n"
    for name, fix in (
        ("hours per week", '[attributes."hours per week"]'),
        ("größe", '[attributes."größe"]'),
        ("capital.gain", '[attributes."capital.gain"]'),
    ):
        (small / "names.toml").write_text(SMALL + f"[attributes.{name}]\n{lines}", encoding="utf-8")
        said = cli(small, "check", "names.toml")
        assert said.returncode == 1
        assert fix in said.stdout, said.stdout
    asked = '[releases.q]\ntask = "marginals"\nqueries = ["hours-per-week > 3"]\nepsilon = 1\n'
    (small / "people.csv").write_text("age,sex,hours-per-week\n")
    (small / "names.toml").write_text(SMALL + f"[attributes.hours-per-week]\n{lines}" + asked)
    said = json.loads(cli(small, "check", "names.toml", "--json").stdout)
    (problem,) = said["problems"]
    assert problem["place"].startswith("releases.q")
    assert 'go in double quotes: "hours-per-week"' in problem["message"] + problem["fix"]
    (small / "names.toml").write_text(SMALL + f"[attributes.hours-per-week]\n{lines}")
    assert 'note: questions and predicates have these names in double quotes: "hours-per-week"' in done(
        cli(small, "check", "names.toml")
    )


MISTAKES = """\
[data]
source = "people.csv"
delimiter = ";;"
[privacy]
unit = "person"
bugdet = 3
[attributes.age]
kind = "ordinal"
low = 9
high = 0
[attributes.count]
kind = "ordinal"
low = 0
high = 4
[attributes.place]
kind = "nominal"
hierarchy = { north = ["a", "b"], south = ["b"] }
[attributes.edge]
kind = "ordinal"
edges = [0, 5, 5, 9]
[releases.a]
task = "tabel"
by = ["agee"]
epsilon = 0
[releases.b]
task = "table"
by = ["age"]
epsilon = -1
method = "geometrik"
[releases.c]
task = "table"
by = ["age"]
epsilon = nan
[releases.d]
task = "table"
by = ["age"]
epsilon = 1e9
[releases.e]
task = "table"
by = ["age", "count"]
"""


def test_check_names_every_mistake_at_once(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(MISTAKES)
    said = cli(tmp_path, "check", "bad.toml", "--json")
    assert said.returncode == 1
    problems = process(tmp_path, "check", "bad.toml").stdout.splitlines()
    assert [problem for problem in problems if not problem.startswith("bad.toml: [")] == []
    parts = json.loads(said.stdout)["problems"]
    assert [part for part in parts if not (part["place"] and part["message"] and part["fix"])] == []
    for line, part in zip(problems, parts, strict=True):
        assert all(words in line for words in (part["message"], part["fix"], part["place"].rsplit(".", 1)[0]))
    for place, words in (
        ("[data]", "delimiter"),
        ("[privacy]", "max_rows"),
        ("[privacy]", "Did you mean 'budget'?"),
        ("[attributes.age]", "high"),
        ("count", "rename"),
        ("[attributes.place]", "'b'"),
        ("[attributes.edge]", "edges"),
        ("[releases.a]", "Did you mean 'table'?"),
        ("[releases.a]", "Did you mean 'age'?"),
        ("[releases.a]", "epsilon"),
        ("[releases.b]", "epsilon"),
        ("[releases.b]", "Did you mean 'geometric'?"),
        ("[releases.c]", "epsilon"),
        ("[releases.d]", "protects nobody"),
        ("[releases.e]", "epsilon: missing"),
    ):
        assert any(place in problem and words in problem for problem in problems), (place, words, problems)
    text = process(tmp_path, "check", "bad.toml")
    assert text.returncode == 1
    assert text.stdout.splitlines() == problems
    assert text.stderr == f"{len(problems)} mistakes found\n"


def test_check_names_misspelt_parameters_beside_other_mistakes(cli: Cli, small: Path) -> None:
    """Of a release with other mistakes, and of a spec whose attributes cannot be read: each mistake once."""
    wrong = SMALL.replace("high = 4", "hihg = 4") + 'thtea = 2\n[releases.b]\ntask = "items"\ncoulour = 1\n'
    (small / "wrong.toml").write_text(wrong)
    said = cli(small, "check", "wrong.toml").stdout
    for fault in (
        "hihg: unknown key. Did you mean 'high'?",
        "[releases.a] no method of task 'table' has a parameter 'thtea'. Did you mean 'theta'?",
        "[releases.b] epsilon: missing",
        "[releases.b] no method of task 'items' has a parameter 'coulour'. Its methods take ",
    ):
        assert said.count(fault) == 1, (fault, said)


def test_check_finds_what_only_the_method_knows(cli: Cli, small: Path) -> None:
    big = DENSE.replace("high = 4", "high = 999_999_999_999").replace("epsilon = 1", "epsilon = 1\nthtea = 2")
    (small / "big.toml").write_text(big)
    said = cli(small, "check", "big.toml")
    assert said.returncode == 1
    assert said.stdout.startswith("big.toml: [releases.a] ")
    (small / "big.toml").write_text(DENSE.replace("high = 4", "high = 999_999_999_999"))
    said = cli(small, "check", "big.toml")
    assert said.returncode == 1
    assert all(word in said.stdout for word in ("2,000,000,000,000 cells", "adaptive"))


@pytest.mark.parametrize(
    ("method", "says"),
    [
        (
            'method = "filter-priority"',
            [
                "[releases.a] method 'filter-priority' has no parameter 'thtea'. Did you mean 'theta'?",
                "[releases.a] size must be a whole number of at least 1, not 0",
            ],
        ),
        (
            'method = "auto"',
            [
                "[releases.a] `size` is a parameter of filter, ",
                "[releases.a] no method of task 'table' has a parameter 'thtea'. Did you mean 'theta'?",
            ],
        ),
    ],
)
def test_check_reports_every_wrong_parameter_of_a_release(cli: Cli, small: Path, method: str, says: list[str]) -> None:
    (small / "two.toml").write_text(f"{SMALL}{method}\nsize = 0\nthtea = 2\n")
    said = cli(small, "check", "two.toml", "--json")
    assert said.returncode == 1
    problems = json.loads(said.stdout)["problems"]
    assert len(problems) == 2
    lines = cli(small, "check", "two.toml").stdout.splitlines()
    for problem, words in zip(sorted(lines), sorted(says), strict=True):
        assert problem.startswith(f"two.toml: {words}")


def test_check_of_what_is_no_spec(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty.toml").write_text("")
    (tmp_path / "latin.toml").write_bytes(SMALL.replace('"m"', '"É"').encode("latin-1"))
    (tmp_path / "folder.toml").mkdir()
    for name, words in (
        ("none.toml", "no such file"),
        ("empty.toml", "none declared"),
        ("latin.toml", "line 12 is not UTF-8"),
        ("folder.toml", "cannot be read"),
    ):
        said = cli(tmp_path, "check", name)
        assert said.returncode == 1
        assert said.stdout.startswith(f"{name}: ")
        assert words in said.stdout
        assert "Traceback" not in said.stderr


def test_the_spec_of_the_docs_has_no_mistakes(cli: Cli, tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "spec.md").read_text(encoding="utf-8")
    sample = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert sample is not None
    (tmp_path / "visits.toml").write_text(sample[1], encoding="utf-8")
    (tmp_path / "blocks.csv").write_text("block,tract,county\n1,a,x\n2,a,x\n3,b,x\n")
    (tmp_path / "films.csv").write_text("\n".join(["film", *(f"Alien {part}" for part in range(1, 12))]))
    columns = ("patient", "age", "weight", "day", "income", "hours", "ward", "home", "block", "film")
    pq.write_table(pa.table({name: ["1"] for name in columns}), tmp_path / "visits-1.parquet")
    assert "no mistakes" in done(cli(tmp_path, "check", "visits.toml"))


# --- schema draft


def test_a_draft_is_refused_until_its_mark_is_removed(cli: Cli, small: Path) -> None:
    printed = done(cli(small, "schema", "draft", "people.csv"))
    said = done(process(small, "schema", "draft", "people.csv", "-o", "draft.toml"))
    path = small / "draft.toml"
    assert path.read_text(encoding="utf-8") == printed
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "Review every domain" in said
    assert "drafted from private data" in done(cli(small, "check", "draft.toml"))

    refused(process(small, "publish", "draft.toml"), "draft.toml", "is a draft", "drafted_from_private_data = true")
    assert left(small) == ["draft.toml", "people.csv", "small.toml"]

    refused(cli(small, "schema", "draft", "people.csv", "-o", "draft.toml"), "draft.toml", "-o")
    path.write_text(printed.replace("drafted_from_private_data = true\n", ""), encoding="utf-8")
    said = done(cli(small, "publish", "draft.toml", "--json"))
    assert json.loads(said)["spent"] == "0.5"
    assert load(small / "example").schema["age"].labels == (1, 2)


def test_a_draft_in_another_folder_finds_its_data(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("member;age\nTrue;17.0\nFalse;\nTrue;18.0\n", encoding="utf-8")
    (tmp_path / "sub").mkdir()
    done(cli(tmp_path, "schema", "draft", "people.csv", "-o", "sub/p.toml"))
    path = tmp_path / "sub" / "p.toml"
    text = path.read_text(encoding="utf-8").replace("drafted_from_private_data = true\n", "")
    path.write_text(re.sub(r"by = .*", 'by = ["member"]', text).replace("epsilon = 0.5", "epsilon = 1000"))
    done(cli(tmp_path, "publish", "sub/p.toml", "-o", "out"))
    assert load(tmp_path / "out").count().value == 3


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("none.csv", None, "no such file"),
        ("empty.csv", b"", "is empty"),
        ("broken.parquet", b"PAR1 no more", "cannot be read"),
        ("blank.csv", b"a,b\n,\n", "no column has values"),
    ],
)
def test_what_no_draft_can_be_made_from(cli: Cli, tmp_path: Path, name: str, content: bytes | None, words: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    refused(cli(tmp_path, "schema", "draft", name, "-o", "out.toml"), name, words)
    assert not (tmp_path / "out.toml").exists()
