"""Which rows of a user count, as one expression that every engine evaluates alike.

A user's rows in a cell are numbered; a row's ticket is a digest of (salt, user, cell, number), and a user with too many
rows keeps those of the lowest tickets. So the choice is uniform over salts, follows from this user's rows alone, and is
the same on every engine, in any order of rows, however often a stage is computed. No table is made, so a role that may
only read is enough.
"""

from __future__ import annotations

import hashlib
from typing import Any

import ibis

from discreet.privacy import Unit

#: a user's equal rows are numbered in blocks, so that one user with very many of them takes little memory
BLOCK = 1024
#: hexadecimal digits of a digest that decide
DIGITS = 16


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def md5(text: str) -> str:  # type: ignore[empty-body]
    """A function of DuckDB, PostgreSQL and Spark: 32 hexadecimal digits."""


@ibis.udf.scalar.builtin(name="left")  # type: ignore[untyped-decorator]
def _first(text: str, digits: int) -> str:  # type: ignore[empty-body]
    """As above; ibis's own `left` makes PostgreSQL compute its text twice."""


@ibis.udf.scalar.builtin(name="decode", signature=(("string", "string"), "binary"))  # type: ignore[untyped-decorator]
def _decoded(text: Any, how: Any) -> Any:
    """PostgreSQL's function."""


@ibis.udf.scalar.builtin(name="generate_series")  # type: ignore[untyped-decorator]
def _series(first: int, last: int) -> int:  # type: ignore[empty-body]
    """PostgreSQL's function, which makes rows one by one and so needs no blocks."""


@ibis.udf.scalar.builtin(name="sequence", signature=(("int64", "int64", "int64"), "array<int64>"))  # type: ignore[untyped-decorator]
def _sequence(first: Any, last: Any, step: Any) -> Any:
    """Spark's function."""


def bounded(rows: Any, words: list[str], unit: Unit, salt: bytes) -> Any:
    """Counts by cell of at most `max_rows_per_cell` rows of a user in a cell, then at most `max_rows` of the user."""
    kept = kept_rows(rows, words, unit.most, unit.max_rows_per_cell, salt)
    return kept.group_by(words).aggregate(n=kept.n.sum().cast("int64"))


def kept_rows(rows: Any, words: list[str], most: int, per_cell: int | None, salt: bytes) -> Any:
    """Cells (`words`) and how many rows `n` of one user in them count; users within the bound are not ranked."""
    groups = rows.group_by(["user_id", *words]).aggregate(n=rows.count().cast("int64"))
    if per_cell is not None:
        groups = groups.mutate(n=ibis.least(groups.n, ibis.literal(per_cell, "int64")))
    totals = groups.mutate(total=groups.n.sum().over(group_by=groups.user_id).cast("int64"))
    totals = totals.mutate(above=totals.total > most)
    single = singly(totals.mutate(copies=ibis.ifelse(totals.above, totals.n, ibis.literal(1, "int64"))))
    ticket = sortable(ticket_of(single, words, salt))
    single = single.mutate(ticket=ibis.ifelse(single.above, ticket, ibis.null(ticket.type())))
    order = [single.ticket, *(single[name] for name in words), single.copy]
    ranked = single.mutate(rank=ibis.row_number().over(group_by=single.user_id, order_by=order))
    chosen = ranked.filter(~ranked.above | (ranked.rank < most))
    return chosen.select("user_id", *words, n=ibis.ifelse(chosen.above, ibis.literal(1, "int64"), chosen.n))


def singly(groups: Any) -> Any:
    """`copies` rows in place of each, numbered by `copy` from 0 on."""
    if groups.get_backend().name == "postgres":
        return groups.mutate(copy=_series(ibis.literal(0, "int64"), groups.copies - 1))
    if groups.get_backend().name == "pyspark":
        first = ibis.literal(0, "int64")
        blocks = groups.mutate(start=_sequence(first, groups.copies - 1, ibis.literal(BLOCK, "int64")).unnest())
        last = ibis.least(blocks.start + BLOCK, blocks.copies) - 1
        return blocks.mutate(copy=_sequence(blocks.start, last, ibis.literal(1, "int64")).unnest())
    blocks = groups.mutate(start=ibis.range(ibis.literal(0, "int64"), groups.copies, BLOCK).unnest())
    blocks = blocks.mutate(end=ibis.least(blocks.start + BLOCK, blocks.copies))
    return blocks.mutate(copy=ibis.range(blocks.start, blocks.end).unnest())


def ticket_of(rows: Any, words: list[str], salt: bytes) -> Any:
    """Hexadecimal digits, a function of salt, user, cell and copy."""
    record = digest_of(rows.user_id, salt)
    for name in [*words, "copy"]:
        record = record + "/" + rows[name].cast("string")
    return _first(md5(record), DIGITS)


def digest_of(user: Any, salt: bytes) -> Any:
    """Hexadecimal digits for a user."""
    return _first(md5(ibis.literal(head_of(salt)) + user.cast("string")), DIGITS)


def head_of(salt: bytes) -> str:
    """What is hashed before a user's name: of one length, whatever that of the salt."""
    return hashlib.md5(salt, usedforsecurity=False).hexdigest() + "/"


def sortable(ticket: Any) -> Any:
    """Engines that compare texts by the rules of a language are given bytes, which are faster, and surely in order."""
    return _decoded(ticket, "hex") if ticket.get_backend().name == "postgres" else ticket
