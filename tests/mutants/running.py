"""One mutant at a time in a private copy of the project, in which one file is swapped and put back as it was.

Times of files stay, so that what numba and Python keep of unchanged files is still valid: only a mutant of a kernel is
compiled, and into a place of its own, for numba does not see that a kernel which another one calls has changed.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.listed import PROJECT, Mutant

_LEFT_BEHIND = shutil.ignore_patterns(".git", ".venv*", ".hypothesis", ".*_cache", "results")
_PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=unshrunk", "--tb=line", "-rfE")
#: a mutant is to be a program that runs; one that stops with these is a slip of whoever wrote it
_SLIPS = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError", "TypingError")
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?::.*?)(?: - (.*))?$", re.MULTILINE)
#: no listed test takes nearly as long, in seconds
_PATIENCE, _MORE_PATIENCE = 300, 1200


@dataclass(frozen=True)
class Verdict:
    """`by` is the test that failed; empty for a survivor. `slip` says why a mutant is none."""

    mutant: Mutant
    by: str = ""
    reason: str = ""
    listed: bool = True
    slip: str = ""

    @property
    def caught(self) -> bool:
        return bool(self.by) and not self.slip


@dataclass(frozen=True)
class _Ran:
    code: int | None
    said: str

    @property
    def failure(self) -> tuple[str, str] | None:
        """The first test that failed, and its last word."""
        found = _FAILED.search(self.said) if self.code == 1 else None
        return (found[1], found[2] or "") if found else None


class Copy:
    """The project once more, in a folder of its own."""

    def __init__(self, place: Path, original: Path = PROJECT) -> None:
        self.place = place
        shutil.copytree(original, place, ignore=_LEFT_BEHIND)

    def pytest(self, tests: Sequence[str], *options: str, patience: float, kernels: Path | None = None) -> _Ran:
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.place / "src"),
            "PYTEST_ADDOPTS": "",
            "COLUMNS": "300",
            **({} if kernels is None else {"NUMBA_CACHE_DIR": str(kernels)}),
        }
        if "-x" in options:  # mutated modules leave nothing behind
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
        base = f"--basetemp={self.place}/.tests"
        command = [sys.executable, *_PYTEST, base, *options, *(part for test in tests for part in shlex.split(test))]
        running = subprocess.Popen(
            command, cwd=self.place, env=environment, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            said, _ = running.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)  # with whatever it started
            said, _ = running.communicate()
            return _Ran(None, said)
        return _Ran(running.returncode, said)

    @contextmanager
    def planted(self, mutant: Mutant) -> Iterator[Path | None]:
        """The bug is in, for the length of the block; gives where numba is to keep what it compiles, if not as ever."""
        path = self.place / mutant.file
        text, times = path.read_text(encoding="utf-8"), path.stat()
        with tempfile.TemporaryDirectory(dir=self.place) as kernels:
            try:
                path.write_text(mutant.planted(text), encoding="utf-8")
                yield Path(kernels) if mutant.in_kernels else None
            finally:
                path.write_text(text, encoding="utf-8")
                os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def verdict(self, mutant: Mutant, *, listed_only: bool) -> Verdict:
        for listed, tests in ((True, mutant.tests), (False, () if listed_only else mutant.fallback)):
            for test in tests:
                with self.planted(mutant) as kernels:
                    patience = _PATIENCE if listed else _MORE_PATIENCE
                    ran = self.pytest([test], "-n", "0", "-x", patience=patience, kernels=kernels)
                if ran.code == 0:
                    continue
                if ran.failure is None:
                    ends = "does not end" if ran.code is None else "does not get as far as a test"
                    return Verdict(mutant, slip=f"{test} {ends}:\n{ran.said[-1000:]}")
                by, reason = ran.failure
                slip = reason if any(one in reason for one in _SLIPS) else ""
                if not listed and self.pytest([by.split("[")[0]], "-n", "0", patience=patience).code != 0:
                    slip = f"{by} fails without it, too"
                return Verdict(mutant, by, reason, listed, slip)
        return Verdict(mutant)


def run(
    mutants: Sequence[Mutant], jobs: int, tell: Callable[[Verdict], None], *, listed_only: bool = False
) -> list[Verdict] | str:
    """A verdict on each mutant; or what the tests say if they fail without any."""
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    with tempfile.TemporaryDirectory(prefix="discreet-mutants-", ignore_cleanup_errors=True) as folder:
        first = Copy(Path(folder, "0"))
        if (complaint := _baseline(first, tests, jobs)) is not None:
            return complaint
        # the others are copies of it, with all that is compiled by now
        copies: SimpleQueue[Copy] = SimpleQueue()
        copies.put(first)
        for number in range(1, jobs):
            copies.put(Copy(Path(folder, str(number)), first.place))

        def judged(mutant: Mutant) -> Verdict:
            copy = copies.get()
            try:
                verdict = copy.verdict(mutant, listed_only=listed_only)
            finally:
                copies.put(copy)
            tell(verdict)
            return verdict

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(judged, mutants))


def _baseline(copy: Copy, tests: Sequence[str], jobs: int) -> str | None:
    """What is wrong with the project as it is, by the tests that are to catch mutants."""
    named = {test.split(" ")[0] for test in tests}
    whole = sorted(test for test in named if not any(_covers(other, test) for other in named))
    ran = copy.pytest(whole, "-n", str(jobs if jobs > 1 else 0), patience=3600)
    return None if ran.code == 0 else f"without any mutant, these tests must pass:\n{ran.said[-3000:]}"


def _covers(other: str, test: str) -> bool:
    return test.startswith((f"{other}/", f"{other}::"))
