"""The first question pays for kernels that are compiled or loaded, so it is asked before anybody does."""

from __future__ import annotations

from contextlib import suppress

from discreet.errors import DiscreetError
from discreet.web.analyst.open_releases import Shelf
from discreet.web.analyst.questions import KINDS

#: releases that are opened before anybody asks
_SOME = 3
_ASKED = [("explore", []), ("ask", []), ("ask", [("sql", "select count(*) from release")]), ("quantile", [])]


def warm(shelf: Shelf) -> None:
    for name in shelf.names()[:_SOME]:
        for kind, fields in _ASKED:
            with suppress(DiscreetError), shelf.using(name) as release:
                KINDS[kind].read(fields, release).answer(release)
