"""Record and replay: a release is made of invented neighbours, and what they cost is read off its draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.audit.losses import Loss, losses, sampled_losses
from discreet.audit.neighbours import Around, Invented, relations
from discreet.audit.recorder import TapedNoise
from discreet.audit.tape import Flipped
from discreet.errors import DiscreetError
from discreet.mechanisms import Request, mechanism_for
from discreet.privacy import Unit
from discreet.private.open_data import from_counts, open_data
from discreet.private.publish import Data
from discreet.release import Release
from discreet.schema import Schema
from discreet.tasks import Task

Progress = Callable[[str], None]
Opened = Callable[[Any, Schema, Unit], Data]

#: what differs between two releases of one request in any case
_PERSONAL = ("time", "ledger", "seal")


@dataclass(frozen=True)
class Tried:
    """One pair of neighbours: what their difference costs, or why that cannot be told."""

    what: str
    neighbours: str
    losses: tuple[Loss, ...]
    problem: str | None = None

    @property
    def epsilon(self) -> Fraction:
        return sum((loss.epsilon for loss in self.losses), Fraction(0))


@dataclass(frozen=True)
class Replayed:
    """All pairs that were tried for one release."""

    epsilon: Fraction
    declared: Fraction
    tried: tuple[Tried, ...]

    @property
    def worst(self) -> Tried:
        return max(self.tried, key=lambda one: one.epsilon)

    @property
    def problems(self) -> list[str]:
        """What is wrong, each with the neighbours that show it."""
        found = [f"{one.what} ({one.neighbours}): {one.problem}" for one in self.tried if one.problem]
        if self.declared > self.epsilon:
            found.append(f"the method declares a cost of {float(self.declared):.6g}, more than is charged")
        worst = self.worst
        if worst.epsilon == 0 and not found:
            found.append("no neighbours cost anything: the release tells nothing, or not by draws that the audit sees")
        if worst.epsilon > min(self.epsilon, self.declared):
            found.append(
                f"{worst.what} ({worst.neighbours}): costs {float(worst.epsilon):.6g}, more than the "
                f"{float(self.epsilon):.6g} that is charged"
            )
        return found

    @property
    def tightness(self) -> float:
        """How much of what is charged the worst neighbours use up."""
        return float(self.worst.epsilon / self.epsilon)


def replay(
    task: Task,
    request: Request,
    *,
    seed: int = 0,
    opened: Opened | None = None,
    progress: Progress = lambda what: None,
) -> Replayed:
    """A release of this request, tried on neighbours under both relations. Reads no data; nothing is charged.

    With another way to open tables than publishing has, none are read from files.
    """
    declared = Fraction(0)
    tried: list[Tried] = []
    for unit in relations(request.unit):
        asked = replace(request, unit=unit)
        mechanism = mechanism_for(task, asked)
        declared = max(declared, mechanism.cost)
        invented = Invented(request.schema, unit, seed)
        for around in invented.tables():
            if around.files and opened is not None:
                continue
            tried += _Runs(task, asked, around, seed, opened or _opened).compared(progress)
        if unit.is_row or not mechanism.needs_rows:
            for around in invented.ready():
                tried += _Runs(task, asked, around, seed, _counted).compared(progress)
    return Replayed(request.epsilon, declared, tuple(tried))


@contextmanager
def _in_two_files(table: pa.Table, unit: Unit) -> Iterator[list[str]]:
    """Every second row in one Parquet file, the others in a second one, where users are floats."""
    with TemporaryDirectory(prefix="discreet-audit-") as folder:
        paths = [f"{folder}/{part}.parquet" for part in range(2)]
        for part, (path, kind) in enumerate(zip(paths, (pa.int64(), pa.float64()), strict=True)):
            rows = table.take(np.arange(part, len(table), 2))
            if not unit.is_row:
                place = rows.column_names.index(unit.column)
                rows = rows.set_column(place, unit.column, rows.column(place).cast(kind))
            pq.write_table(rows, path)
        yield paths


def _opened(source: Any, schema: Schema, unit: Unit) -> Data:
    return open_data(source, schema, unit=unit, threads=1)


def _counted(table: pa.Table, schema: Schema, unit: Unit) -> Data:
    *codes, counts = (np.array(column.to_pylist(), np.int64) for column in table.columns)
    return from_counts(schema, np.stack(codes, axis=1), counts, unit=unit)


@dataclass(frozen=True)
class _Runs:
    """Runs of one request on a table and on its neighbours."""

    task: Task
    request: Request
    around: Around
    seed: int
    opened: Opened

    def compared(self, progress: Progress) -> Iterator[Tried]:
        relation = self.request.unit.neighbours
        heads, first = self._recorded(heads=True)
        sampled = any(isinstance(step, Flipped) for step in heads.tape.steps)
        tails, other = self._recorded(heads=False) if sampled else (heads, first)
        for what, table in self.around.neighbours:
            progress(f"{relation}: {what}")
            found = self._followed(table, heads, first, heads=True)
            if isinstance(found, str):
                yield Tried(what, relation, (), found)
                continue
            if sampled:
                none = self._followed(table, tails, other, heads=False)
                if isinstance(none, str):
                    yield Tried(what, relation, (), none)
                    continue
                coins = [step.chance for step in heads.tape.steps if isinstance(step, Flipped)]
                found = sampled_losses(found, none, coins)
            yield Tried(what, relation, () if self.around.far else tuple(found))

    def _recorded(self, *, heads: bool) -> tuple[TapedNoise, Release | None]:
        noise = TapedNoise(self.seed, heads=heads)
        return noise, self._published(self.around.base, noise)

    def _followed(self, table: pa.Table, before: TapedNoise, first: Release | None, *, heads: bool) -> list[Loss] | str:
        """The losses of the draws, or what is wrong."""
        if first is None:
            return before.problem or "nothing could be published"
        noise = TapedNoise(self.seed, before.tape, heads=heads)
        second = self._published(table, noise)
        if noise.problem is not None:
            return noise.problem
        if second is None:
            return "one of the two can be published, and the other cannot"
        if len(noise.tape.steps) != len(before.tape.steps):
            return "fewer draws are made"
        if not _same(first, second):
            return "the same noisy values give another release, so it shows more than these"
        return losses(before.tape, noise.tape)

    def _published(self, table: pa.Table, noise: TapedNoise) -> Release | None:
        with _in_two_files(table, self.request.unit) if self.around.files else nullcontext(table) as source:
            data = self.opened(source, self.request.schema, self.request.unit)
            try:
                return data.publish(self.task, self.request.epsilon, name="audit", noise=noise)
            except DiscreetError:
                return None


def _same(first: Release, second: Release) -> bool:
    said = [{key: value for key, value in one.manifest.items() if key not in _PERSONAL} for one in (first, second)]
    return said[0] == said[1] and first.to_arrow().equals(second.to_arrow())
