"""`discreet publish`: the release, and what a spec names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from discreet.cli.show import print_json, stages, text_or_none
from discreet.errors import BadSpec
from discreet.naming import did_you_mean
from discreet.privacy import as_text
from discreet.private.publish import Data, open_data
from discreet.release.files import MANIFEST
from discreet.spec import ReleaseSpec, Spec, load_spec


def run(path: Path, name: str | None, output: Path | None, quiet: bool, as_json: bool) -> None:
    spec = load_spec(path)
    wanted = wanted_release(path, spec, name)
    target = output or Path(wanted.name)
    data = data_of(path, spec)
    before = bool(data.ledger.recorded(wanted.name)) or (target / MANIFEST).is_file()
    with stages(quiet or as_json) as progress:
        flags: dict[str, Any] = {"reliable": wanted.reliable}
        release = data.publish(wanted.task, wanted.epsilon, name=wanted.name, to=target, progress=progress, **flags)
    spent, left = as_text(data.ledger.spent), text_or_none(data.ledger.left)
    if as_json:
        made = {"release": wanted.name, "folder": str(target), "seal": release.manifest["seal"]}
        print_json({**made, "spent": spent, "left": left})
    elif not quiet:
        print(f"{target} was published before; nothing was charged" if before else f"Published {target}")
        for what, said in release.describe().items():
            print(f"  {what}: {said}")
        kept = "" if data.ledger.durable else " (kept in memory only: name a ledger in the spec)"
        print(f"  budget: {spent} spent, {'no cap' if left is None else f'{left} left'}{kept}")
        print(f"Ask it: discreet query {target}")


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
    return open_data(
        sources,
        spec.schema,
        unit=spec.unit,
        ledger=None if spec.ledger is None else spec.resolve(spec.ledger),
        budget=spec.budget,
        dataset=spec.dataset,
        delimiter=spec.delimiter,
        encoding=spec.encoding,
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
