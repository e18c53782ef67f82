"""What a release says about itself, known before any row is read, and the digest of what was asked for."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from discreet.ledger import Charge, Ledger
from discreet.mechanisms import Mechanism, Request
from discreet.privacy import as_text
from discreet.schema import Schema
from discreet.tasks import Task

if TYPE_CHECKING:
    from discreet.noise import Noise


def of(
    ledger: Ledger, schema: Schema, task: Task, mechanism: Mechanism, charge: Charge, noise: Noise
) -> dict[str, Any]:
    """The manifest but for the summary, the files and the seal."""
    request = mechanism.request
    return {
        "id": charge.release_id,
        "request": charge.request,
        "dataset": ledger.dataset,
        "time": charge.time,
        "task": task.to_dict(),
        "method": mechanism.method,
        "parameters": mechanism.chosen,
        "epsilon": as_text(request.epsilon),
        "unit": request.unit.to_dict(),
        "sensitivity": request.unit.sensitivity,
        "schema": mechanism.release_schema.to_dict(),
        "data_attributes": list(schema.names),
        "noise": {**mechanism.noise_law(), "bits": noise.name, "publishable": noise.private},
        "leaves_out": [one.to_dict() for one in mechanism.leaves_out()],
        "software": f"discreet {version('discreet')}",
        "ledger": {"durable": ledger.durable, "head": charge.head},
    }


def request_digest(task: Task, request: Request, noise: str) -> str:
    """The same for the same request: everything that decides the law of the release."""
    asked = {
        "task": task.to_dict(),
        "epsilon": str(request.epsilon),
        "unit": request.unit.to_dict(),
        "schema": request.schema.to_dict(),
        "noise": noise,
    }
    return hashlib.sha256(json.dumps(asked, default=str).encode()).hexdigest()
