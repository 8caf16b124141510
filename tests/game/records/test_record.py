"""Hand records and event JSON: they read back, and a replay finds impossible events."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.game.random_hands import HAND_BY_NUMBER
from tests.support.game.tables import Table, random_walls
from tests.support.game.worked_example import EXAMPLE, SCORES, WALLS, E, N, S, events_of, record_of
from tests.support.tiers import examples
from twinwall.game.documents import DocumentError
from twinwall.game.held import NotHeldError, concealed
from twinwall.game.play import chows_with
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandRuledDead,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    Offence,
    PenaltyRuled,
    PlayEvent,
    ResultExcluded,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.play_json import from_json, to_json
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rule_set import Win
from twinwall.game.rules import rule_set, rule_set_names
from twinwall.game.tiles import ALL_TILES, SEATS, Seat, Tile, parse_tiles
from twinwall.game.typed_json import written


@pytest.mark.parametrize("play", list(SCORES))
def test_the_worked_example_replays_to_the_scores_of_the_paper(play: str) -> None:
    again = replay(record_of(play))
    assert again.legal, again.verdicts
    assert again.scores == SCORES[play]
    assert isinstance(again.outcome, Win)
    assert again.outcome.total == {"1": 17, "2": 24, "3": 8, "4": 24}[play]


def test_the_plays_of_the_worked_example_draw_the_tiles_of_its_logs() -> None:
    for play in SCORES:
        draws = {seat: iter(WALLS[seat].draws) for seat in SEATS}
        drawn = [[event.seat.value, next(draws[event.seat]).text] for event in events_of(play) if isinstance(event, TileDrawn)]
        assert drawn == [[seat, tile] for seat, kind, tile in EXAMPLE["logs"][play] if kind in ("draw", "replace")]


@pytest.mark.parametrize("released", [True, False])
def test_a_record_reads_back_with_and_without_its_walls(released: bool) -> None:
    record = record_of("1") if released else replace(record_of("1"), walls=None, digest=None)
    assert HandRecord.from_json(json.dumps(record.to_json())) == record
    assert ("walls" in record.to_json()) is released
    assert replay(HandRecord.from_json(json.dumps(record.to_json()))).scores == record.scores


def with_event(record: HandRecord, index: int, event: PlayEvent) -> HandRecord:
    events = list(record.events)
    events[index] = event
    return replace(record, events=tuple(events))


def reasons(record: HandRecord) -> dict[int, str]:
    """What is illegal, by the number of the event, up to the first."""
    found = {number: problem.reason for number, problem in enumerate(replay(record).verdicts) if problem is not None}
    return dict(list(found.items())[:1])


def test_a_discard_that_was_not_held_is_found_only_with_the_walls() -> None:
    record = with_event(record_of("2"), 1, TileDiscarded(E, Tile.WHITE))
    assert reasons(record) == {1: "not-held"}
    assert 1 not in reasons(replace(record, walls=None))


def test_a_meld_made_of_tiles_that_were_not_held_is_found() -> None:
    record = record_of("1")
    index = next(number for number, event in enumerate(record.events) if isinstance(event, Claimed))
    assert reasons(with_event(record, index, Claimed(E, Meld(MeldType.CHOW, parse_tiles("6m7m8m"), N)))) == {index: "not-held"}
    assert reasons(with_event(record, index, Claimed(E, Meld(MeldType.PUNG, parse_tiles("8m8m8m"), N)))) == {index: "not-held"}


def test_a_shown_hand_that_was_not_held_is_found() -> None:
    record = record_of("1")
    shown = record.events[-2]
    assert isinstance(shown, HandShown)
    other = (*shown.concealed[1:], Tile.EAST)
    assert reasons(with_event(record, -2, replace(shown, concealed=other))) == {len(record.events) - 2: "not-held"}
    swapped = tuple(sorted([*shown.concealed, shown.winning]))
    assert reasons(with_event(record, -2, HandShown(E, swapped[1:], swapped[0]))) == {len(record.events) - 2: "not-held"}


def test_scores_that_the_shown_hand_does_not_pay_are_found() -> None:
    record = with_event(record_of("1"), -1, HandEnded(EndReason.WON, SCORES["2"]))
    assert reasons(record) == {len(record.events) - 1: "wrong-scores"}
    assert replay(record).scores == SCORES["1"]


def test_a_hand_that_wins_cannot_be_refused_and_one_that_does_not_cannot_be_paid() -> None:
    record = record_of("1")
    last = len(record.events) - 1
    assert reasons(with_event(record, -1, WinRefused(E, "not-a-win"))) == {last: "wins"}
    strict = replace(record, options={"minimum": 18})
    assert reasons(strict) == {last: "not-a-win"}
    assert reasons(with_event(strict, -1, WinRefused(E, "not-a-win"))) == {last: "wrong-reason"}
    assert reasons(with_event(strict, -1, WinRefused(E, "below-minimum"))) == {}


def test_an_illegal_event_is_skipped_and_the_rest_judged_without_it() -> None:
    record = record_of("2")
    again = replay(replace(record, events=(TileDrawn(S), *record.events)))
    assert again.verdicts[0] is not None
    assert not any(again.verdicts[1:])
    assert again.scores == SCORES["2"]


def test_a_hand_that_is_not_over_has_no_scores() -> None:
    assert replay(replace(record_of("1"), events=record_of("1").events[:20])).scores == dict.fromkeys(SEATS, 0)


def test_a_seat_holds_its_hand_its_draws_and_not_what_it_gave_away() -> None:
    events = events_of("1")
    claim = next(number for number, event in enumerate(events) if isinstance(event, Claimed))
    before, behind = concealed(WALLS, events[:claim], E), concealed(WALLS, events[: claim + 1], E)
    assert sorted(before) == sorted([*behind, Tile.M7, Tile.M9])
    assert concealed(WALLS, events[:1], E)[-1] is Tile.S3
    with pytest.raises(NotHeldError, match="E does not hold P"):
        concealed(WALLS, [TileDiscarded(E, Tile.WHITE)], E)
    with pytest.raises(NotHeldError, match="no tile left"):
        concealed(WALLS, [TileDrawn(E)] * 22, E)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weather": "fine"}, "the hand record: the key 'weather' is not known"),
        ({"hand": 0}, "hand 0: Expected 'int' >= 1"),
        ({"check": "00"}, "64 lower-case hex"),
        ({"digest": "00" * 32}, "'digest'"),
        ({"scores": {"E": 1}}, "scores: the key 'S' is missing"),
        ({"events": [{"type": "tile-drawn", "seat": "X"}]}, "event 1 of the hand record.*one of E, S, W, N"),
        ({"events": [3]}, "^event 1 of the hand record: the event: 3: Expected"),
        ({"rules": "bridge", "walls": written(WALLS)}, "the rule set 'bridge' is not known"),
        ({"walls": {}}, "walls: the key 'E' is missing"),
        ({"rest": "1m"}, "'rest'"),
    ],
)
def test_a_record_that_is_not_written_right_names_what_is_wrong(change: dict[str, object], message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        HandRecord.from_json(json.dumps({**record_of("1").to_json(), **change}))


SEAT = st.sampled_from(SEATS)
TILE = st.sampled_from(ALL_TILES)
TILES = st.lists(TILE, max_size=14).map(tuple)
EVENTS: st.SearchStrategy[PlayEvent] = st.one_of(
    st.builds(TileDrawn, SEAT),
    st.builds(TileDiscarded, SEAT, TILE),
    st.builds(Claimed, SEAT, st.builds(Meld, st.sampled_from([MeldType.CHOW, MeldType.PUNG, MeldType.KONG]), TILES, SEAT)),
    st.builds(KongDeclared, SEAT, st.builds(Meld, st.just(MeldType.ADDED_KONG), TILES, st.none())),
    st.builds(KongDeclared, SEAT, st.builds(Meld, st.just(MeldType.CONCEALED_KONG), TILES | st.just(()), st.none())),
    st.just(ClaimsPassed()),
    st.builds(WinDeclared, SEAT, st.none() | SEAT, st.none() | TILE),
    st.builds(HandShown, SEAT, TILES, TILE, TILES),
    st.builds(WinRefused, SEAT, st.sampled_from(["not-a-win", "below-minimum"])),
    st.builds(HandRuledDead, SEAT),
    st.builds(PenaltyRuled, SEAT, st.sampled_from(Offence), st.integers(0), st.integers(0)),
    st.just(ResultExcluded()),
    st.builds(HandEnded, st.sampled_from(EndReason), st.fixed_dictionaries({seat: st.integers() for seat in SEATS})),
)


@given(EVENTS)
def test_every_event_reads_back_from_its_json(event: PlayEvent) -> None:
    assert from_json(json.loads(json.dumps(to_json(event)))) == event


def test_events_have_the_names_and_fields_of_the_contract() -> None:
    assert to_json(Claimed(E, Meld(MeldType.CHOW, parse_tiles("7m8m9m"), N))) == {
        "type": "claimed",
        "seat": "E",
        "meld": "chow",
        "tiles": "7m 8m 9m",
        "from": "N",
    }
    assert to_json(ClaimsPassed()) == {"type": "passed"}
    assert to_json(WinDeclared(E, None, None)) == {"type": "win-declared", "seat": "E", "from": None, "tile": None}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"type": "teleported"}, "'teleported' is not known"),
        ({"seat": "E"}, "the key 'type' is missing"),
        ({"type": "tile-drawn"}, "'tile-drawn': the key 'seat' is missing"),
        ({"type": "tile-drawn", "seat": "E", "tile": "1m"}, "the key 'tile' is not known"),
        ({"type": "tile-discarded", "seat": "E", "tile": "0m"}, "'0m' is not a tile"),
        ({"type": "claimed", "seat": "E", "meld": "pair", "tiles": "1m1m", "from": "S"}, "one of chow, pung, kong"),
        ({"type": "hand-ended", "reason": "tired", "scores": {}}, "one of won, drawn, ruled, annulled"),
        ({"type": "penalty-ruled", "seat": "E", "offence": "snoring", "imp": 4, "points": 0}, "one of false-win, conduct"),
        ({"type": "penalty-ruled", "seat": "E", "offence": "conduct", "imp": -4, "points": 0}, "imp -4: Expected 'int' >= 0"),
    ],
)
def test_an_event_that_is_not_written_right_names_what_is_wrong(document: dict[str, object], message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        from_json(document)


def test_a_declared_kong_with_a_source_has_no_written_form() -> None:
    with pytest.raises(ValueError, match="names no source"):
        to_json(KongDeclared(E, Meld(MeldType.ADDED_KONG, parse_tiles("1m1m1m1m"), N)))


@given(TILE)
def test_the_chows_with_a_tile_are_all_of_one_suit_in_a_row_and_contain_it(tile: Tile) -> None:
    chows = chows_with(tile)
    assert len(chows) == (0 if tile.is_honour else 3 - sum(tile.rank in edge for edge in ((1, 9), (1, 2, 8, 9))))
    for first, second, third in chows:
        assert tile in (first, second, third)
        assert (second - first, third - second) == (1, 1)
        assert first.suit is third.suit


def test_replay_of_a_random_hand_notices_when_two_seats_are_exchanged() -> None:
    table = Table(rule_set("mcr-duplicate"), random_walls(1), random.Random(1), eager=True)
    list(table.play())
    record = table.record()
    exchanged = replace(record, walls={**record.walls, E: record.walls[S], S: record.walls[E]} if record.walls else None)
    assert not replay(exchanged).legal


SEEDS = range(1, 7)


@cache
def hand_of(name: str, seed: int) -> HandRecord:
    return HAND_BY_NUMBER[name](seed).record()


def spoilt(events: Sequence[PlayEvent], chance: random.Random) -> tuple[PlayEvent, ...]:
    wrong, at = list(events), chance.randrange(len(events))
    match chance.randrange(5):
        case 0:
            del wrong[at]
        case 1:
            wrong.insert(chance.randrange(len(wrong)), wrong[at])
        case 2:
            other = chance.randrange(len(wrong))
            wrong[at], wrong[other] = wrong[other], wrong[at]
        case 3:
            wrong[at] = _of_another(wrong[at], chance)
        case _:
            del wrong[at:]
    return tuple(wrong)


def _of_another(event: PlayEvent, chance: random.Random) -> PlayEvent:
    seat, tile = chance.choice(SEATS), chance.choice(list(Tile))
    match event:
        case TileDiscarded():
            return replace(event, seat=seat, tile=tile, riichi=chance.random() < 0.5)
        case WinDeclared():
            return WinDeclared(seat, chance.choice([None, *SEATS]), chance.choice([None, tile]))
        case HandShown():
            return replace(event, seat=seat, winning=tile)
        case HandEnded():
            return replace(event, scores=dict.fromkeys(SEATS, 1))
        case _ if isinstance(getattr(event, "seat", None), Seat):
            return replace(event, seat=seat)  # type: ignore[arg-type]  # it has one
        case _:
            return event


@pytest.mark.slow
@pytest.mark.parametrize("name", rule_set_names())
@given(seed=st.sampled_from(SEEDS), mistakes=st.integers(1, 4), with_walls=st.booleans(), chance=st.randoms(use_true_random=False))
@settings(max_examples=examples(60))
def test_every_event_of_a_record_gone_wrong_is_judged(name: str, seed: int, mistakes: int, with_walls: bool, chance: random.Random) -> None:
    record = hand_of(name, seed)
    events: tuple[PlayEvent, ...] = record.events
    for _ in range(mistakes):
        events = spoilt(events, chance) if events else events
    if not with_walls:
        record = replace(record, walls=None, rest=None)
    judged = replay(replace(record, events=events))
    assert len(judged.verdicts) == len(events)
    assert all(verdict is None or (verdict.reason and verdict.sentence) for verdict in judged.verdicts)
    assert set(judged.scores) == set(SEATS)
    assert judged.legal is not any(judged.verdicts)
