"""Second claims: two people claim the same discard, and the one with the lower claim has already laid its two tiles."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from benchmarks.played_tables.acts import Drop, PickUpLoose
from benchmarks.played_tables.table_in_play import TableInPlay
from simulator.disturbances.kinds import Disturbance
from simulator.disturbances.poses import free_near, lying_poses
from simulator.physical_tiles import PhysicalTile
from simulator.tabletop import LooseTile
from twinwall.art.mat import MELD_SLOTS, Area, Slot
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
