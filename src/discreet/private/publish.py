"""THE path: validate, charge, count, measure, write. One direction; nothing private is touched before the charge."""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import BadParameter, DiscreetError, LedgerError, PublishFailed
from discreet.ledger import Charge, Ledger
from discreet.mechanisms import Mechanism, Request, mechanism_for
from discreet.naming import reserved_problem
from discreet.privacy import LARGEST_EPSILON, Number, Unit, as_text, exact
from discreet.private.failures import privately
from discreet.release import Release, files, load, placing
from discreet.schema import Schema
from discreet.tasks import Task

if TYPE_CHECKING:
    from discreet.noise import Noise
    from discreet.plan import Plan
    from discreet.private.counts import Counts
    from discreet.private.kept import Histories

Counting = Callable[[Schema, Unit, bytes], "Counts"]
Looking = Callable[[Schema, Unit, int, bool], "Histories"]
CountingSets = Callable[[Schema, Sequence[Sequence[str]], Unit, bytes], "list[Counts]"]
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Data:
    """Private data, its declared schema and unit, and the account its releases are charged to."""

    schema: Schema
    unit: Unit
    ledger: Ledger
    #: complains if one of these columns is not there or cannot be counted; looks at no row
    require: Callable[[list[str]], None]
    count: Counting
    #: the same for several sets of attributes at once, where there is a quicker way than one count of all attributes
    several: CountingSets | None = None
    #: what users have, where rows are there to tell
    look: Looking | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.schema, Schema):
            raise BadParameter("schema must be a Schema, such as Schema(age=Ordinal(0, 99))")
        if not isinstance(self.unit, Unit):
            raise BadParameter(f'unit must be a Unit, such as Unit("patient", max_rows=30), not {self.unit!r}')

    def plan(self, task: Task, epsilon: Number) -> Plan:
        """What each method would give for `epsilon`. Reads no data and spends nothing."""
        from discreet.plan import plan

        return plan(task, self._validated(task, epsilon))

    def publish(
        self,
        task: Task,
        epsilon: Number,
        *,
        name: str | None = None,
        to: str | Path | None = None,
        noise: Noise | None = None,
        progress: Progress = lambda stage: None,
    ) -> Release:
        """A release of `task` for `epsilon`, charged to the ledger before any row is read.

        With `to`, the release is written there as a folder, safe against a crash at any moment. The same `name` with
        the same request gives the same release at no further cost; with another request it is refused.
        """
        from discreet.noise import Noise

        noise = noise or Noise()
        request = self._validated(task, epsilon)
        mechanism = mechanism_for(task, request)
        self._check_rows(mechanism)
        if mechanism.cost > request.epsilon:
            raise DiscreetError(f"{mechanism.method} would cost {mechanism.cost}, more than {as_text(request.epsilon)}")
        release_id = name or f"{task.name}-{uuid.uuid4().hex[:12]}"
        digest = _request_digest(task, request, noise.name)
        target = None if to is None else Path(to)
        if (finished := self._finished(release_id, digest, target)) is not None:
            return finished
        if target is not None:
            placing.check(target)

        charge = self.ledger.charge(release_id, digest, request.epsilon, _user(), repr(task))
        manifest = self._manifest(task, mechanism, charge, noise)
        try:
            return privately(lambda: self._made(mechanism, manifest, target, noise, progress), release_id)
        except (LedgerError, PublishFailed):
            # a rival drew the same release and was first: theirs is the one that counts
            if target is not None and (finished := self._finished(release_id, digest, target)) is not None:
                return finished
            raise

    def _made(
        self, mechanism: Mechanism, manifest: dict[str, Any], target: Path | None, noise: Noise, progress: Progress
    ) -> Release:
        """Count, measure, write: the only part that sees private data."""
        progress("counting")
        schema, salt = mechanism.request.schema, noise.salt()
        counts: Any
        if mechanism.reads_histories:
            counts = self.histories(schema, salt, looks=mechanism.looks, repeatable=not noise.private)
        elif mechanism.sets is None:
            counts = self.count(schema, self.unit, salt)
        else:
            counts = self.count_sets(schema, mechanism.sets, self.unit, salt)
        progress("drawing noise")
        summary = mechanism.measure(counts, noise)
        del counts
        manifest = {**manifest, "summary": {"shape": summary.shape, **summary.facts()}}
        progress("writing")
        complete, table = files.sealed(manifest, summary)
        if target is None:
            self.ledger.record(manifest["id"], complete["seal"])
        else:
            placing.place(target, complete, table, lambda seal: self.ledger.record(manifest["id"], seal))
        return Release(summary, complete)

    def count_sets(self, schema: Schema, sets: Sequence[Sequence[str]], unit: Unit, salt: bytes) -> list[Counts]:
        """Counts over each set of attributes, all of the same bounded rows."""
        if self.several is not None:
            return self.several(schema, sets, unit, salt)
        whole = self.count(schema, unit, salt)
        return [whole.marginal([schema.names.index(name) for name in names]) for names in sets]

    def histories(self, schema: Schema, salt: bytes, *, looks: int = 1, repeatable: bool = False) -> Histories:
        """What users have, for so many looks. If rows are users, or counts are all there is, these say it.

        With `repeatable`, rows are read in the same order every time, on one thread: for test noise from a seed.
        """
        if self.look is not None and not self.unit.is_row:
            return self.look(schema, self.unit, looks, repeatable)
        from discreet.private.kept import CountedHistories

        return CountedHistories(self.count(schema, self.unit, salt))

    def _check_rows(self, mechanism: Mechanism) -> None:
        if mechanism.needs_rows and self.look is None and not self.unit.is_row:
            raise BadParameter(
                f"{mechanism.method} chooses among the records of each user, and ready counts do not tell whose they "
                "are; open the rows instead, or use lpa, fpa or gs-r"
            )

    def _validated(self, task: Task, epsilon: Number) -> Request:
        if not isinstance(task, Task):
            raise BadParameter(f'the task must be one such as Table(["age"]), not {task!r}')
        exact_epsilon = exact(epsilon, "epsilon")
        if exact_epsilon > LARGEST_EPSILON:
            raise BadParameter(
                f"epsilon {as_text(exact_epsilon)} protects nobody; values between 0.01 and 10 are usual"
            )
        schema = self.schema.select(task.attributes(self.schema))
        for name in schema:
            if (problem := reserved_problem(name)) is not None:
                raise BadParameter(f"attribute {problem}")
        self.require([*schema.names, *([] if self.unit.is_row else [self.unit.column])])
        return Request(schema, self.unit, exact_epsilon, task.asked())

    def _finished(self, release_id: str, digest: str, target: Path | None) -> Release | None:
        """The release as it was published before, if it was; refuses to draw it a second time."""
        recorded = self.ledger.recorded(release_id)
        if target is not None and recorded and not os.path.lexists(target):
            placing.recover(target, recorded)
        if target is not None and (target / files.MANIFEST).is_file():
            release = load(target)
            said = release.manifest
            if said["id"] != release_id or said["request"] != digest:
                raise DiscreetError(f"{target}: holds another release; choose another folder, or remove it first")
            if not self.ledger.durable and not said["ledger"]["durable"]:
                return release  # nobody remembers that account, but the folder still answers the same request
            if not self.ledger.contains_head(said["ledger"]["head"]):
                raise LedgerError(
                    f"{target}: was charged to a ledger that is not this one, or this one is an older copy of it. "
                    "Restore the newest ledger, or choose another folder and name"
                )
            if said["seal"] != recorded:
                raise DiscreetError(f"{target}: is not the release that the ledger recorded; choose another folder")
            placing.sweep(target, release_id)
            return release
        if recorded:
            raise LedgerError(
                f"release {release_id!r} was published before; its noise cannot be drawn again. Load or restore its "
                "folder, or publish under another name (which costs again)"
            )
        return None

    def _manifest(self, task: Task, mechanism: Mechanism, charge: Charge, noise: Noise) -> dict[str, Any]:
        from importlib.metadata import version

        request = mechanism.request
        return {
            "id": charge.release_id,
            "request": charge.request,
            "dataset": self.ledger.dataset,
            "time": charge.time,
            "task": task.to_dict(),
            "method": mechanism.method,
            "parameters": mechanism.chosen(),
            "epsilon": as_text(request.epsilon),
            "unit": self.unit.to_dict(),
            "sensitivity": self.unit.sensitivity,
            "schema": mechanism.release_schema.to_dict(),
            "data_attributes": list(self.schema.names),
            "noise": {**mechanism.noise_law(), "bits": noise.name, "publishable": noise.private},
            "leaves_out": [*_left_out(mechanism), *mechanism.bias()],
            "software": f"discreet {version('discreet')}",
            "ledger": {"durable": self.ledger.durable, "head": charge.head},
        }


def _user() -> str:
    """Who is publishing, for the ledger; a process may run as nobody in particular."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


def _left_out(mechanism: Mechanism) -> list[str]:
    """What the declared rules keep out of the counts; known without looking at the data."""
    schema, unit, sentences = mechanism.request.schema, mechanism.request.unit, []
    for rule, what in (("outside", "a value outside the declared domain of"), ("null", "no value of")):
        names = [name for name in schema if getattr(schema[name], rule) == "drop"]
        if names:
            sentences.append(f"rows with {what} {', '.join(names)} are not counted")
    clamped = [name for name in schema if schema[name].outside == "clamp"]
    if clamped:
        sentences.append(f"values beyond the declared ends of {', '.join(clamped)} count in the first or last bin")
    if not unit.is_row:
        if not mechanism.reads_histories:  # those say themselves how they choose
            per_cell = f", and {unit.max_rows_per_cell} in one cell" if unit.max_rows_per_cell else ""
            sentences.append(
                f"at most {unit.max_rows} rows of one {unit.column} are counted{per_cell}, chosen at random"
            )
        sentences.append(f"rows without a {unit.column} are not counted")
    return sentences


def _request_digest(task: Task, request: Request, noise: str) -> str:
    """The same for the same request: everything that decides the law of the release."""
    asked = {
        "task": task.to_dict(),
        "epsilon": str(request.epsilon),
        "unit": request.unit.to_dict(),
        "schema": request.schema.to_dict(),
        "noise": noise,
    }
    return hashlib.sha256(json.dumps(asked, default=str).encode()).hexdigest()


def open_data(
    source: Any,
    schema: Schema,
    *,
    unit: Unit | None = None,
    ledger: str | Path | Ledger | None = None,
    budget: Number | None = None,
    dataset: str = "data",
    delimiter: str | None = None,
    encoding: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
) -> Data:
    """Private rows: a path (CSV, Parquet, globs, lists of them), a pandas, polars or Arrow frame, an ibis table.

    Without a ledger file the account lives in memory, and the releases say so. `delimiter` (a comma, or a tab for .tsv)
    and `encoding` (UTF-8) are for CSV files.
    """
    from discreet.private import engines

    opened = engines.open_source(source, delimiter=delimiter, encoding=encoding)
    engines.Limits(threads, memory_limit)  # complains now rather than after the charge
    hidden = unit or Unit()

    def require(names: list[str]) -> None:
        opened.require(names)
        engines.check(opened, schema.select([name for name in schema if name in names]), hidden)

    def count(wanted: Schema, bounded: Unit, salt: bytes) -> Counts:
        return engines.count(opened, wanted, bounded, salt=salt, threads=threads, memory_limit=memory_limit)

    def several(wanted: Schema, sets: Sequence[Sequence[str]], bounded: Unit, salt: bytes) -> list[Counts]:
        return engines.count_sets(opened, wanted, sets, bounded, salt=salt, threads=threads, memory_limit=memory_limit)

    def look(wanted: Schema, bounded: Unit, looks: int, repeatable: bool) -> Histories:
        used = 1 if repeatable else threads
        return engines.histories(opened, wanted, bounded, looks=looks, threads=used, memory_limit=memory_limit)

    return Data(schema, hidden, _account(ledger, dataset, budget), require, count, several, look)


def from_counts(
    schema: Schema,
    codes: Any,
    counts: Any,
    *,
    unit: Unit | None = None,
    ledger: str | Path | Ledger | None = None,
    budget: Number | None = None,
    dataset: str = "data",
) -> Data:
    """Ready aggregates: integer codes (cells x attributes) and a count for each.

    The unit's bounds cannot be enforced on aggregates: whoever made them must have.
    """
    from discreet.private.counts import Counts

    table = Counts.from_arrays(schema.sizes, codes, counts)

    def count(wanted: Schema, bounded: Unit, salt: bytes) -> Counts:
        places = [schema.names.index(name) for name in wanted]
        return Counts.from_arrays(wanted.sizes, table.codes[:, places], table.counts)

    return Data(schema, unit or Unit(), _account(ledger, dataset, budget), lambda names: None, count)


def _account(ledger: str | Path | Ledger | None, dataset: str, budget: Number | None) -> Ledger:
    if isinstance(ledger, Ledger):
        return ledger
    cap: Fraction | None = None if budget is None else exact(budget, "budget")
    return Ledger.open(ledger, dataset, cap)
