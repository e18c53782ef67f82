"""TOML in and out: the document of a spec file, and values as a drafted spec writes them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from discreet.errors import BadParameter, BadSpec


def read_document(path: Path) -> dict[str, Any]:
    """The TOML of a file. Decimals stay exact: 0.1 is one tenth."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        return tomllib.loads(text, parse_float=_decimal)
    except FileNotFoundError:
        raise BadSpec([f"{path}: there is no such file; correct the path"]) from None
    except OSError as error:
        raise BadSpec([f"{path}: cannot be read ({error.strerror}); correct the path or its permissions"]) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadSpec([f"{path}: line {line} is not UTF-8 text; save the file with that encoding"]) from None
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise BadSpec([f"{path}: is not valid TOML: {reason}{_remedy(text, str(error))}"]) from None


def _remedy(text: str, reason: str) -> str:
    """What to write, if the line has a usual mistake: [attributes.hours per week], epsilon = 0,5 or kind = nominal."""
    found = re.search(r"at line (\d+)", reason)
    line = text.splitlines()[int(found[1]) - 1].strip() if found else ""
    if header := re.fullmatch(r"""\[\s*(attributes|releases)\s*\.\s*([^"'\[\]]+?)\s*\]?""", line):
        return f"; names of more than letters, digits, - and _ go in quotes: [{header[1]}.{toml_value(header[2])}]"
    if comma := re.match(r"([\w-]+)\s*=\s*(\d+),(\d+)\s*(#|$)", line):
        return f"; numbers have a point: {comma[1]} = {comma[2]}.{comma[3]}"
    if bare := re.match(r"([\w-]+)\s*=\s*([A-Za-z][\w./-]*)\s*(#|$)", line):
        if bare[2].lower() in ("true", "false"):
            return f"; write {bare[1]} = {bare[2].lower()}"
        return f"; texts go in quotes: {bare[1]} = {toml_value(bare[2])}"
    return ""


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except ArithmeticError:
        raise ValueError(f"the number {text} is too large or too small") from None


def toml_table(name: str, fields: Mapping[str, Any]) -> str:
    """A table with one key per line."""
    return f"[{name}]\n" + "".join(f"{toml_key(key)} = {toml_value(value)}\n" for key, value in fields.items())


def toml_key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_value(name)


def toml_value(value: object) -> str:
    """A value as TOML that reads back as the same value."""
    if isinstance(value, list | tuple):
        items = [toml_value(item) for item in value]
        line = f"[{', '.join(items)}]"
        return line if len(line) <= 100 else "[\n" + "".join(f"    {item},\n" for item in items) + "]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{toml_key(key)} = {toml_value(item)}' for key, item in value.items())} }}"
    if not isinstance(value, str | int | float):
        raise BadParameter(f"a value of type {type(value).__name__} cannot be written to a spec: {value!r}")
    # texts, numbers and booleans in JSON are TOML too, except that TOML also wants DEL escaped
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
