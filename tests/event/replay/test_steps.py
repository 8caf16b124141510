"""The steps of released hands: what was done, what was waited for, and what else was legal or had its tiles."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import msgspec
import pytest

from dashboard.pages.replay.replay_page import WHYS
from tests.support.game.random_hands import HAND_BY_NUMBER, mcr, seigo, sichuan
from tests.support.game.tables import RandomTable
from tests.support.game.worked_example import SCORES, WALLS, E, N, S, W, events_of, record_of
from tests.support.tiers import TIER, Tier
from twinwall.event.replay.moments import moments
from twinwall.event.replay.possible_moves import MoveFinder, TableNow, exchanges
from twinwall.event.replay.replay_form import (
    Chance,
    ReplayDiscard,
    ReplayDocument,
    ReplayEnd,
    ReplayMeld,
    ReplayNote,
    ReplayShow,
    ReplayWin,
)
from twinwall.event.replay.steps import NoWallsError, replay_document
from twinwall.game.held import concealed, face_down_kind
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claimed, ClaimsPassed, KongDeclared, Meld, MeldType, PlayEvent, TileDiscarded, WinDeclared
from twinwall.game.record import HandRecord
from twinwall.game.replay import HandReplayer
from twinwall.game.rule_set import Hands, Illegal, Win, WinningHand, Witness
from twinwall.game.rules import rule_set
from twinwall.game.rules.seigo.state import SeigoState, of_seigo
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile, parse_tile, parse_tiles, round_wind

MOST_HANDS = 30 if TIER is Tier.NIGHTLY else 3


@cache
def replayed(rules: str) -> list[tuple[RandomTable, ReplayDocument]]:
    hands = map(HAND_BY_NUMBER[rules], range(MOST_HANDS))
    return [(hand, replay_document([hand.record()])) for hand in hands]


def texts(tiles: tuple[Tile, ...]) -> set[str]:
    return {tile.text for tile in tiles}


def test_statement_11_south_waits_for_three_kinds_when_west_discards_the_south_wind() -> None:
    (table,) = replay_document([record_of("2")]).tables
    at = next(index for index, step in enumerate(table.steps) if isinstance(step, ReplayDiscard) and (step.seat, step.tile) == ("W", "S"))
    ready = next(step.ready for step in reversed(table.steps[:at]) if step.seat == "S" and step.ready is not None)
    assert ready.waits == "5m 7p S"
    assert Chance("S", "win", "S") in table.steps[at].chances
    assert isinstance(table.steps[at + 1], ReplayWin)


def test_a_declined_claim_is_told_apart_from_one_that_the_rules_refuse() -> None:
    (table,) = replay_document([record_of("2")]).tables
    missed = next(step for step in table.steps if isinstance(step, ReplayDiscard) and (step.seat, step.tile) == ("N", "7p"))
    assert missed.chances == [Chance("E", "chow", "7p 8p 9p"), Chance("S", "win", "7p")]
    assert missed.barred == []


@pytest.mark.slow
@pytest.mark.parametrize("rules", HAND_BY_NUMBER)
def test_every_reason_for_which_a_move_is_barred_has_words(rules: str) -> None:
    assert {move.why for _, document in replayed(rules) for step in document.tables[0].steps for move in step.barred} <= set(WHYS)


def test_the_end_says_what_was_paid_for_what() -> None:
    (table,) = replay_document([record_of("2")]).tables
    shown = next(step for step in table.steps if isinstance(step, ReplayShow))
    end = table.steps[-1]
    assert (shown.total, [fan.id for fan in shown.fans]) == (24, ["greater-honors-and-knitted-tiles"])
    assert isinstance(end, ReplayEnd)
    assert end.scores == {seat.value: SCORES["2"][seat] for seat in SEATS}
    assert sum(int(paid["amount"]) for paid in end.payments) == SCORES["2"][S]


def test_the_tables_of_a_deal_stand_beside_each_other() -> None:
    document = replay_document([record_of(play) for play in "1234"])
    assert [table.table for table in document.tables] == ["1", "2", "3", "4"]
    assert parse_tiles(document.walls["E"].hand) == WALLS[E].hand
    assert [type(table.steps[-1]) for table in document.tables] == [ReplayEnd] * 4
    assert msgspec.json.decode(msgspec.json.encode(document), type=ReplayDocument) == document


def test_a_record_without_walls_and_records_of_two_deals_are_refused() -> None:
    with pytest.raises(NoWallsError, match="deal 1 at table 2 has no walls"):
        replay_document([replace(record_of("2"), walls=None, digest=None)])
    with pytest.raises(ValueError, match="of deal 2, not the same as table 1 has"):
        replay_document([record_of("1"), replace(record_of("2"), n=2)])


def test_an_event_that_is_not_legal_is_a_note_and_changes_nothing() -> None:
    events = events_of("2")
    spoiled = replace(record_of("2"), events=(*events[:3], TileDiscarded(N, parse_tile("1m")), *events[3:]))
    (table,) = replay_document([spoiled]).tables
    (plain,) = replay_document([record_of("2")]).tables
    (note,) = [step for step in table.steps if isinstance(step, ReplayNote)]
    assert (note.kind, note.seat) == ("illegal", "N")
    assert [step for step in table.steps if step is not note] == plain.steps


@pytest.mark.parametrize("rules", ["mcr-duplicate", "yangzhou"])
def test_of_two_kinds_that_a_face_down_kong_may_have_it_has_the_one_that_is_not_discarded_later(rules: str) -> None:
    # In hand 6205 the West seat has four equal tiles of two kinds when it lays its kong.
    (table,) = replay_document([HAND_BY_NUMBER[rules](6205).record()]).tables
    (kong,) = [step for step in table.steps if isinstance(step, ReplayMeld) and step.down]
    after = table.steps[table.steps.index(kong) + 1 :]
    (thrown, *_) = [step.tile for step in after if isinstance(step, ReplayDiscard) and step.seat == kong.seat]
    assert thrown not in kong.tiles.split()


def test_a_record_in_which_each_of_these_kinds_is_discarded_later_has_a_kind_all_the_same() -> None:
    # As a camera may have read it wrongly.
    down = KongDeclared(W, Meld(MeldType.CONCEALED_KONG, (), None))
    east, south = parse_tiles("E S")
    events = (down, TileDiscarded(W, east), TileDiscarded(W, south))
    assert face_down_kind(W, (east,) * COPIES + (south,) * COPIES, (), events) is south


@pytest.mark.slow
@pytest.mark.parametrize("rules", HAND_BY_NUMBER)
def test_every_win_was_waited_for_and_every_win_that_was_made_was_a_chance(rules: str) -> None:
    """Robbed kongs and wins for several are left out: no discard stands just before them."""
    wins = 0
    for hand, document in replayed(rules):
        steps = document.tables[0].steps
        ready = {seat: wall.ready for seat, wall in document.walls.items()}
        won = [step for seat in hand.wins for step in [one for one in steps if isinstance(one, ReplayWin) and one.seat == seat.value][-1:]]
        for before, step in zip([None, *steps], steps, strict=False):
            if isinstance(step, ReplayWin) and step in won and step.source and isinstance(before, ReplayDiscard):
                stands = ready[step.seat]
                assert stands is not None
                assert step.tile in " ".join((stands.waits, stands.draws, stands.short)).split()
                assert Chance(step.seat, "win", step.tile) in before.chances
                wins += 1
            if step.ready is not None:
                ready[step.seat] = step.ready
    assert wins > 0


@pytest.mark.slow
@pytest.mark.parametrize("rules", HAND_BY_NUMBER)
def test_every_claim_that_was_made_was_a_chance_before(rules: str) -> None:
    claims = 0
    for _, document in replayed(rules):
        (table,) = document.tables
        laid = [step for step in table.steps if isinstance(step, ReplayMeld) and step.source and step.taken]
        for step in laid:
            before = table.steps[table.steps.index(step) - 1]
            if isinstance(before, ReplayDiscard) and before.seat == step.source:
                assert Chance(step.seat, step.meld, " ".join(sorted(step.tiles.split(), key=parse_tile))) in before.chances
                claims += 1
    assert claims > 0


def test_the_waits_are_those_with_which_the_rules_let_the_hand_win() -> None:
    held = concealed(WALLS, events_of("2")[: next(i for i, e in enumerate(events_of("2")) if isinstance(e, WinDeclared))], S)
    rules = rule_set("mcr-duplicate", {})
    found = MoveFinder(rules, E).waits(S, held, ())
    won = {tile.text for tile in rules.walls.kinds if isinstance(rules.score(WinningHand(S, E, held, (), tile, W)), Win)}
    assert texts(found.discards) == won == {"5m", "7p", "S"}
    all_held = MoveFinder(rules, E).waits(S, parse_tiles("1m 1m 1m 1m 2m 3m 4p 5p 6p 7s 8s 9s E"), ())
    assert "1m" not in texts(tuple(all_held.all)), "the hand has all copies of it"


@pytest.mark.parametrize(
    ("hand", "melds", "discards", "draws", "short"),
    [
        ("2m 3m 4m 5m 6m 7m 2p 3p 4p 6s 7s 9p 9p", (), "", "5s 8s", ""),
        ("2m 3m 4m 5m 6m 7m 6s 7s 9p 9p", (Meld(MeldType.CHOW, parse_tiles("2p 3p 4p"), E),), "", "", "5s 8s"),
        ("4m 4m 4m 5m 5m 5m 6m 6m 6m 7m", (Meld(MeldType.PUNG, parse_tiles("8m 8m 8m"), W),), "7m", "", ""),
    ],
)
def test_what_is_worth_too_little_is_told_apart(hand: str, melds: tuple[Meld, ...], discards: str, draws: str, short: str) -> None:
    found = MoveFinder(rule_set("mcr-duplicate", {}), E).waits(S, parse_tiles(hand), melds)
    assert texts(found.discards) >= set(discards.split())
    assert (texts(found.draws), texts(found.short)) == (set(draws.split()), set(short.split()))


@pytest.mark.parametrize(
    ("hand", "away"),
    [("1m 9m 1p 9p 1s 9s E S W N C F P", 0), ("1m 1m 2m 2m 3m 3m 4m 4m 5m 5m 6m 6m 7p", 0), ("1m 4m 7m 1p 4p 7p 1s 4s 7s E S W N", 6)],
)
def test_exchanges_count_the_common_forms(hand: str, away: int) -> None:
    assert exchanges(parse_tiles(hand)) == away


def test_a_face_down_kong_has_its_kind_after_release() -> None:
    found = 0
    for _, document in replayed("mcr-duplicate"):
        (table,) = document.tables
        for step in table.steps:
            if isinstance(step, ReplayMeld) and step.meld == MeldType.CONCEALED_KONG:
                assert len(set(step.tiles.split())) == 1
                assert len(step.own.split()) == COPIES
                found += 1
    assert found > 0


HANDS: dict[str, Callable[[], RandomTable]] = {
    "mcr": lambda: mcr(310, {"minimum": 0}, eager=True, with_kongs=True),
    "seigo": lambda: seigo(57),
    "sichuan": lambda: sichuan(3),
}


@pytest.mark.parametrize("name", HANDS)
def test_the_last_moment_is_how_the_hand_ended(name: str) -> None:
    hand = HANDS[name]()
    *_, last = moments(replay_document([hand.record()]))
    for seat in SEATS:
        own, state = last.seats[seat], hand.state.seat(seat)
        held = [tile.text for tile in hand.held.of[seat]]
        face_down = [tile for meld, laid in zip(state.melds, own.melds, strict=True) if meld.face_down for tile in laid.split()]
        assert sorted([*own.hand, *face_down]) == sorted(held)
        assert own.left == state.draws_left
        assert [laid.strip("()*") for laid in own.river] == [laid.tile.text for laid in state.river]
        assert [laid.startswith("(") for laid in own.river] == [laid.claimed_by is not None for laid in state.river]


SWAP_CALLING, CHOW_IN_RIICHI = 207, 214
"""Hands of Seigo in which a seat holds what its claim forbids to discard, and in which one in riichi holds tiles for a chow."""


class PassedWin(Witness):
    """A witness of whom nobody may win."""

    def objection(self, state: PlayState, event: PlayEvent, hands: Hands) -> Illegal | None:
        return Illegal("passed-win", "a win was let pass") if isinstance(event, WinDeclared) else None


def at_wests_south_wind(witness: Witness) -> list[Chance]:
    """What could be done at table 2 of the worked example, when West discards the tile with which South wins."""
    record = record_of("2")
    rules, wind = rule_set(record.rules, record.options), round_wind(record.hand)
    replayer = HandReplayer(rules, record)
    for event in record.events:
        assert replayer.judge(event) is None
        if isinstance(event, TileDiscarded) and (event.seat, event.tile.text) == (Seat.WEST, "S"):
            break
    return list(MoveFinder(rules, wind).after(event, now_at(replayer, witness)))


def now_at(replayer: HandReplayer, witness: Witness) -> TableNow:
    """The table of a hand without melds that win, as a replay has it."""
    assert replayer.held is not None
    concealed = {seat: tuple(sorted(replayer.held.of[seat])) for seat in SEATS}
    return TableNow(replayer.state, replayer.held.of, concealed, dict.fromkeys(SEATS, ()), witness)


def moves_of_seigo(record: HandRecord) -> Iterator[tuple[PlayEvent, SeigoState, list[Chance]]]:
    """Each event of a hand of Seigo with the state after it and what is told then: of a window that closes, what waits for the turn."""
    rules, wind = rule_set(record.rules, record.options), round_wind(record.hand)
    finder, replayer = MoveFinder(rules, wind), HandReplayer(rules, record)
    last = Seat.EAST
    for event in record.events:
        assert replayer.judge(event) is None
        now = now_at(replayer, Witness())
        if isinstance(event, Claimed):
            yield event, of_seigo(replayer.state), list(finder.after(event, now))
        elif isinstance(event, ClaimsPassed):
            yield event, of_seigo(replayer.state), list(finder.waiting_claims(now, last))
        elif isinstance(event, TileDiscarded):
            last = event.seat


def test_a_win_that_a_duty_forbids_is_barred_with_the_duty() -> None:
    assert Chance("S", "win", "S") in at_wests_south_wind(Witness())
    found = at_wests_south_wind(PassedWin())
    assert Chance("S", "win", "S", "passed-win", "a win was let pass") in found
    assert Chance("S", "win", "S") not in found


def test_the_final_discard_can_only_be_won_on_and_the_rules_sentence_says_so() -> None:
    (table,) = replay_document([mcr(7, {"minimum": 0}, eager=False, with_kongs=True).record()]).tables
    moves = [move for step in table.steps for move in step.barred]
    assert {(move.seat, move.act, move.tiles) for move in moves} == {
        ("W", "pung", "7m 7m 7m"),
        ("E", "chow", "5m 6m 7m"),
        ("E", "chow", "6m 7m 8m"),
    }
    assert all(move.why == "not-allowed" and move.rule.endswith("the final discard can only be won on") for move in moves)


def test_a_win_that_is_worth_too_little_is_barred_and_is_no_chance() -> None:
    (table,) = replay_document([mcr(0, {}, eager=True, with_kongs=True).record()]).tables
    barred = [(step, move) for step in table.steps for move in step.barred]
    assert {(move.act, move.why) for _, move in barred} == {("win", "below-minimum")}
    assert all(Chance(move.seat, move.act, move.tiles) not in step.chances for step, move in barred)


def test_discards_that_a_claim_forbids_are_barred() -> None:
    hand = moves_of_seigo(seigo(SWAP_CALLING).record())
    told = [(state, moves) for event, state, moves in hand if isinstance(event, Claimed)]
    barred = [move for _, moves in told for move in moves]
    assert barred
    assert {(move.act, move.why) for move in barred if move.why} == {("discard", "not-allowed")}
    assert all({move.tiles for move in moves} <= {tile.text for tile in state.barred} for state, moves in told)


def test_a_chow_that_riichi_forbids_is_barred() -> None:
    hand = moves_of_seigo(seigo(CHOW_IN_RIICHI).record())
    chows = [(state, move) for _, state, moves in hand for move in moves if move.act == "chow" and move.why]
    assert chows
    assert all(state.riichi_turn(Seat(move.seat)) is not None and move.rule.endswith("it is in riichi") for state, move in chows)
