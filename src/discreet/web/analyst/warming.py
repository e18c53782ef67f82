"""The first question pays for kernels that are compiled or loaded, so it is asked before anybody does."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import suppress

from discreet.errors import DiscreetError
from discreet.release import Release
from discreet.web.analyst.answer_tables import TYPES, as_file, shown_page
from discreet.web.analyst.conditions import quoted, quoted_name
from discreet.web.analyst.open_releases import Shelf
from discreet.web.analyst.questions import KINDS
from discreet.web.shell.limits import Fields
from discreet.web.shell.pages import Pages

#: releases that are opened before anybody asks
_SOME = 3


def warm(shelf: Shelf, pages: Pages, more: Callable[[], None] = lambda: None) -> None:
    """Every kind of question and of file, once, of the first releases; all pages that there are; and `more`."""
    pages.prepare()
    for name in shelf.names()[:_SOME]:
        with suppress(DiscreetError):
            for kind, fields in _asked(shelf, name):
                with suppress(DiscreetError), shelf.using(name) as release:
                    _answer(release, kind, fields)
    with suppress(DiscreetError):
        more()
    # what is loaded by now stays: else the collector looks at all of it now and then, in the middle of a request
    gc.collect()
    gc.freeze()


def _asked(shelf: Shelf, name: str) -> list[tuple[str, Fields]]:
    """Questions that differ in what answers them, about whatever the release has."""
    with shelf.using(name) as release:
        release.describe()
        names = list(release.schema)
        first = release.schema[names[0]].label(0)
    where = f"{quoted_name(names[0])} = {quoted(str(first))}"
    everything = [("by", one) for one in names[:3]]
    return [
        ("explore", everything[:1]),
        ("explore", [*everything, ("sort", "count"), ("where", where)]),
        ("explore", [*everything[:1], ("view", "line")]),
        ("explore", [*everything[:2], ("view", "heat")]),
        ("ask", [("where", where)]),
        ("ask", [("where", where), ("of", f"not ({where})")]),
        ("ask", [("sql", "select count(*) from release")]),
        ("quantile", [("share", "0.25,0.5"), ("by", names[-1])]),
        ("quantile", []),
        ("compare", [("a", where), ("b", f"not ({where})")]),
        ("top", []),
    ]


def _answer(release: Release, kind: str, fields: Fields) -> None:
    found = KINDS[kind].read(fields, release).answer(release)
    if found.frame is not None:
        shown_page(found.frame, 1)
        if len(found.frame) <= 1_000:
            for ending in TYPES:
                as_file(found.frame, ending)
