"""An entry for OpenDP's registry of deployments, as YAML: what the release knows, and blanks for what it does not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from discreet.errors import BadParameter
from discreet.ledger import Ledger
from discreet.privacy import as_text
from discreet.release import Release
from discreet.report.contents import cost_words
from discreet.report.evidence import FAILED, Evidence, gathered
from discreet.report.protection import left_out, relation, whom

_HEAD = """# For the registry of deployments of OpenDP (github.com/opendp/deployments-registry-data).
# Empty texts are for you to fill in: a release does not know them.
"""


def registry_entry(
    release: Release | str | Path,
    *,
    ledger: Ledger | str | Path | None = None,
    about: Mapping[str, Any] | str | Path | None = None,
) -> str:
    """The fields of the registry as YAML, for a release whose checks found nothing wrong."""
    return entry_text(gathered(release, ledger, None, about))


def entry_text(evidence: Evidence) -> str:
    if evidence.verdict == FAILED or not evidence.said:
        wrong = "; ".join(f"{one.check}: {one.why}" for one in evidence.checks if one.result == "WRONG")
        raise BadParameter(f"the registry is for releases whose checks pass, and of this one they do not ({wrong})")
    return _HEAD + "\n".join(_lines(_fields(evidence), 0)) + "\n"


def _fields(evidence: Evidence) -> dict[str, Any]:
    said, unit, about = evidence.said, evidence.unit, evidence.all_about()
    names = ", ".join(str(name) for name in said["schema"])
    together = "" if evidence.spent is None else f"; all releases of its ledger together: {as_text(evidence.spent)}"
    periods = said.get("period", {})
    attributes = ", ".join(map(str, said["data_attributes"]))
    return {
        "url_slug": "-".join(
            "".join(c if c.isalnum() else " " for c in f"{said['dataset']} {said['id']}").lower().split()
        ),
        "deployment": {
            "basic": {
                "name": f"{said['dataset']}: {said['id']}",
                "data_curators": [{"data_curator_name": about.get("organisation", ""), "data_curator_type": ""}],
                "description": f"Counts by {names}, with intervals. {about.get('period', '')}".strip(),
                "intended_use": about.get("purpose", ""),
                "data_product_type": "Summary statistics",
                "data_product_region": "",
                "data_product_sector": "",
                "publication_date": said["time"][:10],
            },
            "dp_variant": {
                "variant_name": "Pure DP",
                "data_domain": f"records with {attributes}. {about.get('domains', '')}".strip(),
                "unprotected_quantities": "the declared domains"
                + (", and totals declared as publicly known" if said["task"].get("known") else ""),
            },
            "privacy_loss": {
                "privacy_unit": "Record-level" if unit.is_row else f"User-level ({unit.column})",
                "privacy_unit_details": f"{whom(unit)}; {relation(unit)}; sensitivity {said['sensitivity']}",
                "number_of_privacy_units": 1,
                "privacy_parameters": {"epsilon": float(evidence.epsilon), "delta": 0.0},
                "privacy_parameters_details": "; ".join(f"{name}: {cost}" for name, cost in cost_words(evidence))
                + together,
            },
            "deployment_model": {
                "model_name": "Central",
                "model_name_details": "one custodian holds the rows; noise is added before anything leaves",
                "trust_assumptions": "the custodian, the machine that publishes, and the operating system's generator",
                "actors": "custodian; readers of the release, who are not trusted",
                "release_type": "Many releases" if periods else "",
                "release_type_details": f"this one is of {periods['period']}" if periods else "",
                "data_source_type": "Dynamic" if periods else "",
                "data_source_type_details": "",
                "access_type": "Non-interactive",
                "access_type_details": "a release is a folder that anyone may query without further loss",
            },
            "implementation": {
                "preprocessing_and_hyperparameter_tuning": "; ".join(left_out(evidence)),
                "mechanisms": f"{said['method']} ({said['software']}); {said['noise']['law']}; sampled exactly",
                "composition": "losses add up in a ledger, which is charged before any row is read",
                "post_processing": "answers, estimates and intervals are computed from the noisy numbers alone",
                "justification": about.get("reason", ""),
                "utility": "every answer has a 95 % interval",
                "additional_information": f"seal {said['seal']}"
                + (f"; approval: {about['approval']}" if "approval" in about else ""),
            },
            "administrative": {
                "evidence_sources": {},
                "status": "Draft",
                "registry_authors": [about.get("contact", "")],
                "tier": 3,
            },
        },
    }


def _lines(value: Mapping[str, Any], depth: int) -> Iterator[str]:
    """Texts as JSON writes them, which is YAML too, so that no text can become anything else."""
    pad = "  " * depth
    for key, inner in value.items():
        if isinstance(inner, Mapping) and inner:
            yield f"{pad}{key}:"
            yield from _lines(inner, depth + 1)
        elif isinstance(inner, list):
            yield f"{pad}{key}:"
            for one in inner:
                listed = list(_lines(one, depth + 2)) if isinstance(one, Mapping) else [f"{pad}    {_scalar(one)}"]
                yield f"{pad}  - {listed[0].strip()}"
                yield from listed[1:]
        else:
            yield f"{pad}{key}: {_scalar(inner)}"


def _scalar(value: Any) -> str:
    return "{}" if value == {} else json.dumps(value)
