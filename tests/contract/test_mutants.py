"""The list of planted bugs is in order: each can be planted in today's code, and the page shows each of them."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from discreet.mechanisms import registry
from tests.mutants import page
from tests.mutants.listed import PROJECT, Mutant, mutants

MUTANTS = mutants()
FEWEST = 60
each = pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)


def test_there_are_enough_and_each_breaks_a_promise_of_its_own() -> None:
    assert len(MUTANTS) >= FEWEST
    assert [claim for claim, times in Counter(one.claim for one in MUTANTS.values()).items() if times > 1] == []


def test_every_method_has_one_that_makes_its_noise_too_small() -> None:
    assert {method for _, method in registry()} == {one.method for one in MUTANTS.values()} - {""}


@each
def test_it_can_be_planted(mutant: Mutant) -> None:
    text = mutant.path.read_text(encoding="utf-8")
    planted = mutant.planted(text)
    assert ast.dump(ast.parse(planted)) != ast.dump(ast.parse(text))


def test_all_of_them_know_their_names(tmp_path: Path) -> None:
    """A mutant that stops with a NameError would be caught by any test that comes along."""
    for number, mutant in enumerate(MUTANTS.values()):
        planted = mutant.planted(mutant.path.read_text(encoding="utf-8"))
        (tmp_path / f"mutant_{number}.py").write_text(planted, encoding="utf-8")
    options = ["--isolated", "--no-cache", "--select", "F821,F823", "--target-version", "py311"]
    command = [sys.executable, "-m", "ruff", "check", *options, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@each
def test_the_tests_that_should_catch_it_exist(mutant: Mutant) -> None:
    assert mutant.tests
    for test in mutant.tests:
        file, _, name = test.split(" ")[0].partition("::")
        assert (PROJECT / file).exists(), test
        if name:
            tree = ast.parse((PROJECT / file).read_text(encoding="utf-8"))
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, test


def test_the_page_shows_them_all() -> None:
    assert list(page.rows()) == sorted(MUTANTS)
    text = page.PAGE.read_text(encoding="utf-8")
    assert [name for name, one in MUTANTS.items() if f"| `{name}` | {one.claim} |" not in text] == []
