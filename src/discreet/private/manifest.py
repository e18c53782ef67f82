"""What a release says about itself, known before any row is read, and the digest of what was asked for."""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import requires, version
from typing import TYPE_CHECKING, Any

from discreet.ledger import Charge, Ledger
from discreet.ledger.amounts import decimal
from discreet.left_out import LeftOut
from discreet.mechanisms import Mechanism, Request, why_auto
from discreet.privacy import as_text
from discreet.schema import Schema
from discreet.tasks import Task

if TYPE_CHECKING:
    from discreet.noise import Noise


def of(
    ledger: Ledger,
    schema: Schema,
    task: Task,
    mechanism: Mechanism,
    charge: Charge,
    noise: Noise,
    about: Mapping[str, Any],
) -> dict[str, Any]:
    """The manifest but for the summary, the files and the seal; `about` is about which rows it is, if not about all."""
    request = mechanism.request
    return {
        "id": charge.release_id,
        "request": charge.request,
        "dataset": ledger.dataset,
        **about,
        "time": charge.time,
        "task": task.to_dict(),
        "method": mechanism.method,
        **({"auto": _why(task, mechanism)} if task.method == "auto" else {}),
        "parameters": mechanism.chosen,
        "epsilon": as_text(request.epsilon),
        "guarantee": _guarantee(mechanism),
        "unit": request.unit.to_dict(),
        "sensitivity": request.unit.sensitivity,
        "schema": mechanism.release_schema.to_dict(),
        "data_attributes": list(schema.names),
        "noise": {**mechanism.noise_law(), "bits": noise.name, "publishable": noise.private},
        "leaves_out": [one.to_dict() for one in (*_of_period(about), *mechanism.leaves_out())],
        "software": f"discreet {version('discreet')}",
        "versions": dict(versions()),
        "ledger": {"durable": ledger.durable, "head": charge.head, "id": ledger.id, **_spending(ledger, charge)},
    }


def _guarantee(mechanism: Mechanism) -> dict[str, Any]:
    """What is promised, in words, and what it costs as a fraction."""
    unit = mechanism.request.unit
    whose = "a row" if unit.is_row else f"all rows of one {unit.column}"
    changed = "is added or taken away" if unit.neighbours == "add-remove" else "is replaced by another"
    changed = changed if unit.is_row else changed.replace("is", "are", 1).replace("by another", "by those of another")
    return {
        "definition": f"pure epsilon-differential privacy: if {whose} {changed}, the probability of every possible "
        "release changes by a factor of at most exp(epsilon)",
        "delta": 0,
        "delta_in_words": "zero: the bound holds for every outcome, with no exception, however unlikely",
        "cost": str(mechanism.cost),
    }


def _spending(ledger: Ledger, charge: Charge) -> dict[str, str | None]:
    """The account around the charge: what was asked of it, and nothing that a row says."""
    before, after = ledger.around(charge.head)
    cap = None if after.budget is None else decimal(after.budget)
    return {"cap": cap, "spent_before": decimal(before.spent), "spent_after": decimal(after.spent)}


@cache
def versions() -> Mapping[str, str]:
    """Of Python and of every library that this package needs."""
    needed = [re.match(r"[\w.-]+", one) for one in requires("discreet") or [] if "extra ==" not in one]
    named = sorted({found[0] for found in needed if found})
    return {"python": platform.python_version(), **{name: version(name) for name in named}}


def _why(task: Task, mechanism: Mechanism) -> str:
    """Why `auto` took this method."""
    picked, why = why_auto(task, replace(mechanism.request, parameters=task.asked()))
    return why if picked == mechanism.method else "auto took it when it was charged, in another version"


def _of_period(about: Mapping[str, Any]) -> list[LeftOut]:
    said = about.get("period")
    return [LeftOut("period", {name: said[name] for name in ("period", "attribute")})] if said else []


def about_of(said: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a manifest may say of the rows that it is about: its data set is part of that only if it was added."""
    period = {"period": said["period"]} if "period" in said else {}
    return [period, {"dataset": said["dataset"], **period}]


def request_digests(
    task: Task, request: Request, noise: str, about: Mapping[str, Any] | None = None
) -> tuple[str, str | None]:
    """Of everything that decides the law of the release: the same for no other request; and as format 1 has it.

    The second is None where it stands for other requests as well.
    """
    asked = _asked(task, request, noise, about)
    texts = json.dumps(_typed(asked)), json.dumps(asked, default=str)
    typed, plain = map(_hashed, texts)
    unclear = about or task.known or any(_holds_a_choice(value) for value in task.parameters.values())
    return typed, None if unclear else plain


def digest_with_choice(
    task: Task, request: Request, noise: str, method: str, about: Mapping[str, Any] | None = None
) -> str:
    """The same for no other request, nor for one in which `auto` takes another method."""
    return _hashed(json.dumps(_typed({**_asked(task, request, noise, about), "auto": method})))


def _asked(task: Task, request: Request, noise: str, about: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        "task": task.to_dict(),
        "epsilon": str(request.epsilon),
        "unit": request.unit.to_dict(),
        "schema": request.schema.to_dict(),
        "noise": noise,
        **(about or {}),
    }


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _typed(value: Any) -> Any:
    """The value with its types: JSON alone takes (0, 2), a range, for [0, 2], a choice, and 1 for True in a key."""
    if isinstance(value, Mapping):
        return ["mapping", sorted([[_typed(key), _typed(inner)] for key, inner in value.items()], key=json.dumps)]
    if isinstance(value, list | tuple):
        return [type(value).__name__, [_typed(inner) for inner in value]]
    return [type(value).__name__, str(value)]


def _holds_a_choice(value: Any) -> bool:
    """Whether it is, or holds, a predicate such as {"age": [0, 2]}, which could have been a range."""
    if isinstance(value, Mapping):
        return any(isinstance(inner, list | tuple) for inner in value.values())
    return isinstance(value, list | tuple) and any(_holds_a_choice(inner) for inner in value)
