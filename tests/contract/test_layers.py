"""Who may reach whom, by any chain of imports. What an analyst runs can reach neither private data nor noise."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.imports import ROOT, Graph, graph, modules, path_between, within

#: the one import that leads from what an analyst runs to a room that checks releases: `release.report()`, and the page
#: of the web app, load it when they are called. That room may make a method again and run its sampler; no row is within
#: its reach
DOORS = {("release.reported", "report")}


def without_doors(found: Graph) -> Graph:
    return {
        name: {one for one in imported if not any((name, door) in DOORS for door in (one, one.split(".")[0]))}
        for name, imported in found.items()
    }


GRAPH = without_doors(graph())

#: what publishes or measures; none of it may be within reach of what an analyst runs
CUSTODIAN = [
    "private",
    "noise",
    "mechanisms",
    "ledger",
    "plan",
    "planning",
    "evaluate",
    "audit",
    "spec",
    "tasks",
    "report",
]
#: rooms that see rows or decide on a release
FITTING = ["private.data_fit", "private.fit_queries", "private.fit_noise", "private.fit_values"]
DATA = ["private.engines", "private.publish", "private.draft", "private.draft_domains", "private.failures", *FITTING]

#: room -> rooms that it must not reach; a room is a folder or a module, with all that is in it
OUT_OF_REACH = {
    **{
        room: [*CUSTODIAN, "summaries", "queries", "release", "cli"]
        for room in (
            "errors",
            "arrow",
            "naming",
            "about",
            "charts",
            "privacy",
            "schema",
            "numbers",
            "kernels",
            "parameters",
            "left_out",
            "method_names",
        )
    },
    "transforms": [*CUSTODIAN, "summaries", "release", "cli"],
    **{room: [*CUSTODIAN, "cli"] for room in ("queries", "summaries", "release")},
    **dict.fromkeys(("cli.asking", "cli.sampling", "cli.show"), CUSTODIAN),
    "tasks": ["private", "noise", "mechanisms", "ledger", "plan", "evaluate", "summaries", "release", "cli"],
    "spec": ["private", "noise", "mechanisms", "ledger", "plan", "evaluate", "summaries", "release", "cli"],
    "noise": ["private", "mechanisms", "ledger", "schema", "tasks", "spec", "queries", "summaries", "release", "cli"],
    "ledger": ["private", "noise", "mechanisms", "plan", "evaluate", "schema", "summaries", "release", "cli"],
    **{
        f"private.{room}": [
            "private.engines",
            "private.publish",
            "noise",
            "mechanisms",
            "ledger",
            "summaries",
            "release",
        ]
        for room in ("counts", "kept", "bounded")
    },
    "private.engines": ["private.publish", "noise", "mechanisms", "ledger", "summaries", "release", "cli"],
    **{room: [*DATA, "ledger", "plan", "evaluate", "release", "spec", "cli"] for room in ("mechanisms", "help")},
    **{room: [*DATA, "ledger", "evaluate", "spec", "cli"] for room in ("plan", "planning")},
    **{room: ["evaluate", "audit", "spec", "cli"] for room in ("private.publish", "private.open_data")},
    "audit": ["evaluate", "spec", "cli", "report"],
    "report": [
        "private.engines",
        "private.publish",
        "private.rows",
        "private.draft",
        "evaluate",
        "plan",
        "spec",
        "cli",
    ],
    "web": ["evaluate", "audit"],  # what these tell is never on the web
    **{room: [*CUSTODIAN, "web.custodian", "web.assembly"] for room in ("web.shell", "web.analyst")},
}
#: the rest, which may reach all of them
FREE = ["", "__main__", "help", "private", "private.draft", "private.failures", "evaluate", "cli"]


@pytest.mark.parametrize("room", OUT_OF_REACH)
def test_layers(room: str) -> None:
    inside = within(room, GRAPH)
    assert inside, f"there is no room {room}"
    for name in inside:
        forbidden = [other for other in OUT_OF_REACH[room] if other != room]
        way = path_between(GRAPH, name, forbidden)
        assert way is None, f"{room} must not reach {way[-1]}, but does: {' -> '.join(way)}"


def test_a_door_is_opened_only_when_somebody_goes_through() -> None:
    for name, door in DOORS:
        tree = ast.parse(modules()[name].read_text(encoding="utf-8"))
        asked = f"discreet.{door}"
        found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == asked]
        assert len(found) == 1, f"{name} no longer imports {door}"
        assert found[0] not in tree.body, f"{name} loads {door} at once"


def test_every_module_is_in_a_room() -> None:
    rooms = [*OUT_OF_REACH, *FREE]
    free = {name for name in GRAPH if not any(name in within(room, GRAPH) for room in rooms)}
    assert free == set()
    assert all(within(room, GRAPH) or room == "" for other in OUT_OF_REACH.values() for room in other)


def test_nothing_that_publishes_or_answers_can_reach_the_evaluation() -> None:
    users = {name for name, imported in GRAPH.items() if within("evaluate", imported)} - {*within("evaluate", GRAPH)}
    assert users == {"cli.evaluating"}


def test_the_check_follows_imports_of_imports(tmp_path: Path) -> None:
    for name, text in {
        "release/__init__": "def load():\n    from discreet.plan import plan\n",
        "plan": "from discreet import mechanisms\n",
        "mechanisms/__init__": "from discreet.noise.source import Bits\n",
        "noise/__init__": "",
        "noise/source": "",
        "schema": "from discreet import Release\n",
    }.items():
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    made = graph(tmp_path)
    assert path_between(made, "release", ["noise"]) == ["release", "plan", "mechanisms", "noise"]
    assert path_between(made, "schema", ["noise.source"]) == ["schema", "release", "plan", "mechanisms", "noise.source"]
    assert path_between(made, "noise", ["release"]) is None


def test_what_an_analyst_runs_loads_nothing_private(tmp_path: Path) -> None:
    """Loading a release and asking it in every way leaves all custodian's rooms unloaded."""
    code = """
import sys, pathlib, discreet
for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    if folder.is_dir():
        release = discreet.load(folder)
        release.describe(), release.to_arrow(), repr(release), release.note
        if release.manifest["task"].get("queries"):
            release.count(release.manifest["task"]["queries"][0])
            continue
        release.count(), release.table(list(release.schema)[:1])
        if release.manifest["task"]["task"] == "items":
            release.top(2)
        else:
            release.rows(2)
assert "sqlglot" not in sys.modules, "it is for statements only"
print(*sorted({name.split(".")[1] for name in sys.modules if name.startswith("discreet.")}))
"""
    fixtures = Path(__file__).parents[1] / "fixtures" / "releases"
    done = subprocess.run([sys.executable, "-c", code, str(fixtures)], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {"release", "summaries", "queries"} <= loaded
    assert not loaded & {*CUSTODIAN, "cli"}


def test_the_web_app_for_analysts_loads_nothing_private() -> None:
    """With releases only, all pages are asked, and no room of the custodian is ever loaded."""
    code = """
import sys, pathlib
from tests.web_client import analyst
client = analyst(pathlib.Path(sys.argv[1]))
for kind in ("", "/explore", "/ask", "/quantile", "/compare?a=age>1&b=age>2", "/explore.csv", "/explore.xlsx"):
    assert client.get(f"/releases/table-geometric{kind}").status_code == 200, kind
assert client.get("/").status_code == 200 and client.get("/specs/x").status_code == 404
names = [name.split(".") for name in sys.modules if name.startswith("discreet.")]
print(*sorted({".".join(parts[1:3] if parts[1] == "web" else parts[1:2]) for parts in names}))
"""
    fixture = Path(__file__).parents[1] / "fixtures" / "releases" / "table-geometric"
    done = subprocess.run(
        [sys.executable, "-c", code, str(fixture)], capture_output=True, text=True, cwd=Path(__file__).parents[2]
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert {"web.analyst", "web.shell", "release"} <= loaded
    assert not loaded & {*CUSTODIAN, "web.custodian"}


def test_randomness_is_drawn_in_one_room() -> None:
    """By what is called: numpy's generators, `random`, `secrets`, `os.urandom`.

    Two modules draw after all is published, where nothing that is drawn protects anybody: simulations for statements,
    and synthetic rows, for which anyone may give a seed. One draws tokens for browsers, which no release ever sees.
    """
    users = {name for name, path in modules().items() if _draws(path)}
    assert users - {*within("noise", GRAPH)} == {"summaries.simulation", "release.synthetic", "web.shell.session"}


def _draws(path: Path) -> bool:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import) and {alias.name for alias in node.names} & {"random", "secrets"}:
            return True
        if isinstance(node, ast.ImportFrom) and node.module in ("random", "secrets", "numpy.random"):
            return True
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("np.random", "numpy.random", "os.urandom"):
            return True
    return False


def test_simulated_noise_is_for_statements_only() -> None:
    """What publishes can reach it through a summary's methods alone, which nothing on the path calls."""
    users = {name for name, imported in GRAPH.items() if "summaries.simulation" in imported}
    assert users == {"release.ranking", "summaries.item_tables", "summaries.smoothed_items"}


def test_synthetic_rows_are_made_for_those_who_ask_a_release() -> None:
    """Nothing but the method of a release can make them, and so draw from a seed; no publishing calls it."""
    assert {name for name, imported in GRAPH.items() if "release.synthetic" in imported} == {"release.release"}
    for path in [*(ROOT / "private").rglob("*.py"), *(ROOT / "mechanisms").rglob("*.py")]:
        assert "synthetic_rows(" not in path.read_text(encoding="utf-8"), path


def test_cost_is_computed_in_one_place() -> None:
    """A mechanism that has a cost or a scale takes it from privacy; none reads the unit's bounds by itself."""
    priced = 0
    for path in (ROOT / "mechanisms").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        read = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not read & {"max_rows", "max_rows_per_cell"}, path
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == "cost" and path.name != "base.py":
                priced += 1
                assert "return cost(self.request.unit, " in ast.unparse(node), path
                called = {ast.unparse(inner.func) for inner in ast.walk(tree) if isinstance(inner, ast.Call)}
                assert "scale_of" in called, path
    assert priced >= 2


def test_rooms_that_draw_are_seen() -> None:
    assert _draws(ROOT / "noise" / "source.py")
    assert not _draws(ROOT / "privacy.py")
