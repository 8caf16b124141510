"""Where people lay tiles without a mat, and where all tiles are, walls and standing hands included."""

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.played_tables.hand_on_table import HandToPlay
from simulator.disturbances.kinds import Numbers
from simulator.disturbances.poses import along_seat, overlap, pose_of
from simulator.tabletop import PLACES, Lying, Tabletop
from tools.train.finder.tabletop import DrawnSet, Form, Picture, Tile3D
from twinwall.art.mat import MELD_SLOTS, Area, Mat, Slot, Spot
from twinwall.game.tiles import SEATS, place_of

_HAND_BEGINS_MM, _APART_MM, _CORNER_MM = -222.0, 14.0, 345.0
_WALL_MM, _STACK_MM, _WALL_ASIDE_MM = 262.0, 26.9, -20.0
"""Distance of the walls from the middle, from stack to stack, and of each wall's shift past the corner."""
_IDS_A_WALL, _HAND_TILES = 100, 13


class HomeTable(Mat):
    """A mat's numbers for a table without one."""

    __slots__ = ()

    def at_own_side(self, slot: Slot) -> tuple[float, float]:
        match slot.area:
            case Area.HAND:
                return _HAND_BEGINS_MM + slot.index * self.hand_pitch_mm, self.hand_row_mm
            case Area.WIN:
                return _HAND_BEGINS_MM - self.hand_pitch_mm - _APART_MM, self.hand_row_mm
            case Area.MELD:
                group, position = divmod(slot.index, MELD_SLOTS)
                middle = _CORNER_MM - (group + 0.5) * (3 * self.meld_pitch_mm + self.meld_group_gap_mm)
                if position == MELD_SLOTS - 1:
                    return middle, self.kong_row_mm
                return middle + (position - 1) * self.meld_pitch_mm, self.meld_row_mm
            case _:
                return super().at_own_side(slot)


HOME = HomeTable(
    half_side_mm=385.0,
    hand_row_mm=330.0,
    hand_pitch_mm=26.6,
    meld_row_mm=345.0,
    meld_pitch_mm=31.5,
    kong_row_mm=306.0,
    meld_group_gap_mm=4.0,
)
"""Rivers as usual, shown hands where they stood, melds in the right corner, walls between."""


def tiles_of(table: Tabletop, hand: HandToPlay, tile_set: DrawnSet, faces: Mapping[str, Picture]) -> list[Tile3D]:
    """Return every tile on the table."""
    lying = [
        *((one.tile, _home_pose(HOME, table, one), one.face_down, one.level) for one in table.lying),
        *((one.tile, Spot(one.x_mm, one.y_mm, one.turn_deg), one.face_down, 0) for one in table.loose),
    ]
    tiles = [
        Tile3D(pose.x_mm, pose.y_mm, pose.turn_deg, Form.BACK if down else Form.FACE, faces[tile.face], level * tile_set.thickness_mm)
        for tile, pose, down, level in lying
    ]
    for place in PLACES:
        for along, face in _standing(table, place, HOME.hand_pitch_mm):
            tiles.append(Tile3D(*along_seat(place, along, HOME.hand_row_mm), 90.0 * place, Form.STANDING, faces[face]))
    gone = {tile.id for tile, *_ in lying} | {tile.id for rack in table.racks for tile in rack.tiles}
    turned = {tile.id - len(SEATS) * _IDS_A_WALL for tile, *_ in lying}
    blank = tile_set.back_picture
    for seat in SEATS:
        place = place_of(seat, hand.hand)
        left = [_IDS_A_WALL * seat.index + number not in gone for number in range(_HAND_TILES, len(hand.walls[seat]))]
        left += [number not in turned for number in range(seat.index, len(hand.rest), len(SEATS))]
        for along, count in _stacks(left):
            numbers = Numbers(f"{hand.name} {place} {along}")
            spot = Spot(*along_seat(place, along, _WALL_MM + numbers.between(-1.2, 1.2)), 90.0 * place + numbers.between(-1, 1))
            if not any(overlap(HOME, spot, pose) for _, pose, _, _ in lying):  # a tile that lies there has pushed the stack away
                tiles.append(Tile3D(spot.x_mm, spot.y_mm, spot.turn_deg, Form.BACK, blank))
                if count > 1:
                    tiles.append(Tile3D(spot.x_mm, spot.y_mm, spot.turn_deg, Form.BACK, blank, tile_set.thickness_mm, on_wall=True))
    return tiles


def _home_pose(mat: Mat, table: Tabletop, lying: Lying) -> Spot:
    """Return where a tile rests: at home a riichi discard lies sideways, and the following tiles of its row make room."""
    pose, place, slot = pose_of(mat, lying), lying.slot.place, lying.slot.index
    called = table.sticks[place]
    if lying.slot.area is not Area.RIVER or called is None or slot < called or slot // mat.river_columns != called // mat.river_columns:
        return pose
    room_mm = mat.tile_height_mm - mat.tile_width_mm
    return pose.moved(*along_seat(place, room_mm / 2, 0.0), 90.0) if slot == called else pose.moved(*along_seat(place, room_mm, 0.0))


def _standing(table: Tabletop, place: int, pitch_mm: float) -> Iterator[tuple[float, str]]:
    """Yield the concealed tiles of a seat, the drawn one apart."""
    rack = table.racks[place]
    held = [tile for tile in rack.tiles if tile != rack.drawn] + ([rack.drawn] if rack.drawn in rack.tiles else [])
    for index, tile in enumerate(held):
        yield _HAND_BEGINS_MM + index * pitch_mm + _APART_MM * (tile == rack.drawn), tile.face


def _stacks(left: Sequence[bool]) -> Iterator[tuple[float, int]]:
    """Yield the places of a wall's stacks along its side, the first to be drawn at the right, with their numbers of tiles."""
    stacks = [sum(left[begin : begin + 2]) for begin in range(0, len(left), 2)]
    for number, count in enumerate(stacks):
        if count:
            yield _WALL_ASIDE_MM + ((len(stacks) - 1) / 2 - number) * _STACK_MM, count


def wall_end(left: int, place: int) -> tuple[float, float]:
    """Return about where the next tile of a wall with ``left`` tiles is drawn."""
    return along_seat(place, _WALL_ASIDE_MM + left / 4 * _STACK_MM, _WALL_MM)
