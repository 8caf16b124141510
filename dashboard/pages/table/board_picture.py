"""The geometry of a table's picture: the places of tiles, rivers, melds and walls, from the public state. The picture is 1000 units wide
with a margin (``VIEW_BOX``). Each seat is laid out as East, at the bottom, and turned about the middle: East below, South right, West
above, North left. Templates draw it."""

from collections.abc import Iterable, Iterator

import msgspec

from dashboard.projections.table_view import DealView, HandView, Preparation, TileRows
from twinwall.game.play import Phase, PlayState, SeatState, turned_up
from twinwall.game.play_events import Meld
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile
from twinwall.values import frozen

VIEW_BOX = "-48 6 1096 988"
MIDDLE = 500.0
ROTATION = {Seat.EAST: 0, Seat.SOUTH: -90, Seat.WEST: 180, Seat.NORTH: 90}
TILE_RATIO = 84 / 60
RIVER_X, RIVER_Y, RIVER_WIDTH, RIVER_STEP_X, RIVER_STEP_Y, RIVER_ROW, RIVER_ROWS = 383.0, 630.0, 38.0, 39.0, 55.0, 6, 3
WALL_Y_UPPER, WALL_Y_LOWER, WALL_STEP, WALL_WIDTH, WALL_HEIGHT = 804.0, 822.0, 22.0, 20.0, 15.0
HAND_Y, HAND_WIDTH, DRAWN_GAP, MELD_GAP, BETWEEN_MELDS = 852.0, 44.5, 12.0, 20.0, 10.0
HAND_TILES = 13
GEOMETRY = msgspec.json.encode(
    {
        "wall": {"upper": WALL_Y_UPPER, "lower": WALL_Y_LOWER, "step": WALL_STEP, "width": WALL_WIDTH, "height": WALL_HEIGHT},
        "river": {
            "x": RIVER_X,
            "y": RIVER_Y,
            "width": RIVER_WIDTH,
            "stepX": RIVER_STEP_X,
            "stepY": RIVER_STEP_Y,
            "row": RIVER_ROW,
            "rows": RIVER_ROWS,
        },
        "hand": {"y": HAND_Y, "width": HAND_WIDTH, "gap": DRAWN_GAP, "meldGap": MELD_GAP, "between": BETWEEN_MELDS},
    }
).decode()
"""The picture's geometry as JSON for the script of a replay."""


@frozen
class TilePlace:
    """A tile in a seat's own frame (before turning). ``tile`` None shows its back, ``lying`` is turned by a quarter, ``empty`` is an empty
    slot or a gap in a wall. A discard ``claimed_by`` a seat leaves a ghost; ``marked`` is the tile that players look at, or may take now.
    """

    x: float
    y: float
    width: float
    tile: Tile | None
    lying: bool = False
    empty: bool = False
    claimed_by: Seat | None = None
    marked: bool = False

    @property
    def height(self) -> float:
        return self.width * TILE_RATIO


@frozen
class SeatPicture:
    """All tiles of one seat, in its own frame, and the angle to turn it (degrees, SVG)."""

    seat: Seat
    rotation: int
    river: tuple[TilePlace, ...]
    wall: tuple[TilePlace, ...]
    hand: tuple[TilePlace, ...]
    melds: tuple[tuple[TilePlace, ...], ...]


def seat_pictures(hand: HandView | None, deal: DealView | None) -> tuple[SeatPicture, ...]:
    """The four seats, E S W N: the hand if there is one, otherwise the places of the deal's future wall."""
    if hand is not None:
        return tuple(_seat_picture(hand, seat) for seat in SEATS) if hand.play is not None else _bare()
    if deal is None:
        return _bare()
    empty = deal.preparation in (Preparation.OPENED, Preparation.BUILDING)
    places = tuple(
        TilePlace(MIDDLE + (index - HAND_TILES / 2) * HAND_WIDTH, HAND_Y, HAND_WIDTH, None, empty=empty) for index in range(HAND_TILES)
    )
    return tuple(
        SeatPicture(seat, ROTATION[seat], (), _wall_places(deal.draws[seat], deal.draws[seat] if empty else 0), places, ())
        for seat in SEATS
    )


def _bare() -> tuple[SeatPicture, ...]:
    return tuple(SeatPicture(seat, ROTATION[seat], (), (), (), ()) for seat in SEATS)


def _seat_picture(hand: HandView, seat: Seat) -> SeatPicture:
    assert hand.play is not None
    state = hand.play.seat(seat)
    concealed = HAND_TILES - 3 * len(state.melds)
    open_melds = tuple(_with_claimed_tiles(hand.play, seat, melds_seen(hand, seat)))
    wide = sum(_meld_width(meld, claimed, seat) + BETWEEN_MELDS for meld, claimed in open_melds)
    beside = DRAWN_GAP + HAND_WIDTH + MELD_GAP
    width = concealed * HAND_WIDTH + (beside + wide - BETWEEN_MELDS if state.melds else 0)
    left = MIDDLE - width / 2
    places = _hand(hand, seat, state, concealed, left)
    x = left + concealed * HAND_WIDTH + beside
    melds: list[tuple[TilePlace, ...]] = []
    for meld, claimed in open_melds:
        melds.append(_meld(meld, claimed, seat, x))
        x += _meld_width(meld, claimed, seat) + BETWEEN_MELDS
    return SeatPicture(seat, ROTATION[seat], _river(hand, seat, state), _wall(hand, seat, state), places, tuple(melds))


def _with_claimed_tiles(play: PlayState, seat: Seat, melds: Iterable[Meld]) -> Iterator[tuple[Meld, Tile | None]]:
    """Yield each meld of a seat with the discard that it claimed; None for a concealed kong."""
    claimed = {source: (laid.tile for laid in play.seat(source).river if laid.claimed_by is seat) for source in SEATS}
    for meld in melds:
        yield meld, None if meld.source is None else next(claimed[meld.source])


def _river(hand: HandView, seat: Seat, state: SeatState) -> tuple[TilePlace, ...]:
    assert hand.play is not None
    places = []
    for index, discard in enumerate(state.river):
        position = state.place_of(index)
        row = min(position // RIVER_ROW, RIVER_ROWS - 1)
        column = position - row * RIVER_ROW
        x, y, by = RIVER_X + column * RIVER_STEP_X, RIVER_Y + row * RIVER_STEP_Y, discard.claimed_by
        last = index == len(state.river) - 1 and _is_last_discard(hand, seat) and by is None
        places.append(TilePlace(x, y, RIVER_WIDTH, discard.tile, claimed_by=by, marked=last))
    return tuple(places)


def _is_last_discard(hand: HandView, seat: Seat) -> bool:
    """Whether this seat's last discard is the last of the table: no seat has drawn or claimed since."""
    assert hand.play is not None
    if hand.play.robbing:
        return False
    if hand.declared is not None:
        return hand.declared.source is seat
    match hand.play.phase:
        case Phase.CLAIMS:
            return hand.play.turn is seat
        case Phase.DRAW:
            return hand.play.turn is seat.next
    return False


def _wall(hand: HandView, seat: Seat, state: SeatState) -> tuple[TilePlace, ...]:
    total = hand.draws.get(seat, state.draws_left)
    return _wall_places(total, total - state.draws_left, next_free=hand.gate is seat)


def _wall_places(total: int, drawn: int, *, next_free: bool = False) -> tuple[TilePlace, ...]:
    """Stacks of two, the upper tile drawn before the lower one; an odd last tile is in the lower row."""
    left = MIDDLE - (total + 1) // 2 * WALL_STEP / 2
    return tuple(
        TilePlace(
            left + (index // 2) * WALL_STEP,
            WALL_Y_LOWER if index % 2 or index == total - 1 else WALL_Y_UPPER,
            WALL_WIDTH,
            None,
            empty=index < drawn,
            marked=index == drawn and next_free,
        )
        for index in range(total)
    )


def _hand(hand: HandView, seat: Seat, state: SeatState, concealed: int, left: float) -> tuple[TilePlace, ...]:
    """Backs while the hand is concealed, the tiles once it was shown."""
    assert hand.play is not None
    faces: list[Tile | None] = [None] * concealed
    extra: list[Tile | None] = []
    if state.shown is not None:
        faces = [*sorted(state.shown)]
    if seat in hand.apart:
        extra = [hand.apart[seat]]
    elif hand.play.turn is seat and (hand.play.drew or hand.play.phase is Phase.DISCARD):
        extra = [None]
    places = [TilePlace(left + index * HAND_WIDTH, HAND_Y, HAND_WIDTH, face) for index, face in enumerate(faces)]
    places += [TilePlace(left + len(faces) * HAND_WIDTH + DRAWN_GAP, HAND_Y, HAND_WIDTH, face) for face in extra]
    return tuple(places)


def melds_seen(hand: HandView, seat: Seat) -> tuple[Meld, ...]:
    """The melds of a seat, with face-down kongs turned up once its hand was shown."""
    assert hand.play is not None
    melds = hand.play.seat(seat).melds
    shown = next((shown for shown in hand.shown if shown.seat is seat), None)
    return melds if shown is None else turned_up(melds, shown.kongs)


def meld_tiles(hand: HandView, seat: Seat) -> TileRows:
    return () if hand.play is None else tiles_of(melds_seen(hand, seat))


def tiles_of(melds: tuple[Meld, ...]) -> TileRows:
    """The tiles of melds; a face-down kong is four backs."""
    return tuple((None,) * COPIES if meld.face_down else meld.tiles for meld in melds)


def _meld_width(meld: Meld, taken: Tile | None, seat: Seat) -> float:
    last = _meld(meld, taken, seat, 0.0)[-1]
    return last.x + (last.height if last.lying else last.width)


def _meld(meld: Meld, taken: Tile | None, seat: Seat, left: float) -> tuple[TilePlace, ...]:
    """A meld with its claimed tile turned: left if it came from the left neighbour, right if from the right one, else inside. A face-down
    kong is four backs."""
    others: list[Tile | None] = [None] * COPIES if meld.face_down else list(meld.tiles)
    lying_at: int | None = None
    if meld.source is not None and taken is not None and taken in others:
        others.remove(taken)
        lying_at = {3: 0, 2: 1, 1: len(others)}[seat.turns_until(meld.source)]
        others.insert(lying_at, taken)
    places: list[TilePlace] = []
    x = left
    for index, tile in enumerate(others):
        lying = index == lying_at
        places.append(TilePlace(x, HAND_Y, HAND_WIDTH, tile, lying))
        x += HAND_WIDTH * TILE_RATIO if lying else HAND_WIDTH
    return tuple(places)
