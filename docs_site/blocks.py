"""The fenced blocks of a page: what a reader types, which file to write, and what comes out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

#: languages whose blocks are run; a block in another one is a file to write, or an example to read
RUN = ("python", "sh")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"`([\w/-]+\.(?:toml|csv|py|sql))`[^`\n]*:\s*\Z")


@dataclass(frozen=True)
class Block:
    """`text` is all that comes before it, `file` the name under which it is saved, `shown` what running it prints.

    `shown_at` is where in the page that stands.
    """

    text: str
    language: str
    code: str
    file: str | None = None
    shown: str | None = None
    shown_at: tuple[int, int] = (0, 0)


def blocks(page: str) -> Iterator[Block]:
    """Every block of a page in its order; what follows a block that is run, with no word between them, is its output.

    A block of text that comes after "Save this as `clinic.toml`:" is saved under that name.
    """
    end, held = 0, None
    for fence in _FENCE.finditer(page):
        language, code = fence.groups()
        text = page[end : fence.start()]
        if held is not None:
            if language in ("", "json") and not text.strip():
                yield Block(held.text, held.language, held.code, None, code, fence.span(2))
                held, end = None, fence.end()
                continue
            yield held
            held = None
        named = _NAMED.search(text)
        block = Block(text, language, code, named[1] if named and language not in RUN else None)
        end = fence.end()
        if language in RUN:
            held = block
        else:
            yield block
    if held is not None:
        yield held


def after_blocks(page: str) -> str:
    """What a page says after its last block."""
    last = max((fence.end() for fence in _FENCE.finditer(page)), default=0)
    return page[last:]
