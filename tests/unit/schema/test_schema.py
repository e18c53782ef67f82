"""The schema: attributes by name, in an order that counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from discreet.errors import BadParameter, BadSpec, UnknownAttribute
from discreet.schema import Nominal, Ordinal, Schema, attribute_from_dict


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "blocks.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_schema_is_an_ordered_mapping() -> None:
    schema = Schema(age=Ordinal(17, 90), sex=Nominal(["Male", "Female"]))
    assert (schema.names, schema.sizes, schema.cells, len(schema)) == (("age", "sex"), (74, 2), 148, 2)
    assert "age" in schema
    assert list(schema) == ["age", "sex"]
    turned = schema.select(["sex", "age"])
    assert turned.names == ("sex", "age")
    assert turned != schema
    assert turned.select(schema) == schema == Schema({"age": schema["age"], "sex": schema["sex"]})
    assert Schema.from_dict(json.loads(json.dumps(schema.to_dict()))) == schema


def test_a_wrong_attribute_name_gets_a_hint() -> None:
    schema = Schema(age=Ordinal(17, 90), sex=Nominal(["Male", "Female"]))
    with pytest.raises(UnknownAttribute, match="Did you mean 'age'"):
        schema.select(["agee"])
    with pytest.raises(BadParameter, match="twice"):
        schema.select(["age", "age"])
    assert schema.get("none") is None


def test_schema_mistakes_are_named_together() -> None:
    with pytest.raises(BadSpec, match="none declared"):
        Schema()
    with pytest.raises(BadSpec, match="upper and lower case"):
        Schema(age=Ordinal(0, 1), Age=Ordinal(0, 1))
    with pytest.raises(BadSpec, match="must be an Ordinal or a Nominal, not list"):
        Schema({"age": [1, 2]})  # type: ignore[dict-item]
    fields = {
        "a": {"kind": "ordinl"},
        "b": {"kind": "ordinal", "low": 0, "high": 1, "hihg": 2},
        "c": 5,
        "d": {},
    }
    with pytest.raises(BadSpec) as caught:
        Schema.from_dict(fields)
    assert len(caught.value.problems) == 4
    for words in (
        "[attributes.a] kind: 'ordinl'",
        "hihg: unknown key. Did you mean 'high'?",
        "[attributes.c] must be a table",
    ):
        assert words in str(caught.value)


def test_a_schema_read_back_from_a_release_never_opens_files(tmp_path: Path) -> None:
    fields = {"kind": "nominal", "hierarchy_csv": str(write(tmp_path, "b,t\nb1,t1\n"))}
    with pytest.raises(BadSpec, match="hierarchy_csv: unknown key"):
        attribute_from_dict(fields)
