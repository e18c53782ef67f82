"""`discreet share`, `discreet compare` and `discreet mean`: questions about several counts at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from discreet.cli.show import print_answer, print_json
from discreet.errors import BadParameter
from discreet.release import Release, load


def opened(folder: Path, others: Sequence[Path], same_records: bool) -> Release:
    """The release, with others of the same data put together if there are any."""
    if not others:
        if same_records:
            raise BadParameter("--same-records is about releases that are put together: use it with --with")
        return load(folder)
    from discreet.release import combine

    return combine([load(folder), *(load(other) for other in others)], same_records=same_records)


def run_share(release: Release, where: str, of: str | None, level: float, as_json: bool) -> None:
    print_answer(release.share(where, of=of, level=level), as_json)


def run_compare(
    release: Release, a: str, b: str | None, since: Path | None, across: bool, level: float, as_json: bool
) -> None:
    if b is None and since is None:
        raise BadParameter("compare: give two predicates, or --since with another release for the same one")
    other = release if since is None else load(since)
    found = release.compare(a, other.count(a if b is None else b), level=level, across=across)
    if since is None or b is not None:
        print_answer(found, as_json)
        return
    change = release.change(a, since=other, level=level, across=across)
    if as_json:
        print_json({**found.to_dict(), "change": change.to_dict()})
    else:
        print(f"{found}\nchange in percent: {change}")


def run_mean(
    release: Release, attribute: str, where: str | None, variance: bool, total: bool, level: float, as_json: bool
) -> None:
    if variance and total:
        raise BadParameter("mean: ask for either --variance or --sum")
    ask = release.variance if variance else release.sum if total else release.mean
    print_answer(ask(attribute, where, level=level), as_json)
