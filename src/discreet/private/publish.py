"""THE path: validate, charge, count, measure, write. One direction; nothing private is touched before the charge."""

from __future__ import annotations

import getpass
import os
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import BadParameter, DiscreetError, LedgerError, PublishFailed
from discreet.ledger import Ledger
from discreet.mechanisms import Mechanism, Request, mechanism_for
from discreet.naming import usable_path
from discreet.privacy import Number, Unit, as_text, exact
from discreet.private import manifest
from discreet.private.bounded import Origin, ReadyCounts
from discreet.private.counts import Counts
from discreet.private.failures import privately
from discreet.private.rows import Rows
from discreet.release import Release, files, load, placing
from discreet.schema import Schema
from discreet.tasks import Items, Task

if TYPE_CHECKING:
    from discreet.noise import Noise
    from discreet.plan import Plan
    from discreet.private.fit_report import DataFit

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Data:
    """Private data, its declared schema and unit, and the account its releases are charged to."""

    schema: Schema
    unit: Unit
    ledger: Ledger
    origin: Origin

    def __post_init__(self) -> None:
        if not isinstance(self.schema, Schema):
            raise BadParameter("schema must be a Schema, such as Schema(age=Ordinal(0, 99))")
        if not isinstance(self.unit, Unit):
            raise BadParameter(f'unit must be a Unit, such as Unit("patient", max_rows=30), not {self.unit!r}')

    def plan(
        self, task: Task, epsilon: Number, *, questions: Any = None, like: Any = None, share: float = 0.95
    ) -> Plan:
        """What each method would give for `epsilon`. Reads no data and spends nothing.

        `questions` are your own (a list of predicates, or a CSV file or frame of them) in place of those that people
        usually ask. `like` is public data of the same schema to rehearse methods on, in place of invented data.
        """
        from discreet.plan import plan
        from discreet.private.public_file import stand_in_of

        request, items = self._request(task, epsilon), isinstance(task, Items)
        public = None if like is None else stand_in_of(like, request.schema, self.unit, items=items)
        return plan(task, request, questions=questions, like=public, share=share)

    def check(self, releases: Mapping[str, tuple[Task, Number]] | None = None) -> DataFit:
        """How well the rows fit the schema, the unit and, by name, planned releases: `{"by-age": (Table("age"), 1)}`.

        Private, for the custodian only; it reads all rows, spends nothing, and is never part of a release.
        """
        from discreet.private.data_fit import fit_of

        return fit_of(self.origin, self.schema, self.unit, releases or {})

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

        noise, target = noise or Noise(), None if to is None else usable_path(to, "the folder of a release")
        request = self._request(task, epsilon)
        mechanism = self._mechanism(task, request)
        release_id = name or f"{task.name}-{uuid.uuid4().hex[:12]}"
        digest = self._digest(task, request, noise, release_id, target)
        if (finished := self._finished(release_id, digest, target)) is not None:
            return finished
        if target is not None:
            placing.check(target)
        charge = self.ledger.charge(release_id, digest, request.epsilon, _user(), repr(task))
        said = manifest.of(self.ledger, self.schema, task, mechanism, charge, noise)
        try:
            return privately(lambda: self._made(mechanism, said, target, noise, progress), release_id)
        except (LedgerError, PublishFailed):
            # a rival drew the same release and was first: theirs is the one that counts
            if target is not None and (finished := self._finished(release_id, digest, target)) is not None:
                return finished
            raise

    def _made(
        self, mechanism: Mechanism, said: dict[str, Any], target: Path | None, noise: Noise, progress: Progress
    ) -> Release:
        """Count, measure, write: the only part that sees private data."""
        progress("counting and adding noise")
        schema, salt = mechanism.request.schema, noise.salt()
        data = self.origin.bounded(schema, self.unit, salt, repeatable=not noise.private)
        summary = mechanism.measure(data, noise)
        del data
        progress("writing")
        complete, table = files.sealed({**said, "summary": {"shape": summary.shape, **summary.facts()}}, summary)
        if target is None:
            self.ledger.record(said["id"], complete["seal"])
        else:
            placing.place(target, complete, table, lambda seal: self.ledger.record(said["id"], seal))
        return Release(summary, complete)

    def _request(self, task: Task, epsilon: Number) -> Request:
        request = Request.of(task, self.schema, self.unit, epsilon)
        self.origin.check(request.schema, self.unit)
        return request

    def _mechanism(self, task: Task, request: Request) -> Mechanism:
        mechanism = mechanism_for(task, request)
        if mechanism.needs_rows and not self.origin.has_rows and not self.unit.is_row:
            raise BadParameter(
                f"{mechanism.method} chooses among the records of each user, and ready counts do not tell whose they "
                f"are; open the rows instead, or use lpa, fpa or gs-r with bound = {self.unit.most}"
            )
        if mechanism.cost > request.epsilon:
            raise DiscreetError(f"{mechanism.method} would cost {mechanism.cost}, more than {as_text(request.epsilon)}")
        return mechanism

    # recovery: what was published before is found again and never drawn twice

    def _digest(self, task: Task, request: Request, noise: Noise, release_id: str, target: Path | None) -> str:
        """The digest of the request, in the form in which it was charged before, if it was."""
        digest, earlier = manifest.request_digests(task, request, noise.name)
        known = {self.ledger.charged(release_id)}
        if target is not None and (target / files.MANIFEST).is_file():
            known.add(files.read_manifest(target)["request"])
        return earlier if earlier is not None and earlier in known else digest

    def _finished(self, release_id: str, digest: str, target: Path | None) -> Release | None:
        """The release as it was published before, if it was; refuses to draw it a second time."""
        recorded = self.ledger.recorded(release_id)
        if target is not None and recorded and not os.path.lexists(target):
            placing.recover(target, recorded)
        if target is not None and (target / files.MANIFEST).is_file():
            release = load(target)
            said = release.manifest
            if said["id"] != release_id or said["request"] != digest:
                raise DiscreetError(
                    f"{target}: holds another release, or one of an earlier version, which could not tell its request "
                    "from others. Load it if it is the one you want; else choose another folder and name"
                )
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


def _user() -> str:
    """Who is publishing, for the ledger; a process may run as nobody in particular."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


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
    """Private rows: a path (CSV, Parquet, Arrow, globs, lists of them, a folder of Parquet files), a table in a
    database (people.duckdb::visits, people.sqlite::visits, postgresql://host/db::public.visits), a pandas, polars or
    Arrow table, a DuckDB relation, an ibis table.

    Without a ledger file the account lives in memory, and the releases say so. `delimiter` (a comma, or a tab for .tsv)
    and `encoding` (UTF-8) are for CSV files.
    """
    from discreet.private.engines.opening import open_source
    from discreet.private.engines.session import Limits

    rows = Rows(open_source(source, delimiter=delimiter, encoding=encoding), Limits(threads, memory_limit))
    return Data(schema, unit or Unit(), _account(ledger, dataset, budget), rows)


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
    ready = ReadyCounts(schema, Counts.from_arrays(schema.sizes, codes, counts))
    return Data(schema, unit or Unit(), _account(ledger, dataset, budget), ready)


def _account(ledger: str | Path | Ledger | None, dataset: str, budget: Number | None) -> Ledger:
    if isinstance(ledger, Ledger):
        return ledger
    return Ledger.open(ledger, dataset, None if budget is None else exact(budget, "budget"))
