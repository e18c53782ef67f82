"""`discreet publish`: the release, or all of them, and what a spec names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.cli.show import print_json, stages, text_or_none
from discreet.errors import BadParameter, BadSpec, DiscreetError
from discreet.naming import did_you_mean
from discreet.privacy import as_text
from discreet.spec import ReleaseSpec, Spec, load_spec
from discreet.spec.problem import Problem

if TYPE_CHECKING:
    from discreet.private.publish import Data


def run(path: Path, name: str | None, output: Path | None, period: str | None, quiet: bool, as_json: bool) -> None:
    from discreet.release.files import MANIFEST

    spec = load_spec(path)
    wanted = wanted_release(path, spec, name)
    data = data_during(path, spec, wanted, period)
    target = output or Path(data.id_of(wanted.name))
    before = bool(data.ledger.recorded(data.id_of(wanted.name))) or (target / MANIFEST).is_file()
    with placed(path, spec, [wanted]), stages(quiet or as_json) as progress:
        flags: dict[str, Any] = {"reliable": wanted.reliable}
        release = data.publish(wanted.task, wanted.epsilon, name=wanted.name, to=target, progress=progress, **flags)
    spent, left = as_text(data.ledger.spent), text_or_none(data.ledger.left_for(data.scope))
    if as_json:
        made = {"release": data.id_of(wanted.name), "folder": str(target), "seal": release.manifest["seal"]}
        print_json({**made, "spent": spent, "left": left})
    elif not quiet:
        print(f"{target} was published before; nothing was charged" if before else f"Published {target}")
        for what, said in release.describe().items():
            print(f"  {what}: {said}")
        print(f"  budget: {_account(data)}")
        print(f"Ask it: discreet query {target}")


def run_all(path: Path, name: str | None, output: Path | None, period: str | None, quiet: bool, as_json: bool) -> None:
    """Every release that is not made yet; with a period, of that period."""
    from discreet.release.files import MANIFEST

    if name is not None:
        raise BadParameter(f"give either the name of a release, {name}, or --all, not both")
    spec, folder = load_spec(path), output or Path()
    about_all = spec.periods is None or period is None
    wanted = {one.name: one for one in spec.releases.values() if one.all_rows == about_all}
    if not wanted:
        raise BadParameter(f"{path}: has no release of {'all rows' if about_all else 'one period'}. {_which(spec)}")
    data = data_during(path, spec, next(iter(wanted.values())), period)
    ids = {one: data.id_of(one) for one in wanted}
    before = {one for one in wanted if data.ledger.recorded(ids[one]) or (folder / ids[one] / MANIFEST).is_file()}
    with placed(path, spec, wanted.values()), stages(quiet or as_json) as progress:
        releases = {one.name: (one.task, one.epsilon) for one in wanted.values()}
        flags = {one.name: one.reliable for one in wanted.values()}
        made = data.publish_all(releases, to=folder, reliable=flags, progress=progress)
    states = {one: "elsewhere" if one not in made else "before" if one in before else "published" for one in wanted}
    others = [one for one in spec.releases if one not in wanted]
    if as_json:
        listed = [
            {
                "release": ids[one],
                "folder": str(folder / ids[one]) if one in made else None,
                "seal": made[one].manifest["seal"] if one in made else data.ledger.recorded(ids[one]),
                "state": state,
            }
            for one, state in states.items()
        ]
        spent, left = as_text(data.ledger.spent), text_or_none(data.ledger.left_for(data.scope))
        print_json({"releases": listed, "not asked for": others, "spent": spent, "left": left})
    elif not quiet:
        for one, state in states.items():
            place = folder / ids[one]
            said = {
                "published": f"Published {place}, epsilon {as_text(wanted[one].epsilon)}",
                "before": f"{place} was published before; nothing was charged",
                "elsewhere": f"{ids[one]} was published before and is not here; nothing was charged",
            }
            print(said[state])
        print(f"Budget: {_account(data)}")
        if others:
            print(f"Not asked for: {', '.join(others)}. {_which(spec)}")


def _account(data: Data) -> str:
    spent, left = as_text(data.ledger.spent), text_or_none(data.ledger.left_for(data.scope))
    of_period = "" if data.span is None else f" for {data.span.text}" if data.scope.neighbours else " for all periods"
    kept = "" if data.ledger.durable else " (kept in memory only: name a ledger in the spec)"
    return f"{spent} spent, {'no cap' if left is None else f'{left} left{of_period}'}{kept}"


def _which(spec: Spec) -> str:
    if spec.periods is None:
        return "Add a table [releases.NAME]"
    return f"With --period {_example(spec)} those of one {spec.periods.every} are made, without it those of all rows"


def _example(spec: Spec) -> str:
    return spec.periods.opening(spec.schema).text if spec.periods else ""


def data_during(path: Path, spec: Spec, release: ReleaseSpec, period: str | None) -> Data:
    """The private data that a release is about: all rows, or those of a period."""
    check_period(spec, release, period, needed=True)
    data = data_of(path, spec)
    return data if period is None else data.during(period)


def spec_during(spec: Spec, release: ReleaseSpec, period: str | None) -> tuple[Spec, str]:
    """The spec with the schema of a period, by default the first one, for what reads no data; and that period."""
    check_period(spec, release, period, needed=False)
    if spec.periods is None or release.all_rows:
        return spec, ""
    from dataclasses import replace

    span = spec.periods.opening(spec.schema) if period is None else spec.periods.span(period, spec.schema)
    return replace(spec, schema=spec.periods.narrowed(spec.schema, span)), span.text


def check_period(spec: Spec, release: ReleaseSpec, period: str | None, *, needed: bool) -> None:
    if period is not None and spec.periods is None:
        raise BadParameter('--period: no attribute has one; add period = "month" to the attribute of dates')
    if period is not None and release.all_rows:
        raise BadParameter(f'--period: {release.name} is about all rows (period = "all"); leave --period out')
    if period is not None and spec.periods is not None:
        spec.periods.span(period, spec.schema)
    if needed and period is None and not release.all_rows and spec.periods is not None:
        raise BadParameter(
            f"{release.name} is published by {spec.periods.every}: say which, such as --period {_example(spec)}. For a "
            f'release of all rows, write period = "all" in [releases.{release.name}]'
        )


@contextmanager
def placed(path: Path, spec: Spec, releases: Iterable[ReleaseSpec]) -> Iterator[None]:
    """What was refused because a release asks for what no mechanism does is said with its place in the spec."""
    try:
        yield
    except DiscreetError:
        if problems := method_problems(spec, releases):
            raise BadSpec([Problem.of(path, said) for said in problems]) from None
        raise


def method_problems(spec: Spec, releases: Iterable[ReleaseSpec]) -> list[str]:
    """What only the mechanisms know: unknown methods and parameters, and tables that are too large for one."""
    from discreet.mechanisms import Request, mechanism_for

    problems = []
    for release in releases:
        try:
            schema = spec_during(spec, release, None)[0].schema
            mechanism_for(release.task, Request.of(release.task, schema, spec.unit, release.epsilon))
        except DiscreetError as error:
            # a line that is moved in belongs to the one before, such as the mark below a wrong predicate
            problems += [f"[releases.{release.name}] {said}" for said in re.split(r"\n(?! )", str(error))]
    return problems


def data_of(path: Path, spec: Spec) -> Data:
    """The private data a spec names, with its ledger; refuses a draft."""
    problems = []
    if spec.drafted:
        problems.append(
            f"{path}: is a draft made from private data, so its domains may give people away. Review every one of them "
            "against public knowledge, then remove the line `drafted_from_private_data = true`"
        )
    try:
        sources = sources_of(path, spec)
    except BadSpec as error:
        problems += error.problems
    if problems:
        raise BadSpec(problems)
    from discreet.private.open_data import open_data

    return open_data(
        sources,
        spec.schema,
        unit=spec.unit,
        ledger=None if spec.ledger is None else spec.resolve(spec.ledger),
        budget=spec.budget,
        dataset=spec.dataset,
        periods=spec.periods,
        about=spec.about,
        delimiter=spec.delimiter,
        encoding=spec.encoding,
        remote=spec.remote,
    )


def sources_of(path: Path, spec: Spec) -> list[str]:
    """The files of private rows that a spec names."""
    if spec.source is None:
        raise BadSpec([f'{path}: [data] source: missing; name the file to publish from, such as source = "adult.csv"'])
    return [spec.resolve(source) for source in ([spec.source] if isinstance(spec.source, str) else spec.source)]


def wanted_release(path: Path, spec: Spec, name: str | None) -> ReleaseSpec:
    if name is None and len(spec.releases) == 1:
        return next(iter(spec.releases.values()))
    known = ", ".join(spec.releases) or "none"
    if name is None:
        raise BadSpec([f"{path}: name the release; the spec has: {known}"])
    if name not in spec.releases:
        raise BadSpec([f"{path}: has no release {name!r}.{did_you_mean(name, spec.releases)} The spec has: {known}"])
    return spec.releases[name]
