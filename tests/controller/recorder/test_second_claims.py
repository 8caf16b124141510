"""Second claims: of tiles laid for a claim before which another one goes nobody is accused, however long they lie there."""

from dataclasses import replace

import pytest

from benchmarks.played_tables.acts import Drop, PickUpLoose
from benchmarks.played_tables.hand_on_table import HandOnTable
from controller.recorder.decoder import HandDecoder
from controller.recorder.places import all_seats
from controller.recorder.signals import Decoded, GateEdge, MarginBound
from controller.recorder.violations import ViolationKind
from simulator.disturbances.kinds import Disturbance
from tests.support.recorder.played_hands import FRAME_MS, decoder_of, followed, only, played, told
from tests.support.recorder.violated_hands import violations_followed
from tests.support.simulator.mat_observations import MEASURED_NOISE, NO_NOISE
from tests.support.tiers import pairs
from twinwall.game.play_events import Claimed, HandShown, MeldType, WinDeclared
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation, ObservedTile

WAIT_MS = 4500
BOTH, ONE = ("both lay there for long", (0, WAIT_MS)), ("one was taken back long after the other", (1, WAIT_MS // 2))


def later(hand: HandOnTable, from_ms: int, wait_ms: int) -> HandOnTable:
    """The hand with all that happens from a time on so much later."""

    def when(at_ms: int) -> int:
        return at_ms + wait_ms if at_ms >= from_ms else at_ms

    acts = tuple(replace(timed, at_ms=when(timed.at_ms)) for timed in hand.acts)
    keys = tuple(KeyEdge(when(key.at_ms), key.place, key.key) for key in hand.keys)
    events = tuple((when(at_ms), event) for at_ms, event in hand.events)
    return replace(hand, acts=acts, keys=keys, events=events, ends_ms=when(hand.ends_ms))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "deal", "first", "wait_ms"),
    [
        pytest.param(number, deal, *waits, id=f"{name}-{number}-{deal}")
        for number, (deal, (name, waits)) in pairs([1, 3], [(False, BOTH), (True, ONE), (True, BOTH), (False, ONE)])
    ],
)
def test_nobody_is_accused_of_a_second_claim_and_the_hand_is_recorded(number: int, deal: bool, first: int, wait_ms: int) -> None:
    hand = played("yangzhou", number)
    at_table = hand.at_table(only(Disturbance.SECOND_CLAIM_LAID))
    taken = [timed.at_ms for timed in at_table.acts if isinstance(timed.act, PickUpLoose)]
    assert len(taken) == sum(isinstance(timed.act, Drop) for timed in at_table.acts) > 0
    for at_ms in reversed(taken[first::2]):
        at_table = later(at_table, at_ms, wait_ms)
    decoder = decoder_of(hand, deal=deal)
    published = followed(decoder, told(at_table, NO_NOISE, backs=True))
    assert not decoder.reported_violations
    assert [event.event for event in published] == [hand.events[event.number - 1] for event in published]
    assert tuple(event.event for event in decoder.finish()) == hand.events
    assert decoder.questions == []


def lying(slot: Slot, kind: Tile) -> ObservedTile:
    spot = Mat().spot(slot)
    return ObservedTile(spot.x_mm, spot.y_mm, spot.turn_deg % 180, shares={kind: 0.99}, sure=True)


def own_tiles(seat: Seat, *kinds: Tile) -> tuple[ObservedTile, ...]:
    """The own tiles of a seat's first meld."""
    return tuple(lying(Slot(seat.index, Area.MELD, index), kind) for index, kind in enumerate(kinds))


def two_claim(first: tuple[ObservedTile, ...], second: tuple[ObservedTile, ...]) -> HandDecoder:
    """East discards 3p; two tiles are laid for it and stay, then two others, and the discard is taken to these."""
    decoder, discard = HandDecoder(rule_set("mcr-duplicate"), all_seats(0), SEATS[0], None), lying(Slot(0, Area.RIVER, 0), Tile.P3)
    taken = lying(Slot(Seat.NORTH.index, Area.MELD, len(second)), Tile.P3)
    shown = {2000: (discard,), 4000: (discard, *first), 5500: (discard, *first, *second), 6500: (*first, *second, taken)}
    decoder.draw_sensed(GateEdge(1000, 0))
    for at_ms in range(1000, 15_000, FRAME_MS):
        decoder.see(MatObservation(at_ms, next((shown[since] for since in reversed(shown) if since <= at_ms), ())))
    return decoder


PUNG = own_tiles(Seat.NORTH, Tile.P3, Tile.P3)


def test_two_tiles_of_a_chow_before_which_a_pung_goes_are_explained_while_they_lie_there() -> None:
    decoder = two_claim(own_tiles(Seat.SOUTH, Tile.P4, Tile.P5), PUNG)
    last = decoder.best()[-1]
    assert isinstance(last.event, Claimed)
    assert (last.event.seat, last.event.meld.type) == (Seat.NORTH, MeldType.PUNG)
    assert last.bound is not MarginBound.UNEXPLAINED
    assert not decoder.reported_violations


@pytest.mark.parametrize(
    ("seat", "kinds"),
    [
        pytest.param(Seat.WEST, (Tile.P4, Tile.P5), id="a chow by a seat that may claim none"),
        pytest.param(Seat.SOUTH, (Tile.P4, Tile.S8), id="no meld"),
    ],
)
def test_two_tiles_with_which_a_seat_may_make_no_meld_are_still_a_false_claim(seat: Seat, kinds: tuple[Tile, Tile]) -> None:
    decoder = two_claim(own_tiles(seat, *kinds), PUNG)
    (found,) = decoder.reported_violations.values()
    assert (found.violation.kind, found.violation.seat) == (ViolationKind.FALSE_CLAIM, seat)


@pytest.mark.parametrize("taken_up", [True, False], ids=["taken up before", "still there"])
def test_a_claim_that_was_keyed_and_laid_does_not_stand_when_another_seat_shows_a_hand_that_wins_by_voice(taken_up: bool) -> None:
    """The claimed tile lies in its river all the time."""
    places, discard = all_seats(0), lying(Slot(Seat.EAST.index, Area.RIVER, 0), Tile.P3)
    decoder = HandDecoder(rule_set("mcr-duplicate"), places, SEATS[0], None)
    chow = own_tiles(Seat.SOUTH, Tile.P4, Tile.P5)
    pure_straight = parse_tiles("12456789p11m123s")
    hand = tuple(lying(Slot(Seat.WEST.index, Area.HAND, index), kind) for index, kind in enumerate(pure_straight))
    left = () if taken_up else chow
    shown = {2000: (discard,), 4000: (discard, *chow), 8000: (discard, *left), 9500: (discard, *left, *hand)}
    decoder.draw_sensed(GateEdge(1000, places[Seat.EAST]))
    published = list[Decoded]()
    for at_ms in range(1000, 16_000, FRAME_MS):
        if at_ms == 3500:
            decoder.key_pressed(KeyEdge(at_ms, places[Seat.SOUTH], Key.CHOW))
        published += decoder.see(MatObservation(at_ms, next((shown[since] for since in reversed(shown) if since <= at_ms), ())))
    assert not any(isinstance(event.event, Claimed) for event in published)
    declared, laid_open = decoder.held[-2:]
    assert isinstance(declared, WinDeclared)
    assert isinstance(laid_open, HandShown)
    assert declared.seat is laid_open.seat is Seat.WEST
    assert not decoder.reported_violations


@pytest.mark.slow
def test_a_discard_for_which_tiles_were_laid_lawfully_becomes_no_other_one_for_which_they_were_not() -> None:
    """A 1p looked like an 8s, for which North could have laid 6s and 7s. At the end it was a 1p again, and the false claim was in no
    record and no question (yangzhou 68551)."""
    hand = violations_followed("yangzhou", 68551, MEASURED_NOISE)
    assert hand.is_exact
    (false_claim,) = hand.committed
    asked = [question.violation for question in hand.decoder.questions if question.violation is not None]
    assert [(each.kind.value, each.seat) for each in asked] == [(false_claim.act.value, false_claim.seat)]
