"""Who may import whom. What an analyst can run must not be able to reach private data, nor draw noise."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import discreet

ROOT = Path(discreet.__file__).parent
PRIVATE = {"counts", "kept", "engines", "noise", "mechanisms", "publish", "ledger", "draft", "failures"}

#: room -> rooms it must not import; a room is a top-level module or folder of the package
FORBIDDEN = {
    **{
        room: PRIVATE | {"cli", "release", "summaries", "queries"}
        for room in (
            "errors",
            "naming",
            "intervals",
            "privacy",
            "laws",
            "spreads",
            "schema",
            "kernels",
            "simulation",
            "cores",
            "cell_numbers",
        )
    },
    "noise": (PRIVATE - {"noise"}) | {"cli", "release", "summaries", "queries", "schema", "spec", "tasks"},
    "transforms": PRIVATE | {"cli", "release", "summaries", "spec"},
    **{
        room: PRIVATE | {"cli", "spec"}
        for room in ("summaries", "queries", "quantiles", "ranking", "models", "release", "folder", "placing", "frame")
    },
    "spec": PRIVATE | {"cli", "release", "summaries"},
    "counts": (PRIVATE - {"counts"}) | {"cli", "release", "summaries"},
    "kept": (PRIVATE - {"counts", "kept"}) | {"cli", "release", "summaries"},
    "engines": {"noise", "mechanisms", "publish", "ledger", "cli", "release", "summaries"},
    "mechanisms": {"engines", "publish", "ledger", "cli", "release", "spec"},
    "ledger": {"counts", "engines", "noise", "mechanisms", "publish", "cli", "release", "summaries"},
    "audit": {"cli"},
}


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """The rooms that a module imports anywhere, also inside functions; type-checking imports count too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.split(".")[1] for name in found if name.startswith("discreet.")}


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.name != "__init__.py")


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_layers(path: Path) -> None:
    room = room_of(path)
    crossed = imports(path) & FORBIDDEN.get(room, set()) - {room}
    assert not crossed, f"{room} must not import {sorted(crossed)}"


def test_nothing_that_publishes_or_answers_can_reach_the_evaluation() -> None:
    """Not even by way of others: only one command, which writes no release, imports it."""
    users = {
        path.relative_to(ROOT) for path in modules() if "evaluate" in imports(path) and room_of(path) != "evaluate"
    }
    assert users == {Path("cli/evaluating.py")}


def test_the_check_sees_an_import(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("def f():\n    from discreet.noise import Noise\n", encoding="utf-8")
    assert imports(bad) == {"noise"}


def test_every_room_is_known() -> None:
    free = {"cli", "publish", "plan", "failures", "draft", "tasks", "evaluate"}
    assert {room_of(path) for path in modules()} == set(FORBIDDEN) | free


def test_randomness_is_drawn_in_one_room() -> None:
    words = ("np.random", "numpy.random", "default_rng", "import random", "import secrets", "os.urandom")
    for path in modules():
        text = path.read_text(encoding="utf-8")
        if room_of(path) not in ("noise", "simulation"):
            assert not [word for word in words if word in text], path


def test_simulated_noise_is_for_statements_only() -> None:
    """What publishes can reach it through a summary's methods alone, which nothing on the path calls."""
    users = {room_of(path) for path in modules() if "simulation" in imports(path)}
    assert users == {"summaries", "ranking"}


def test_cost_is_computed_in_one_place() -> None:
    """A mechanism that has a cost or a scale takes it from privacy; none reads the unit's bounds by itself."""
    named = 0
    for path in (ROOT / "mechanisms").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "max_rows" not in text, path
        if "def cost" in text and path.name != "base.py":
            named += 1
            assert "return cost(self.request.unit, " in text, path
            assert "scale_of(" in text, path
    assert named >= 2
