"""Light kernels do the same interpreted as compiled, to the bit, in every call that publishing and asking make."""

from __future__ import annotations

import copy
import importlib
import pkgutil
from collections import Counter
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import discreet
from discreet import kernels
from discreet.errors import DiscreetError
from discreet.kernels import sorted_rows
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


def test_a_light_kernel_is_compiled_once_it_had_enough_to_do() -> None:
    kernel = Kernel(lambda values: values.sum(), (np.size, 10))
    assert kernel(np.ones(6)) == 6.0
    assert kernel._compiled is None
    assert kernel(np.ones(5)) == 5.0
    assert kernel._compiled is not None


def test_one_question_over_very_many_rows_is_compiled() -> None:
    """What is to do is not only how many questions there are, but also among how much they look."""
    work, most = cast(Any, sorted_rows.sparse_box_sums).light
    box = np.zeros((1, 5), np.int64)
    few, many = (np.zeros((rows, 5), np.int64) for rows in (100, 1_000_000))
    assert work(few, None, box, box, None) <= most < work(many, None, box, box, None)
