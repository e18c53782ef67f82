"""The one door from a release to the room that checks it: `report/` is loaded when somebody asks, and not before.

See docs/decisions/0013-report.md.
"""

from __future__ import annotations

from typing import Any


def reported(release: Any, **given: Any) -> Any:
    """The page that a reviewer signs, and what was checked for it.

    `release` may be the folder of one that was tampered with: then the page says so. `given` is what
    `discreet.report.rendered` takes.
    """
    from discreet.report import page_of

    return page_of(release, **given)
