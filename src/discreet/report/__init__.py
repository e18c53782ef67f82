"""What somebody who must sign a release off should read: one page, made from the release, its ledger and an audit."""

from __future__ import annotations

from discreet.report.document import page_of, rendered
from discreet.report.registry_entry import registry_entry

__all__ = ["page_of", "registry_entry", "rendered"]
