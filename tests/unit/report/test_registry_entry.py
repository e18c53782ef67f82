"""The entry for the registry has its fields, and what the release knows in them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from discreet.report import registry_entry
from tests.unit.report import report_cases

made = report_cases.made  # a fixture
#: of tests/good_deployments/template.yaml in opendp/deployments-registry-data, but for the names of sources
FIELDS = [
    "url_slug",
    "deployment",
    "basic",
    "name",
    "data_curators",
    "data_curator_name",
    "data_curator_type",
    "description",
    "intended_use",
    "data_product_type",
    "data_product_region",
    "data_product_sector",
    "publication_date",
    "dp_variant",
    "variant_name",
    "data_domain",
    "unprotected_quantities",
    "privacy_loss",
    "privacy_unit",
    "privacy_unit_details",
    "number_of_privacy_units",
    "privacy_parameters",
    "epsilon",
    "delta",
    "privacy_parameters_details",
    "deployment_model",
    "model_name",
    "model_name_details",
    "trust_assumptions",
    "actors",
    "release_type",
    "release_type_details",
    "data_source_type",
    "data_source_type_details",
    "access_type",
    "access_type_details",
    "implementation",
    "preprocessing_and_hyperparameter_tuning",
    "mechanisms",
    "composition",
    "post_processing",
    "justification",
    "utility",
    "additional_information",
    "administrative",
    "evidence_sources",
    "status",
    "registry_authors",
    "tier",
]


def test_it_has_the_fields_of_the_registry(made: tuple[Path, Path]) -> None:
    text = registry_entry(made[0], ledger=made[1])
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found: dict[str, Any] = {}
    for line in lines:
        parts = re.fullmatch(r" *(?:- )?(?:(\w+):)? ?(.*)", line)
        assert parts is not None
        value = json.loads(parts[2]) if parts[2] else None
        if parts[1]:
            found[parts[1]] = value
    assert list(found) == FIELDS
    assert found["variant_name"] == "Pure DP"
    assert found["epsilon"] == 1 / 3
    assert found["delta"] == 0
    assert found["justification"].startswith("Because <img")
    assert "Charged to the ledger: 166666667/500000000" in found["privacy_parameters_details"]
    assert registry_entry(made[0], ledger=made[1]) == text
