"""What is kept of each user: against a plain model of the same hashes, and uniform over salts and users."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.kernels.reservoirs import SEEN, USER, shuffle
from discreet.private.engines.reservoirs import Reservoirs, ShardedRows
from discreet.private.kept import KeptRecords
from tests.law.item_cases import offer, records_of_users, reservoirs
from tests.statistics import compare

Ints = NDArray[np.int64]

dice = np.random.default_rng()

Listed = list[list[int]]


# --- a plain model --------------------------------------------------------------------------------------------------


def mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def numbered(users: Ints) -> Ints:
    """The how-manieth record of its user each one is, from 0."""
    order, out = np.argsort(users, kind="stable"), np.empty(users.size, np.int64)
    _, starts, count = np.unique(users[order], return_index=True, return_counts=True)
    out[order] = np.arange(users.size) - np.repeat(starts, count)
    return out


def model(users: Ints, words: Ints, made: Reservoirs) -> dict[int, list[int]]:
    """For each user the cells that are kept: all keys worked out, sorted, and the first ones taken."""
    salts, contexts = made.salts, made.contexts
    seed = mixed(salts[0] ^ users.view(np.uint64))
    own = mixed(seed + np.uint64(0x9E3779B97F4A7C15) * (numbered(users) + 1).view(np.uint64))
    items = words // contexts
    own_at, item_at, rank_at = (np.uint64(at) for at in made.layout)
    distinct = item_at < rank_at
    one = np.uint64(1)
    keys = own & ((one << item_at) - (one << own_at))  # all of this decides but for ties, which hardly ever occur
    if distinct:
        high = mixed(seed ^ salts[1] ^ (np.uint64(0xD1B54A32D192ED03) * (items + 1).view(np.uint64)))
        keys |= high & ((one << rank_at) - (one << item_at))
    if made.bases.size:
        keys |= (made.bases[items] >> made.layout[2]).astype(np.uint64) << rank_at
    kept: dict[int, list[int]] = {user: [] for user in dict.fromkeys(users.tolist())}
    seen: set[tuple[int, int]] = set()
    for row in np.lexsort((keys, users)).tolist():
        user, item = int(users[row]), int(items[row])
        if len(kept[user]) < made.most and not (distinct and (user, item) in seen):
            kept[user].append(int(words[row]))
            seen.add((user, item))
    return kept


def listed(made: Reservoirs, users: Ints) -> Listed:
    """What is kept of each of the users, in the order in which they came."""
    starts, words = made.settled()
    who = np.concatenate([shard.slots[shard.slots[:, SEEN] > 0, USER] for shard in made.shards]).tolist()
    kept = {user: words[a:b].tolist() for user, (a, b) in zip(who, itertools.pairwise(starts.tolist()), strict=True)}
    assert kept.keys() == set(users.tolist())
    return [kept[user] for user in dict.fromkeys(users.tolist())]


def offered(made: Reservoirs, users: Any, words: Any, cuts: Any = ()) -> Listed:
    users, words = np.asarray(users, np.int64), np.asarray(words, np.int32)
    for part in np.split(np.arange(users.size), list(cuts)):
        offer(made, users[part], words[part])
    return listed(made, users)


def alike(kept: Iterable[list[int]]) -> Listed:
    """In whatever order: long lists are not sorted by key."""
    return [sorted(one) for one in kept]


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("ranked", [False, True])
@pytest.mark.parametrize("most", [1, 2, 7, 40])
def test_the_kept_records_are_those_of_the_model(distinct: bool, ranked: bool, most: int) -> None:
    """In batches of any size; users of any number of records, negative and huge; more users than the first table."""
    scores = dice.integers(0, 4, 30).astype(np.float64) if ranked else None
    people = np.concatenate([dice.integers(-(2**63), 2**63, 5000), [-(2**63), 2**63 - 1, 0, -1]])
    users = np.concatenate([dice.choice(people, 9000), dice.choice(people[:30], 6000), people])
    words = dice.integers(0, 30 * 4, users.size)
    made = reservoirs(most, 4, distinct, scores, dice.bytes(16))
    found = offered(made, users, words, np.sort(dice.integers(0, users.size, 20)))
    assert found == list(model(users, words, made).values())


def test_long_lists_that_were_not_cut_are_in_another_order_than_by_key() -> None:
    """Users of 1 to 150 records, at most 100 of each: those of the model, sorted where some were dropped."""
    users = np.repeat(np.arange(150), np.arange(1, 151))
    words = dice.integers(0, 30 * 4, users.size)
    made = reservoirs(100, 4, salt=dice.bytes(16))
    for found, wanted in zip(offered(made, users, words), model(users, words, made).values(), strict=True):
        if 48 < len(wanted) < 100:
            assert sorted(found) == sorted(wanted)
            assert found != wanted  # by chance once in 49! cases
        else:
            assert found == wanted


def test_every_order_of_a_long_list_is_equally_likely() -> None:
    """Four keys, and of each hash every outcome that differs: all orders, each once."""
    orders = []
    for places in itertools.product(range(1), range(2), range(3), range(4)):
        shares = [(place * 2**31 + number) // (number + 1) + 1 for number, place in enumerate(places)]
        keys = np.array([share << 32 | number for number, share in enumerate(shares)], np.int64)
        shuffle(keys, 4)
        orders.append(tuple((keys & 255).tolist()))
    assert sorted(orders) == sorted(itertools.permutations(range(4)))


def test_batches_do_not_matter_nor_the_order_among_users() -> None:
    users, words = dice.integers(-50, 50, 3000), dice.integers(0, 60, 3000)
    whole = offered(reservoirs(6, 3, distinct=True), users, words)
    assert offered(reservoirs(6, 3, distinct=True), users, words, range(1, 3000)) == whole
    assert offered(reservoirs(6, 3, distinct=True), users, words, [0, 0, 7, 2999, 3000]) == whole
    order = np.argsort(dice.permutation(100)[users + 50], kind="stable")  # user by user
    again = offered(reservoirs(6, 3, distinct=True), users[order], words[order])
    assert sorted(again) == sorted(whole)
    first_of = {user: number for number, user in enumerate(dict.fromkeys(users.tolist()))}
    assert again == [whole[first_of[user]] for user in dict.fromkeys(users[order].tolist())]


def test_users_of_32_bits_are_packed_and_treated_alike() -> None:
    people = np.array([0, 1, 2**31, 2**32 - 1, 2**32, -1])
    users = np.concatenate([dice.choice(people[:4], 300), dice.choice(people, 300), dice.choice(people[:4], 300)])
    words = np.concatenate([[2**31 - 2, 0], dice.integers(0, 2**31 - 1, users.size - 2)])
    none = np.zeros(300, np.int32)
    widths = [ShardedRows.of([(some, some, none)], np.uint64(1)).rows.shape[1] for some in np.split(users, 3)]
    assert widths == [1, 2, 1]
    made = Reservoirs(5, (2**31 - 1,), b"r" * 16)
    found = offered(made, users, words, [300, 600])
    assert found == list(model(users, words, made).values())


def test_tables_and_arenas_grow() -> None:
    """Many users who come back after everything was moved, with few and with many records."""
    users = np.concatenate([np.arange(30_000), np.arange(30_000)[::-1], np.repeat(np.arange(40), 2000)])
    words = dice.integers(0, 10**6, users.size)
    made = reservoirs(3, 1, salt=b"r" * 16)
    found = offered(made, users, words, [100, 5000, 33_333, 70_000])
    assert sum(len(shard.slots) for shard in made.shards) >= 2 * 30_000
    assert sum(shard.links.size for shard in made.shards) > 1 << 14
    assert found == list(model(users, words, made).values())


def test_large_bounds_use_many_chunks() -> None:
    users = dice.permutation(np.repeat(np.arange(5), 5000))
    words = dice.integers(0, 900, users.size)
    made = reservoirs(1000, 1, salt=b"q" * 16)
    assert offered(made, users, words, [10, 9000]) == list(model(users, words, made).values())


def test_bounds_beyond_all_records_take_no_room() -> None:
    users, words = dice.integers(0, 5, 300), dice.integers(0, 9, 300)
    for distinct in (False, True):
        made = reservoirs(10**11, 1, distinct)
        assert alike(offered(made, users, words)) == alike(model(users, words, made).values())


def test_bounds_that_no_integer_holds() -> None:
    users, words = dice.integers(0, 5, 300), dice.integers(0, 9, 300)
    for most in (2**32, 2**63 - 1, 2**63, 2**70):
        made = reservoirs(most, 1)
        assert alike(offered(made, users, words)) == alike(model(users, words, made).values())
        kept = KeptRecords((3,), np.array([0, 2, 3]), np.array([0, 1, 2]))
        assert kept.table(most).tolist() == [1, 1, 1]
        assert kept.pairs(most, directed=False).sum() == 1


def test_items_whose_bits_collide_stay_apart() -> None:
    """One bit is left to tell items apart by, so most collide; still each item is one entry, and none is lost."""
    users, words = dice.integers(0, 40, 6000), dice.integers(0, 25 * 3, 6000)
    for most in (1, 3, 24, 25, 30):
        made = reservoirs(most, 3, True, salt=dice.bytes(16))
        own_at, _, rank_at = made.layout
        made.layout = own_at, rank_at - 1, rank_at
        found = offered(made, users, words, [50, 1234])
        assert found == list(model(users, words, made).values())
        assert all(len({word // 3 for word in mine}) == len(mine) <= most for mine in found)


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("ranked", [False, True])
def test_a_user_with_a_million_records(distinct: bool, ranked: bool) -> None:
    scores = np.zeros(10**6) if ranked else None
    many, everyone = np.arange(10**6), np.full(10**6 + 1, 7)
    everyone[500_000] = 8
    for words, different in ((many, True), (np.full(10**6, 3), False)):
        found = offered(reservoirs(5, 1, distinct, scores), everyone, np.insert(words, 500_000, 3), [999])
        assert [len(mine) for mine in found] == [5 if different or not distinct else 1, 1]
        assert set(found[0]) <= set(words.tolist())
        if different:
            assert len(set(found[0])) == 5
            assert max(found[0]) > 1000  # five of a million at random


# --- which ones: by chance --------------------------------------------------------------------------------------------


def uniform(sample: Sequence[Any], outcomes: Sequence[Any]) -> bool:
    hits = Counter(sample)
    assert set(hits) <= set(outcomes)
    expected = np.full(len(outcomes), 1 / len(outcomes))
    return compare(np.array([hits[o] for o in outcomes]), len(sample), expected).holds


def many_users(mine: Sequence[int], made: Reservoirs, count: int = 20_000) -> Listed:
    """What is kept of users who all have the same records, as they come or one after the other."""
    users = np.tile(np.arange(count), len(mine))
    return offered(made, users, np.repeat(mine, count))


@pytest.mark.parametrize("ranked", [False, True])
def test_every_subset_of_a_users_records_is_equally_likely(ranked: bool) -> None:
    """Over users and over salts; in every order, for fewer may be taken of them later."""
    ways = list(itertools.permutations([4, 0, 9, 2], 2))
    scores = np.zeros(10) if ranked else None
    found = [tuple(mine) for mine in many_users([4, 0, 9, 2], reservoirs(2, 1, scores=scores, salt=dice.bytes(16)))]
    assert uniform(found, ways)
    assert uniform(list(zip(found[::2], found[1::2], strict=True)), list(itertools.product(ways, ways)))
    fresh = (reservoirs(2, 1, scores=scores, salt=dice.bytes(16)) for _ in range(700))
    assert uniform([tuple(offered(made, [5, 5, 5, 5], [4, 0, 9, 2])[0]) for made in fresh], ways)


def test_long_histories_are_sampled_evenly() -> None:
    """Each of 60 records as likely to stay, after several rounds of throwing away."""
    hits = np.bincount(np.concatenate(many_users(range(60), reservoirs(3, 1, salt=dice.bytes(16)), 8000)), minlength=60)
    assert compare(hits, 8000, np.full(60, 3 / 60)).holds


@pytest.mark.parametrize("ranked", [False, True])
def test_users_count_once_for_an_item_with_any_of_its_records(ranked: bool) -> None:
    """Item 0 has three records in two contexts, item 1 two, item 2 one: items and then records are equally likely."""
    scores = np.zeros(3) if ranked else None
    records, contexts = [0, 1, 0, 11, 12, 25], 10
    found = many_users(records, reservoirs(2, contexts, True, scores, dice.bytes(16)))
    items = [tuple(word // contexts for word in mine) for mine in found]
    assert uniform(items, list(itertools.permutations(range(3), 2)))
    of_first = [word for mine in found for word in mine if word < 10]
    assert compare(np.array([of_first.count(0)]), len(of_first), np.array([2 / 3])).holds
    assert uniform([word for mine in found for word in mine if 10 <= word < 20], [11, 12])


@pytest.mark.parametrize(
    ("count", "scores"),
    [
        (200, None),
        (8000, None),
        (100, np.zeros(1)),
        (8000, np.zeros(1)),
    ],
)
def test_the_record_of_an_item_is_any_of_very_many(count: int, scores: Any) -> None:
    found = many_users(range(count), reservoirs(1, count, True, scores, dice.bytes(16)), 4_000_000 // count)
    assert uniform([mine[0] * 10 // count for mine in found], range(10))


@pytest.mark.parametrize("distinct", [False, True])
def test_the_record_of_an_item_is_any_where_ranks_need_many_bits(distinct: bool) -> None:
    """With 10**6 ranks and 100 contexts; a rank and a cell of 10**8 would leave 16 bits to chance."""
    mine = [777_777 * 100 + context for context in range(100)] * 3
    found = many_users(mine, reservoirs(1, 100, distinct, np.arange(10.0**6), dice.bytes(16)), 4000)
    assert uniform([kept[0] % 100 // 10 for kept in found], range(10))


@pytest.mark.parametrize("distinct", [False, True])
def test_the_highest_scores_are_kept_and_ties_at_random(distinct: bool) -> None:
    scores = np.array([1.0, 5.0, 1.0, -2.5, 1.0, 5.5])
    records = [0, 1, 2, 3, 4, 5] if distinct else [0, 3, 2, 4, 1, 5]
    found = many_users(records, reservoirs(3, 1, distinct, scores, dice.bytes(16)), 9000)
    assert all(mine[:2] == [5, 1] for mine in found)
    assert uniform([mine[2] for mine in found], [0, 2, 4])
    for few in ([3, 0], [0, 3], [3, 3, 3, 0]):
        assert many_users(few, reservoirs(2, 1, distinct, scores), 20) == [[0, 3]] * 20


def test_what_is_kept_of_a_user_does_not_depend_on_others() -> None:
    salt = dice.bytes(16)
    for distinct, scores in itertools.product([False, True], [None, np.arange(20.0) % 3]):
        mine = dice.integers(0, 20, 30)
        alone = offered(reservoirs(4, 1, distinct, scores, salt), np.full(30, 12), mine)[0]
        for _ in range(20):
            others = dice.integers(-5, 10**6, 200)
            others[others == 12] = 13
            users, words = np.full(230, 12), np.empty(230, np.int64)
            place = np.sort(dice.choice(230, 30, replace=False))
            users[np.delete(np.arange(230), place)] = others
            words[:] = dice.integers(0, 20, 230)
            words[place] = mine
            found = offered(reservoirs(4, 1, distinct, scores, salt), users, words)
            assert found[list(dict.fromkeys(users.tolist())).index(12)] == alone


# --- what may be counted of them --------------------------------------------------------------------------------------


def random_kept(most: int, sizes: tuple[int, ...]) -> tuple[KeptRecords, Listed]:
    of = [dice.integers(0, int(np.prod(sizes)), dice.integers(0, most + 1)).tolist() for _ in range(25)]
    starts = np.concatenate([[0], np.cumsum([len(mine) for mine in of])])
    return KeptRecords(sizes, starts, np.array([word for mine in of for word in mine], np.int64)), of


def test_tables_and_numbers() -> None:
    for most, first in itertools.product([1, 4, 9], [1, 2, 4, 20]):
        kept, of = random_kept(most, (5, 2))
        chosen = dice.random(25) < 0.4
        plain = Counter(word for mine in of for word in mine[:first])
        some = Counter(word for mine, taken in zip(of, chosen, strict=True) if taken for word in mine[:first])
        assert kept.table(first).tolist() == [plain[cell] for cell in range(10)]
        assert kept.table(first, chosen).tolist() == [some[cell] for cell in range(10)]
        assert kept.table(first, np.zeros(25, np.bool_)).sum() == 0
        sizes = Counter(min(len(mine), first) for mine in of)
        assert records_of_users(kept, first).tolist() == [sizes[number] for number in range(first + 1)]
        assert kept.users == 25


@pytest.mark.parametrize("sizes", [(6,), (4, 3)])
def test_pairs(sizes: tuple[int, ...]) -> None:
    contexts = int(np.prod(sizes[1:]))
    for most, first in itertools.product([1, 2, 8], [1, 2, 3, 8]):
        kept, of = random_kept(most, sizes)
        both = np.zeros((sizes[0], sizes[0]), np.int64)
        second = both.copy()
        for mine in of:
            times = Counter(word // contexts for word in mine[:first])
            for i, j in itertools.permutations(times, 2):
                second[i, j] += times[j]
                both[i, j] += i < j
        assert np.array_equal(kept.pairs(first, directed=False), both)
        assert np.array_equal(kept.pairs(first, directed=True), second)
