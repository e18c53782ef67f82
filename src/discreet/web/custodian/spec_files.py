"""Spec files as people edit them: text that stays as it is, but for the keys that were changed."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any

from discreet.errors import BadParameter, BadSpec
from discreet.spec.toml import toml_key, toml_value
from discreet.web.shell.limits import LARGEST_SPEC
from discreet.web.shell.session import fresh_id


def text_of(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_SPEC:
            raise BadSpec([f"{path.name}: is larger than {LARGEST_SPEC:,} bytes; edit the file itself"])
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise BadSpec([f"{path.name}: cannot be read as UTF-8 text; save it with that encoding"]) from None


def mark_of(text: str) -> str:
    """Tells whether a file is still as it was when a form was made."""
    return hashlib.sha256(text.encode()).hexdigest()


def check_mark(path: Path, mark: str) -> None:
    """Refuses to go on with another spec than the one that was shown."""
    if mark_of(text_of(path)) != mark:
        raise BadParameter("the spec was changed elsewhere since you opened this page; nothing was done: look again")


def document_of(text: str) -> dict[str, Any]:
    """What a text says; BadParameter if it is not TOML."""
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise BadParameter(f"this is not valid TOML: {error}; nothing was saved") from None


def save(path: Path, text: str, mark: str) -> None:
    """The new text, whole or not at all; refused if somebody else changed the file since the form was made."""
    text = text.replace("\r\n", "\n")
    if len(text.encode("utf-8", "replace")) > LARGEST_SPEC:
        raise BadParameter(f"a spec has at most {LARGEST_SPEC:,} bytes here; edit the file itself")
    document_of(text)
    check_mark(path, mark)
    write(path, text, instead=True)


def write(path: Path, text: str, *, instead: bool) -> None:
    """A new file beside its place first, then a rename; never through a link, nor over a file unless `instead`."""
    beside = path.with_name(f".{fresh_id()}.tmp")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if instead:
            os.chmod(beside, path.stat().st_mode & 0o777)
            os.replace(beside, path)
        else:
            os.link(beside, path)
            beside.unlink()
    except FileExistsError:
        raise BadParameter(f"{path.name}: exists already; choose another name") from None
    except OSError as error:
        raise BadParameter(f"{path.name}: cannot be written ({error.strerror}); nothing was saved") from None
    finally:
        with suppress(OSError):
            beside.unlink()


def literal(value: Any) -> str:
    """A value as TOML has it, as it came from a document."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{toml_key(key)} = {literal(item)}' for key, item in value.items())} }}"
    return toml_value(value)


def read_literal(text: str, key: str) -> Any:
    """What somebody wrote into a field; refused if it is more than one value."""
    try:
        found = tomllib.loads(f"value = {text}\n", parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError):
        hint = f'; a text goes in quotes: "{text}"' if text.isprintable() and len(text) < 60 and '"' not in text else ""
        raise BadParameter(f"{key}: {text!r:.80} is not a value of TOML{hint}") from None
    if list(found) != ["value"]:
        raise BadParameter(f"{key}: write one value only")
    return found["value"]


def changed(text: str, table: tuple[str, ...], changes: Mapping[str, str]) -> str:
    """The text with other values for some keys of a table; a blank one takes the key away. Comments stay."""
    return changed_all(text, [table], changes)


def changed_all(text: str, tables: Sequence[tuple[str, ...]], changes: Mapping[str, str]) -> str:
    """The same for many tables at once, which are read and checked together: a spec may have thousands."""
    wanted = document_of(text)
    values = {key: None if not said.strip() else read_literal(said, key) for key, said in changes.items()}
    lines = text.split("\n")
    blocks = _blocks(lines)
    for table in tables:
        wanted = _with(wanted, table, values)
        if table not in blocks:
            raise BadParameter(f"[{'.'.join(table)}] has no line of its own; change the TOML instead")
    for table in sorted(tables, key=lambda one: blocks[one], reverse=True):  # so that what is above stays in its place
        _change_block(lines, *blocks[table], changes)
    made = "\n".join(lines)
    if document_of(made) != wanted:
        named = f"[{'.'.join(tables[0])}]" if len(tables) == 1 else "one of these tables"
        raise BadParameter(f"{named} is written in a way that cannot be changed here; change the TOML instead")
    return made


def _change_block(lines: list[str], start: int, end: int, changes: Mapping[str, str]) -> None:
    for key, said in changes.items():
        place = _lines_of(lines, start, end, key)
        new = [f"{toml_key(key)} = {said.strip()}"] if said.strip() else []
        if place is None:
            last = max((i for i in range(start, end) if lines[i].strip()), default=start)
            place = (last + 1, last + 1)
        old = "\n".join(lines[place[0] : place[1]])
        if new and old and _same(old, key, new[0]):
            continue
        lines[place[0] : place[1]] = new
        end += len(new) - (place[1] - place[0])


def with_table(text: str, table: tuple[str, ...], values: Mapping[str, Any]) -> str:
    """The text with one more table at its end."""
    before = document_of(text)
    if _found(before, table) is not None:
        raise BadParameter(f"{'.'.join(table)}: is there already; choose another name, or change it where it is")
    lines = [f"[{'.'.join(map(toml_key, table))}]"]
    lines += [f"{toml_key(key)} = {literal(one)}" for key, one in values.items()]
    made = f"{text.rstrip()}\n\n" + "\n".join(lines) + "\n"
    if document_of(made) != _with(before, table, values):
        raise BadParameter(f"[{'.'.join(table)}] cannot be written here; change the TOML instead")
    return made


def without_table(text: str, table: tuple[str, ...]) -> str:
    """The text without a table; what stands above the next one stays with that."""
    before = document_of(text)
    lines = text.split("\n")
    blocks = _blocks(lines)
    if table not in blocks:
        raise BadParameter(f"[{'.'.join(table)}] has no line of its own; change the TOML instead")
    start, end = blocks[table]
    while end < len(lines) and end - 1 > start and lines[end - 1].lstrip().startswith("#"):
        end -= 1
    made = "\n".join([*lines[:start], *lines[end:]])
    if document_of(made) != _with(before, table[:-1], {table[-1]: None}):
        raise BadParameter(
            f"[{'.'.join(table)}] is written in a way that cannot be changed here; change the TOML instead"
        )
    return made


def _found(document: Any, table: tuple[str, ...]) -> Any:
    for part in table:
        document = document.get(part) if isinstance(document, Mapping) else None
    return document


def _same(old: str, key: str, new: str) -> bool:
    before, after = (tomllib.loads(one, parse_float=Decimal)[key] for one in (old, new))
    return bool(before == after)


def _with(document: dict[str, Any], table: tuple[str, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    if not table:
        merged = {**document, **values}
        return {key: value for key, value in merged.items() if value is not None}
    return {**document, table[0]: _with(document.get(table[0], {}), table[1:], values)}


def _blocks(lines: list[str]) -> dict[tuple[str, ...], tuple[int, int]]:
    """By table: from its header to the next one."""
    headers = [(number, header) for number, line in enumerate(lines) if (header := _header(line)) is not None]
    ends = [number for number, _ in headers[1:]] + [len(lines)]
    found: dict[tuple[str, ...], tuple[int, int]] = {}
    for (start, header), end in zip(headers, ends, strict=True):
        found.setdefault(header, (start, end))
    return found


def _header(line: str) -> tuple[str, ...] | None:
    """The table that a line such as [attributes.age] begins."""
    if not line.lstrip().startswith("["):
        return None
    try:
        found: Any = tomllib.loads(line)
    except (ValueError, RecursionError):
        return None
    names = []
    while isinstance(found, dict) and found:
        name, found = next(iter(found.items()))
        names.append(name)
    return tuple(names)


def _lines_of(lines: list[str], start: int, end: int, key: str) -> tuple[int, int] | None:
    """Where a key and its value stand, which may go over several lines."""
    for first in range(start + 1, end):
        if not lines[first].strip() or lines[first].lstrip().startswith("#"):
            continue
        for last in range(first + 1, end + 1):
            with suppress(ValueError, RecursionError):
                if list(tomllib.loads("\n".join(lines[first:last]))) == [key]:
                    return first, last
                break
    return None
