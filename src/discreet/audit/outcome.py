"""What an audit found, for people and for programs: what was tried and what came out, to be signed off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from discreet.audit.black_box import LowerBound
from discreet.audit.replay import Replayed
from discreet.audit.traces import Traced
from discreet.audit.verdicts import BROKEN, HOLDS, number
from discreet.privacy import as_text

_SHOWN = 5


@dataclass(frozen=True)
class Audited:
    """All that was tried on one release of a spec."""

    name: str
    task: str
    method: str
    unit: dict[str, Any]
    replayed: Replayed
    guessed: LowerBound | None = None
    traced: Traced | None = None
    #: what a release of one period sees of others
    of_others: list[str] | None = None

    @property
    def problems(self) -> list[str]:
        found = self.replayed.problems
        if self.guessed is not None and self.guessed.broken:
            found.append(f"guesses prove that it costs {self.guessed.bound:.4g} or more")
        if self.traced is not None:
            found += self.traced.problems
        return [*found, *(self.of_others or [])]

    @property
    def verdict(self) -> str:
        return BROKEN if self.problems else HOLDS

    def lines(self) -> Iterator[str]:
        """The result as text."""
        found, epsilon = self.replayed, as_text(self.replayed.epsilon)
        yield f"{self.name}: {self.task} by {self.method}, epsilon {epsilon}: {self.verdict}"
        worst, lost = found.worst, sum(one.problem is not None for one in found.tried)
        yield f"  record and replay: {len(found.tried)} tables against others, under both relations"
        of_others = f", of those {len(found.tried) - lost} whose loss can be told" if lost else ""
        yield f"    worst{of_others}: {worst.what} ({worst.neighbours}), loses {number(worst.epsilon)} of {epsilon}"
        for loss in worst.losses:
            yield f"      {loss.what}: {number(loss.epsilon)}"
        if self.guessed is not None:
            seen = self.guessed
            yield (
                f"  black box: {seen.runs} runs, {seen.right:,} of {seen.guesses:,} guesses right: epsilon is at least "
                f"{seen.bound:.4g} ({seen.tightness:.0%} of what is charged)"
            )
            if not seen.bound:
                yield "    which proves nothing: more runs might (--runs)"
        if self.traced is not None:
            left = self.traced
            yield (
                f"  bytes: {len(left.variants)} ways to publish, {left.looked_at:,} bytes looked at, "
                f"{len(left.problems) or 'no'} {'trace' if len(left.problems) == 1 else 'traces'} of a row"
            )
        if self.of_others is not None:
            yield f"  other periods: {len(self.of_others) or 'nothing'} seen of their rows, nor of rows without a date"
        problems = self.problems
        for problem in problems[:_SHOWN]:
            yield f"  WRONG: {problem}"
        if len(problems) > _SHOWN:
            yield f"  and {len(problems) - _SHOWN} more like these, which --json lists"

    def to_dict(self) -> dict[str, Any]:
        found = self.replayed
        told: dict[str, Any] = {
            "release": self.name,
            "task": self.task,
            "method": self.method,
            "unit": self.unit,
            "epsilon": as_text(found.epsilon),
            "verdict": self.verdict,
            "problems": self.problems,
            "replay": {
                "declared": as_text(found.declared),
                "loss": as_text(found.worst.epsilon),
                "tightness": found.tightness,
                "neighbours": [
                    {
                        "what": one.what,
                        "relation": one.neighbours,
                        "loss": as_text(one.epsilon),
                        "exact": all(loss.exact for loss in one.losses),
                        "problem": one.problem,
                    }
                    for one in found.tried
                ],
            },
        }
        if self.guessed is not None:
            seen = self.guessed
            told["black_box"] = {
                "runs": seen.runs,
                "guesses": seen.guesses,
                "right": seen.right,
                "epsilon_at_least": seen.bound,
                "tightness": seen.tightness,
            }
        if self.traced is not None:
            left = self.traced
            told["bytes"] = {
                "looked_at": left.looked_at,
                "variants": list(left.variants),
                "problems": list(left.problems),
            }
        if self.of_others is not None:
            told["other_periods"] = {"problems": self.of_others}
        return told


def software() -> str:
    return f"discreet {version('discreet')}"
