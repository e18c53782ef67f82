"""What pages answer is what the release answers; the address says all of it, and can be asked elsewhere."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import openpyxl
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.cli.typer_app import typer_app as app
from discreet.release.frame import Frame
from discreet.report import rendered
from discreet.web.analyst.answer_tables import shown_page
from tests.web_client import Client, analyst

RELEASES = Path(__file__).parents[3] / "fixtures" / "releases"
GEOMETRIC = "table-geometric"
ITEMS = "items-even-shares"


@pytest.fixture(scope="module")
def client() -> Client:
    return analyst(RELEASES)


@pytest.fixture(scope="module")
def release() -> discreet.Release:
    return discreet.load(RELEASES / GEOMETRIC)


def page(kind: str, name: str = GEOMETRIC, **fields: str) -> str:
    return f"/releases/{name}/{kind}?" + "&".join(f"{key}={quote(value)}" for key, value in fields.items())


def names(release: discreet.Release) -> tuple[str, str]:
    """An ordered attribute, and one with labels."""
    ordered = [name for name in release.schema if isinstance(release.schema[name], discreet.Ordinal)]
    labelled = [name for name in release.schema if isinstance(release.schema[name], discreet.Nominal)]
    return ordered[0], labelled[0]


def test_every_release_has_its_pages(client: Client) -> None:
    listed = client.get("/api/releases").json()["releases"]
    assert len(listed) == len([path for path in RELEASES.iterdir() if path.is_dir()])
    for one in listed:
        about = client.get(f"/releases/{one['name']}")
        assert about.status_code == 200, one
        for said in client.get(f"/api/releases/{one['name']}").json()["leaves_out"]:
            assert said.split("'")[0].split('"')[0][:30] in about.text


@pytest.mark.parametrize("name", [GEOMETRIC, ITEMS, "ranges-adaptive", "marginals-agreed"])
def test_every_kind_of_page_answers(client: Client, name: str) -> None:
    kinds = client.get(f"/api/releases/{name}").json()["questions"]
    assert ("top" in kinds) == (name == ITEMS)
    for kind in kinds:
        answer = client.get(f"/releases/{name}/{kind}")
        assert answer.status_code == 200, answer.text
        assert client.get(f"/api/releases/{name}/{kind}").status_code in (200, 400)


def test_counts_are_those_of_the_release(client: Client, release: discreet.Release) -> None:
    _, labels = names(release)
    told = client.get("/api" + page("explore", by=labels)).json()
    assert told["rows"] == release.table(labels).to_dicts()
    one = client.get("/api" + page("ask")).json()["answer"]
    assert one == release.count().to_dict()
    shown = client.get(page("ask")).text
    assert str(release.count()).split(" (")[0].split(" ±")[0] in shown


@pytest.mark.parametrize("view", ["table", "bars", "line", "heat"])
def test_views(client: Client, release: discreet.Release, view: str) -> None:
    ordered, labels = names(release)
    by = f"{ordered},{labels}" if view == "heat" else ordered
    text = client.get(page("explore", by=by, view=view)).text
    assert text.count('<svg xmlns="http://www.w3.org/2000/svg"') == (0 if view == "table" else 1)
    assert '<table class="answers">' in text  # under each chart
    wrong = {"bars": f"{ordered},{labels}", "heat": ordered, "line": labels}
    if view in wrong:
        refused = client.get(page("explore", by=wrong[view], view=view))
        assert refused.status_code == 400
        assert 'role="alert"' in refused.text


def test_what_is_chosen_becomes_a_predicate_in_the_address(client: Client, release: discreet.Release) -> None:
    ordered, labels = names(release)
    label = release.schema[labels].label(0)
    low, high = release.schema[ordered].label(1), release.schema[ordered].label(2)
    fields = {"by": labels, "where": f"{labels} = '{label}'", f"from.{ordered}": str(low), f"to.{ordered}": str(high)}
    moved = client.get(page("explore", **fields))
    assert moved.status_code == 303
    told = client.get("/api" + moved.headers["location"]).json()
    assert told["question"]["where"] == f"{labels} = '{label}' and {ordered} between {low} and {high}"
    assert told["rows"] == release.table([labels], {labels: label, ordered: (low, high)}).to_dicts()
    several = client.get(page("explore", by=labels, where="a = 1 or b = 2") + f"&is.{labels}=x&is.{labels}=it's")
    where = "(a = 1 or b = 2) and " + f"{labels} in ('x', 'it''s')"
    assert (
        several.headers["location"]
        == f"/releases/{GEOMETRIC}/explore?by={labels}&where={quote(where).replace('%20', '+')}"
    )


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("explore", {"by": "LABELS"}),
        ("explore", {"by": "ORDERED,LABELS", "where": "WHERE", "level": "0.8", "sort": "count", "bins": "2"}),
        ("ask", {}),
        ("ask", {"where": "WHERE", "level": "0.9"}),
        ("ask", {"where": "WHERE", "of": "WHERE"}),
        ("ask", {"sql": "select count(*) from release"}),
        ("quantile", {"attribute": "ORDERED", "share": "0.5"}),
        ("quantile", {"attribute": "ORDERED", "share": "0.25,0.5", "by": "LABELS", "where": "WHERE"}),
        ("compare", {"a": "WHERE", "b": "not (WHERE)", "level": "0.9"}),
    ],
)
def test_the_same_question_in_python_and_on_the_command_line(
    client: Client, release: discreet.Release, kind: str, fields: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ordered, labels = names(release)
    where = f"{labels} = '{release.schema[labels].label(0)}'"
    known = {"ORDERED": ordered, "LABELS": labels, "WHERE": where}
    for word, meant in known.items():
        fields = {key: value.replace(word, meant) for key, value in fields.items()}
    told = client.get("/api" + page(kind, **fields)).json()
    assert told["python"] in page_text(client, kind, fields)
    monkeypatch.chdir(RELEASES)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(told["python"], {})
    assert said.getvalue().strip()
    command = shlex.split(told["command"])
    assert command[0] == "discreet"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        app([*command[1:], "--json"], standalone_mode=False)
    result = json.loads(printed.getvalue())
    assert result == (told["rows"] if told["answer"] is None else told["answer"])


def page_text(client: Client, kind: str, fields: dict[str, str]) -> str:
    import html

    return html.unescape(client.get(page(kind, **fields)).text)


def test_the_form_keeps_all_groups_of_the_address(client: Client, release: discreet.Release) -> None:
    everything = ",".join(release.schema)
    for kind, name in (("explore", "by"), ("quantile", "by")):
        text = client.get(page(kind, **{name: everything})).text
        assert text.count(f'name="{name}"') == len(release.schema)
        assert all(f'<option value="{one}" selected>' in text for one in release.schema)


def test_top(client: Client) -> None:
    release = discreet.load(RELEASES / ITEMS)
    told = client.get("/api" + page("top", ITEMS, k="3")).json()
    assert [row["rank"] for row in told["rows"]] == [1, 2, 3]
    assert {"count", "low", "high", "certainty"} <= {*told["rows"][0]}
    assert [row[release.schema.names[0]] for row in told["rows"]] == list(release.top(3)[release.schema.names[0]])
    assert client.get(page("top", ITEMS, k="0")).status_code == 400
    assert client.get(page("top", ITEMS, k="1001")).status_code == 400
    assert client.get(page("top", GEOMETRIC)).status_code == 400


def test_files_hold_what_the_page_shows(client: Client, release: discreet.Release) -> None:
    _, labels = names(release)
    rows = release.table(labels).to_dicts()
    csv = client.get(page("explore.csv", by=labels))
    assert csv.text == release.table(labels).to_csv()
    assert csv.headers["content-disposition"] == f'attachment; filename="{GEOMETRIC}-explore.csv"'
    parquet = pq.read_table(io.BytesIO(client.get(page("explore.parquet", by=labels)).content))
    assert parquet.to_pylist() == rows
    book = openpyxl.load_workbook(io.BytesIO(client.get(page("explore.xlsx", by=labels)).content))
    assert [cell.value for cell in book["answers"][1]] == list(rows[0])
    assert client.get(page("explore.exe", by=labels)).status_code == 404
    assert client.get(page("ask.csv")).status_code == 404


def test_pages_of_long_tables(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    release = discreet.load(RELEASES / GEOMETRIC)
    everything = ",".join(release.schema)
    rows = len(release.table())
    monkeypatch.setattr("discreet.web.analyst.answer_tables.ROWS_OF_A_PAGE", rows - 1)
    first = client.get(page("explore", by=everything, view="table")).text
    last = client.get(page("explore", by=everything, view="table", page="2")).text
    assert first.count('<th scope="row"') == rows - 1
    assert last.count('<th scope="row"') == 1
    assert "Page 1 of 2" in first
    monkeypatch.setattr("discreet.web.analyst.questions.MOST_GROUPS", rows - 1)
    refused = client.get(page("explore", by=everything))
    assert refused.status_code == 400
    assert "at most" in refused.text


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("explore", {"by": "nobody"}),
        ("explore", {"where": "age ="}),
        ("explore", {"view": "pie"}),
        ("explore", {"level": "2"}),
        ("explore", {"level": "much"}),
        ("explore", {"level": "0.9999999999999999"}),
        ("explore", {"by": ",".join(["age"] * 900)}),
        ("explore", {"page": "0"}),
        ("explore", {"bins": "x:"}),
        ("explore", {"sort": "nothing"}),
        ("ask", {"of": "age > 3"}),
        ("ask", {"sql": "drop table release"}),
        ("ask", {"sql": "select count(*) from release", "where": "age > 3"}),
        ("quantile", {"share": "half"}),
        ("quantile", {"attribute": "nobody"}),
        ("compare", {"a": "age > 3"}),
    ],
)
def test_mistakes_are_said_beside_the_form(client: Client, kind: str, fields: dict[str, str]) -> None:
    answer = client.get(page(kind, **fields))
    assert answer.status_code == 400
    assert '<div class="mistake" role="alert">' in answer.text
    assert "<form" in answer.text
    assert "Traceback" not in answer.text
    told = client.get("/api" + page(kind, **fields))
    assert (kind == "explore" and "page" in fields) or told.status_code == 400


def test_numbers_of_a_column_have_as_many_decimals(client: Client) -> None:
    """Whatever a statement calls them: none beside thousands, and no more than they need."""
    frame = Frame(
        {
            "place": ["a", "b"],
            "n": np.array([1234.5678, -0.2]),
            "n_low": np.array([1200.1, -3.0]),
            "n_high": np.array([math.inf, 2.25]),
            "p": np.array([0.25, 0.5]),
        }
    )
    rows = [[cell.text for cell in cells] for cells, _ in shown_page(frame, 1).rows]
    assert rows == [["a", "1,235", "1,200", "none", "0.25"], ["b", "0", "-3", "2", "0.50"]]
    assert [cell.is_number for cell in shown_page(frame, 1).columns] == [False, True, True, True, True]
    quantiles = Frame({"sex": ["f"], "share": [0.5], "age": [42], "low": [41], "high": [43]})
    ((cells, _),) = shown_page(quantiles, 1).rows
    assert [(cell.text, cell.is_number) for cell in cells][1:] == [(one, True) for one in ("0.5", "42", "41", "43")]
    page = client.get(f"/releases/{GEOMETRIC}/ask?sql=select sex, count(*) as n from release group by sex").text
    assert not re.search(r"<td>[0-9.,]+</td>", page)  # each is in a column of numbers


def test_a_release_of_queries_offers_those() -> None:
    """It answers nothing else, so that nobody should have to guess."""
    client = analyst(RELEASES / "marginals-ireduct-queries", RELEASES / GEOMETRIC)
    here = "/releases/marginals-ireduct-queries"
    assert f'href="{here}/ask"' in client.get("/").text
    assert f'href="{here}/explore"' not in client.get("/").text
    empty = client.get(f"{here}/ask")
    assert empty.status_code == 200
    links = re.findall(rf'href="({here}/ask\?where=[^"]+)"', empty.text)
    own = discreet.load(RELEASES / "marginals-ireduct-queries").manifest["task"]["queries"]
    assert len(links) == len(own) > 0
    for link in links:
        answer = client.get(link)
        assert answer.status_code == 200
        assert 'class="value"' in answer.text
    assert own[0] in client.get(f"/api{here}/ask").json()["notes"][0]
    assert client.get(f"/api{here}").json()["questions"] == ["ask", "compare"]


def test_a_release_says_who_stands_behind_it(tmp_path: Path) -> None:
    data = discreet.from_counts(
        discreet.Schema({"age": discreet.Ordinal(0, 3)}), [[0]], [5], about={"licence": "CC <b>"}
    )
    data.publish(discreet.Table("age", method="geometric"), 1).save(tmp_path / "made")
    text = analyst(tmp_path / "made").get("/releases/made").text
    assert "CC &lt;b&gt;" in text
    assert "changes by a factor of at most exp(epsilon)" in text
    assert "Who stands behind it" not in analyst(RELEASES / "table-filter").get("/releases/table-filter").text


def test_labels_are_never_markup(tmp_path: Path) -> None:
    """Names, labels, levels and the folder itself, wherever they show; and nothing that a spreadsheet would run."""
    attack = "<img src=x onerror=alert(1)>"
    formula = "=cmd|' /C calc'!A0"
    schema = discreet.Schema(
        {
            f"name{attack}": discreet.Nominal(
                hierarchy={f"group{attack}": [attack, formula], "</script>": ["'\"><svg/onload=alert(1)>"]},
                levels=[f"level{attack}", "leaf"],
            ),
            "age": discreet.Ordinal(0, 3),
        }
    )
    data = discreet.from_counts(schema, [[0, 0], [1, 2]], [5, 7])
    made = data.publish(discreet.Table([f"name{attack}", "age"], method="geometric"), 1)
    folder = tmp_path / attack.replace("/", "")
    made.save(folder)
    shutil.copytree(folder, tmp_path / "broken")
    (tmp_path / "broken" / f"{attack}".replace("/", "")).mkdir()
    client = analyst(folder, tmp_path / "broken")
    name, by = quote(folder.name, safe=""), quote(f"name{attack}", safe="")
    level = quote(f"name{attack}.level{attack}", safe="")
    where = quote(f"\"name{attack}\" = '{attack}'", safe="")
    bad = quote(f"{attack} = 3", safe="")
    paths = ["/", f"/releases/{name}", "/releases/broken", f"/releases/{attack}", f"/{attack}"]
    paths += [f"/releases/{name}/explore?by={one}" for one in (by, level, f"{by}&by=age", f"{by}&view=table", bad)]
    paths += [f"/releases/{name}/explore?by=age&where={one}" for one in (where, bad)]
    paths += [
        f"/releases/{name}/ask?where={where}",
        f"/releases/{name}/ask?sql={bad}",
        f"/releases/{name}/quantile?by={by}",
    ]
    paths += [f"/releases/{name}/compare?a={where}&b={where}", f"/releases/{name}/explore?view={bad}"]
    for path in paths:
        answer = client.get(path)
        assert answer.status_code in (200, 400, 404), path
        assert not re.search(r"<img|<svg/|<script(?! src=\"/static/)", answer.text), path
        assert answer.headers["content-type"].startswith("text/html")
    csv = client.get(f"/releases/{name}/explore.csv?by={by}")
    assert f"'{formula}" in csv.text
    assert "\r\n=" not in csv.text
    book = openpyxl.load_workbook(io.BytesIO(client.get(f"/releases/{name}/explore.xlsx?by={by}").content))
    cells = [cell for row in book["answers"] for cell in row if isinstance(cell.value, str)]
    assert formula in [cell.value for cell in cells]
    assert {cell.data_type for cell in cells} == {"s"}
    assert all(cell.quotePrefix for cell in cells if cell.value == formula)
    file = client.get(f"/releases/{name}/explore.csv?by={by}").headers["content-disposition"]
    assert re.fullmatch(r'attachment; filename="[\w-]+\.csv"', file)
    told: dict[str, Any] = client.get(f"/api/releases/{name}/explore?by={by}").json()
    assert told["rows"][0][f"name{attack}"] == attack


def test_a_report_is_shown_as_it_is(tmp_path: Path) -> None:
    """The bytes that the command writes, red ones too; it may bring its own sheet, and can do nothing else."""
    folder = tmp_path / GEOMETRIC
    shutil.copytree(RELEASES / GEOMETRIC, folder)
    client, path = analyst(folder), f"/releases/{GEOMETRIC}/report"
    shown = client.get(path)
    assert shown.text == discreet.load(folder).report()
    policy = shown.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "allow-scripts" not in policy
    assert path in client.get(f"/releases/{GEOMETRIC}").text
    assert client.get(f"/api{path}").json()["verdict"] == "incomplete"
    assert client.get(f"{path}?ledger=town").status_code == 404  # analysts have none
    with (folder / "table.parquet").open("r+b") as file:  # of the same length, and as old as it was
        times = (folder / "table.parquet").stat()
        first = file.read(1)
        file.seek(0)
        file.write(bytes([first[0] ^ 1]))
    os.utime(folder / "table.parquet", ns=(times.st_atime_ns, times.st_mtime_ns))
    red = client.get(path)
    assert red.status_code == 200
    assert "Do not sign" in red.text
    assert red.text == rendered(folder)
    assert str(tmp_path) not in red.text
    assert client.get(f"/api{path}").json()["verdict"] == "failed"


def test_private_pages_do_not_exist_for_analysts(client: Client) -> None:
    for path in ("/specs/town", "/specs/town/plan/by-age", "/specs/town/publish/by-age", "/jobs/1", "/ledgers/town"):
        assert client.get(path).status_code == 404
        assert client.get("/api" + path).status_code == 404
        assert client.post(path).status_code == 404
    assert client.post("/describe").status_code == 404
    assert client.post("/demo").status_code == 404
    assert client.get("/api/specs").status_code == 404
    assert client.get("/api/ledgers").status_code == 404
