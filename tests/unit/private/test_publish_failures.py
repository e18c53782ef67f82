"""Publishing that fails after the charge: paid for once, repeated for nothing, and not a word of data."""

from __future__ import annotations

import getpass
import os
import re
import stat
import tempfile
import traceback
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from discreet.errors import BadParameter, DiscreetError, PublishFailed, SourceError
from discreet.ledger import Ledger
from discreet.private.counts import Counts
from discreet.private.open_data import from_counts
from discreet.release import load
from tests.unit.private import publish_cases
from tests.unit.private.publish_cases import CANARY, CODES, SCHEMA, TASK, boom, charges, failing, no_more, people, spent

scratch = publish_cases.scratch  # a fixture


@pytest.mark.parametrize("saved", [True, False], ids=["to a folder", "in memory"])
def test_a_failed_count_is_paid_for_says_nothing_and_can_be_repeated(
    tmp_path: Path, scratch: Path, saved: bool
) -> None:
    data = people(tmp_path)
    to = tmp_path / "a" if saved else None
    with pytest.raises(PublishFailed) as caught:
        failing(data, boom).publish(TASK, 1, name="a", to=to)
    message = str(caught.value)
    assert CANARY not in "".join(traceback.format_exception(caught.value)), "as an interpreter or notebook shows it"
    assert "row 17" not in message
    assert "after the budget was charged" in message
    assert "costs nothing more" in message
    assert (spent(tmp_path), charges(tmp_path)) == (Fraction(1), ["a"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.ledger", "l.ledger.heads"]

    (details,) = scratch.iterdir()
    assert stat.S_IMODE(details.stat().st_mode) == 0o600
    assert str(details) in message
    assert CANARY in details.read_text(encoding="utf-8")

    release = data.publish(TASK, 1, name="a", to=to)
    assert release.count("age = 4").value > 800
    assert (spent(tmp_path), charges(tmp_path)) == (Fraction(1), ["a"])


def test_a_failed_release_without_a_name_can_be_repeated_by_the_name_it_was_given(
    tmp_path: Path, scratch: Path
) -> None:
    data = people(tmp_path)
    with pytest.raises(PublishFailed) as caught:
        failing(data, boom).publish(TASK, 1, to=tmp_path / "a")
    (charged,) = charges(tmp_path)
    assert charged in str(caught.value)
    data.publish(TASK, 1, name=charged, to=tmp_path / "a")
    assert (spent(tmp_path), charges(tmp_path)) == (Fraction(1), [charged])


def test_the_same_failure_reads_the_same_whatever_the_data(tmp_path: Path, scratch: Path) -> None:
    messages = set()
    for error in (ValueError(CANARY), MemoryError(), SourceError(CANARY), BadParameter(CANARY), KeyError(CANARY)):

        def raised(error: Exception = error) -> None:
            raise error

        with pytest.raises(PublishFailed) as caught:
            failing(people(tmp_path), raised).publish(TASK, 1, name="a", to=tmp_path / "a")
        messages.add(re.sub(r"\S*discreet-private-\S*", "FILE", str(caught.value)))
    assert len(messages) == 1


def test_a_failure_leads_back_to_no_count(tmp_path: Path, scratch: Path) -> None:
    huge = from_counts(SCHEMA, CODES, [5, 7, 2**61 + 5], ledger=tmp_path / "l.ledger")
    for data in (huge, failing(people(tmp_path, ledger=None), boom)):
        with pytest.raises(PublishFailed) as caught:  # a count that overflows is a fact about the data
            data.publish(TASK, 1)
        error: BaseException = caught.value
        assert error.__cause__ is None
        assert error.__context__ is None
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename != __file__:
                held = [
                    name for name, value in trace.tb_frame.f_locals.items() if isinstance(value, Counts | np.ndarray)
                ]
                assert held == [], trace.tb_frame.f_code.co_name
            trace = trace.tb_next


def test_a_full_disk_leaves_no_folder_and_can_be_repeated(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    data = people(tmp_path)
    with monkeypatch.context() as patch:
        filling = failing(data, lambda: patch.setattr(os, "fsync", full))  # after the charge
        with pytest.raises(PublishFailed):
            filling.publish(TASK, 1, name="a", to=tmp_path / "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.ledger", "l.ledger.heads"]
    data.publish(TASK, 1, name="a", to=tmp_path / "a")
    assert (spent(tmp_path), charges(tmp_path)) == (Fraction(1), ["a"])
    assert load(tmp_path / "a").manifest["seal"] == data.ledger.recorded("a")


def test_when_not_even_the_details_can_be_kept_it_says_so(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no-such-folder"))
    with pytest.raises(PublishFailed, match="could not be written") as caught:
        failing(people(tmp_path), boom).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert CANARY not in str(caught.value)


def test_a_place_that_cannot_be_written_is_found_before_the_charge(tmp_path: Path, scratch: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(DiscreetError) as caught:
        failing(people(tmp_path), no_more).publish(TASK, 1, name="a", to=tmp_path / "file" / "a")
    assert not isinstance(caught.value, PublishFailed)
    assert str(tmp_path / "file") in str(caught.value)
    assert charges(tmp_path) == []
    assert list(scratch.iterdir()) == []


def test_a_user_without_a_name_can_publish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise OSError("No username set in the environment")  # a KeyError before Python 3.13

    monkeypatch.setattr(getpass, "getuser", nobody)
    people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert {entry.who for entry in Ledger.read(tmp_path / "l.ledger").entries()} == {"unknown"}


def test_being_stopped_after_the_charge_is_said(tmp_path: Path, scratch: Path) -> None:
    """As Ctrl-C does it; no frame that sees data stays, and the same name costs nothing more."""

    def stop() -> None:
        raise KeyboardInterrupt(CANARY)

    with pytest.raises(KeyboardInterrupt, match=r"after the budget was charged.*'a' again, .*costs nothing") as caught:
        failing(people(tmp_path), stop).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert CANARY not in "".join(traceback.format_exception(caught.value))
    assert list(scratch.iterdir()) == []
    people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert (spent(tmp_path), charges(tmp_path)) == (Fraction(1), ["a"])


@pytest.mark.parametrize("after", [True, False], ids=["after the record", "before it"])
def test_being_stopped_while_it_is_recorded_loses_nothing(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    """The folder may be the only copy of what the ledger has recorded: the same command brings it to light."""
    honest = Ledger.record

    def interrupted(ledger: Ledger, release_id: str, digest: str) -> None:
        if after:
            honest(ledger, release_id, digest)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "record", interrupted)
        with pytest.raises(KeyboardInterrupt):
            people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    recorded = people(tmp_path).ledger.recorded("a")
    assert (recorded is not None) == after
    release = people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert after is False or release.manifest["seal"] == recorded
    assert (spent(tmp_path), charges(tmp_path), publish_cases.hidden(tmp_path)) == (Fraction(1), ["a"], [])
