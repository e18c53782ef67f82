"""The planted bugs: one file each, with the promise that it breaks and the tests that should notice."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parents[2]
PLACE = Path(__file__).parent
PACKAGE = "src/discreet/"


@dataclass(frozen=True)
class Mutant:
    """In `file`, the text `before`, which is there once, becomes `after`; that breaks `claim`.

    `tests` are those that should catch it, the cheapest first: paths or names of tests, maybe with options of pytest.
    `method` is set if it makes a method's noise too small for what is charged.
    """

    name: str
    claim: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]
    method: str = ""

    @property
    def path(self) -> Path:
        return PROJECT / self.file

    def planted(self, text: str) -> str:
        """The text of its file with the bug in it."""
        if text.count(self.before) != 1:
            raise ValueError(f"{self.name}: `before` is {text.count(self.before)} times in {self.file}, not once")
        return text.replace(self.before, self.after)

    @property
    def in_kernels(self) -> bool:
        return self.file.startswith(f"{PACKAGE}kernels/")

    @property
    def fallback(self) -> tuple[str, ...]:
        """What else is tried before it is said to survive: the tests of its room, then what all methods must pass."""
        return (*_room(self.file.removeprefix(PACKAGE)), "tests/conformance", "tests/law")


def _room(file: str) -> list[str]:
    folder = Path("tests/unit", file).parent
    if folder == Path("tests/unit"):
        module = f"tests/unit/test_{Path(file).name}"
        return [module] if (PROJECT / module).exists() else []
    return [str(folder)] if any((PROJECT / folder).rglob("test_*.py")) else []


def mutants() -> dict[str, Mutant]:
    """All of them, by name: the room and the file's stem."""
    found = {}
    for path in sorted(PLACE.glob("*/*.toml")):
        said = tomllib.loads(path.read_text(encoding="utf-8"))
        name = f"{path.parent.name}/{path.stem}"
        found[name] = Mutant(name, **{**said, "tests": tuple(said["tests"])})
    return found
