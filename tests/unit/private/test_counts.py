"""Counts: canonical, checked without telling, and never shown."""

from __future__ import annotations

import copy
import io
import logging
import pickle
import traceback

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from discreet.errors import BadParameter, CountOverflow
from discreet.private.counts import LARGEST_TOTAL, Counts, word_slices

CANARY = 4242424242
SECRET = Counts((5_000_000_000, 3), [[CANARY, 1]], [CANARY])


def test_from_arrays_adds_up_drops_and_sorts() -> None:
    counts = Counts.from_arrays((3, 4), [[2, 1], [0, 3], [2, 1], [1, 0]], [5, 2, 7, 0])
    assert counts.codes.tolist() == [[0, 3], [2, 1]]
    assert counts.counts.tolist() == [2, 12]
    assert counts.codes.dtype == counts.counts.dtype == np.int64
    assert counts.sizes == (3, 4)
    assert counts.cells == 12


@pytest.mark.parametrize("large", [2**24, 2**53, 2**61])
def test_one_record_more_is_one_more_however_many_there_are(large: int) -> None:
    counts = Counts.from_arrays((2,), [[0], [1], [0]], [large, 7, 1])
    assert counts.counts.tolist() == [large + 1, 7]
    assert counts.marginal([0]) == counts


def test_all_counts_look_the_same() -> None:
    """Not even how many cells are occupied shows."""
    looks = [Counts.from_arrays((9,), np.arange(many)[:, None], np.ones(many, np.int64)) for many in (0, 1, 9)]
    assert {repr(one) for one in looks} == {str(one) for one in looks} == {f"{one}" for one in looks}
    assert len({repr(one) for one in looks}) == 1


def test_dense() -> None:
    table = Counts.from_arrays((2, 3), [[1, 2], [0, 0]], [4, 5]).dense()
    assert table.tolist() == [[5, 0, 0], [0, 0, 4]]


def test_no_cell_at_all() -> None:
    counts = Counts.from_arrays((2, 3), [], [])
    assert counts.codes.shape == (0, 2)
    assert counts.dense().sum() == 0


@given(st.data())
def test_any_sizes_agree_with_a_dictionary(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 2**40), min_size=1, max_size=6).map(tuple))
    cell = st.tuples(*(st.integers(0, min(size - 1, 3)) | st.just(size - 1) for size in sizes))
    rows = data.draw(st.lists(st.tuples(cell, st.integers(0, 5)), max_size=12))
    expected: dict[tuple[int, ...], int] = {}
    for codes, number in rows:
        expected[codes] = expected.get(codes, 0) + number
    counts = Counts.from_arrays(sizes, [codes for codes, _ in rows], [number for _, number in rows])
    wanted = sorted((codes, number) for codes, number in expected.items() if number)
    assert list(zip(map(tuple, counts.codes.tolist()), counts.counts.tolist(), strict=True)) == wanted


@given(st.lists(st.integers(1, 2**62), min_size=1, max_size=8))
def test_words_hold_every_code(sizes: list[int]) -> None:
    runs = word_slices(sizes)
    assert [index for run in runs for index in range(run.start, run.stop)] == list(range(len(sizes)))
    for run in runs:
        product = 1
        for size in sizes[run]:
            product *= size
        assert product < 2**63


@pytest.mark.parametrize(
    ("sizes", "codes", "counts"),
    [
        ((), [], []),
        ((0, 2), [], []),
        ((3, 3), [[CANARY, 0]], [1]),
        ((3, 3), [[-1, 0]], [CANARY]),
        ((3, 3), [[0, 0, 0]], [CANARY]),
        ((3, 3), [0, 0], [CANARY, 1]),
        ((3, 3), [[0, 0]], [CANARY, CANARY]),
        ((3, 3), [[0, 0]], [-CANARY]),
        ((3, 3), [[0, 0]], [CANARY + 0.5]),
        ((3, 3), [[0, 0]], [float("nan")]),
        ((3, 3), [[0, 0]], [str(CANARY)]),
        ((3, 3), [[0, 0], [0]], [CANARY, 1]),
        ((3, 3), [[0, 0]], [CANARY * 2**70]),
    ],
)
def test_refusals_tell_no_value(sizes: tuple[int, ...], codes: ArrayLike, counts: ArrayLike) -> None:
    for make in (Counts, Counts.from_arrays):
        with pytest.raises(BadParameter) as caught:
            make(sizes, codes, counts)
        assert str(CANARY) not in str(caught.value)


@pytest.mark.parametrize("counts", [[2**62 + CANARY], [2**63 + CANARY], [2**61, 2**61, CANARY], [2.0**62]])
def test_overflow_tells_no_value(counts: list[int]) -> None:
    codes = [[index] for index in range(len(counts))]
    with pytest.raises(CountOverflow) as caught:
        Counts.from_arrays((5,), codes, np.array(counts))
    assert not any(character.isdigit() for character in str(caught.value).replace("64-bit", ""))
    assert Counts.from_arrays((5,), [[0]], [LARGEST_TOTAL // 2]).counts.tolist() == [LARGEST_TOTAL // 2]


@pytest.mark.parametrize(("codes", "counts"), [([[1], [0]], [1, 1]), ([[0], [0]], [1, 1]), ([[0], [1]], [1, 0])])
def test_only_canonical_arrays_make_counts(codes: list[list[int]], counts: list[int]) -> None:
    with pytest.raises(BadParameter, match="from_arrays"):
        Counts((3,), codes, counts)


def test_a_table_too_large_to_write_out() -> None:
    with pytest.raises(BadParameter, match=r"1e\+12 cells.*sparse"):
        Counts.from_arrays((10**6, 10**6), [[0, 0]], [1]).dense()


def test_it_cannot_be_changed() -> None:
    counts = Counts.from_arrays((3,), [[0]], [1])
    with pytest.raises(AttributeError):
        counts.sizes = (4,)
    with pytest.raises(AttributeError):
        del counts.codes
    with pytest.raises(ValueError):
        counts.counts[0] = 5
    with pytest.raises(ValueError):
        counts.codes[0, 0] = 2


def test_given_arrays_are_copied() -> None:
    codes, numbers = np.array([[0], [1]]), np.array([1, 2])
    counts = Counts((3,), codes, numbers)
    codes[0, 0] = numbers[0] = 2
    assert counts == Counts((3,), [[0], [1]], [1, 2])
    assert counts != Counts((3,), [[0], [1]], [1, 3])
    assert counts != "Counts(private)"


def test_it_shows_nothing(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("test").warning("%s %r", SECRET, SECRET)
    shown = [
        repr(SECRET),
        str(SECRET),
        f"{SECRET}",
        f"{SECRET:>10}",
        SECRET._repr_html_(),
        repr([SECRET]),
        repr(vars(SECRET) if hasattr(SECRET, "__dict__") else {}),
        caplog.text,
    ]
    assert all(str(CANARY) not in text for text in shown)
    assert not hasattr(SECRET, "__len__")


def test_it_shows_nothing_in_tracebacks_with_locals() -> None:
    from rich.console import Console
    from rich.pretty import pretty_repr
    from rich.traceback import Traceback

    def rendered(act: object) -> str:
        try:
            act()  # type: ignore[operator]
        except Exception as error:
            out = io.StringIO()
            Console(file=out, width=200).print(
                Traceback.from_exception(type(error), error, error.__traceback__, show_locals=True)
            )
            plain = traceback.TracebackException.from_exception(error, capture_locals=True)
            return out.getvalue() + "".join(plain.format())
        raise AssertionError("nothing was raised")

    class Caller:  # its own locals would show, which is not what is tested
        codes, numbers, twice = np.array([[CANARY]]), np.array([CANARY]), [[CANARY], [CANARY]]

    def wrong() -> None:
        private = SECRET
        assert private.dense is None

    assert str(CANARY) not in rendered(wrong)
    assert str(CANARY) not in pretty_repr(SECRET)
    for make in (Counts, Counts.from_arrays):
        assert str(CANARY) not in rendered(lambda make=make: make((5,), Caller.codes, Caller.numbers))
        assert str(CANARY) not in rendered(lambda make=make: make((10**10,), Caller.codes, -Caller.numbers))
    assert str(CANARY) not in rendered(lambda: Counts((10**10,), Caller.twice, [1, 1]))


def test_it_cannot_be_pickled() -> None:
    with pytest.raises(TypeError, match="private"):
        pickle.dumps(SECRET)
    with pytest.raises(TypeError, match="private"):
        copy.deepcopy(SECRET)
