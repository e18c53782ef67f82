"""The spec: one TOML file that says what the data is, whom to protect, and what to publish."""

from __future__ import annotations

from discreet.spec.checking import check_spec, load_spec
from discreet.spec.spec import ReleaseSpec, Spec

__all__ = ["ReleaseSpec", "Spec", "check_spec", "load_spec"]
