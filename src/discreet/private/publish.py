"""THE path: validate, charge, count, measure, write. One direction; nothing private is touched before the charge."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.about import read_about
from discreet.charts.small_bars import html_facts
from discreet.errors import BadParameter, DiscreetError, LedgerError, PublishFailed
from discreet.ledger import Bill, Charge, Ledger, Scope
from discreet.ledger.entries import current_user
from discreet.mechanisms import Mechanism, Request, mechanism_for
from discreet.mechanisms.table.table_slices import Sliceable
from discreet.naming import usable_path
from discreet.privacy import Number, Unit, as_text
from discreet.private import manifest, slices
from discreet.private.bounded import Origin
from discreet.private.failures import privately, stopped_after_the_charge
from discreet.private.recovery import Ready, found_again, known_digests, settled
from discreet.private.rows import Rows
from discreet.release import Release, files, placing
from discreet.release.flagged import thresholds_for
from discreet.schema import Periods, Schema, Span
from discreet.schema.periods import KNOWN_OF_ALL_ROWS
from discreet.summaries.informed import informed
from discreet.tasks import Items, Task

if TYPE_CHECKING:
    from discreet.noise import Noise
    from discreet.plan import Plan
    from discreet.private.fit_report import DataFit

Progress = Callable[[str], None]
#: the stage before the charge: whoever raises in `progress` then stops a release that costs nothing yet
CHARGING = "charging"


@dataclass(frozen=True)
class Data:
    """Private data, its declared schema and unit, and the account its releases are charged to."""

    schema: Schema
    unit: Unit
    ledger: Ledger
    origin: Origin
    #: what tells rows apart by their dates, if releases are made for one period at a time
    periods: Periods | None = None
    #: the period whose rows alone these are
    span: Span | None = None
    #: who stands behind the releases, and why they are made: words that each of them carries
    about: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.schema, Schema):
            raise BadParameter("schema must be a Schema, such as Schema(age=Ordinal(0, 99))")
        if not isinstance(self.unit, Unit):
            raise BadParameter(f'unit must be a Unit, such as Unit("patient", max_rows=30), not {self.unit!r}')
        if self.periods is not None and not isinstance(self.periods, Periods):
            raise BadParameter(f'periods must be such as Periods("day", "month"), not {self.periods!r}')
        if self.periods is not None:
            self.periods.dates(self.schema)
        if self.about:
            read_about(self.about)

    def during(self, period: str) -> Data:
        """The same data, but only the rows of this period, such as "2026-10"; reads none of them.

        Where each row is to be protected, what is spent for one period leaves the budget of others as it is. Where
        users are, all periods add up.
        """
        if self.periods is None or self.span is not None:
            raise BadParameter(
                'to publish by periods, say which when opening the data: periods=Periods("day", "month")'
                if self.periods is None
                else f"these are the rows of {self.span.text if self.span else ''} already"
            )
        if not isinstance(self.origin, Rows):
            raise BadParameter("ready counts do not tell of which period a record is; open the rows instead")
        span = self.periods.span(period, self.schema)
        narrowed = self.periods.narrowed(self.schema, span)
        origin = self.origin.during(self.periods.attribute, self.periods.dates(self.schema), span)
        return replace(self, schema=narrowed, origin=origin, span=span)

    def __repr__(self) -> str:
        """What is declared and what was spent; nothing that a row says."""
        by = ", ".join(f"{name} ({attribute.size:,})" for name, attribute in self.schema.items())
        who = "one row" if self.unit.is_row else f"one {self.unit.column}"
        return f"<Private data by {by}; protects {who}; {self.ledger!r}>"

    def _repr_html_(self) -> str:
        facts = {
            "private data by": ", ".join(f"{name} ({attribute.size:,})" for name, attribute in self.schema.items()),
            "protects": "one row" if self.unit.is_row else f"one {self.unit.column}",
            "account": repr(self.ledger).strip("<>"),
            "what to do": "data.check(), data.plan(task, epsilon), data.publish(task, epsilon)",
        }
        return html_facts(facts)

    def __dir__(self) -> list[str]:
        """What people may use."""
        return ["check", "during", "ledger", "plan", "publish", "publish_all", "schema", "unit"]

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
        reliable: Any = None,
        noise: Noise | None = None,
        progress: Progress = lambda stage: None,
    ) -> Release:
        """A release of `task` for `epsilon`, charged to the ledger before any row is read.

        `data.publish(Table(["age", "sex"]), "0.5", name="by-age", to="out/by-age")`: with `to`, the release is written
        there as a folder, safe against a crash at any moment. The same `name` with the same request gives the same
        release at no further cost; with another request it is refused. `reliable` is a relative error, such as 0.3,
        above which its counts are flagged; it is no part of the request. `progress` is called with each stage in
        words; `noise` is for tests and audits.
        """
        from discreet.noise import Noise

        noise, target = noise or Noise(), None if to is None else usable_path(to, "the folder of a release")
        ready = self._ready(task, epsilon, name, target, noise, reliable)
        if (finished := found_again(self.ledger, ready)) is not None:
            return finished
        if target is not None:
            placing.check(target)
        slices.rehearse(ready.mechanism, self.origin, target, noise)
        bill = self._bill(ready)
        progress(CHARGING)
        charge = self.ledger.charge(bill.release_id, bill.request, bill.epsilon, current_user(), bill.what, bill.scope)
        return self._drawn(ready, charge, noise, progress)

    def publish_all(
        self,
        releases: Mapping[str, tuple[Task, Number]],
        *,
        to: str | Path | None = None,
        reliable: Mapping[str, Any] | None = None,
        noise: Noise | None = None,
        progress: Progress = lambda stage: None,
    ) -> dict[str, Release]:
        """Every one of these releases that is not made yet: `{"by-age": (Table("age"), 0.5)}`. Rows are read once.

        All are checked, then all are charged, each by itself, or none if they cost too much together; then rows are
        read. With `to`, each gets a folder of its name in that folder. What is there already is loaded; what was
        published elsewhere is left out of the result. After a crash, the same call finishes what was paid for.
        `reliable` has, by name, what `publish` takes for one.
        """
        from discreet.noise import Noise

        folder = None if to is None else usable_path(to, "the folder of releases")
        made: dict[str, Release] = {}
        missing: dict[str, Ready] = {}
        for name, (task, epsilon) in releases.items():
            target = None if folder is None else folder / self.id_of(name)
            ready = self._ready(task, epsilon, name, target, noise or Noise(), (reliable or {}).get(name))
            if (finished := found_again(self.ledger, ready, elsewhere_too=True)) is not None:
                made[name] = finished
            elif not self.ledger.recorded(ready.release_id):
                missing[name] = ready
                if target is not None:
                    placing.check(target)
                slices.rehearse(ready.mechanism, self.origin, target, noise or Noise())
        bills = [self._bill(ready) for ready in missing.values()]
        progress(CHARGING)
        charges = self.ledger.charge_all(bills, current_user())
        try:
            with self._read_once([ready.mechanism.request.schema for ready in missing.values()]) as origin:
                for (name, ready), charge in zip(missing.items(), charges, strict=True):
                    own = replace(self, origin=origin)
                    made[name] = own._drawn(ready, charge, noise or Noise(), _named(progress, name))
        except KeyboardInterrupt:
            left = [name for name in missing if name not in made]
            raise stopped_after_the_charge(
                f"not published yet: {', '.join(left) or 'none'}. The same call again finishes them at no further cost"
            ) from None
        return {name: made[name] for name in releases if name in made}

    def id_of(self, name: str) -> str:
        """What a release is called in the ledger: its name and, if it is about one, its period."""
        return name if self.span is None else f"{name}@{self.span.text}"

    def _drawn(self, ready: Ready, charge: Charge, noise: Noise, progress: Progress) -> Release:
        """The release that was paid for."""
        said = manifest.of(self.ledger, self.schema, ready.task, ready.mechanism, charge, noise, self._rows())
        said |= {"about": read_about(self.about)} if self.about else {}
        said |= {} if ready.reliable is None else {"reliable": ready.reliable}
        try:
            return privately(lambda: self._made(ready.mechanism, said, ready.target, noise, progress), ready.called)
        except (LedgerError, PublishFailed):
            # a rival drew the same release and was first: theirs is the one that counts
            if ready.target is not None and (finished := found_again(self.ledger, ready)) is not None:
                return finished
            raise

    def _read_once(self, schemas: list[Schema]) -> Any:
        """Where several releases get their rows from, for the length of a block."""
        if not isinstance(self.origin, Rows):
            return nullcontext(self.origin)
        from discreet.private.engines.shared_rows import shared

        return shared(self.origin, schemas, self.unit)

    def _made(
        self, mechanism: Mechanism, said: dict[str, Any], target: Path | None, noise: Noise, progress: Progress
    ) -> Release:
        """Count, measure, write: the only part that sees private data."""
        progress("counting and adding noise")
        if isinstance(mechanism, Sliceable) and mechanism.slices is not None and target is not None:
            record = partial(self.ledger.record, said["id"])
            return slices.publish(mechanism, self.origin, said, target, noise, record)
        schema, salt = mechanism.request.schema, noise.salt()
        data = self.origin.bounded(schema, self.unit, salt, repeatable=not noise.private)
        summary = informed(mechanism.measure(data, noise), mechanism.request.known)
        del data
        progress("writing")
        complete, contents = files.sealed({**said, "summary": {"shape": summary.shape, **summary.facts()}}, summary)
        if target is None:
            self.ledger.record(said["id"], complete["seal"])
        else:
            placing.place(target, complete, contents, lambda seal: self.ledger.record(said["id"], seal))
        return Release(summary, complete, {name: held for name, held in contents.items() if name != files.TABLE})

    def _request(self, task: Task, epsilon: Number) -> Request:
        request = Request.of(task, self.schema, self.unit, epsilon)
        self.origin.check(request.schema, self.unit, task.name)
        return request

    def _mechanism(self, task: Task, request: Request, method: str) -> Mechanism:
        mechanism = mechanism_for(task, request, method)
        if mechanism.needs_rows and not self.origin.has_rows and not self.unit.is_row:
            raise BadParameter(
                f"{mechanism.method} chooses among the records of each user, and ready counts do not tell whose they "
                f"are; open the rows instead, or use lpa, fpa or gs-r with bound = {self.unit.most}"
            )
        if mechanism.cost > request.epsilon:
            raise DiscreetError(f"{mechanism.method} would cost {mechanism.cost}, more than {as_text(request.epsilon)}")
        return mechanism

    def _ready(
        self, task: Task, epsilon: Number, name: str | None, target: Path | None, noise: Noise, reliable: Any
    ) -> Ready:
        """Refuses what cannot be made, before anything is charged. Without a name it is called after its task."""
        if self.span is not None and task.known:
            raise BadParameter(KNOWN_OF_ALL_ROWS)
        request = self._request(task, epsilon)
        name = name or f"{task.name}-{uuid.uuid4().hex[:12]}"
        release_id, about = self.id_of(name), self._rows()
        method, digest = settled(known_digests(self.ledger, release_id, target), task, request, noise.name, about)
        mechanism = self._mechanism(task, request, method)
        slices.check(mechanism, self.origin, target, noise)
        thresholds = thresholds_for(mechanism.release_schema, reliable)
        called = repr(name) if self.span is None else f"{name!r} for {self.span.text}"
        return Ready(release_id, called, digest, target, task, mechanism, thresholds)

    def _bill(self, ready: Ready) -> Bill:
        epsilon = ready.mechanism.request.epsilon
        return Bill(ready.release_id, ready.digest, epsilon, repr(ready.task), self.scope)

    @property
    def scope(self) -> Scope:
        """What charges are for: where rows are protected, each is in one period; a user may be in all of them."""
        dataset = self.ledger.added_dataset
        if self.periods is None or self.span is None:
            return Scope(dataset)
        apart = self.unit.neighbours if self.unit.is_row else ""
        return Scope(dataset, self.span.text, self.periods.partition(self.schema), apart)

    def _rows(self) -> dict[str, Any]:
        """What a release says of the rows that it is about, if these are not all that the account began with."""
        scope = self.scope
        about: dict[str, Any] = {"dataset": scope.dataset} if scope.dataset else {}
        if self.periods is not None and self.span is not None:
            period = self.periods.to_dict(self.schema, self.span)
            about["period"] = {**period, "adds_up": not scope.neighbours}
        return about


def _named(progress: Progress, name: str) -> Progress:
    return lambda stage: progress(f"{name}: {stage}")
