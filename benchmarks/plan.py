"""Whether plans come true: predicted against true errors, for all methods of every task, on real and made-up data.

Where noise alone decides, predicted / true has to lie between 0.8 and 1.25. Ranges, which are rehearsed with no more
than the number of records guessed, should hold the true error in nine of ten cases: a case is a data set, a method, an
epsilon and a class of questions. Real data are read from the folder that DISCREET_DATA names.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.accuracy import adult
from benchmarks.accuracy.shapes import Ints, Shape, dice, folder, shapes
from benchmarks.measure import Report
from discreet.mechanisms import Mechanism, Request
from discreet.noise import Noise
from discreet.plan import made, plan
from discreet.planning.asked import asked_of
from discreet.planning.predicted import PlannedError, noise_decides, true_counts
from discreet.planning.question_classes import few_of, joined
from discreet.planning.stand_ins import InventedUsers, StandIn, users_per_item
from discreet.privacy import Unit
from discreet.private.counts import Counts
from discreet.schema import Ordinal, Schema
from discreet.tasks import Items, Marginals, Ranges, Table, Task

EPSILONS = ("0.1", "1")
RATIO = (0.8, 1.25)
HELD = 0.9
RECORDS = 50_000
#: how often noise is drawn: for errors of noise alone, and for the others
TRIALS = {True: 1000, False: 20}
QUICK = {True: 40, False: 4}


@dataclass(frozen=True)
class Case:
    """Data as if they were private, and what is asked of them."""

    name: str
    task: Task
    schema: Schema
    unit: Unit
    data: StandIn


def run(quick: bool) -> Report:
    report = Report("plan: predicted against true errors", quick)
    trials, ratios = QUICK if quick else TRIALS, dict[str, list[float]]()
    held: dict[str, list[bool]] = {}
    seen: set[object] = set()
    for case in _cases(quick):
        for epsilon in EPSILONS:
            request = Request.of(case.task, case.schema, case.unit, epsilon)
            found = plan(case.task, request)
            for one in found.methods:
                if not one.errors:
                    continue
                mechanism = made(case.task, request, one.method)
                if noise_decides(mechanism) and (case.schema.sizes, case.task, one.method, epsilon) in seen:
                    continue  # the same for all data
                seen.add((case.schema.sizes, case.task, one.method, epsilon))
                for label, error, true in _true_errors(case, mechanism, one.errors, trials):
                    kind = case.task.name
                    if error.exact:
                        ratios.setdefault(kind, []).append(error.low / true)
                    else:
                        within = error.low <= true <= error.high
                        held.setdefault(kind, []).append(within)
                        if not within:
                            ends = f"{error.low:,.3g} to {error.high:,.3g}"
                            what = f"{case.name}, {one.method}, epsilon {epsilon}, {label}"
                            report.note(f"{what}: planned {ends}, true", true)
        begun = time.process_time()
        plan(case.task, request)
        report.note(f"{case.name}: seconds of the processor for a plan", time.process_time() - begun)
    for kind, some in ratios.items():
        report.at_least(f"{kind}, noise alone, least of {len(some)}: predicted / true", min(some), RATIO[0])
        report.at_most(f"{kind}, noise alone, most of {len(some)}: predicted / true", max(some), RATIO[1])
    every = [one for some in held.values() for one in some]
    for kind, these in held.items():
        report.note(f"{kind}: part of {len(these)} ranges that hold the true error", float(np.mean(these)))
    report.at_least(f"part of {len(every)} ranges that hold the true error", float(np.mean(every)), HELD)
    return report


def _true_errors(
    case: Case, mechanism: Mechanism, planned: dict[str, PlannedError], trials: dict[bool, int]
) -> Iterator[tuple[str, PlannedError, float]]:
    """Of every class but lists of the top: the root of the mean squared error over questions and trials."""
    classes = [one for one in asked_of(case.task, mechanism) if one.top is None]
    counts, alone = case.data.truth_for(mechanism), noise_decides(mechanism)
    parts = [few_of(one.pick(counts), len(classes)) for one in classes]
    asked = joined(parts)
    truth = true_counts(counts, asked)
    squares = np.zeros(asked.count)
    for _ in range(trials[alone]):
        answers = mechanism.measure(case.data.data, Noise()).answer(asked, 0.5)
        value = answers.measured if alone else answers.of_counts().value
        squares += (np.asarray(value, np.float64) - truth) ** 2
    ends = np.cumsum([part.count for part in parts])[:-1]
    for one, mine in zip(classes, np.split(squares / trials[alone], ends), strict=True):
        true = float(np.sqrt(mine.mean()))
        if true > 0:
            yield one.name, planned[one.name], true


def _cases(quick: bool) -> Iterator[Case]:
    grids = [(4096,), (256, 256)]
    for sizes in grids:
        some = [shape for shape in shapes(sizes) if shape.name in WANTED]
        for shape in some[: 2 if quick else None]:
            yield _ranges(shape, sizes)
    if (where := folder("adult")) is not None:
        yield from _adult(*adult.read(where))
    for skew in (0.0, 1.0, 1.3):
        yield _items(skew, 40)
    yield _items(1.0, 10)  # no user has more than count, so that noise alone decides for some methods


WANTED = (
    "ADULT",
    "INCOME",
    "SEARCH",
    "HEPTH",
    "uniform",
    "spikes",
    "clusters",
    "zipf, shuffled",
    "Stroke_2D",
    "GOWALLA",
)


def _ranges(shape: Shape, sizes: tuple[int, ...]) -> Case:
    schema = Schema({f"x{place}": Ordinal(0, size - 1) for place, size in enumerate(sizes)})
    table = shape.records(RECORDS)
    counts = Counts.from_dense(sizes, table.reshape(-1))
    return Case(
        f"{shape.name}, {len(sizes)}-D",
        Ranges(list(schema), guess={"rows": RECORDS}),
        schema,
        Unit(),
        StandIn(shape.name, counts, counts),
    )


def _adult(schema: Schema, rows: Ints) -> Iterator[Case]:
    guess = {"rows": len(rows)}
    for task in (
        Table(["education-num", "sex", "race"], guess=guess),
        Table(["workclass", "occupation", "education-num", "relationship", "marital-status"], guess=guess),
        Marginals(["education-num", "sex", "race", "occupation", "income>50K"], ways=2, guess=guess),
        Marginals(["education-num", "sex", "race", "occupation"], ways=1, guess=guess),
        Ranges(["education-num", "occupation"], guess=guess),
    ):
        mine = schema.select(task.attributes(schema))
        places = [schema.names.index(name) for name in mine]
        counts = Counts.from_arrays(mine.sizes, rows[:, places], np.ones(len(rows), np.int64))
        yield Case(f"adult, {task.name} by {len(mine)}", task, mine, Unit(), StandIn("adult", counts, counts))


def _items(skew: float, most: int) -> Case:
    """Users with 1 to `most` records, items in proportion to rank ** -skew."""
    rolled, items, users = dice("plan", skew, most), 1000, 3000
    numbers = rolled.integers(1, most + 1, users)
    weights = np.arange(1, items + 1) ** -skew
    words = rolled.permutation(items)[rolled.choice(items, int(numbers.sum()), p=weights / weights.sum())]
    invented = InventedUsers((items,), np.concatenate([[0], np.cumsum(numbers)]), words.astype(np.int64))
    data = StandIn("items", invented, invented.table(), users_per_item(invented, (items,)))
    task = Items("item", guess={"rows": int(numbers.sum()), "records": most / 2})
    return Case(
        f"items, skew {skew:g}, up to {most}",
        task,
        Schema(item=Ordinal(0, items - 1)),
        Unit("user", max_rows=most),
        data,
    )
