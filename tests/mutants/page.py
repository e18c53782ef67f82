"""docs/mutants.md: a row for each mutant."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.mutants.listed import PROJECT, Mutant
from tests.mutants.running import Verdict

PAGE = PROJECT / "docs" / "mutants.md"
SURVIVED = "**nothing yet**"
HEAD = """\
# Planted bugs, and the tests that catch them

A promise that no test would miss is none. So there is a list of bugs that would break one of ours, each as small as a
slip: `tests/mutants/` has a file for each. `python -m tests.mutants` plants them one by one in a copy of the project
and runs the tests that should notice. It fails if a single bug survives all tests. This page is made by
`python -m tests.mutants --write`.

| planted bug | the promise that it breaks | the test that caught it |
|---|---|---|
"""


def rows() -> dict[str, str]:
    """Name -> what caught it, as the page has it."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    return dict(re.findall(r"^\| `([^`]+)` \| .* \| (.+) \|$", text, re.MULTILINE))


def write(mutants: dict[str, Mutant], verdicts: Iterable[Verdict]) -> None:
    """The page with these verdicts; what it says of other mutants stays."""
    known = rows()
    for verdict in verdicts:
        known[verdict.mutant.name] = f"`{verdict.by.split('[')[0]}`" if verdict.caught else SURVIVED
    lines = [
        f"| `{name}` | {mutant.claim} | {known.get(name, SURVIVED)} |\n" for name, mutant in sorted(mutants.items())
    ]
    PAGE.write_text(HEAD + "".join(lines), encoding="utf-8")
