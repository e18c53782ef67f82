"""What all tests share.

Nothing is timed, for machines are noisy and kernels are compiled when first used. Hypothesis tries the same examples in
every run: it looks for odd inputs, not for laws. Random bits are those of production, fresh in every run: nothing here
replaces them. A test about something else than a law may ask for the fixture `seeded`, and says so where it stands.

The comparisons of samples with laws are counted over all processes, for they share one false alarm (`statistics.py`).
"""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import numpy as np
import pytest
from hypothesis import Phase, settings
from xdist.scheduler import LoadScopeScheduling

from tests import browser as browsers
from tests import postgres_server, spark_session, statistics

settings.register_profile("untimed", deadline=None, derandomize=True)
# for who needs to know that a test fails, and not the simplest case in which it does
settings.register_profile("unshrunk", settings.get_profile("untimed"), phases=(Phase.explicit, Phase.generate))
settings.load_profile("untimed")

ELSEWHERE = pytest.StashKey[int]()
Started = TypeVar("Started")


@pytest.fixture
def seeded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bits in every run of this test, for noise, `SystemRandom` and numpy, in place of the system's."""
    bits: Callable[[int], bytes] = np.random.Generator(np.random.PCG64(crc32(request.node.nodeid.encode()))).bytes
    monkeypatch.setattr("discreet.noise.source.os", type("Seeded", (), {"urandom": staticmethod(bits)}))
    monkeypatch.setattr(random, "_urandom", bits)


def _started(starting: AbstractContextManager[Started], absence: type[Exception]) -> Iterator[Started]:
    """What runs; with DISCREET_ENGINES=required its absence fails tests, rather than leaving them out."""
    with ExitStack() as stack:
        try:
            running = stack.enter_context(starting)
        except absence as absent:
            (pytest.fail if os.environ.get("DISCREET_ENGINES") == "required" else pytest.skip)(str(absent))
        yield running


@pytest.fixture(scope="session")
def postgres() -> Iterator[postgres_server.Server]:
    """A PostgreSQL, one for each process of tests that needs it; with DISCREET_ENGINES=required its absence fails."""
    with tempfile.TemporaryDirectory(prefix="discreet-tests-") as folder:
        yield from _started(postgres_server.running(Path(folder)), postgres_server.NoPostgres)


@pytest.fixture(scope="session")
def browser() -> Iterator[browsers.Browser]:
    """A chromium, one for each process of tests that needs it; with DISCREET_ENGINES=required its absence fails."""
    yield from _started(browsers.running(), browsers.NoBrowser)


@pytest.fixture(scope="session")
def spark() -> Iterator[spark_session.Spark]:
    """A Spark, only one, since `TOGETHER` keeps the tests of it in one process."""
    with tempfile.TemporaryDirectory(prefix="discreet-tests-") as folder:
        yield from _started(spark_session.running(Path(folder)), spark_session.NoSpark)


#: tests that share something costly, which one process has for all of them, by what their names hold
TOGETHER = {
    "tests/browsing/": "a browser and a server",
    "test_report_in_browser.py": "a browser and a server",
    "spark": "a Spark",
}


class Together(LoadScopeScheduling):  # type: ignore[misc]
    """Hands out tests one by one, but those of a group to one process. (Marks of xdist need an older pytest.)"""

    def _split_scope(self, nodeid: str) -> str:
        return next((group for part, group in TOGETHER.items() if part in nodeid.lower()), nodeid)

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """As xdist has it, which counts all that a process was ever given after each test: so forget what is done."""
        super().mark_test_complete(node, item_index, duration)
        given = self.assigned_work[node]
        for group in [group for group, tests in given.items() if all(tests.values())]:
            del given[group]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return Together(config, log)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[ELSEWHERE] = 0


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker tells how many comparisons it made; the session fails if all of them together were too many."""
    made = statistics.made() + session.config.stash[ELSEWHERE]
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["comparisons"] = made
    elif made > statistics.COMPARISONS:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[ELSEWHERE] += getattr(node, "workeroutput", {}).get("comparisons", 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    made, most = statistics.made() + config.stash[ELSEWHERE], statistics.COMPARISONS
    verdict = "too many: raise COMPARISONS in tests/statistics.py" if made > most else f"at most {most:,}"
    terminalreporter.write_line(f"{made} comparisons with laws ({verdict}) share a false alarm of {statistics.FAMILY}")
