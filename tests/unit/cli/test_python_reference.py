"""The page of the Python interface has every public name, and refuses one that says nothing."""

from __future__ import annotations

import pytest

import discreet
from discreet.cli.python_reference import python_page, undocumented
from discreet.private.publish import Data
from discreet.release import Release


def test_every_public_name_is_on_the_page() -> None:
    page = python_page()
    assert [name for name in dir(discreet) if f"`discreet.{name}`" not in page] == []
    for kind in (Release, Data):
        public = [name for name in vars(kind) if not name.startswith("_") and callable(getattr(kind, name))]
        assert [name for name in public if f"- `{name}(" not in page] == []
    assert "errors.BudgetExceeded" in page
    assert " at 0x" not in page


def test_a_name_without_words_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert undocumented() == []
    monkeypatch.setattr(Release.count, "__doc__", None)
    assert undocumented() == ["discreet.Release.count"]
    with pytest.raises(LookupError, match="Release"):
        python_page()
