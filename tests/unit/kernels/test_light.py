"""Light kernels do the same interpreted as compiled, to the bit, in every call that publishing and asking make."""

from __future__ import annotations

import copy
import importlib
import os
import pkgutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import discreet
from discreet import kernels
from discreet.errors import DiscreetError
from discreet.kernels import jit, sorted_rows
from discreet.kernels.jit import Kernel
from discreet.tasks import Task

RELEASES = Path(__file__).parents[2] / "fixtures" / "releases"
SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 60),
    place=discreet.Nominal(hierarchy={"north": ["a", "b", "c"], "south": ["d", "e"]}),
    sex=discreet.Nominal(["f", "m"]),
)
TASKS: list[Task] = [
    discreet.Table(["place", "sex"], method="geometric"),
    discreet.Table(["age", "place", "sex"], method="adaptive"),
    discreet.Table(["age", "place", "sex"], method="sketch"),
    discreet.Ranges(["age"], method="weighted"),
    discreet.Ranges(["age", "place"], method="adaptive"),
    discreet.Ranges(["age", "place"], method="dyadic"),
    discreet.Ranges(["age", "place"], method="privelet"),
    discreet.Marginals(ways=2, method="agreed"),
    discreet.Marginals(ways=2, method="ireduct"),
]


def light_kernels() -> set[str]:
    modules = [
        importlib.import_module(f"{kernels.__name__}.{one.name}") for one in pkgutil.iter_modules(kernels.__path__)
    ]
    found = {value for module in modules for value in vars(module).values() if isinstance(value, Kernel)}
    return {f"{one.__module__}.{one.__name__}" for one in found if one.light is not None}


@pytest.fixture
def both_ways(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Every call of a light kernel is made twice, on copies of its arguments; says how many calls were."""
    seen: Counter[str] = Counter()

    def called(kernel: Kernel, *arguments: Any) -> Any:
        if kernel.light is None:
            return kernel.compiled(*arguments)
        plain = copy.deepcopy(arguments)
        found, other = kernel.compiled(*arguments), kernel.plainly(*plain)
        name = f"{kernel.__module__}.{kernel.__name__}"
        assert bits((found, arguments)) == bits((other, plain)), name
        seen[name] += 1
        return found

    monkeypatch.setattr(Kernel, "__call__", called)
    return seen


def bits(value: Any) -> Any:
    if isinstance(value, tuple):
        return [bits(one) for one in value]
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    return type(value), value


def test_light_kernels_do_the_same_interpreted_as_compiled(both_ways: Counter[str], tmp_path: Path) -> None:
    dice = np.random.default_rng(3)
    people = {
        "age": dice.integers(0, 61, 3000).tolist(),
        "place": dice.choice(list("abcde"), 3000).tolist(),
        "sex": dice.choice(["f", "m"], 3000).tolist(),
    }
    data = discreet.open(_table(people), SCHEMA, unit=discreet.Unit(), budget=100)
    for number, task in enumerate(TASKS):
        folder = tmp_path / str(number)
        data.publish(task, 1, name=str(number), to=folder)
        _asked(folder)
        if task.method == "agreed":  # of more attributes than any of its tables has
            discreet.load(folder).table(["age", "place", "sex"])
    data.publish(TASKS[0], "0.0001", name="faint", to=tmp_path / "faint")  # whose noise has several digits
    for folder in sorted(RELEASES.iterdir()):
        if folder.is_dir():
            _asked(folder)
    assert both_ways.keys() == light_kernels()


def _table(columns: dict[str, list[Any]]) -> Any:
    import pyarrow as pa

    return pa.table(columns)


def _asked(folder: Path) -> None:
    release = discreet.load(folder)
    if release.manifest["task"].get("queries"):
        release.count(release.manifest["task"]["queries"][0])
        return
    release.count()
    release.to_arrow()
    for name in release.schema:
        release.table([name])
        try:
            release.quantile(name, 0.5)
        except DiscreetError:  # labels have no order
            continue


def test_whole_numbers_wrap_around_alike(both_ways: Counter[str]) -> None:
    from discreet.kernels.prefix import box_sums, prefix_sums

    table = np.array([[2**62, 2**62], [2**62, -(2**62)]])
    boxes = np.array([[1, 0], [0, 0], [1, 1]])
    prefix = prefix_sums(table)
    assert box_sums(prefix.reshape(-1), np.array([3, 1]), boxes, boxes).tolist() == [2**62, 2**62, -(2**62)]
    assert both_ways


def test_a_light_kernel_is_compiled_once_it_had_enough_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kernel, "sooner", False)
    kernel = Kernel(lambda values: values.sum(), (np.size, 10))
    assert kernel(np.ones(6)) == 6.0
    assert kernel._compiled is None
    assert kernel(np.ones(5)) == 5.0
    assert kernel._compiled is not None


def test_what_is_repeated_is_compiled_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_repeated", False)
    jit.repeatedly()
    kernel = Kernel(lambda values: values.sum(), (np.size, 16 * 5))
    assert kernel(np.ones(5)) == 5.0
    assert kernel._compiled is None
    assert kernel(np.ones(1)) == 1.0
    assert kernel._compiled is not None


def test_what_an_earlier_process_compiled_is_taken_sooner(tmp_path: Path) -> None:
    """Three processes: the first compiles and keeps, the second takes that, the third has no numba and interprets."""
    (tmp_path / "doubling.py").write_text(
        "import sys, numpy as np\n"
        "from discreet.kernels.jit import light_kernel\n"
        "@light_kernel('values', 160)\n"
        "def doubled(values):\n"
        "    return 2 * values[0]\n"
        "for argument in sys.argv[1:]:\n"
        "    import numba\n"
        "print(*[doubled(np.ones(int(size))) for size in (11, 150)], doubled._compiled is not None)\n"
    )
    more = (tmp_path / "doubling.py").read_text().replace("150", "11")
    with_numba, without = [sys.executable, "doubling.py", "numba"], [sys.executable, "doubling.py"]
    assert _printed(with_numba, tmp_path) == "2.0 2.0 True"  # 161 entries in all
    kept = (tmp_path / "doubling.py").stat()
    (tmp_path / "doubling.py").write_text(more + "#" * (kept.st_size - len(more)))
    os.utime(tmp_path / "doubling.py", ns=(kept.st_atime_ns, kept.st_mtime_ns))  # what numba knows a file by
    assert _printed(with_numba, tmp_path) == "2.0 2.0 True"
    assert _printed(without, tmp_path) == "2.0 2.0 False"


def _printed(command: list[str], folder: Path) -> str:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def test_one_question_over_very_many_rows_is_compiled() -> None:
    """What is to do is not only how many questions there are, but also among how much they look."""
    work, most = cast(Any, sorted_rows.sparse_box_sums).light
    box = np.zeros((1, 5), np.int64)
    few, many = (np.zeros((rows, 5), np.int64) for rows in (100, 1_000_000))
    assert work(few, None, box, box, None) <= most < work(many, None, box, box, None)
