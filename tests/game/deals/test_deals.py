"""Deals: the contract's vectors, and the effect of a changed byte."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from twinwall.game.deals import (
    Commitments,
    Deal,
    DealError,
    FieldTerms,
    Plan,
    PlannedDeal,
    ReleaseRule,
    Seed,
    SessionTimes,
    Slip,
    SlipPart,
    Start,
    StartedPlan,
    VerificationError,
    combine_parts,
    commit,
    commit_part,
    deal_check,
    make_deal,
    make_slip,
    plan_sessions,
    verify_deal,
    verify_slip,
)
from twinwall.game.deals.deal import shuffled, walls_digest, words_of
from twinwall.game.deals.encoding import encode_parts
from twinwall.game.deals.keys import path_length, root_from_path, tree_path, tree_root
from twinwall.game.documents import DocumentError
from twinwall.game.rules import wall_layout
from twinwall.game.tiles import SEATS, Seat, Tile, format_tiles
from twinwall.game.typed_json import HexBytes

PUBLIC, LATER = "2026-11-20 12:00 UTC", "2026-11-20 12:01 UTC"
DEALS = (*(PlannedDeal(n, 1, n, "mcr-duplicate") for n in range(1, 17)), PlannedDeal(17, 2, 1, "sichuan"), PlannedDeal(18, 2, 2, "seigo"))


def plan_of(*holders: str) -> Plan:
    return Plan("vector", holders, "vector: given in the test", DEALS)


def seeds_of(plan: Plan) -> dict[str, Seed]:
    return {holder: Seed(bytes(range(80 * i, 80 * i + 80))) for i, holder in enumerate(plan.holders)}


ONE = plan_of("server")
TWO = plan_of("server", "witness")
ROOT = commit(ONE, seeds_of(ONE)).root


def started(plan: Plan) -> StartedPlan:
    return StartedPlan(plan, Start(plan.digest, commit(plan, seeds_of(plan)).root, PUBLIC))


STARTED = started(ONE)


@pytest.mark.parametrize(
    ("plan", "digest", "root"),
    [
        (ONE, "9687a2c3ed7665781497e8c98077bc86f40254ab157f428a045d6cc31afe98dc", ROOT.hex()),
        (
            TWO,
            "28f08194700a9785d02c2845efbef87eabfef64efdca9955e0d108284d07d8f9",
            "495bb6f59e89c54a647f3b3df7612d01047050aa529728977a5fba3e4e3e7a40",
        ),
    ],
    ids=["one holder", "two holders"],
)
def test_plan_digest_and_root_are_those_of_the_contract(plan: Plan, digest: str, root: str) -> None:
    assert (plan.digest.hex(), commit(plan, seeds_of(plan)).root.hex()) == (digest, root)
    assert ROOT.hex() == "c063007cf90ad3fac1363fd65f9b4e01ff66dccb7e9ae342b6504842b87ea148"


@pytest.mark.parametrize(
    ("plan", "n", "digest", "check"),
    [
        (
            ONE,
            1,
            "d588e2f76e330a37f49c0e774d2a78cc9ab9fa931a7d7b523ff93416886e02a0",
            "deecadd2481a18710f8eadc125f5065bda2d07c3530141f798145d5c35da7f6b",
        ),
        (
            ONE,
            17,
            "0f1cd5b80beca19dbe53ab326d95b3741b52d609eabed47c6d4329bf8dd672b7",
            "dd68d6f36fd55eef55e499281f4da46396c1c915cd566ff06ab970ba3c088850",
        ),
        (
            TWO,
            1,
            "17387ac6dc7774705eb726eb44669659399aeb81735bf0330a8e58505d99ad62",
            "76f0ac0c7410636f78dad9ca8d3e6c0fd016d6c0eda90e84f0f1393cf75158f3",
        ),
    ],
    ids=["deal 1", "sichuan", "deal 1 of two holders"],
)
def test_digest_and_check_of_a_deal_are_those_of_the_contract(plan: Plan, n: int, digest: str, check: str) -> None:
    deal = make_deal(plan, seeds_of(plan), n, PUBLIC)
    assert (deal.digest.hex(), deal.check.hex()) == (digest, check)


def test_the_east_wall_of_deal_1_and_the_commitment_of_holder_0_are_those_of_the_contract() -> None:
    wall = make_deal(ONE, seeds_of(ONE), 1, PUBLIC).walls[Seat.EAST]
    assert format_tiles(wall.hand) == "5m 8p 9m 5p 4s 6s 5p 4m 6s N 2s 4s 3p"
    assert format_tiles(wall.draws) == "9s 3m 2m 4m 6m E 5s 4p 7p 5m 7s S 8s 6p 3s 4p 2s 6s 4m 3s 6m"
    published = commit(ONE, seeds_of(ONE)).seeds["server"]
    assert published.hex() == "81260ae3c0efb8155a4b06f62ca534698f586b6ade77ad5902a6c6b29c8389ed"


@pytest.mark.parametrize(("n", "wall", "rest"), [(1, 34, 0), (17, 27, 0), (18, 31, 12)])
def test_every_deal_uses_its_whole_set_once(n: int, wall: int, rest: int) -> None:
    deal = make_deal(ONE, seeds_of(ONE), n, PUBLIC)
    tiles = [tile for seat in SEATS for tile in deal.walls[seat].tiles] + list(deal.rest)
    assert [len(deal.walls[seat].tiles) for seat in SEATS] == [wall] * 4
    assert len(deal.rest) == rest
    assert set(Counter(tiles).values()) == {4}
    assert len(tiles) == len(wall_layout(deal.rules).tiles)


@given(n=st.integers(1, 18))
def test_the_slip_of_a_deal_re_makes_it_and_its_files_read_back(n: int) -> None:
    deal = make_deal(TWO, seeds_of(TWO), n, PUBLIC)
    slip = make_slip(TWO, seeds_of(TWO), n, PUBLIC)
    assert Slip.from_json(json.dumps(slip.to_json())) == slip
    assert Deal.from_json(json.dumps(deal.to_json())) == deal
    assert verify_slip(started(TWO), slip) == deal
    verify_deal(deal, slip, started(TWO))


_Hex = TypeVar("_Hex", bound=HexBytes)


def changed(content: _Hex) -> _Hex:
    return type(content)(bytes([content[0] ^ 1]) + content[1:])


@pytest.mark.parametrize(
    ("n", "public", "change", "part", "said"),
    [
        (7, PUBLIC, lambda slip: {"keys": (changed(slip.keys[0]),)}, SlipPart.KEY, "deal 7, key"),
        (7, PUBLIC, lambda slip: {"path": (changed(slip.path[0]), *slip.path[1:])}, SlipPart.PATH, "deal 7, path"),
        (7, PUBLIC, lambda slip: {"digest": changed(slip.digest)}, SlipPart.DIGEST, "deal 7, digest"),
        (7, PUBLIC, lambda slip: {"check": changed(slip.check)}, SlipPart.CHECK, "deal 7, check"),
        (18, PUBLIC, lambda slip: {"path": (*slip.path, slip.digest)}, SlipPart.PATH, "needs 2"),
        (3, PUBLIC, lambda _: {"public": LATER}, SlipPart.PUBLIC, f"'{LATER}'.*'{PUBLIC}'"),
        (3, LATER, lambda _: {"public": PUBLIC}, SlipPart.DIGEST, "deal 3, digest"),
    ],
    ids=["key", "path", "digest", "check", "a longer path", "another public value", "the right public value and other walls"],
)
def test_a_changed_slip_is_refused_by_the_part_that_was_changed(
    n: int, public: str, change: Callable[[Slip], dict[str, object]], part: SlipPart, said: str
) -> None:
    slip = make_slip(ONE, seeds_of(ONE), n, public)
    with pytest.raises(VerificationError, match=said) as caught:
        verify_slip(STARTED, structs.replace(slip, **change(slip)))
    assert caught.value.part is part


def test_a_slip_with_too_few_keys_is_refused() -> None:
    slip = make_slip(TWO, seeds_of(TWO), 1, PUBLIC)
    with pytest.raises(VerificationError, match="server, witness"):
        verify_slip(started(TWO), structs.replace(slip, keys=slip.keys[:1]))


FIVE, SLIP_5 = make_deal(ONE, seeds_of(ONE), 5, PUBLIC), make_slip(ONE, seeds_of(ONE), 5, PUBLIC)
SWAPPED = {**FIVE.walls, Seat.EAST: FIVE.walls[Seat.WEST], Seat.WEST: FIVE.walls[Seat.EAST]}
FITTING = {"digest": walls_digest(SWAPPED, ()), "check": deal_check(ROOT, 5, walls_digest(SWAPPED, ()), SLIP_5.keys)}


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"check": bytes(32)}, SlipPart.CHECK),
        ({"root": bytes(32)}, SlipPart.ROOT),
        ({"public": "another"}, SlipPart.PUBLIC),
        ({"hand": 6}, SlipPart.PLAN),
        ({"event": "another"}, SlipPart.PLAN),
        ({"digest": bytes(32)}, SlipPart.DIGEST),
        ({"walls": SWAPPED}, SlipPart.DIGEST),
        ({"walls": SWAPPED, **FITTING}, SlipPart.DIGEST),
    ],
    ids=["check", "root", "public", "hand", "event", "digest", "other walls", "other walls with digest and check made to fit"],
)
def test_a_table_refuses_a_deal_that_is_not_the_committed_one(change: dict[str, object], part: SlipPart) -> None:
    with pytest.raises(VerificationError) as caught:
        verify_deal(replace(FIVE, **change), SLIP_5, STARTED)  # type: ignore[arg-type]  # one field at a time
    assert caught.value.part is part


def test_a_table_refuses_the_slip_of_another_deal() -> None:
    with pytest.raises(VerificationError, match="opens deal 6"):
        verify_deal(FIVE, make_slip(ONE, seeds_of(ONE), 6, PUBLIC), STARTED)


def test_two_deals_of_other_seeds_agree_with_themselves_but_not_with_the_root() -> None:
    other = {"server": Seed(bytes(80))}
    deal, slip = make_deal(ONE, other, 2, PUBLIC, ROOT), make_slip(ONE, other, 2, PUBLIC)
    slip = structs.replace(slip, digest=deal.digest, check=deal.check)
    with pytest.raises(VerificationError) as caught:
        verify_deal(deal, slip, STARTED)
    assert caught.value.part is SlipPart.PATH


@pytest.mark.parametrize("size", [0, 79, 81])
def test_a_seed_of_another_length_is_refused(size: int) -> None:
    with pytest.raises(DealError, match=f"exactly 80 bytes, not {size}"):
        Seed(bytes(size))


def test_seeds_must_be_those_of_the_plans_holders_and_show_themselves_as_little_as_keys() -> None:
    with pytest.raises(DealError, match="'witness' is missing"):
        commit(TWO, {"server": Seed(bytes(80))})
    with pytest.raises(DealError, match="'stranger', who is no holder"):
        commit(ONE, {"server": Seed(bytes(80)), "stranger": Seed(bytes(80))})
    assert "\\x" not in repr(Seed(bytes(range(80))))
    assert repr(SLIP_5.keys[0]) not in repr(SLIP_5)


def test_published_commitments_read_back_and_bind_their_root() -> None:
    published = commit(TWO, seeds_of(TWO))
    assert Commitments.from_json(json.dumps(published.to_json())) == published
    wrong = {**published.to_json(), "root": "00" * 32}
    with pytest.raises(DealError, match="'root'"):
        Commitments.from_json(json.dumps(wrong))


def test_a_plan_file_reads_back_byte_for_byte_and_is_refused_in_other_bytes() -> None:
    plan = plan_sessions("Sanya – 三亚", "mcr-duplicate", sessions=2, hands=16, holders=["server"], public="drawn at noon")
    assert Plan.from_bytes(plan.canonical) == plan
    assert [(deal.n, deal.session, deal.hand) for deal in plan.deals] == [(n, 1 + n // 17, 1 + (n - 1) % 16) for n in range(1, 33)]
    assert "三亚".encode() in plan.canonical
    assert plan.canonical.endswith(b"}\n")
    with pytest.raises(DealError, match="canonical"):
        Plan.from_bytes(plan.canonical.replace(b",", b", ", 1))


def field(release: str, *sessions: dict[str, object]) -> dict[str, object]:
    return {"field": {"release": release, "sessions": list(sessions)}}


def test_a_plan_of_many_venues_names_release_and_times_and_one_of_a_hall_has_the_bytes_of_before() -> None:
    terms = FieldTerms(ReleaseRule.DEADLINE, (SessionTimes(1, "2026-11-22T18:00Z", "2026-11-22T22:00Z"),))
    plan = plan_sessions("Autumn", "mcr-duplicate", sessions=1, hands=2, holders=["server"], public="", field=terms)
    assert Plan.from_bytes(plan.canonical) == plan
    assert b'"field":{"release":"deadline","sessions":[{"deadline":"2026-11-22T22:00Z","opens":"2026-11-22T18:00Z"' in plan.canonical
    alone = plan_sessions("Autumn", "mcr-duplicate", sessions=1, hands=2, holders=["server"], public="")
    assert b"field" not in alone.canonical
    assert alone.digest != plan.digest


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": "blue"}, "the key 'colour' is not known"),
        ({"format": "twinwall-plan-2"}, "twinwall-plan-1"),
        ({"deals": []}, "no deals"),
        ({"holders": ["a", "a"]}, "twice"),
        ({"holders": []}, "at least one seed holder"),
        ({"event": " "}, "the plan's event has no name"),
        ({"deals": [{"n": 2, "session": 1, "hand": 1, "rules": "mcr-duplicate"}]}, "without gaps"),
        ({"deals": [{"n": 1, "session": 1, "hand": 17, "rules": "mcr-duplicate"}]}, r"deals\[0\].hand 17: Expected 'int' <= 16"),
        ({"deals": [{"n": True, "session": 1, "hand": 1, "rules": "mcr-duplicate"}]}, r"deals\[0\].n true: Expected 'int'"),
        (field("deadline", {"session": 1, "opens": "2026-11-22T18:00Z"}), "session 1 of the plan's field has no deadline"),
        (
            field("all-finished", {"session": 1, "opens": "2026-11-22T18:00Z", "deadline": "2026-11-22T22:00Z"}),
            "has a deadline: leave it out",
        ),
        (field("deadline", {"session": 1, "opens": "2026-11-22T18:00Z", "deadline": "2026-11-22T18:00Z"}), "give a later deadline"),
        (field("all-finished", {"session": 1, "opens": "2026-02-30T18:00Z"}), "not a date of the calendar"),
        (field("all-finished", {"session": 1, "opens": "2026-11-22T18:00+09:00"}), "opens"),
        (field("all-finished", {"session": 2, "opens": "2026-11-22T18:00Z"}), "has the sessions 1, 2, its field gives times for 2"),
        (field("all-finished"), "gives times for none"),
    ],
)
def test_a_plan_that_says_too_much_or_too_little_is_refused(change: dict[str, object], message: str) -> None:
    document = {**json.loads(ONE.canonical), **change}
    with pytest.raises(DocumentError, match=message):
        Plan.from_bytes((json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n").encode())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace('{"', '{"note": "", "', 1), "the deal file: the key 'note' is not known"),
        (lambda text: re.sub(r'"root": "[0-9a-f]*", ', "", text), "the deal file: the key 'root' is missing"),
        (lambda _: '{"n": 1, "n": 2}', "written twice"),
        (lambda text: text.replace('"5m 8p', '"5s 8p', 1), "3 of 5m, not 4"),
        (lambda text: text.replace('"5m 8p', '"8p', 1), "12 hand tiles"),
    ],
)
def test_a_deal_file_names_what_is_wrong_in_it(change: Callable[[str], str], said: str) -> None:
    with pytest.raises(DocumentError, match=said):
        Deal.from_json(change(json.dumps(make_deal(ONE, seeds_of(ONE), 1, PUBLIC).to_json())))


@given(parts=st.lists(st.text(max_size=6), max_size=5), others=st.lists(st.text(max_size=6), max_size=5))
def test_two_lists_of_parts_are_encoded_alike_only_when_they_are_equal(parts: list[str], others: list[str]) -> None:
    assert (encode_parts(*parts) == encode_parts(*others)) == (parts == others)


@given(size=st.integers(1, 40), chosen=st.integers(0, 39))
def test_every_leaf_leads_to_the_root_by_its_path_and_no_other_leaf_does(size: int, chosen: int) -> None:
    index = chosen % size
    leaves = [bytes([leaf]) for leaf in range(size)]
    path = tree_path(leaves, index)
    assert len(path) == path_length(size, index)
    assert root_from_path(leaves[index], index, size, path) == tree_root(leaves)
    assert root_from_path(b"other", index, size, path) != tree_root(leaves)


def test_the_shuffle_puts_every_tile_in_every_place_about_equally_often() -> None:
    tiles = wall_layout("mcr-duplicate").tiles[:12]
    first_places = Counter(shuffled(tiles, words_of(bytes([a, b])))[0] for a in range(60) for b in range(60))
    assert len(first_places) == 3
    assert all(1060 < count < 1340 for count in first_places.values())  # 1200 expected, 5 standard deviations


def test_a_word_that_would_favour_an_order_is_skipped() -> None:
    tiles = (Tile.M1, Tile.M2, Tile.M3)
    # 2³² is 1 more than a multiple of 3, so the last word would make one place likelier than the others.
    assert shuffled(tiles, iter([2**32 - 1, 1, 0])) == shuffled(tiles, iter([1, 0])) == (Tile.M3, Tile.M1, Tile.M2)
    assert shuffled(tiles, iter([2**32 - 2, 0])) == shuffled(tiles, iter([2, 0]))


def test_words_are_those_of_one_long_shake_output_however_many_are_taken() -> None:
    words = list(islice(words_of(b"stream"), 1000))
    assert b"".join(word.to_bytes(4, "big") for word in words) == hashlib.shake_256(b"stream").digest(4000)


def test_parts_of_the_commitments_are_of_this_plan_one_of_each_holder() -> None:
    plan = plan_of("server", "club")
    server, club = (commit_part(plan, holder, seed) for holder, seed in seeds_of(plan).items())
    assert combine_parts(plan, (club, server)) == commit(plan, seeds_of(plan))
    other = commit_part(structs.replace(plan, event="another"), "club", seeds_of(plan)["club"])
    for parts, why in (((server, other), "of another plan"), ((server, club, club), "two parts"), ((server,), "missing")):
        with pytest.raises(DealError, match=why):
            combine_parts(plan, parts)
