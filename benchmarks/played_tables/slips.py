"""Slips of hands: tiles drawn wrongly and put back, laid down or aside, dropped, or taken from the wrong river; and second claims, for
which the one with the lower claim has already laid its two tiles."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from benchmarks.played_tables.acts import Drop, LayBack, PickUpLoose, PutBackTile, TakeUp
from benchmarks.played_tables.table_in_play import TableInPlay
from simulator.disturbances.acts import Draw
from simulator.disturbances.kinds import Disturbance, Numbers
from simulator.disturbances.poses import along_seat, free_near, lying_poses, pose_of
from simulator.disturbances.rivers import ActPlan, moves
from simulator.tabletop import PLACES, LooseTile, PhysicalTile, Tabletop
from twinwall.art.mat import MELD_SLOTS, Area, Mat, Slot, Spot
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claim, Claimed, Meld, MeldType
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import Seat, parse_tile
from twinwall.wire.shapes.panel import Key

_MOST_MELDS = 4
_TAKEN_LATE = 0.3
"""Share of the tiles that are taken back late (assumed)."""
_AT_ONCE_S, _LATE_S = (0.3, 1.2), (1.2, 6.0)
_KEYS = {MeldType.CHOW: Key.CHOW, MeldType.PUNG: Key.PUNG}

LowerClaim = tuple[Claimed, tuple[PhysicalTile, PhysicalTile]]
"""A claim with a lower priority, and the claimant's own tiles in it."""


def lower_claims(
    rules: RuleSet, state: PlayState, seat: Seat, claim: Claim, held: Mapping[Seat, Sequence[PhysicalTile]]
) -> Iterator[LowerClaim]:
    """Yield the lawful chows and pungs of the last discard by others, of lower priority than the claim of ``seat``."""
    discard = state.last_discard
    if discard is None or state.robbing:
        return
    for other, rack in held.items():
        by_face = {tile.face: tile for tile in rack}
        pairs = [*combinations(by_face.values(), 2), *((one, two) for one, two in combinations(rack, 2) if one.face == two.face)]
        for one, two in pairs if other not in (seat, state.turn) else ():
            tiles = tuple(sorted((parse_tile(one.face), parse_tile(two.face), discard)))
            kind = MeldType.PUNG if one.face == two.face else MeldType.CHOW
            claimed = Claimed(other, Meld(kind, tiles, state.turn))
            stands = rules.priority(state, {other: Claim(kind.value), seat: claim})
            if stands == (seat, other) and rules.illegal(state, claimed) is None:
                yield claimed, (one, two)


class SecondClaim:
    """A player who lays two tiles for a claim that does not stand, and takes them back."""

    def __init__(self, record: TableInPlay, place: int, lower: LowerClaim) -> None:
        self._record, self._place = record, place
        self._meld, self._own = lower[0].meld, lower[1]
        self._numbers = record.people.numbers(Disturbance.SECOND_CLAIM_LAID, f"{record.occasion} laid")
        self._laid: list[PhysicalTile] = []

    def lay(self) -> None:
        """Lay the claimant's own tiles where the meld would be."""
        record, numbers = self._record, self._numbers
        group = len(record.table.groups(self._place))
        if group >= _MOST_MELDS:
            return
        record.now_ms += numbers.milliseconds(0.6, 1.4)
        if numbers.share() < 0.7:
            record.press(self._place, _KEYS[self._meld.type])
        for position, tile in enumerate(self._own):
            pose = free_near(
                record.mat,
                record.mat.spot(Slot(self._place, Area.MELD, MELD_SLOTS * group + position)),
                lying_poses(record.mat, record.table),
            )
            if pose is not None:
                turn_deg = pose.turn_deg + numbers.between(-3, 3)
                record.do(Drop(LooseTile(self._place, tile, pose.x_mm, pose.y_mm, turn_deg)), numbers.milliseconds(0.1, 0.4))
                self._laid.append(tile)

    def take_back(self) -> None:
        """Take the tiles back into the hand, at once or one after the other."""
        for tile in self._laid:
            within_s = _LATE_S if self._numbers.share() < _TAKEN_LATE else _AT_ONCE_S
            self._record.do(PickUpLoose(self._place, tile), self._numbers.milliseconds(*within_s))
        self._laid = []


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
