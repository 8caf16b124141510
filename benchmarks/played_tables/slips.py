"""Slips of hands: tiles drawn wrongly and put back, laid down or aside, dropped, or taken from the wrong river."""

from collections.abc import Sequence

from benchmarks.played_tables.acts import Drop, LayBack, PickUpLoose, PutBackTile, TakeUp
from benchmarks.played_tables.table_in_play import TableInPlay
from simulator.disturbances.acts import Draw
from simulator.disturbances.draws import Numbers
from simulator.disturbances.kinds import Disturbance
from simulator.disturbances.poses import along_seat, free_near, lying_poses, pose_of
from simulator.disturbances.rivers import ActPlan, moves
from simulator.physical_tiles import PhysicalTile
from simulator.tabletop import PLACES, LooseTile, Tabletop
from twinwall.art.mat import Area, Mat, Slot, Spot

_BESIDE_HAND = 6.5
"""Tiles from the middle of a shown hand to the tile beside it."""


def give_way(mat: Mat, table: Tabletop, slot: Slot) -> ActPlan:
    """Move the tile at a slot to the nearest free cloth."""
    lying = table.at(slot)
    assert lying is not None
    at = pose_of(mat, lying)
    free = free_near(mat, at, lying_poses(mat, table, without=(slot,))) or at
    return ActPlan(moves(mat, [(lying, free)]))


def draw_wrongly(record: TableInPlay, kind: Disturbance, place: int, wall: int, next_tile: Sequence[PhysicalTile]) -> None:
    """Draw the next tile of a wall out of turn, and put it back; nothing if the wall is empty."""
    numbers = record.numbers_if(kind, place) if next_tile else None
    if numbers is not None:
        record.do(Draw(place, next_tile[0], wall), numbers.milliseconds(0.2, 0.8))
        record.do(PutBackTile(place, next_tile[0], wall), numbers.milliseconds(1, 3))
        record.now_ms += numbers.milliseconds(0.4, 0.8)


def put_back(record: TableInPlay, place: int, drawn: PhysicalTile) -> None:
    """Put the drawn tile back, and draw it again."""
    numbers = record.numbers_if(Disturbance.DRAW_PUT_BACK, place)
    if numbers is not None:
        record.do(PutBackTile(place, drawn, place), numbers.milliseconds(0.5, 3))
        record.do(Draw(place, drawn, place), numbers.milliseconds(1, 3))


def lay_down(record: TableInPlay, place: int, drawn: PhysicalTile) -> None:
    """Lay the drawn tile face down beside the hand for a time."""
    numbers = _laid_beside(record, place, drawn, Disturbance.DRAW_LAID_DOWN)
    if numbers is not None:
        record.do(PickUpLoose(place, drawn, apart=True), numbers.milliseconds(1, 4))


def lay_aside(record: TableInPlay, place: int, drawn: PhysicalTile) -> bool:
    """Lay the drawn tile face down beside the hand and leave it there; return whether that happens."""
    return _laid_beside(record, place, drawn, Disturbance.DRAW_LAID_ASIDE) is not None


def _laid_beside(record: TableInPlay, place: int, drawn: PhysicalTile, kind: Disturbance) -> Numbers | None:
    """Lay the drawn tile face down beside the hand; None if that does not happen."""
    pose = _free_before(record, place, _BESIDE_HAND * record.mat.hand_pitch_mm)
    numbers = None if pose is None else record.numbers_if(kind, place)
    if numbers is not None and pose is not None:
        record.do(Drop(LooseTile(place, drawn, pose.x_mm, pose.y_mm, pose.turn_deg, face_down=True)), numbers.milliseconds(0.2, 0.6))
    return numbers


def take_up_aside(record: TableInPlay, place: int, drawn: PhysicalTile, *, apart: bool) -> None:
    """Pick up the tile that was laid aside."""
    numbers = record.people.numbers(Disturbance.DRAW_LAID_ASIDE, f"{record.occasion} taken up")
    record.do(PickUpLoose(place, drawn, apart), numbers.milliseconds(0.3, 1.5))
    record.now_ms += numbers.milliseconds(0.2, 0.5)


def drop_tiles(record: TableInPlay, place: int, drawn: PhysicalTile) -> None:
    """Drop one or two tiles of the hand face up, and pick them up."""
    numbers = record.numbers_if(Disturbance.HAND_TILES_DROPPED, place)
    if numbers is None:
        return
    fallen = []
    held = [tile for tile in record.table.racks[place].tiles if tile != drawn]
    for tile in numbers.shuffled(held)[: numbers.one_of((1, 2))]:
        pose = _free_before(record, place, numbers.between(-150, 150), numbers.between(-40, 40))
        if pose is not None:
            record.do(Drop(LooseTile(place, tile, pose.x_mm, pose.y_mm, pose.turn_deg)), numbers.milliseconds(0, 0.3))
            fallen.append(tile)
    for tile in fallen:
        record.do(PickUpLoose(place, tile), numbers.milliseconds(0.5, 1.5))


def take_wrong_tile(record: TableInPlay, place: int, claimed: Slot) -> None:
    """Take the last tile of another river, and put it back into its slot."""
    rivers = [record.table.tiles_in(other, Area.RIVER) for other in PLACES if other != claimed.place]
    last = [river[-1] for river in rivers if river]
    numbers = record.numbers_if(Disturbance.WRONG_TILE_TAKEN, place) if last else None
    if numbers is not None:
        wrong = numbers.one_of(last)
        record.do(TakeUp(place, wrong.slot), numbers.milliseconds(0.3, 1))
        record.do(LayBack(place, wrong.tile.face, wrong.slot), numbers.milliseconds(0.8, 2))
        record.carry_out(give_way(record.mat, record.table, wrong.slot), place)


def _free_before(record: TableInPlay, place: int, right_mm: float, turn_deg: float = 0.0) -> Spot | None:
    """Return free cloth where a hand is shown, this far to the right of its middle."""
    wanted = Spot(*along_seat(place, right_mm, record.mat.hand_row_mm), 90.0 * place + turn_deg)
    return free_near(record.mat, wanted, lying_poses(record.mat, record.table))
