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
        raise BadSpec([f"{path}: is not valid TOML: {reason}{_quoting(text, str(error))}"]) from None


def _quoting(text: str, reason: str) -> str:
    """What to write, if the mistake is in a line such as [attributes.hours per week]."""
    line = re.search(r"at line (\d+)", reason)
    header = text.splitlines()[int(line[1]) - 1].strip() if line else ""
    parts = re.fullmatch(r"""\[\s*(attributes|releases)\s*\.\s*([^"'\[\]]+?)\s*\]?""", header)
    return (
        f"; names of more than letters, digits, - and _ go in quotes: [{parts[1]}.{toml_value(parts[2])}]"
        if parts
        else ""
    )


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
