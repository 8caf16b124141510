"""Violations before the decoder: what is certain is told with its seat and its rule, what is not is asked, and the hand goes on."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product

import pytest
from msgspec import structs

from benchmarks.played_tables.hand_on_table import HandOnTable
from benchmarks.played_tables.violations import CommittedViolation, ViolationAct, violated_hand
from controller.hand.referee import LAID_WRONGLY
from controller.recorder import costs
from controller.recorder.at_table.table_decoding import LocatedViolation, TableDecoding
from controller.recorder.beam import Beam
from controller.recorder.decoder import DecoderLimits, HandDecoder
from controller.recorder.hypothesis import Missing, TileRole
from controller.recorder.margins.violation_margins import REPORT_WITHIN_MS, found_violations, violation_questions
from controller.recorder.moves.violations import laid_wrongly
from controller.recorder.places import all_seats
from controller.recorder.signals import Decoded, GateEdge, KnownDeal
from controller.recorder.violations import PathViolation, ViolationKind
from controller.state.broken_rules import BROKEN_RULES
from controller.state.messages import ViolationDecoded
from controller.state.watches import HandToDecode
from simulator.disturbances.kinds import NONE
from tests.controller.recorder import test_whole_hand as whole_hand
from tests.support.controller.game import walls_of
from tests.support.controller.rigs import opened
from tests.support.narrowed import of_type, present
from tests.support.recorder.doubted_hand import violations_followed
from tests.support.recorder.kept_hand import frames
from tests.support.recorder.played_hands import FRAME_MS, decoder_of, followed, messages_of, played, without_passes
from tests.support.recorder.small_tables import BARE, EAST_DRAWS, EVERYTHING, Cells, a_table, happened, over, path_at, tile_at, tracks_of
from tests.support.simulator.mat_observations import NO_NOISE
from twinwall.game.play_events import Claimed, ClaimsPassed, KongDeclared, PlayEvent, TileDiscarded, TileDrawn
from twinwall.game.rules import rule_set, rule_set_names
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.wire.shapes.panel import KeyEdge
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation, ObservedTile
from vision.table.place_picture import is_shown

DELAY_MS = 700
"""The table's own record follows a discard or a draw so much later."""
BEGINNING = 13
"""Events of a hand that are played: five draws at most, of which the last three see no violation begin."""


def at_table(act: ViolationAct, rules: str = "mcr-duplicate") -> tuple[HandOnTable, tuple[CommittedViolation, ...]]:
    """The beginning of a hand with one violation of a kind, and nothing else amiss."""
    hand = played(rules, 0).to_play
    beginning = replace(hand, played=replace(hand.played, events=hand.played.events[:BEGINNING]))
    return violated_hand(beginning, NONE, 1, scales={other: float(other is act) for other in ViolationAct})


def decoded(
    act: ViolationAct, rules: str = "mcr-duplicate", limits: DecoderLimits | None = None
) -> tuple[HandDecoder, HandOnTable, CommittedViolation]:
    hand, (committed,) = at_table(act, rules)
    known = played(rules, 0)
    decoder = decoder_of(known)
    if limits is not None:
        decoder = HandDecoder(known.rules, all_seats(known.east), SEATS[0], KnownDeal(known.walls, known.rest), limits=limits)
    followed(decoder, messages_of(hand, NO_NOISE, backs=True))
    return decoder, hand, committed


COMMITTED = [
    (act, rules)
    for act, rules in product(ViolationAct, rule_set_names())
    if act is not ViolationAct.FALSE_DISCARD and (act is not ViolationAct.FALSE_WIN or rules in ("mcr-duplicate", "yangzhou"))
]
"""Tiles are barred in Seigo alone, and in none of these beginnings; people of simulated tables declare no false win in Sichuan, where no
hand is shown for a win, nor in Seigo."""


@pytest.mark.slow
@pytest.mark.parametrize(("act", "rules"), COMMITTED)
def test_a_violation_is_told_once_with_its_seat_and_the_hand_after_it_is_recorded(act: ViolationAct, rules: str) -> None:
    decoder, hand, committed = decoded(act, rules)
    (found,) = decoder.reported_violations.values()
    assert (found.violation.kind.value, found.violation.seat) == (committed.act.value, committed.seat)
    assert found.violation.rule
    assert without_passes(event.event for event in decoder.best()) == without_passes(event for _, event in hand.events)


def test_a_second_discard_is_told_as_such_where_an_arm_hid_which_of_the_two_came_first() -> None:
    hand, (committed,) = at_table(ViolationAct.DISCARDED_TWICE)
    laid_ms = max(at_ms for at_ms, event in hand.events if isinstance(event, TileDiscarded) and at_ms <= committed.at_ms)
    decoder = decoder_of(played("mcr-duplicate", 0))
    for signal in messages_of(hand, NO_NOISE, backs=True):
        hidden = isinstance(signal, MatObservation) and laid_ms - 500 <= signal.at_ms < committed.at_ms + 500
        followed(decoder, [MatObservation(signal.at_ms, covered=EVERYTHING) if hidden else signal])
    (found,) = decoder.reported_violations.values()
    assert (found.violation.kind, found.violation.seat) == (ViolationKind.DISCARDED_TWICE, committed.seat)


def test_a_violation_in_doubt_is_asked_about_and_nobody_is_accused() -> None:
    decoder, _, committed = decoded(ViolationAct.DISCARDED_TWICE, limits=DecoderLimits(publish=20.0))
    decoder.finish()
    asked = [question.violation for question in decoder.questions if question.violation is not None]
    assert not decoder.reported_violations
    assert (ViolationKind.DISCARDED_TWICE, committed.seat) in [(violation.kind, violation.seat) for violation in asked]
    assert any(question.about.startswith(f"discarded-twice {committed.seat.value} ") for question in decoder.questions)


def told_at_the_table(
    record: int | None = None, act: ViolationAct = ViolationAct.DISCARDED_TWICE, rules: str = "mcr-duplicate"
) -> list[LocatedViolation]:
    """What a running table is told of a hand with a violation; ``record``: the table's record has come only so far."""
    hand, _ = at_table(act, rules)
    known = played(rules, 0)
    decoding = TableDecoding(known.rules)
    found: list[LocatedViolation] = []
    deal = opened(known.walls, hand=known.to_play.hand, rules=rules, rest=known.rest)
    decoding.take_record(HandToDecode(deal, None, ()))
    for frame in frames(decoding, messages_of(hand, NO_NOISE, backs=True)):
        so_far = tuple(event for at_ms, event in hand.events if at_ms + DELAY_MS < frame.at_ms)
        decoding.take_record(HandToDecode(deal, None, so_far if record is None else other_hand(so_far, record)))
        decoding.see(frame)
        found.extend(decoding.violations())
    return found


def other_hand(events: tuple[PlayEvent, ...], number: int) -> tuple[PlayEvent, ...]:
    """The events with the discard of that number another tile: the decoder and the table do not hold the same hand."""
    return tuple(
        replace(event, tile=Tile.RED if event.tile is Tile.WHITE else Tile.WHITE)
        if index == number and isinstance(event, TileDiscarded)
        else event
        for index, event in enumerate(events)
    )


@pytest.mark.parametrize("rules", rule_set_names())
@pytest.mark.parametrize("what", LAID_WRONGLY)
def test_a_running_table_is_told_once_of_tiles_laid_wrongly(what: str, rules: str) -> None:
    act = ViolationAct(what)
    _, (committed,) = at_table(act, rules)
    (seen,) = told_at_the_table(act=act, rules=rules)
    assert seen.report == ViolationDecoded(1, committed.seat, what, BROKEN_RULES[what])


def test_the_place_of_a_violation_is_one_of_which_pictures_may_be_shown_and_the_tile_lies_by_it() -> None:
    _, (committed,) = at_table(ViolationAct.DISCARDED_TWICE)
    (seen,) = told_at_the_table()
    known = played("mcr-duplicate", 0)
    place = present(seen.place)
    assert (place.near.place, place.near.area) == (opened(known.walls, hand=known.to_play.hand).place(committed.seat), Area.RIVER)
    assert is_shown(Mat(), place.near, present(place.at_mm))
    assert place.lain_ms > 3000, "it has stayed"


def test_what_may_be_a_violation_is_located_once_for_its_picture_before_anybody_is_told() -> None:
    hand, (committed,) = at_table(ViolationAct.DISCARDED_TWICE)
    known = played("mcr-duplicate", 0)
    decoding, found = TableDecoding(known.rules), list[LocatedViolation]()
    decoding.take_record(HandToDecode(opened(known.walls, hand=known.to_play.hand), None, ()))
    for frame in frames(decoding, messages_of(hand, NO_NOISE, backs=True)):
        decoding.see(frame)
        found.extend(decoding.suspicions())
    assert [each.report.what for each in found if each.report.seat is committed.seat].count("discarded-twice") == 1
    assert all(each.place is not None for each in found)


def test_the_next_places_of_the_rivers_are_those_of_the_record() -> None:
    known = played("mcr-duplicate", 0)
    deal, decoding = opened(known.walls, hand=known.to_play.hand), TableDecoding(known.rules)
    assert decoding.next_places() == ()
    first = next(index for index, event in enumerate(known.to_play.played.events) if isinstance(event, TileDiscarded))
    discard = of_type(TileDiscarded, known.to_play.played.events[first])
    decoding.take_record(HandToDecode(deal, None, tuple(known.to_play.played.events[: first + 1])))
    assert decoding.next_places() == tuple(Slot(deal.place(seat), Area.RIVER, int(seat is discard.seat)) for seat in SEATS)


def test_near_which_places_the_record_lays_tiles_and_takes_them_is_known_without_the_decoder() -> None:
    known = played("mcr-duplicate", 0)
    deal, decoding = opened(known.walls, hand=known.to_play.hand), TableDecoding(known.rules)
    assert decoding.changed_places(0) == ()
    events = tuple(known.to_play.played.events)
    claim = next(index for index, event in enumerate(events) if isinstance(event, Claimed))
    claimed, last = events[claim], max(index for index in range(claim) if isinstance(events[index], TileDiscarded))
    assert isinstance(claimed, Claimed)
    source = present(claimed.meld.source)
    number = sum(isinstance(event, TileDiscarded) and event.seat is source for event in events[:last])
    decoding.take_record(HandToDecode(deal, None, events[: claim + 1]))
    assert decoding.changed_places(claim + 1) == ()
    assert decoding.changed_places(claim) == (Slot(deal.place(source), Area.RIVER, number),)
    laid = sum(isinstance(event, TileDiscarded) for event in events[:claim])
    assert len(decoding.changed_places(0)) == laid + 1


def test_a_decoder_that_holds_another_hand_than_the_table_accuses_nobody() -> None:
    assert told_at_the_table(record=1) == []


def show(
    decoder: HandDecoder,
    seen: dict[int, tuple[ObservedTile, ...]],
    *signals: GateEdge | KeyEdge,
    until_ms: int,
    covered: Callable[[int], Cells] = lambda _at_ms: BARE,
) -> list[Decoded]:
    """What is published by frames of what lies there since each time, and edges and keys that come with them."""
    published = list[Decoded]()
    for at_ms in range(1000, until_ms, FRAME_MS):
        for signal in signals:
            if signal.at_ms == at_ms:
                decoder.hear(signal)
        lies = next((seen[since] for since in reversed(seen) if since <= at_ms), ())
        published += decoder.see(MatObservation(at_ms, lies, covered(at_ms)))
    return published


def test_a_swap_call_is_told_with_the_sentence_of_the_rules_and_the_next_discard_stands() -> None:
    east, south = SEATS[0], SEATS[1]
    walls = walls_of({east: "1p 2p 3p E E S S W W N N 9s 9s 4m", south: "5m 6m 7m 1p 2p 3p 4p 5p 6p 1s 2s 3s 9p 9s"})
    decoder = HandDecoder(rule_set("seigo"), all_seats(0), east, KnownDeal(walls, tuple(Tile)))
    claimed = tile_at(Slot(0, Area.RIVER, 0), Tile.M4)
    meld = tuple(tile_at(Slot(1, Area.MELD, index), kind) for index, kind in enumerate((Tile.M4, Tile.M5, Tile.M6)))
    wrong, right = tile_at(Slot(1, Area.RIVER, 0), Tile.M7), tile_at(Slot(1, Area.RIVER, 0), Tile.P9)
    lies = {2000: (claimed,), 6000: meld, 8000: (*meld, wrong), 15000: meld, 17000: (*meld, right)}
    show(decoder, lies, GateEdge(1000, 0), until_ms=21000)
    (found,) = decoder.reported_violations.values()
    assert (found.violation.kind, found.violation.seat) == (ViolationKind.FALSE_DISCARD, south)
    assert "swap calling" in found.violation.rule
    events = [event.event for event in decoder.best()]
    assert any(isinstance(event, Claimed) for event in events)
    assert events[-1] == TileDiscarded(south, Tile.P9)


def test_a_discard_between_a_kong_and_its_replacement_is_told_as_out_of_turn() -> None:
    east = SEATS[0]
    walls = walls_of({east: "E E E E 1p 2p 3p S S W W N N 9s 4m"})
    decoder = HandDecoder(rule_set("mcr-duplicate"), all_seats(0), east, KnownDeal(walls, ()))
    kong = tuple(tile_at(Slot(0, Area.MELD, index), None) for index in range(4))
    show(decoder, {3000: kong, 6000: (*kong, tile_at(Slot(0, Area.RIVER, 0), Tile.S9))}, GateEdge(1000, 0), until_ms=15000)
    assert isinstance(decoder.best()[-1].event, KongDeclared)
    (found,) = decoder.reported_violations.values()
    assert (found.violation.kind, found.violation.seat) == (ViolationKind.DISCARDED_OUT_OF_TURN, east)


_CLAIMED = tile_at(Slot(0, Area.RIVER, 0), Tile.M4)
_MELD = tuple(tile_at(Slot(1, Area.MELD, index), kind) for index, kind in enumerate((Tile.M5, Tile.M6, Tile.M4)))


@pytest.mark.parametrize(
    ("seat", "before"),
    [
        pytest.param(Seat.EAST, {}, id="after a draw"),
        pytest.param(Seat.SOUTH, {2000: (_CLAIMED,), 4000: (_CLAIMED, *_MELD[:2]), 6000: _MELD}, id="after a claim"),
    ],
)
def test_of_two_discards_of_a_turn_the_later_is_told_as_the_second(seat: Seat, before: Mapping[int, tuple[ObservedTile, ...]]) -> None:
    """The second one lay nearer to the slot; neither was certain, nothing was told, and an arm lay over the tile from then on until its
    seat discarded it (seigo 54473). After a claim the first one was thought to be out of turn (seigo 66145)."""
    slot, lies = Slot(seat.index, Area.RIVER, 0), before.get(6000, ())
    walls = walls_of({Seat.EAST: "1p 2p 3p E E S S W W N N 9s 9s 4m", Seat.SOUTH: "5m 6m 1p 2p 3p 4p 5p 6p 1s 2s 3s E 9s"})
    decoder = HandDecoder(rule_set("mcr-duplicate"), all_seats(0), Seat.EAST, KnownDeal(walls, ()))
    first, second = tile_at(slot, Tile.EAST), tile_at(slot, Tile.S9)
    beside = replace(first, x_mm=first.x_mm - 10)
    show(decoder, {**before, 8000: (*lies, beside), 9000: (*lies, beside, second)}, GateEdge(1000, 0), until_ms=16_000)
    assert decoder.best()[-1].event == TileDiscarded(seat, Tile.EAST)
    (found,) = decoder.reported_violations.values()
    assert (found.violation.kind, found.violation.at_ms) == (ViolationKind.DISCARDED_TWICE, 9000)


@pytest.mark.parametrize(("apart_ms", "most"), [(500, costs.LINGERING), (2000, costs.ODD)])
def test_of_several_violations_in_one_moment_none_is_certain(apart_ms: int, most: float) -> None:
    """Tiles of a river that was pushed were discards out of turn to a path that knew no other explanation."""
    violations = tuple(PathViolation(ViolationKind.DISCARDED_OUT_OF_TURN, Seat.SOUTH, "", at * apart_ms, (at,)) for at in range(2))
    table = a_table("seigo", now_ms=0)
    path = path_at(table, violations=violations)
    assert [found.margin for found in found_violations(table, Beam([path], [0.0]), ())] == [most, most]


@pytest.mark.parametrize(
    ("why", "at_ms", "most"),
    [
        (costs.CostReason.WITHOUT_TURN, 15_000, costs.LINGERING),
        (costs.CostReason.WITHOUT_TURN, 1500, costs.ODD),
        ("key without effect", 15_000, costs.ODD),
    ],
)
def test_no_violation_is_certain_around_a_draw_without_a_turn(why: str, at_ms: int, most: float) -> None:
    """Play may have gone on without the path, and what it takes for violations is what it has not understood. The next lawful draw tells
    that there was such a draw before it."""
    hand = played("mcr-duplicate", 0)
    table = a_table(now_ms=0)
    path = path_at(table)
    times = {TileDrawn: (1000, 25_000), TileDiscarded: (2000,), ClaimsPassed: (25_000,)}
    left = {kind: list(each) for kind, each in times.items()}
    for event in hand.events[:4]:
        path = present(path.happened(table, event, at_ms=left[type(event)].pop(0)))
    violation = PathViolation(ViolationKind.DISCARDED_OUT_OF_TURN, Seat.NORTH, "", at_ms, (0,))
    path = structs.replace(path.costing(costs.RARE, why), violations=(violation,))
    (found,) = found_violations(table, Beam([path], [0.0]), ())
    assert found.margin == most


@pytest.mark.parametrize(("late_ms", "told", "most"), [(0, False, costs.ODD), (1, False, costs.LINGERING), (1, True, costs.ODD)])
def test_a_violation_that_becomes_certain_a_minute_after_its_act_is_asked_about_and_not_told(late_ms: int, told: bool, most: float) -> None:
    """yangzhou 56383: two minutes after a lawful discard its seat was told to have discarded twice. What was told before stays."""
    violation = PathViolation(ViolationKind.DISCARDED_TWICE, Seat.SOUTH, "", 1000, (0,))
    table = a_table("yangzhou", now_ms=violation.at_ms + REPORT_WITHIN_MS + late_ms)
    path = path_at(table, violations=(violation,))
    (found,) = found_violations(table, Beam([path], [0.0]), (), reported={violation.mark} if told else ())
    assert found.margin == most


def test_paths_that_found_violations_and_events_in_another_order_are_one_path() -> None:
    """Five paths that differed in that alone kept the true one out of the beam (sichuan 50594): a draw that was put back was told as one
    out of turn."""
    table = a_table(now_ms=0)
    early, open_tile = (PathViolation(kind, Seat.SOUTH, "", 5000) for kind in (ViolationKind.DREW_EARLY, ViolationKind.EXPOSED_TILES))
    path = path_at(table)
    one, other = happened(table, path, EAST_DRAWS), happened(table, path.violated(open_tile, 1.0), EAST_DRAWS)
    assert one.violated(early, 1.0).violated(open_tile, 1.0).key == other.violated(early, 1.0).key
    assert one.violated(early, 1.0).key != one.violated(open_tile, 1.0).key


def test_a_false_win_is_one_violation_though_the_last_tile_of_its_hand_is_seen_later() -> None:
    """It was told twice (mcr-duplicate 51176)."""
    first = PathViolation(ViolationKind.FALSE_WIN, Seat.NORTH, "", 124_500, (40, 41, 42))
    assert replace(first, tracks=(40, 41, 42, 43)).mark == first.mark
    assert replace(first, seat=Seat.SOUTH).mark != first.mark
    opened = replace(first, kind=ViolationKind.EXPOSED_TILES)
    assert replace(opened, tracks=(40, 41)).mark != opened.mark


@pytest.mark.parametrize(("gap", "asked"), [(5.5, True), (6.5, False)])
def test_a_violation_that_another_path_holds_is_asked_about_where_an_event_would_be(gap: float, asked: bool) -> None:
    table = a_table(now_ms=0)
    path = path_at(table)
    rival = structs.replace(path, violations=(PathViolation(ViolationKind.DREW_TWICE, Seat.SOUTH, "", 5000),))
    assert bool(list(violation_questions(table, Beam([path, rival], [0.0, gap]), (), costs.ASK))) is asked


@pytest.mark.parametrize(
    ("kind", "x_mm", "seen_ms"), [(Tile.S3, 0.0, 9750), (Tile.S4, 0.0, 9750), (Tile.S3, -350.0, 9750), (Tile.S3, 0.0, 11_000)]
)
def test_a_tile_that_came_as_one_of_its_kind_went_is_taken_for_no_violation(kind: Tile, x_mm: float, seen_ms: int) -> None:
    """A river was re-arranged, and one of its tiles came to lie in another row, where it could have been a discard out of turn."""
    tracks = tracks_of(tile_at(Slot(2, Area.RIVER, 0), kind), at_ms=range(10_000, 20_000, FRAME_MS))
    table = a_table(tracks=tracks, now_ms=20_000)
    gone = {TileRole(1, Area.RIVER, 6): Missing(Tile.S3, x_mm, 150.0, max(10_000, seen_ms + 250), seen_ms)}
    path = path_at(table, EAST_DRAWS, missing=gone)
    ways = [way for way in laid_wrongly(table, path) if way.violations]
    assert bool(ways) is ((kind, x_mm, seen_ms) != (Tile.S3, 0.0, 9750))


@pytest.mark.parametrize(("area", "found"), [(Area.HAND, [ViolationKind.EXPOSED_TILES]), (Area.RIVER, [])])
def test_while_a_discard_may_be_hidden_a_tile_taken_up_was_left_open_unless_it_may_be_it(area: Area, found: list[ViolationKind]) -> None:
    """In the first case the path that waits for the discard was dropped; in the last row, beside the hand, a discard that was claimed late
    was called a tile left open (seigo 52145, mcr-duplicate 36)."""
    hand, drawn = played("mcr-duplicate", 12), 134
    table, path = whole_hand.followed(hand, hand.events[: drawn + 1], {})
    seat = hand.event(TileDrawn, drawn).seat
    due = Slot(hand.place(seat), Area.RIVER, path.play.seat(seat).next_place)
    lies = Slot(hand.place(seat.next), area, path.play.seat(seat.next).next_place if area is Area.RIVER else 3)
    before = set(table.tracks.all)
    for at_ms in range(60_250, 70_000, FRAME_MS):
        table.tracks.see(MatObservation(at_ms, (tile_at(lies, Tile.RED),) if at_ms < 66_500 else (), over(due)))
    path = structs.replace(
        path, loose=frozenset(), departed=frozenset(set(table.tracks.all) - before), edges=(GateEdge(61_000, hand.place(seat.next)),)
    )
    table = replace(table, now_ms=69_750)
    assert [each.kind for way in laid_wrongly(table, path) for each in way.violations] == found


@pytest.mark.parametrize("deal", [True, False])
@pytest.mark.parametrize("rules", ["mcr-duplicate", "sichuan", "seigo"])
def test_a_draw_that_was_put_back_in_a_silence_of_the_camera_is_told_as_nothing_else(rules: str, deal: bool) -> None:
    """The first frame after the silence has yet to show the discard before the draw: an early draw was told, which nobody had made."""
    hand = played(rules, 12)
    passed = [index for index, event in enumerate(hand.events) if isinstance(event, ClaimsPassed)]
    drawn = next(index for index in passed[5:] if isinstance(hand.events[index + 1], TileDrawn)) + 1
    event = hand.event(TileDrawn, drawn)
    at_table = hand.at_table(NONE, drawn - 1)
    laid_ms, place = at_table.events[-1][0], hand.place(event.seat)
    stream = list(messages_of(at_table, NO_NOISE))
    last = next(message for message in reversed(stream) if isinstance(message, MatObservation))
    stream += [replace(last, at_ms=last.at_ms + FRAME_MS * number) for number in range(1, 60)]
    seen = [each for each in stream if not (isinstance(each, MatObservation) and laid_ms - 2500 <= each.at_ms < laid_ms + 7500)]
    edges = [GateEdge(laid_ms + 500, place), GateEdge(laid_ms + 2000, place, back=True)]
    decoder = decoder_of(hand, deal=deal)
    followed(decoder, sorted((*seen, *edges), key=lambda message: message.at_ms))
    assert not decoder.reported_violations


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rules", "number"),
    [
        pytest.param("sichuan", 50_454, id="a draw after a win on a discard, from the wall of the seat before the winner"),
        pytest.param("sichuan", 50_510, id="two tiles laid for a meld while paper hid the discard"),
        pytest.param("sichuan", 50_418, id="an open tile of a hand where a discard could have lain far off its slot"),
        pytest.param(
            "mcr-duplicate", 40_228, id="a false win after a discard below an arm, where a win on the discard before looked better"
        ),
    ],
)
def test_a_violation_of_which_another_one_was_told_is_told(rules: str, number: int) -> None:
    hand = violations_followed(rules, number, NO_NOISE)
    assert hand.is_exact
    assert len(hand.found) == len(hand.events) + 1
    told = sorted((each.violation for each in hand.decoder.reported_violations.values()), key=lambda violation: violation.at_ms)
    assert [violation.kind.value for violation in told] == [each.act.value for each in hand.committed]
    assert not hand.decoder.questions
