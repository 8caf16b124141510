"""Smoothing: which kind a discard was that no frame read or saw, once later discards or a hand that lies open tell it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.signals import KnownDeal
from controller.recorder.smoothing import kind_margin, settled
from controller.recorder.tracks import TrackList
from tests.support.recorder.played_hands import PlayedHand, played
from twinwall.game.held import HeldTiles
from twinwall.game.play_events import ClaimsPassed, HandLaidOpen, PlayEvent, TileDiscarded
from twinwall.game.session import round_wind
from twinwall.game.tiles import Tile
from vision.mat_observation import MatObservation, ObservedTile

SURE_OF_ANOTHER = 9.0


def followed(hand: PlayedHand, events: Sequence[PlayEvent], looks: Mapping[int, Tile | None]) -> tuple[TableContext, Hypothesis]:
    """A path that holds these events of a hand. All discards and hands laid open are read surely, but for the discards of ``looks``:
    each is read as that kind, or by no frame (None)."""
    tracks, path = TrackList(), Hypothesis(hand.rules.start(), HeldTiles(hand.walls))
    table = TableContext(
        hand.rules, round_wind(hand.to_play.hand), MatPlaces(all_seats(hand.east)), tracks, KnownDeal(hand.walls), gates=True
    )
    lying: list[ObservedTile] = []
    laid: dict[int, tuple[int, ...]] = {}
    for index, event in enumerate(events):
        kinds: tuple[Tile | None, ...] = event.concealed if isinstance(event, HandLaidOpen) else ()
        if isinstance(event, TileDiscarded):
            kinds = (looks.get(index, event.tile),)
        laid[index] = tuple(range(len(lying), len(lying) + len(kinds)))
        for kind in kinds:
            shares = {} if kind is None else {kind: 0.995}
            lying.append(ObservedTile(40.0 * (len(lying) % 30), 40.0 * (len(lying) // 30), 0.0, shares=shares, sure=kind is not None))
    for at_ms in (0, 250, 500):
        tracks.see(MatObservation(at_ms, tuple(lying)))
    for index, event in enumerate(events):
        after = path.happened(table, event, tracks=laid[index])
        assert after is not None
        held = event.concealed if isinstance(event, HandLaidOpen) else (event.tile,) if isinstance(event, TileDiscarded) else ()
        path = replace(after, kinds={**after.kinds, **dict(zip(laid[index], held, strict=True))})
    return table, path


def test_a_discard_that_no_frame_read_was_no_tile_that_its_seat_discards_later() -> None:
    hand = played("mcr-duplicate", 0)
    own = [(index, event) for index, event in enumerate(hand.events) if isinstance(event, TileDiscarded) and event.seat.index == 0]
    (unread, first), (later, further) = own[0], next(one for one in own[1:] if one[1].tile in hand.walls[one[1].seat].hand)
    wrong = {unread: replace(first, tile=further.tile), later: replace(further, tile=first.tile)}
    events = [wrong.get(index, event) for index, event in enumerate(hand.events[: later + 1])]
    table, path = followed(hand, events, {unread: None, later: further.tile})
    assert path.events[later] != further
    assert settled(table, path).events[later] == further


def test_a_discard_that_no_frame_saw_is_known_once_its_seats_hand_lies_open_and_not_before() -> None:
    hand = played("sichuan", 786)
    opened = next(event for event in hand.events if isinstance(event, HandLaidOpen))
    own = [index for index, event in enumerate(hand.events) if isinstance(event, TileDiscarded) and event.seat is opened.seat]
    unseen = next(index for index in own if isinstance(hand.events[index + 1], ClaimsPassed))
    for events, known in ((hand.events[:-1], True), (hand.events[: hand.events.index(opened)], False)):
        table, path = followed(hand, events, {})
        grounds = (*path.grounds[:unseen], replace(path.grounds[unseen], tracks=()), *path.grounds[unseen + 1 :])
        assert (kind_margin(table, replace(path, grounds=grounds), unseen, SURE_OF_ANOTHER) >= SURE_OF_ANOTHER) is known
