"""`Data.check`: do the private rows fit what is declared, and would releases be more than noise? Costs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from discreet.errors import BadParameter
from discreet.mechanisms import Request, mechanism_for
from discreet.privacy import Number, Unit
from discreet.private.fit_noise import release_fit
from discreet.private.fit_queries import AttributeCounts, RowCounts, row_counts
from discreet.private.fit_report import MUCH, AttributeFit, DataFit, FitWarning, UserFit, share
from discreet.private.fit_values import attribute_warnings
from discreet.private.rows import Rows
from discreet.schema import Schema
from discreet.tasks import Task

#: bounds that are tried beside the declared one
BOUNDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
EXAMPLES = 5
#: a share of the rows that a bound may take before it is worth a warning
MUCH_BOUNDED = 0.2


def fit_of(origin: Any, schema: Schema, unit: Unit, releases: Mapping[str, tuple[Task, Number]]) -> DataFit:
    """Compares rows with the declared domains and bounds, and with the noise of the releases that are planned."""
    if not isinstance(origin, Rows):
        raise BadParameter("ready counts have no rows to compare with a schema; check the data they were made from")
    made = {
        name: mechanism_for(task, Request.of(task, schema, unit, epsilon)) for name, (task, epsilon) in releases.items()
    }
    asked = {name: one.request.schema.names for name, one in made.items()}
    counts = row_counts(origin.source, schema, unit, asked, origin.limits)
    users = None if unit.is_row else _users(counts, unit)
    fits = [release_fit(name, releases[name][0], one, origin, counts.releases[name]) for name, one in made.items()]
    warnings = [
        warning
        for name, one in counts.attributes.items()
        for warning in attribute_warnings(name, schema[name], one, counts.rows)
    ]
    warnings += [] if users is None else _user_warnings(users, counts)
    warnings += [warning for _, mine in fits for warning in mine]
    used = {*schema.columns, *([] if unit.is_row else [unit.column])}
    return DataFit(
        origin.source.name,
        counts.rows,
        tuple(_attribute(name, one) for name, one in counts.attributes.items()),
        users,
        tuple(fit for fit, _ in fits),
        tuple(name for name in origin.source.columns if name not in used),
        tuple(warnings),
    )


def without_day(rows: Rows, attribute: str, schema: Schema) -> list[FitWarning]:
    """Rows that lie in no period, since their day cannot be read, and what is wrong with those."""
    found = fit_of(rows, Schema({attribute: schema[attribute]}), Unit(), {})
    dates = found.attributes[0]
    lost = dates.unread + dates.missing
    if not lost:
        return []
    said = f"{share(lost, found.rows)} of all rows have no {attribute} that can be read, and are in no period"
    first = FitWarning(f"attributes.{attribute}", said, "mend the dates, or say how they are written with `format`")
    return [first, *found.warnings]


def _attribute(name: str, one: AttributeCounts) -> AttributeFit:
    examples = sorted([*one.unread_values, *one.beyond_values], key=lambda pair: -pair[1])[:EXAMPLES]
    return AttributeFit(name, one.inside, one.beyond, one.unread, one.missing, one.lost, tuple(examples))


def _users(counts: RowCounts, unit: Unit) -> UserFit:
    by_rows = counts.users_by_rows
    rows, users = sum(number * users for number, users in by_rows.items()), sum(by_rows.values())
    largest = max(by_rows, default=1)
    tried = sorted({unit.most, *(bound for bound in BOUNDS if bound < largest), *([largest] if by_rows else [])})
    lost = {
        bound: sum((number - bound) * users for number, users in by_rows.items() if number > bound) / max(rows, 1)
        for bound in tried
    }
    return UserFit(unit.column, unit.most, users, counts.nobody, lost)


def _user_warnings(users: UserFit, counts: RowCounts) -> Iterator[FitWarning]:
    if users.nobody > MUCH * counts.rows:
        yield FitWarning(
            "privacy",
            f"{share(users.nobody, counts.rows)} of the rows have no {users.column} and are not counted",
            "check the column; nothing can protect somebody who has no name",
        )
    lost = users.lost[users.declared]
    if lost > MUCH_BOUNDED:
        enough = next((bound for bound, less in users.lost.items() if less <= MUCH), users.declared)
        yield FitWarning(
            "privacy",
            f"max_rows = {users.declared} leaves out {100 * lost:.0f} % of the rows that have a {users.column}",
            f"max_rows = {enough} would keep 95 %, with {round(enough / users.declared, 1):,g} times the noise",
        )
