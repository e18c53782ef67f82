"""THE path: validate, charge, count, measure, write. One direction; nothing private is touched before the charge."""

from __future__ import annotations

import getpass
import hashlib
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet import folder
from discreet.errors import BadParameter, DiscreetError, LedgerError
from discreet.failures import private_failures
from discreet.ledger import Charge, Ledger
from discreet.mechanisms import Mechanism, Request, mechanism_for
from discreet.privacy import Number, Unit, as_text, exact
from discreet.release import Release, load
from discreet.schema import Schema
from discreet.tasks import Task

if TYPE_CHECKING:
    from discreet.counts import Counts
    from discreet.noise import Noise

#: column names that a release needs for itself
RESERVED = ("count", "stderr", "low", "high", "bias", "weight")
LARGEST_EPSILON = 10**6

Counting = Callable[[Schema, Unit, bytes], "Counts"]
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Data:
    """Private data, its declared schema and unit, and the account its releases are charged to."""

    schema: Schema
    unit: Unit
    ledger: Ledger
    #: names the needed columns and complains if they are not there; looks at no row
    require: Callable[[list[str]], None]
    count: Counting

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
        if mechanism.cost > request.epsilon:
            raise DiscreetError(f"{mechanism.method} would cost {mechanism.cost}, more than {as_text(request.epsilon)}")
        release_id = name or f"{task.name}-{uuid.uuid4().hex[:12]}"
        digest = _request_digest(task, request, noise.name)
        target = None if to is None else Path(to)
        if (finished := self._finished(release_id, digest, target)) is not None:
            return finished

        charge = self.ledger.charge(release_id, digest, request.epsilon, getpass.getuser(), repr(task))
        if charge.repeated and target is None:
            raise LedgerError(f"release {release_id!r} was drawn before; load its folder, or choose another name")
        manifest = self._manifest(task, mechanism, charge, noise)
        with private_failures():
            progress("counting")
            counts = self.count(request.schema, self.unit, noise.salt())
            progress("drawing noise")
            summary = mechanism.measure(counts, noise)
            del counts
            manifest["summary"] = {"shape": summary.shape, **summary.facts()}
            release = Release(summary, manifest)
            if target is None:
                self.ledger.record(release_id, folder.seal_of(manifest))
                return release
            progress("writing")
            release.manifest = folder.place(
                target,
                lambda hidden: folder.write_files(hidden, manifest, summary),
                lambda seal: self.ledger.record(release_id, seal),
            )
            return release

    def _validated(self, task: Task, epsilon: Number) -> Request:
        exact_epsilon = exact(epsilon, "epsilon")
        if exact_epsilon > LARGEST_EPSILON:
            raise BadParameter(
                f"epsilon {as_text(exact_epsilon)} protects nobody; values between 0.01 and 10 are usual"
            )
        schema = self.schema.select(task.by)
        for name in schema:
            if name.lower() in RESERVED:
                raise BadParameter(f"attribute {name!r} has the name of a column of releases; rename it in the data")
        self.require([*schema.names, *([] if self.unit.is_row else [self.unit.column])])
        return Request(schema, self.unit, exact_epsilon, dict(task.parameters))

    def _finished(self, release_id: str, digest: str, target: Path | None) -> Release | None:
        """The release as it was published before, if it was; refuses to draw it a second time."""
        recorded = self.ledger.recorded(release_id)
        if target is not None and recorded and not target.exists():
            hidden = folder.find_unpublished(target, recorded)
            if hidden is not None:
                hidden.rename(target)
        if target is not None and target.exists():
            release = load(target)
            if release.manifest["id"] == release_id and release.manifest["request"] == digest:
                return release
            raise DiscreetError(f"{target}: holds another release; choose another folder, or remove it first")
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
            "schema": request.schema.to_dict(),
            "data_attributes": list(self.schema.names),
            "noise": {**mechanism.noise_law(), "bits": noise.name, "publishable": noise.private},
            "leaves_out": [*_left_out(request.schema, self.unit), *mechanism.bias()],
            "software": f"discreet {version('discreet')}",
            "ledger": {"durable": self.ledger.durable, "head": charge.head},
        }


def _left_out(schema: Schema, unit: Unit) -> list[str]:
    """What the declared rules keep out of the counts; known without looking at the data."""
    sentences = []
    for rule, what in (("outside", "a value outside the declared domain of"), ("null", "no value of")):
        names = [name for name in schema if getattr(schema[name], rule) == "drop"]
        if names:
            sentences.append(f"rows with {what} {', '.join(names)} are not counted")
    clamped = [name for name in schema if schema[name].outside == "clamp"]
    if clamped:
        sentences.append(f"values beyond the declared ends of {', '.join(clamped)} count in the first or last bin")
    if not unit.is_row:
        per_cell = f", and {unit.max_rows_per_cell} in one cell" if unit.max_rows_per_cell else ""
        sentences.append(f"at most {unit.max_rows} rows of one {unit.column} are counted{per_cell}, chosen at random")
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
    threads: int | None = None,
    memory_limit: str | None = None,
) -> Data:
    """Private rows: a path (CSV, Parquet, globs, lists of them), a pandas, polars or Arrow frame, an ibis table.

    Without a ledger file the account lives in memory, and the releases say so.
    """
    from discreet import engines

    opened = engines.open_source(source, delimiter=delimiter)

    def count(wanted: Schema, bounded: Unit, salt: bytes) -> Counts:
        return engines.count(opened, wanted, bounded, salt=salt, threads=threads, memory_limit=memory_limit)

    return Data(schema, unit or Unit(), _account(ledger, dataset, budget), opened.require, count)


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
    from discreet.counts import Counts

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
