"""Which rows of a user count, as one expression that every engine evaluates alike.

A user's rows in a cell are numbered; a row's ticket is a digest of (salt, user, cell, number), and a user with too many
rows keeps those of the lowest tickets. So the choice is uniform over salts, follows from this user's rows alone, and is
the same on every engine, in any order of rows, however often a stage is computed. No table is made, so a role that may
only read is enough.
"""

from __future__ import annotations

import hashlib
from typing import Any

from discreet.privacy import Unit
from discreet.private.engines.expressions import EngineFunction, expressions_of

#: a user's equal rows are numbered in blocks, so that one user with very many of them takes little memory
BLOCK = 1024
#: hexadecimal digits of a digest that decide
DIGITS = 16


# of DuckDB, PostgreSQL and Spark: 32 hexadecimal digits
_md5 = EngineFunction("md5", ("string",), "string")
# as above; ibis's own `left` makes PostgreSQL compute its text twice
_first = EngineFunction("left", ("string", "int64"), "string")
# PostgreSQL's; it makes the rows of a series one by one, so they need no blocks
_decoded = EngineFunction("decode", ("string", "string"), "binary")
_series = EngineFunction("generate_series", ("int64", "int64"), "int64")
# Spark's
_sequence = EngineFunction("sequence", ("int64", "int64", "int64"), "array<int64>")


def bounded(rows: Any, words: list[str], unit: Unit, salt: bytes) -> Any:
    """Counts by cell of at most `max_rows_per_cell` rows of a user in a cell, then at most `max_rows` of the user."""
    kept = kept_rows(rows, words, unit.most, unit.max_rows_per_cell, salt)
    return kept.group_by(words).aggregate(n=kept.n.sum().cast("int64"))


def kept_rows(rows: Any, words: list[str], most: int, per_cell: int | None, salt: bytes) -> Any:
    """Cells (`words`) and how many rows `n` of one user in them count; users within the bound are not ranked."""
    sql = expressions_of(rows)
    groups = rows.group_by(["user_id", *words]).aggregate(n=rows.count().cast("int64"))
    if per_cell is not None:
        groups = groups.mutate(n=sql.least(groups.n, sql.literal(per_cell, "int64")))
    totals = groups.mutate(total=groups.n.sum().over(group_by=groups.user_id).cast("int64"))
    totals = totals.mutate(above=totals.total > most)
    single = singly(totals.mutate(copies=sql.ifelse(totals.above, totals.n, sql.literal(1, "int64"))))
    ticket = sortable(ticket_of(single, words, salt))
    single = single.mutate(ticket=sql.ifelse(single.above, ticket, sql.null(ticket.type())))
    order = [single.ticket, *(single[name] for name in words), single.copy]
    ranked = single.mutate(rank=sql.row_number().over(group_by=single.user_id, order_by=order))
    chosen = ranked.filter(~ranked.above | (ranked.rank < most))
    return chosen.select("user_id", *words, n=sql.ifelse(chosen.above, sql.literal(1, "int64"), chosen.n))


def singly(groups: Any) -> Any:
    """`copies` rows in place of each, numbered by `copy` from 0 on."""
    sql = expressions_of(groups)
    if groups.get_backend().name == "postgres":
        return groups.mutate(copy=_series(sql.literal(0, "int64"), groups.copies - 1))
    if groups.get_backend().name == "pyspark":
        first = sql.literal(0, "int64")
        blocks = groups.mutate(start=_sequence(first, groups.copies - 1, sql.literal(BLOCK, "int64")).unnest())
        last = sql.least(blocks.start + BLOCK, blocks.copies) - 1
        return blocks.mutate(copy=_sequence(blocks.start, last, sql.literal(1, "int64")).unnest())
    blocks = groups.mutate(start=sql.range(sql.literal(0, "int64"), groups.copies, BLOCK).unnest())
    blocks = blocks.mutate(end=sql.least(blocks.start + BLOCK, blocks.copies))
    return blocks.mutate(copy=sql.range(blocks.start, blocks.end).unnest())


def ticket_of(rows: Any, words: list[str], salt: bytes) -> Any:
    """Hexadecimal digits, a function of salt, user, cell and copy."""
    record = digest_of(rows.user_id, salt)
    for name in [*words, "copy"]:
        record = record + "/" + rows[name].cast("string")
    return _first(_md5(record), DIGITS)


def digest_of(user: Any, salt: bytes) -> Any:
    """Hexadecimal digits for a user."""
    return _first(_md5(expressions_of(user).literal(head_of(salt)) + user.cast("string")), DIGITS)


def head_of(salt: bytes) -> str:
    """What is hashed before a user's name: of one length, whatever that of the salt."""
    return hashlib.md5(salt, usedforsecurity=False).hexdigest() + "/"


def sortable(ticket: Any) -> Any:
    """Engines that compare texts by the rules of a language are given bytes, which are faster, and surely in order."""
    return _decoded(ticket, "hex") if ticket.get_backend().name == "postgres" else ticket
