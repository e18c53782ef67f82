"""One mistake of a spec: a line to read, and its parts for programs."""

from __future__ import annotations

import re

from discreet.errors import without_secrets

_PLACE = re.compile(r"\[(?P<table>.+?)\](?= ) ?")
_KEY = re.compile(r"(?P<key>[\w\[\]]+): ")
_QUOTED = re.compile(r"""(?<!\w)'[^']*'|"[^"]*\"""")


class Problem(str):
    """Text such as "adult.toml: [attributes.age] high: mistake; fix", as every mistake of a spec is worded."""

    __slots__ = ("fix", "message", "place")

    place: str
    message: str
    fix: str

    @classmethod
    def of(cls, file: object, said: str) -> Problem:
        """A mistake that was worded "[table] key: mistake; fix", or any part of it."""
        name = without_secrets(str(file))
        said = without_secrets(said).removeprefix(f"{name}: ")
        made = cls(f"{name}: {said}")
        table = _PLACE.match(said)
        rest = said[table.end() :] if table else said
        key = _KEY.match(rest)
        rest = rest[key.end() :] if key else rest
        made.place = ".".join([*([table["table"]] if table else []), *([key["key"]] if key else [])])
        made.message, made.fix = _parted(rest)
        return made

    def to_dict(self) -> dict[str, str]:
        return {"place": self.place, "message": self.message, "fix": self.fix}


def _parted(text: str) -> tuple[str, str]:
    """What is wrong, and what to do about it; a mistake that is said as what is needed ("must be ...") is both."""
    bare = _QUOTED.sub(lambda quoted: "_" * len(quoted[0]), text)
    end = re.search(r"; |\. ", bare)
    return (text, text) if end is None else (text[: end.start()], text[end.end() :])
