"""A spec is changed key by key, and everything else of the text stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from discreet.errors import BadParameter
from discreet.web.custodian.spec_files import changed, changed_all, document_of, literal, mark_of, save, write
from tests.unit.web.custodian.workplace import SPEC


def test_one_key_changes_and_all_else_stays() -> None:
    made = changed(SPEC, ("attributes", "age"), {"high": "19"})
    assert made == SPEC.replace("high = 9", "high = 19")
    assert changed(SPEC, ("attributes", "age"), {"kind": '"ordinal"', "low": "0"}) == SPEC


def test_keys_come_and_go() -> None:
    made = changed(SPEC, ("attributes", "age"), {"null": '"other"', "low": ""})
    assert document_of(made)["attributes"]["age"] == {"kind": "ordinal", "high": 9, "null": "other"}
    assert "# A note that stays." in made
    many = changed(SPEC, ("attributes", "sex"), {"values": '["F", "M", "X"]'})
    assert document_of(many)["attributes"]["sex"]["values"] == ["F", "M", "X"]
    assert changed(SPEC, ("attributes", "sex"), {"values": '["F", "M"]'}) == SPEC  # with its comments


def test_many_tables_are_changed_as_one_by_one_and_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may have thousands of columns."""
    tables = [("attributes", "sex"), ("attributes", "age")]
    one_by_one = SPEC
    for table in tables:
        one_by_one = changed(one_by_one, table, {"null": '"other"', "low": ""})
    assert changed_all(SPEC, tables, {"null": '"other"', "low": ""}) == one_by_one
    assert one_by_one.count('null = "other"') == 2
    wide = SPEC + "".join(f"\n[attributes.a{number}]\nlow = 0 # a\n" for number in range(300))
    read: list[str] = []

    def noted(text: str) -> dict[str, Any]:
        read.append(text)
        return document_of(text)

    monkeypatch.setattr("discreet.web.custodian.spec_files.document_of", noted)
    made = changed_all(wide, [("attributes", f"a{number}") for number in range(300)], {"low": "1"})
    assert made == wide.replace("low = 0 # a", "low = 1")
    assert len(read) == 2
    assert changed_all(SPEC, [], {"low": "1"}) == SPEC


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("nineteen", "in quotes"),
        ("1\n[privacy]\nbudget = 100", "one value"),
        ("1\nlow = 3", "one value"),
        ("", ""),
        ('"unclosed', "not a value"),
    ],
)
def test_a_field_is_one_value(value: str, said: str) -> None:
    if not said:
        assert "high" not in document_of(changed(SPEC, ("attributes", "age"), {"high": value}))["attributes"]["age"]
        return
    with pytest.raises(BadParameter, match=said):
        changed(SPEC, ("attributes", "age"), {"high": value})


def test_what_cannot_be_changed_key_by_key_is_refused() -> None:
    inline = "[attributes]\nage = { kind = 'ordinal', low = 0, high = 9 }\n"
    with pytest.raises(BadParameter, match="TOML instead"):
        changed(inline, ("attributes", "age"), {"high": "19"})
    text = 'x = """\n[attributes.age]\n"""\n[attributes.age]\nlow = 1\n'
    with pytest.raises(BadParameter, match="TOML instead"):
        changed(text, ("attributes", "age"), {"low": "2"})


def test_values_are_written_as_they_were_read() -> None:
    document = document_of("a = 0.10\nb = [1, 'x', { c = 2024-01-31 }]\nd = true\n")
    assert document_of("".join(f"{key} = {literal(value)}\n" for key, value in document.items())) == document


def test_saving_is_refused_if_the_file_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "town.toml"
    path.write_text(SPEC, encoding="utf-8")
    path.chmod(0o640)
    save(path, SPEC + "\r\n", mark_of(SPEC))
    assert path.read_text(encoding="utf-8") == SPEC + "\n"
    assert path.stat().st_mode & 0o777 == 0o640
    with pytest.raises(BadParameter, match="elsewhere"):
        save(path, SPEC, mark_of(SPEC))
    with pytest.raises(BadParameter, match="not valid TOML"):
        save(path, "[", mark_of(SPEC + "\n"))
    with pytest.raises(BadParameter, match="exists already"):
        write(path, "", instead=False)
    assert [one.name for one in tmp_path.iterdir()] == ["town.toml"]
