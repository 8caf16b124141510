"""Each moment of a replayed hand (``moments``): the table after every step, in tile notation."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from twinwall.event.replay.replay_form import AnyStep, ReplayDiscard, ReplayDocument, ReplayDraw, ReplayMeld, ReplayShow, ReplayWin
from twinwall.game.play_events import MeldType
from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen

Tiles = tuple[str, ...]


@frozen
class SeatMoment:
    """What a seat has; a claimed tile in its river is in brackets, one that declared riichi has a star."""

    hand: Tiles
    left: int
    """Draws left in its wall."""
    melds: Tiles = ()
    river: Tiles = ()
    down: Tiles = ()
    """Its melds that were face down."""


@frozen
class ReplayMoment:
    """The table after step ``number`` (0: before the first), and that step."""

    number: int
    step: AnyStep | None
    seats: Mapping[Seat, SeatMoment]

    def changed(self, seat: Seat, **to: object) -> "ReplayMoment":
        return replace(self, seats={**self.seats, seat: replace(self.seats[seat], **to)})  # type: ignore[arg-type]  # names of SeatMoment


def moments(document: ReplayDocument, table: int = 0) -> Iterator[ReplayMoment]:
    """Every moment of one of a replay's tables, from before the first step to after the last."""
    walls = document.walls
    now = ReplayMoment(
        0, None, {seat: SeatMoment(tuple(walls[seat.value].hand.split()), len(walls[seat.value].draws.split())) for seat in SEATS}
    )
    yield now
    for number, step in enumerate(document.tables[table].steps, 1):
        now = _after(replace(now, number=number, step=step), step)
        yield now


def _after(now: ReplayMoment, step: AnyStep) -> ReplayMoment:
    match step:
        case ReplayDraw(tile=tile):
            seat = Seat(step.seat)
            own = now.seats[seat]
            return now.changed(seat, hand=(*own.hand, tile), left=own.left - 1)
        case ReplayDiscard(tile=tile):
            seat = Seat(step.seat)
            own = now.seats[seat]
            return now.changed(seat, hand=_without(own.hand, (tile,)), river=(*own.river, f"{tile}{'*' if step.riichi else ''}"))
        case ReplayMeld():
            return _laid(now, step)
        case ReplayWin(took=took) | ReplayShow(took=took) if took:
            return _taken(now, Seat(took))
        case _:
            return now


def _laid(now: ReplayMoment, step: ReplayMeld) -> ReplayMoment:
    seat = Seat(step.seat)
    own = now.seats[seat]
    tiles = step.tiles.split()
    pung = " ".join(tiles[:3])
    kept = list(own.melds)
    if step.meld == MeldType.ADDED_KONG and pung in kept:
        kept.remove(pung)
    after = now.changed(seat, hand=_without(own.hand, tuple(step.own.split())), melds=(*kept, step.tiles))
    if step.down:
        after = after.changed(seat, down=(*own.down, step.tiles))
    return _taken(after, Seat(step.source)) if step.taken else after


def _taken(now: ReplayMoment, giver: Seat) -> ReplayMoment:
    river = now.seats[giver].river
    return now.changed(giver, river=(*river[:-1], f"({river[-1]})"))


def _without(hand: Tiles, tiles: Tiles) -> Tiles:
    left = list(hand)
    for tile in tiles:
        left.remove(tile)
    return tuple(left)
