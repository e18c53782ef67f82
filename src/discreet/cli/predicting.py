"""`discreet plan`: errors before anything is spent, the least epsilon for an error, and a split of the budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.cli import plan_charts
from discreet.cli.plan_tables import Json, fields_of, needed_fields, show_needed, show_plan, show_split
from discreet.cli.publishing import spec_during, wanted_release
from discreet.cli.show import print_json, stages, text_or_none
from discreet.errors import BadParameter
from discreet.mechanisms import Request
from discreet.plan import SHARE, Plan, plan
from discreet.planning.budget_split import divided, taken
from discreet.planning.least_epsilon import Goal, Needed, least_epsilons
from discreet.planning.stand_ins import StandIn
from discreet.privacy import as_text, exact
from discreet.spec import ReleaseSpec, Spec, load_spec
from discreet.spec.periodic import times_charged
from discreet.tasks import Items

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Wish:
    """What the options ask for."""

    epsilon: str | None = None
    error: float | None = None
    share: float | None = None
    questions: str | None = None
    like: str | None = None
    #: whether the spec's own goals are to be met
    least: bool = False
    period: str | None = None

    @property
    def backwards(self) -> bool:
        """From errors to epsilon."""
        return self.least or self.error is not None

    def __post_init__(self) -> None:
        if self.error is not None and not self.error > 0:
            raise BadParameter(f"--error must be above 0, not {self.error:g}")
        if self.share is not None and not 0 < self.share < 1:
            raise BadParameter(f"--share must lie between 0 and 1, such as 0.95, not {self.share:g}")
        if self.backwards and self.epsilon is not None:
            raise BadParameter("give either --epsilon, to see errors, or --error, to see the least epsilon, not both")

    def own_questions(self) -> Any:
        """A file, or predicates; None for those that people usually ask."""
        if self.questions is None or self.questions.endswith((".csv", ".csv.gz")):
            return self.questions
        return [part.strip() for part in self.questions.split(";") if part.strip()]

    def goals(self, release: ReleaseSpec) -> dict[str, Goal]:
        """The error that is wanted: by the options, else by the spec."""
        if self.error is not None:
            return {"": Goal(self.error, self.share)}
        return {name: Goal(error, share) for name, (error, share) in release.within.items()}


def run(path: Path, name: str | None, wish: Wish, split: bool, chart: str | None, quiet: bool, as_json: bool) -> None:
    spec = load_spec(path)
    wanted = list(spec.releases.values()) if name is None else [wanted_release(path, spec, name)]
    if not wanted:
        raise BadParameter(f"{path}: has no release to plan; add a table [releases.NAME]")
    place = None if chart is None else plan_charts.place_of(chart)
    with stages(quiet or as_json) as progress:
        if split:
            _split(spec, wanted, wish, progress, as_json)
        elif wish.backwards:
            _needed(spec, wanted, wish, progress, as_json)
        else:
            plans = [
                (_title(spec, release, wish), one)
                for release in wanted
                for one in _plans(spec, release, wish, progress)
            ]
    if split or wish.backwards:
        return
    if as_json:
        print_json([{"release": named, **fields_of(found)} for named, found in plans])
    else:
        for named, found in plans:
            show_plan(named, found, wish.share is not None)
    if chart is not None:
        plan_charts.draw(place, plans)


def _plans(spec: Spec, release: ReleaseSpec, wish: Wish, progress: Progress) -> list[Plan]:
    """One for each epsilon."""
    texts = wish.epsilon.split(",") if wish.epsilon else []
    own, found = wish.own_questions(), []
    like = like_of(spec, release, wish)
    for epsilon in [exact(text.strip(), "epsilon") for text in texts] or [release.epsilon]:
        request = request_of(spec, release, wish, epsilon)
        share = wish.share or SHARE
        found.append(plan(release.task, request, questions=own, like=like, share=share, progress=progress))
    return found


def _title(spec: Spec, release: ReleaseSpec, wish: Wish) -> str:
    period = spec_during(spec, release, wish.period)[1]
    return f"{release.name}@{period}" if period else release.name


def request_of(spec: Spec, release: ReleaseSpec, wish: Wish, epsilon: Fraction) -> Request:
    """What is asked of all rows or, where a release is about one period, of those of that one or of the first."""
    return Request.of(release.task, spec_during(spec, release, wish.period)[0].schema, spec.unit, epsilon)


def like_of(spec: Spec, release: ReleaseSpec, wish: Wish) -> StandIn | None:
    """The public file that is named; the only file that is read."""
    named = wish.like or (None if release.like is None else spec.resolve(release.like))
    if named is None:
        return None
    from discreet.private.public_file import stand_in_of

    schema = request_of(spec, release, wish, release.epsilon).schema
    items = isinstance(release.task, Items)
    return stand_in_of(named, schema, spec.unit, items=items, delimiter=spec.delimiter, encoding=spec.encoding)


def _least(spec: Spec, release: ReleaseSpec, wish: Wish, progress: Progress) -> list[Needed]:
    request = request_of(spec, release, wish, release.epsilon)
    like, own = like_of(spec, release, wish), wish.own_questions()
    return least_epsilons(release.task, request, wish.goals(release), like=like, questions=own, progress=progress)


def _needed(spec: Spec, wanted: list[ReleaseSpec], wish: Wish, progress: Progress, as_json: bool) -> None:
    _check_goals("--least", wanted, wish)
    found = [(release, _least(spec, release, wish, progress)) for release in wanted]
    if as_json:
        fields = [(_title(spec, release, wish), needed_fields(wish.goals(release), some)) for release, some in found]
        print_json([{"release": title, **mine} for title, mine in fields])
        return
    for release, some in found:
        show_needed(_title(spec, release, wish), wish.goals(release), some)


def _check_goals(option: str, wanted: list[ReleaseSpec], wish: Wish) -> None:
    if without := [release.name for release in wanted if not wish.goals(release)]:
        raise BadParameter(
            f"{option}: {', '.join(without)} names no error to meet; add --error 50, or within = {{ error = 50 }} to it"
        )


def _split(spec: Spec, wanted: list[ReleaseSpec], wish: Wish, progress: Progress, as_json: bool) -> None:
    _check_goals("--split", wanted, wish)
    needs = {release.name: taken(_least(spec, release, wish, progress)) for release in wanted}
    charged = times_charged(spec.periods, spec.unit)
    times = {release.name: 1 if release.all_rows else charged for release in wanted}
    parts, budget = divided(needs, spec.budget, times), spec.budget
    total = sum((times[part.release] * (part.needs or Fraction(0)) for part in parts), Fraction(0))
    if as_json:
        listed: list[Json] = [
            {
                "release": part.release,
                "method": part.method or None,
                "needs": text_or_none(part.needs),
                "suggested": text_or_none(part.suggested),
            }
            for part in parts
        ]
        print_json({"budget": text_or_none(budget), "needs": as_text(total), "releases": listed})
        return
    show_split(parts, total, budget)
