"""Specs, plans and ledgers as pages. Nothing that a row holds is on any of them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.plan import Plan, growing
from discreet.spec import load_spec
from discreet.web.custodian.plan_pages import Plans, PlanWish
from discreet.web.custodian.spec_files import mark_of
from tests.unit.web.custodian.workplace import CANARY, SPEC, workplace
from tests.web_client import Client, custodian


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return workplace(tmp_path / "work")


@pytest.fixture
def client(folder: Path) -> Client:
    return custodian(folder)


def published(folder: Path) -> discreet.Release:
    spec = load_spec(folder / "town.toml")
    data = discreet.open(folder / "people.csv", spec.schema, ledger=folder / "town.ledger", budget=2, dataset="town")
    wanted = spec.releases["by-age"]
    return data.publish(wanted.task, wanted.epsilon, name="by-age", to=folder / "by-age")


def test_every_page_is_there_and_shows_no_row(client: Client, folder: Path) -> None:
    published(folder)
    pages = ["/", "/specs/town", "/specs/town/toml", "/specs/town/plan/by-sex?epsilon=1", "/specs/town/publish/by-age"]
    pages += ["/ledgers/town", "/releases/by-age", "/releases/by-age/explore"]
    for path in [
        *pages,
        "/api/specs",
        "/api/specs/town",
        "/api/ledgers/town",
        "/api/ledgers",
        "/api/specs/town/publish/by-age",
    ]:
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert CANARY not in answer.text, path
        assert "<style" not in answer.text
        assert " style=" not in answer.text


def test_every_page_has_its_json(client: Client) -> None:
    guard: Any = client.app
    routes = [route for route in guard.app.routes if "GET" in route.methods]
    told = {route.path for route in routes if route.path.startswith("/api/")}
    #: streams, files and what no page is; and pages whose JSON has another name
    others = {"/start", "/static/{name}", "/jobs/{job}/events", "/releases/{release}/{kind}.{ending}"}
    named = {"/": "/api/specs", "/specs/{spec}/toml": "/api/specs/{spec}"}
    pages = {route.path for route in routes} - told - others
    assert {page for page in pages if named.get(page, f"/api{page}") not in told} == set()


def test_an_empty_folder_offers_the_demo(tmp_path: Path) -> None:
    text = custodian(tmp_path).get("/").text
    assert 'action="/demo"' in text
    assert "Nothing here yet" in text


def test_mistakes_stand_beside_their_fields_and_in_a_summary(client: Client, folder: Path) -> None:
    wrong = SPEC.replace("high = 9", "high = -3").replace("epsilon = 0.25", "epsilom = 0.25")
    (folder / "town.toml").write_text(wrong, encoding="utf-8")
    told = client.get("/api/specs/town").json()
    assert {one["place"] for one in told["problems"]} >= {"attributes.age.high", "releases.by-sex.epsilom"}
    text = client.get("/specs/town").text
    assert f"{len(told['problems'])} mistakes" in text
    field = re.search(r'name="key\.high"[^>]*aria-invalid="true" aria-describedby="([\w-]+)"', text)
    assert field is not None
    assert f'<p class="wrong" id="{field[1]}">' in text
    assert "/plan/" not in text  # nothing can be planned or published before they are mended
    assert client.get("/specs/town/plan/by-age").status_code == 400
    assert client.get("/specs/town/publish/by-age").status_code == 400
    (folder / "town.toml").write_text("[", encoding="utf-8")
    assert "not valid TOML" in client.get("/specs/town").text
    assert client.get("/").status_code == 200


def test_a_card_changes_the_file(client: Client, folder: Path) -> None:
    fields = {"mark": mark_of(SPEC), "table": ["attributes", "age"], "key.low": "0", "key.high": "19"}
    answer = client.post("/specs/town/card", {**fields, "new_key": "null", "new_value": '"other"'})
    assert answer.status_code == 303
    spec = load_spec(folder / "town.toml")
    assert spec.schema["age"] == discreet.Ordinal(0, 19, null="other")
    stale = client.post("/specs/town/card", fields)
    assert stale.status_code == 400
    assert "elsewhere" in stale.text
    for table in (["attributes", "nobody"], [], ["privacy", "unit"], ["a", "b", "c"]):
        mark = mark_of((folder / "town.toml").read_text(encoding="utf-8"))
        assert client.post("/specs/town/card", {**fields, "mark": mark, "table": table}).status_code == 400


def test_many_attributes_are_changed_at_once(client: Client, folder: Path) -> None:
    fields = {"mark": mark_of(SPEC), "q": "", "key": "null", "value": '"other"'}
    assert client.post("/specs/town/bulk", fields).status_code == 303
    spec = load_spec(folder / "town.toml")
    assert [spec.schema[name].null for name in spec.schema] == ["other", "other"]
    only = mark_of((folder / "town.toml").read_text(encoding="utf-8"))
    others = client.post("/specs/town/bulk", {**fields, "mark": only, "q": "SE", "number": "2", "value": ""})
    assert others.status_code == 400  # somebody saw two, and one would be changed
    assert client.post("/specs/town/bulk", {**fields, "mark": only, "q": "SE", "value": ""}).status_code == 303
    spec = load_spec(folder / "town.toml")
    assert [spec.schema[name].null for name in spec.schema] == ["other", "drop"]
    assert 'data-name="sex"' in client.get("/specs/town?q=SE").text
    assert 'data-name="age"' not in client.get("/specs/town?q=SE").text


def test_releases_come_and_go_by_forms(client: Client, folder: Path) -> None:
    """All that lies between a described file and its first release can be said without TOML."""

    def changed(page: str, **fields: object) -> int:
        mark = mark_of((folder / "town.toml").read_text(encoding="utf-8"))
        return client.post(f"/specs/town/{page}", {"mark": mark, **fields}).status_code

    wanted = {"name": "pairs", "task": "marginals", "by": "age, sex", "epsilon": "0.25"}
    assert changed("releases", **wanted) == 303
    assert load_spec(folder / "town.toml").releases["pairs"].task == discreet.Marginals(["age", "sex"], ways=2)
    assert client.get("/specs/town/plan/pairs?epsilon=1").status_code == 200
    for wrong in ({}, {"name": ""}, {"name": "x", "epsilon": "much"}, {"name": "x", "task": "items"}):
        assert changed("releases", **{**wanted, **wrong}) == 400
    assert changed("less", table=["releases", "pairs"]) == 303
    assert (folder / "town.toml").read_text(encoding="utf-8").rstrip() == SPEC.rstrip()
    assert changed("less", table=["privacy"]) == 400
    assert changed("less", table=["attributes", "age"]) == 303
    assert "[attributes.age]" not in (folder / "town.toml").read_text(encoding="utf-8")
    assert client.post("/specs/town/less", {"mark": mark_of(SPEC), "table": ["attributes", "sex"]}).status_code == 400


def test_toml_is_saved_whole_or_not_at_all(client: Client, folder: Path) -> None:
    broken = client.post("/specs/town/toml", {"text": "[", "mark": mark_of(SPEC)})
    assert broken.status_code == 400
    assert (folder / "town.toml").read_text(encoding="utf-8") == SPEC
    assert client.post("/specs/town/toml", {"text": SPEC + "# more", "mark": mark_of(SPEC)}).status_code == 303
    assert (folder / "town.toml").read_text(encoding="utf-8") == SPEC + "# more"


def test_a_file_is_described_by_its_columns_alone(client: Client, folder: Path) -> None:
    pq.write_table(pa.table({"age": [1], "place, or so": [CANARY]}), folder / "visits.parquet")
    shutil.copy(folder / "people.csv", folder / "others.csv")
    (folder / "empty.csv").write_bytes(b"")
    assert client.post("/describe", {"file": "../secret.csv"}).status_code == 400
    refused = client.post("/describe", {"file": "empty.csv"})
    assert refused.status_code == 400
    assert str(folder) not in refused.text
    for name, kinds in (("visits.parquet", ["ordinal", "nominal"]), ("others.csv", ["nominal"] * 3)):
        assert client.post("/describe", {"file": name}).status_code == 303
        made = folder / f"{name.split('.')[0]}.toml"
        text = made.read_text(encoding="utf-8")
        assert re.findall('kind = "(.*)"', text) == kinds
        assert CANARY not in text
        page = client.get(f"/specs/{made.stem}")
        assert "mistakes" in page.text
        assert client.post("/describe", {"file": name}).status_code == 400  # never over a file that is there


def test_a_plan_says_errors_epsilon_and_budget(client: Client) -> None:
    text = client.get("/specs/town/plan/by-age?epsilon=0.5,1&error=3").text
    assert text.count("standard errors") == 2
    assert "The least epsilon for a standard error of 3" in text
    assert "left after it" in text
    assert "<dd>epsilon 1.5</dd>" in text
    assert "becomes at most" in text
    assert text.count("<figure") >= 2
    told = client.get("/api/specs/town/plan/by-age?epsilon=0.5&error=3").json()
    assert told["plans"][0]["epsilon"] == "0.5"
    assert told["least"]["methods"][0]["epsilon"] is not None
    for wrong in ("epsilon=x", "epsilon=0", "epsilon=" + "1," * 9 + "2", "error=-1", "error=inf", "share=2"):
        refused = client.get(f"/specs/town/plan/by-age?{wrong}")
        assert refused.status_code == 400
        assert "--" not in refused.text.split('role="alert">')[1].split("</div>")[0]  # no option of a terminal
    assert client.get("/specs/town/plan/nobody").status_code == 404


def test_a_plan_grows_method_by_method(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row is there before the next method is tried, and a page that is left keeps nobody waiting."""
    tried: list[str] = []

    def noted(task: discreet.Table, request: Any, **more: Any) -> Iterator[Plan]:
        for found in growing(task, request, **more):
            tried.append(found.methods[-1].method)
            yield found

    monkeypatch.setattr("discreet.web.custodian.plan_pages.growing", noted)
    spec = load_spec(folder / "town.toml")
    release, plans = spec.releases["by-sex"], Plans()
    asked = PlanWish.read([("epsilon", "1")], release)
    rows = next(plans.each(folder / "town.toml", spec, release, asked)).rows
    first = next(rows)
    assert tried == [first.method]
    other = next(plans.each(folder / "town.toml", spec, release, asked)).whole()
    assert [one.method for one in other.methods] == [first.method, *(row.method for row in rows)]
    tried.clear()
    assert next(plans.each(folder / "town.toml", spec, release, asked)).whole() == other
    assert tried == []


def test_what_was_paid_for_costs_nothing_more(client: Client, folder: Path) -> None:
    published(folder)
    told = client.get("/api/specs/town/publish/by-age").json()
    assert (told["budget"]["spent"], told["budget"]["after"]) == ("0.5", "1.5")
    assert client.get("/api/specs/town/publish/by-sex").json()["budget"]["after"] == "1.25"


def test_a_ledger_that_was_changed_says_so(client: Client, folder: Path) -> None:
    published(folder)
    assert "the chain is whole" in client.get("/ledgers/town").text
    told = client.get("/api/ledgers/town").json()
    assert (told["spent"], told["left"], told["fault"]) == ("0.5", "1.5", "")
    (folder / "town.ledger.heads").write_text("", encoding="utf-8")
    (folder / "other.ledger").write_bytes(b"not a ledger")
    refused = client.get("/ledgers/other")
    assert refused.status_code == 400
    assert str(folder) not in refused.text
    assert client.get("/").status_code == 200


def test_nothing_private_is_measured_on_the_web() -> None:
    """`evaluate` and `check --data` are for terminals; no page calls them."""
    source = Path(discreet.__file__).parent / "web"
    for path in source.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"fit_of|run_fit|data\.check|evaluat|data_fit|draft_spec", text), path
