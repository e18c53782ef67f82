"""The runner of the benchmarks and the frame for rivals. Nothing is timed here, and nothing is installed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import benchmarks.__main__ as runner
from benchmarks.measure import Report, growth
from benchmarks.rivals.compare import RIVALS, Job, _job
from benchmarks.rivals.environments import Absent, Environments, Rival, cache_folder
from benchmarks.rivals.job import Order

NAMES = [
    "accuracy",
    "adaptive",
    "answers",
    "engines",
    "items",
    "marginals",
    "noise",
    "path",
    "plan",
    "ranges",
    "regret",
    "rivals",
    "rows",
    "slices",
    "sparse",
    "sparse_ranges",
    "start",
]
NOBODY = Rival("nobody", ("no-such-package-can-exist>=1",), "benchmarks.rivals.no_such_jobs")


def fake(quick: bool) -> Report:
    report = Report("a | fake", quick)
    report.note("a note", 3)
    report.note("a rival", "absent: not there")
    report.at_most("of the full size", 2, 1)
    report.at_least("of any size", 2, 1, any_size=True)
    return report


@pytest.fixture(autouse=True)
def no_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.rivals.compare.peak_bytes", lambda work: 0)


@pytest.fixture
def faked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "benchmark", lambda name: fake)


def test_without_names_all_benchmarks_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert runner.main([]) == 0
    assert runner.known() == NAMES
    assert capsys.readouterr().out == f"benchmarks: {', '.join(NAMES)}\n"


def test_every_benchmark_can_be_run() -> None:
    assert all(callable(runner.benchmark(name)) for name in NAMES)


def test_unknown_names_are_refused_before_anything_runs(faked: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert runner.main(["noise", "nonsense"]) == 2
    shown = capsys.readouterr()
    assert "no such benchmark: nonsense" in shown.err
    assert shown.out == ""


def test_rows_and_the_machine_are_written_as_json(faked: None, tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    assert runner.main(["noise", "--json", str(file)]) == 1
    found = json.loads(file.read_text(encoding="utf-8"))
    assert found["rows"] == [
        {"benchmark": "noise", "what": "a note", "measured": 3.0, "limit": None, "held": None},
        {"benchmark": "noise", "what": "a rival", "measured": "absent: not there", "limit": None, "held": None},
        {"benchmark": "noise", "what": "of the full size", "measured": 2.0, "limit": 1.0, "held": False},
        {"benchmark": "noise", "what": "of any size", "measured": 2.0, "limit": 1.0, "held": True},
    ]
    assert {"date", "cores", "memory_gb", "python", "libraries", "quick", "seconds"} <= found["machine"].keys()
    assert found["machine"]["libraries"]["numpy"]


def test_markdown_has_a_table_of_four_columns(faked: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "page.md"
    runner.main(["noise", "path", "--markdown", str(file)])
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines.count("## a | fake") == 2
    assert "| of the full size | 2 | 1 | MISSED |" in lines
    assert "| a rival | absent: not there |  |  |" in lines
    assert {line.count("|") for line in lines if line.startswith("|")} == {5}
    assert "2 limits missed" in capsys.readouterr().out


def test_markdown_keeps_what_is_above_the_marker(faked: None, tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text(f"words\n\n{runner.MARKER}\nold results\n", encoding="utf-8")
    runner.main(["noise", "--markdown", str(file)])
    found = file.read_text(encoding="utf-8")
    assert found.startswith(f"words\n\n{runner.MARKER}\n")
    assert "old results" not in found
    assert "## a | fake" in found


def test_quick_makes_notes_of_limits_for_the_full_size(faked: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert runner.main(["noise", "--quick"]) == 0
    assert "| of the full size | 2 |  |  |" in capsys.readouterr().out
    assert fake(True).missed == 0
    assert fake(False).missed == 1


def test_all_runs_each_once_and_rivals_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def noted(name: str) -> Callable[[bool], Report]:
        def run(quick: bool) -> Report:
            ran.append(name)
            return Report(name)

        return run

    monkeypatch.setattr(runner, "benchmark", noted)
    runner.main(["all", "noise"])
    assert ran == NAMES
    ran.clear()
    runner.main(["all", "--no-rivals"])
    assert ran == [name for name in NAMES if name != "rivals"]


def test_progress_names_benchmark_and_row_unless_silent(
    faked: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runner.main(["noise"])
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(runner, "PATIENCE", -1.0)
    runner.main(["noise"])
    assert "noise, 0 s: a note\n" in capsys.readouterr().err
    runner.main(["noise", "--silent"])
    assert capsys.readouterr().err == ""


def test_growth_is_the_exponent() -> None:
    assert growth([10, 100, 1000], [3, 300, 30000]) == pytest.approx(2)


def failing(text: str) -> tuple[str, ...]:
    return (sys.executable, "-c", f"raise SystemExit({text!r})")


def test_a_package_that_cannot_be_installed_is_absent_with_its_reason(tmp_path: Path) -> None:
    text = "WARNING: slow\nERROR: none at https://host.example/simple, host.example:443 or /some/path for nobody\nmore"
    frame = Environments(tmp_path / "cache", make=failing(text))
    found = frame.ask(NOBODY, {"job": "noise"}, 10)
    assert str(found) == "absent: not installed: none at (address) (address) or (path) for nobody"
    assert list((tmp_path / "cache").iterdir()) == []


def test_an_installation_without_end_is_ended(tmp_path: Path) -> None:
    frame = Environments(tmp_path, make=(sys.executable, "-c", "import time; time.sleep(60)"), install_seconds=0.3)
    assert frame.python(NOBODY) == Absent("no answer within 0 seconds")


def test_a_rival_that_is_absent_gives_a_row_and_misses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.rivals.compare.RIVALS", (NOBODY,))
    report = Report("rivals")
    frame = Environments(tmp_path, make=failing("ERROR: no network"))
    _job(report, frame, Job("noise", "noise", 10, "draw", lambda: None, least={"nobody": 300}))
    assert (report.rows[-1].what, report.rows[-1].measured) == ("noise, nobody", "absent: not installed: no network")
    assert report.missed == 0


def ready(folder: Path, script: str) -> Environments:
    """An environment that seems installed and whose Python is a script."""
    inside = folder / f"no_such_jobs-{sys.version_info[0]}.{sys.version_info[1]}"
    (inside / "bin").mkdir(parents=True)
    (inside / "bin" / "python").write_text(f"#!{sys.executable}\n{script}\n", encoding="utf-8")
    (inside / "bin" / "python").chmod(0o755)
    (inside / "requirements.txt").write_text("\n".join(NOBODY.requirements), encoding="utf-8")
    return Environments(folder, make=failing("must not be made again"))


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("""print('{"cannot": "needs delta"}')""", "cannot: needs delta"),
        ("""print('{"failed": "OSError: /a/b is gone"}')""", "absent: OSError: (path) is gone"),
        ("print('nonsense')", "absent: no reason given"),
        (
            "import no_such_module_of_anybody",
            "absent: ModuleNotFoundError: No module named 'no_such_module_of_anybody'",
        ),
    ],
)
def test_what_a_script_cannot_do_is_said(tmp_path: Path, script: str, shown: str) -> None:
    assert str(ready(tmp_path, script).ask(NOBODY, {"job": "noise"}, 60)) == shown


def test_a_smaller_size_is_compared_per_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {"version": "1.0", "size": 5, "seconds": 2.0, "did": "a thing", "peak_bytes": 3_000_000, "largest": 5}
    monkeypatch.setattr("benchmarks.rivals.compare.RIVALS", (NOBODY,))
    monkeypatch.setattr("benchmarks.rivals.compare.seconds", lambda work, runs: 0.5)
    report = Report("rivals")
    _job(report, ready(tmp_path, f"print({json.dumps(answer)!r})"), Job("noise", "noise", 10, "draw", lambda: None))
    ratio, peak = report.rows[-2:]
    assert ratio.what == "noise, nobody 1.0 (a thing): times slower than discreet, per draw at 5"
    assert ratio.measured == pytest.approx(8)
    assert peak.what == "noise, nobody: peak memory in MB, at 5"
    assert peak.measured == pytest.approx(3)


def test_sizes_grow_while_time_allows() -> None:
    tried: list[int] = []
    Order("noise", 10_000, 1e9).grown(tried.append)
    assert tried == [10, 100, 1000, 10_000]
    assert Order("noise", 10_000, -1).grown(tried.append)[0] == 10


def test_a_rival_of_one_thread_is_timed_by_the_clock_of_its_process() -> None:
    ran = [0]

    def work(size: int) -> None:
        ran[0] += 3 * size

    assert Order("noise", 10_000, 400).grown(work, clock=lambda: ran[0]) == (10, 30)
    assert ran == [3 * (10 + 100)]


def test_environments_lie_below_the_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "discreet-benchmarks"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "discreet-benchmarks"


def test_every_rival_has_a_script_and_a_least_version() -> None:
    for rival in RIVALS:
        assert ">=" in rival.requirements[0]
        assert (Path(runner.__file__).parents[1] / (rival.module.replace(".", "/") + ".py")).exists()
