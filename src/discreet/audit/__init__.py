"""Attacks on the guarantee that anyone can run: what a release really costs, derived from its own draws."""

from discreet.audit.attacks import audited
from discreet.audit.published import published

__all__ = ["audited", "published"]
