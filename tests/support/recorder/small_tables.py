"""Small tables: tiles in their slots, the frames that have seen them, and a path that has yet to explain them."""

from collections.abc import Iterable
from functools import reduce

from msgspec import structs

from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.signals import KnownDeal
from controller.recorder.tracks import TrackList
from twinwall.game.play_events import PlayEvent, TileDrawn
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat, Tile
from vision.mat import Mat, Slot
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile

Cells = frozenset[tuple[int, int]]
BARE: Cells = frozenset()
EVERYTHING: Cells = frozenset((column, row) for column in range(-20, 21) for row in range(-20, 21))
NOW_MS = 60_000
TWO_FRAMES_MS = (NOW_MS - 250, NOW_MS)
EAST_DRAWS = TileDrawn(Seat.EAST, from_end=False)


def tile_at(slot: Slot, kind: Tile | None, right_mm: float = 0.0, down_mm: float = 0.0) -> ObservedTile:
    """A tile in a slot, or so far from it: of a kind that is read surely, or a back (None)."""
    spot = Mat().spot(slot)
    x_mm, y_mm, turn_deg = spot.x_mm + right_mm, spot.y_mm + down_mm, spot.turn_deg % 180
    if kind is None:
        return ObservedTile(x_mm, y_mm, turn_deg, face_up=False)
    return ObservedTile(x_mm, y_mm, turn_deg, shares={kind: 0.995}, sure=True)


def over(*slots: Slot) -> Cells:
    """What a thing covers that hides the middles of these slots."""
    return frozenset((round(spot.x_mm / COVER_MM), round(spot.y_mm / COVER_MM)) for spot in map(Mat().spot, slots))


def tracks_of(*tiles: ObservedTile, at_ms: Iterable[int] = TWO_FRAMES_MS, covered: Cells = BARE) -> TrackList:
    """The tracks after frames in which these tiles rest there."""
    tracks = TrackList()
    for frame_ms in at_ms:
        tracks.see(MatObservation(frame_ms, tiles, covered))
    return tracks


def a_table(
    rules: str = "mcr-duplicate",
    tracks: TrackList | None = None,
    *,
    east: int = 0,
    deal: KnownDeal | None = None,
    gates: bool = True,
    now_ms: int = NOW_MS,
    over: bool = False,
) -> TableContext:
    """What all paths share at a table of these rules in the east round; nothing is on its mat without tracks."""
    tracks = TrackList() if tracks is None else tracks
    return TableContext(rule_set(rules), Seat.EAST, MatPlaces(all_seats(east)), tracks, deal, gates=gates, now_ms=now_ms, over=over)


def path_at(table: TableContext, *events: PlayEvent, **fields: object) -> Hypothesis:
    """A path whose play has come so far, with nothing explained of what the tracks have seen, but for ``fields``."""
    path = Hypothesis(reduce(table.rules.apply, events, table.rules.start()), None, loose=frozenset(table.tracks.all))
    return structs.replace(path, **fields)


def happened(table: TableContext, path: Hypothesis, *events: PlayEvent) -> Hypothesis:
    """The path on which these events have happened as well, each of which the rules allow."""
    for event in events:
        after = path.happened(table, event)
        assert after is not None, event
        path = after
    return path
