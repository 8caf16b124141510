"""People who violate the rules: a number of violations in a hand, each noted with its seat, and undone before play goes on.

Each lasts until the referee could have been called: then the tile goes back to its wall or hand, and the hand goes on. Violations that the
rules themselves record (a false win) are among the events.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import combinations

from benchmarks.played_tables.acts import Drop, PickUpLoose, PutBackTile, TakeUp
from benchmarks.played_tables.hand_on_table import USUAL_SETUP, HandOnTable, HandToPlay, TableSetup
from benchmarks.played_tables.people_at_table import PeopleAtTable
from simulator.disturbances.acts import Draw, Show
from simulator.disturbances.kinds import Disturbances, Numbers
from simulator.disturbances.poses import along_seat, free_near, lying_poses
from simulator.tabletop import RIVER_SLOTS, LooseTile, PhysicalTile
from twinwall.art.mat import MELD_SLOTS, Area, Slot, Spot
from twinwall.game.play import Phase
from twinwall.game.play_events import Claimed, ClaimsPassed, HandShown, PlayEvent, TileDiscarded, TileDrawn, WinDeclared, WinRefused
from twinwall.game.rule_set import NoWin
from twinwall.game.tiles import SEATS, Seat, parse_tile, round_wind
from twinwall.values import frozen
from twinwall.wire.shapes.panel import Key

_STAYS_S = (6.0, 9.0)
"""How long a wrong tile stays: somebody notices, and the referee comes."""
_MOST_MELDS, _TURNS_APART = 4, 3


class ViolationAct(StrEnum):
    """Acts against the rules; the value is the stable word of the violation."""

    DREW_EARLY = "drew-early"
    DREW_OUT_OF_TURN = "drew-out-of-turn"
    DREW_TWICE = "drew-twice"
    PUT_BACK = "put-back"
    DISCARDED_OUT_OF_TURN = "discarded-out-of-turn"
    DISCARDED_TWICE = "discarded-twice"
    FALSE_DISCARD = "false-discard"
    FALSE_CLAIM = "false-claim"
    FALSE_WIN = "false-win"
    EXPOSED_TILES = "exposed-tiles"


@frozen
class CommittedViolation:
    """A violation that happened; for a draw, ``seat`` is the wall's, since the gate does not show who drew."""

    at_ms: int
    act: ViolationAct
    seat: Seat


class PeopleWhoViolate(PeopleAtTable):
    """Four people who play one hand with ``a_hand`` violations; ``scales`` weighs single kinds, 0 switches one off."""

    def __init__(
        self, hand: HandToPlay, people: Disturbances, setup: TableSetup, a_hand: int, scales: Mapping[ViolationAct, float] | None = None
    ) -> None:
        super().__init__(hand, people, setup)
        self.committed: list[CommittedViolation] = []
        self._kinds = [kind for kind in ViolationAct if (scales or {}).get(kind, 1.0) > 0]
        self._at_turns = _turns(hand, people.seed, a_hand)
        self._due: ViolationAct | None = None
        self._owed = 0
        self._ways: Mapping[ViolationAct, Callable[[Seat, Numbers], bool]] = {
            ViolationAct.DREW_OUT_OF_TURN: self._draw_out_of_turn,
            ViolationAct.DISCARDED_OUT_OF_TURN: self._discard_out_of_turn,
            ViolationAct.DREW_EARLY: self._draw_early,
            ViolationAct.DREW_TWICE: self._draw_twice,
            ViolationAct.PUT_BACK: self._put_back,
            ViolationAct.EXPOSED_TILES: self._expose_tiles,
            ViolationAct.FALSE_WIN: self._win_falsely,
            ViolationAct.FALSE_DISCARD: self._discard_falsely,
            ViolationAct.DISCARDED_TWICE: self._discard_twice,
            ViolationAct.FALSE_CLAIM: self._claim_falsely,
        }

    def _turn(self, number: int, event: PlayEvent) -> None:
        events = self._hand.played.events
        self._after = events[number + 1 : number + 4]
        self._owed += number in self._at_turns
        if isinstance(event, TileDrawn):
            self._try((ViolationAct.DREW_OUT_OF_TURN,), event.seat)
        super()._turn(number, event)
        match event:
            case TileDrawn(seat):
                self._try((ViolationAct.DISCARDED_OUT_OF_TURN, *_AFTER_A_DRAW), seat)
            case Claimed(seat):
                self._try((ViolationAct.FALSE_DISCARD,), seat)
            case TileDiscarded(seat) if self._after and isinstance(self._after[0], ClaimsPassed):
                self._try((ViolationAct.DISCARDED_TWICE, ViolationAct.FALSE_CLAIM), seat)
            case _:
                pass

    def _try(self, kinds: Sequence[ViolationAct], seat: Seat) -> None:
        """Commit a violation if one is due and its kind is among those possible now."""
        if not self._owed:
            return
        numbers = Numbers(f"{self._record.people.seed} violation {self._record.occasion} {kinds[0]}")
        if self._due is None:
            self._due = numbers.one_of(self._kinds)
        chosen = [self._due] if self._due in kinds else []
        if any(self._ways[kind](seat, numbers) for kind in chosen):
            self._owed, self._due = self._owed - 1, None
        elif chosen:
            self._due = None

    def _note_violation(self, act: ViolationAct, seat: Seat) -> bool:
        self.committed.append(CommittedViolation(self._record.now_ms, act, seat))
        return True

    # Draws ------------------------------------------------------------------------------------------

    def _draw_from(self, act: ViolationAct, place: int, seat: Seat, numbers: Numbers) -> bool:
        """Let the player at ``place`` lift the next tile of a seat's wall, and put it back."""
        wall, record = self._place(seat), self._record
        if not self._walls[wall]:
            return False
        record.do(Draw(place, self._walls[wall][0], wall), numbers.milliseconds(1.0, 1.8))
        self._note_violation(act, seat)
        record.do(PutBackTile(place, self._walls[wall][0], wall), numbers.milliseconds(1, 3))
        record.now_ms += numbers.milliseconds(1.5, 3)
        return True

    def _draw_out_of_turn(self, seat: Seat, numbers: Numbers) -> bool:
        other = numbers.one_of(self._others(seat))
        return self._draw_from(ViolationAct.DREW_OUT_OF_TURN, self._place(seat), other, numbers)

    def _draw_early(self, seat: Seat, numbers: Numbers) -> bool:
        if not self._follows(seat, TileDiscarded, ClaimsPassed, TileDrawn):
            return False
        drawn = self._after[2]
        assert isinstance(drawn, TileDrawn)
        return drawn.seat is not seat and self._draw_from(ViolationAct.DREW_EARLY, self._place(drawn.seat), drawn.seat, numbers)

    def _draw_twice(self, seat: Seat, numbers: Numbers) -> bool:
        return self._draw_from(ViolationAct.DREW_TWICE, self._place(seat), seat, numbers)

    def _put_back(self, seat: Seat, numbers: Numbers) -> bool:
        record, place = self._record, self._place(seat)
        drawn = record.table.racks[place].drawn
        if drawn is None:
            return False
        record.do(PutBackTile(place, drawn, place), numbers.milliseconds(1.0, 3))
        self._note_violation(ViolationAct.PUT_BACK, seat)
        record.do(Draw(place, drawn, place), numbers.milliseconds(2, 4))
        return True

    # Tiles on the mat -------------------------------------------------------------------------------

    def _lay(self, seat: Seat, laid: Sequence[tuple[PhysicalTile, Spot]], numbers: Numbers) -> None:
        """Lay tiles of a hand face up for a time, and take them back."""
        record, place = self._record, self._place(seat)
        for tile, pose in laid:
            turned = replace(pose, turn_deg=pose.turn_deg + numbers.between(-4, 4))
            at = self._free(turned) or turned
            record.do(Drop(LooseTile(place, tile, at.x_mm, at.y_mm, at.turn_deg)), numbers.milliseconds(0.1, 0.3))
        record.now_ms += numbers.milliseconds(*_STAYS_S)
        for tile, _ in laid:
            record.do(PickUpLoose(place, tile), numbers.milliseconds(0.1, 0.4))
        record.now_ms += numbers.milliseconds(0.8, 1.5)

    def _lay_in_river(self, act: ViolationAct, seat: Seat, tile: PhysicalTile, numbers: Numbers) -> bool:
        place, index = self._place(seat), self._state.seat(seat).next_place
        if index >= RIVER_SLOTS:
            return False
        pose = self._free(self._record.mat.spot(Slot(place, Area.RIVER, index)).moved(numbers.between(-5, 5), numbers.between(-5, 5)))
        if pose is None:
            return False
        self._record.now_ms += numbers.milliseconds(0.8, 1.6)
        self._note_violation(act, seat)
        self._lay(seat, [(tile, pose)], numbers)
        return True

    def _discard_out_of_turn(self, seat: Seat, numbers: Numbers) -> bool:
        other = numbers.one_of(self._others(seat))
        return self._lay_in_river(ViolationAct.DISCARDED_OUT_OF_TURN, other, numbers.one_of(self._hidden(other)), numbers)

    def _discard_twice(self, seat: Seat, numbers: Numbers) -> bool:
        return self._lay_in_river(ViolationAct.DISCARDED_TWICE, seat, numbers.one_of(self._hidden(seat)), numbers)

    def _discard_falsely(self, seat: Seat, numbers: Numbers) -> bool:
        """Discard a tile that the rules forbid now, if the seat holds one."""
        if self._state.phase is not Phase.DISCARD:
            return False
        rules, state = self._hand.rules, self._state
        barred = [tile for tile in self._hidden(seat) if rules.illegal(state, TileDiscarded(seat, parse_tile(tile.face))) is not None]
        return bool(barred) and self._lay_in_river(ViolationAct.FALSE_DISCARD, seat, barred[0], numbers)

    def _claim_falsely(self, seat: Seat, numbers: Numbers) -> bool:
        """Let a player lay two tiles that make no meld with the discard."""
        claimant = numbers.one_of(self._others(seat))
        place, discard = self._place(claimant), self._state.seat(seat).river[-1].tile
        group = len(self._state.seat(claimant).melds)
        pairs = [pair for pair in combinations(self._hidden(claimant), 2) if not _makes_meld([*pair], discard.text)]
        if group >= _MOST_MELDS or not pairs:
            return False
        laid = []
        for position, tile in enumerate(numbers.one_of(pairs)):
            pose = self._free(self._record.mat.spot(Slot(place, Area.MELD, MELD_SLOTS * group + position)))
            if pose is None:
                return False
            laid.append((tile, pose))
        self._record.now_ms += numbers.milliseconds(0.6, 1.4)
        if numbers.share() < 0.7:
            self._record.press(place, numbers.one_of((Key.CHOW, Key.PUNG)))
        self._note_violation(ViolationAct.FALSE_CLAIM, claimant)
        self._lay(claimant, laid, numbers)
        return True

    def _expose_tiles(self, seat: Seat, numbers: Numbers) -> bool:
        other = numbers.one_of([seat, *self._others(seat)])
        place = self._place(other)
        laid: list[tuple[PhysicalTile, Spot]] = []
        for tile in numbers.shuffled(self._hidden(other))[: numbers.one_of((1, 2))]:
            wanted = Spot(*along_seat(place, numbers.between(-150, 150), self._record.mat.hand_row_mm), 90.0 * place)
            pose = self._free(wanted)
            if pose is not None and all(abs(pose.x_mm - one.x_mm) + abs(pose.y_mm - one.y_mm) > 40 for _, one in laid):
                laid.append((tile, pose))
        if not laid:
            return False
        self._note_violation(ViolationAct.EXPOSED_TILES, other)
        self._lay(other, laid, numbers)
        return True

    # A false win ------------------------------------------------------------------------------------

    def _win_falsely(self, seat: Seat, numbers: Numbers) -> bool:
        """Let the seat declare its drawn tile a win, show its hand, which does not win, and pick it up again."""
        record, place, rules = self._record, self._place(seat), self._hand.rules
        drawn = record.table.racks[place].drawn
        permitted = rules.permissions(self._state)
        own = self._state.seat(seat)
        if drawn is None or permitted.win is not seat or permitted.face_up or any(meld.face_down for meld in own.melds):
            return False
        if not self._follows(seat, TileDiscarded):
            return False
        concealed = sorted(parse_tile(tile.face) for tile in record.table.racks[place].tiles if tile is not drawn)
        shown = HandShown(seat, tuple(concealed), parse_tile(drawn.face))
        declared = rules.apply(self._state, WinDeclared(seat, None, None))
        outcome = rules.score(rules.winning_hand(rules.apply(declared, shown), shown, round_wind(self._hand.hand)))
        if not isinstance(outcome, NoWin):
            return False
        record.press(place, Key.WIN, record.now_ms + 600)
        self._stands(WinDeclared(seat, None, None), record.now_ms + 600)
        record.do(Show(place, drawn.face), numbers.milliseconds(1.5, 2.5))
        self._note_violation(ViolationAct.FALSE_WIN, seat)
        self._stands(shown, record.now_ms)
        self._stands(WinRefused(seat, outcome.reason), record.now_ms)
        record.now_ms += numbers.milliseconds(*_STAYS_S)
        for area in (Area.WIN, Area.HAND):
            for lying in record.table.tiles_in(place, area):
                record.do(TakeUp(place, lying.slot))
        record.now_ms += numbers.milliseconds(1, 2)
        return True

    # What can be done -------------------------------------------------------------------------------

    def _others(self, seat: Seat) -> list[Seat]:
        """Return the other seats still in play."""
        left = self._hand.rules.permissions(self._state).left
        return [other for other in SEATS if other is not seat and other not in left]

    def _hidden(self, seat: Seat) -> list[PhysicalTile]:
        """Return a seat's tiles without the one just drawn."""
        rack = self._record.table.racks[self._place(seat)]
        return [tile for tile in rack.tiles if tile is not rack.drawn]

    def _follows(self, seat: Seat, *kinds: type[PlayEvent]) -> bool:
        """Whether the next events of the hand are of these kinds, the first by this seat."""
        if len(self._after) < len(kinds) or not all(isinstance(event, kind) for event, kind in zip(self._after, kinds, strict=False)):
            return False
        first = self._after[0]
        return isinstance(first, TileDiscarded) and first.seat is seat

    def _free(self, pose: Spot) -> Spot | None:
        return free_near(self._record.mat, pose, tuple(lying_poses(self._record.mat, self._record.table)))


_AFTER_A_DRAW = (
    ViolationAct.DREW_EARLY,
    ViolationAct.DREW_TWICE,
    ViolationAct.PUT_BACK,
    ViolationAct.EXPOSED_TILES,
    ViolationAct.FALSE_WIN,
)


def violated_hand(
    hand: HandToPlay,
    people: Disturbances,
    a_hand: int,
    scales: Mapping[ViolationAct, float] | None = None,
) -> tuple[HandOnTable, tuple[CommittedViolation, ...]]:
    """Play a hand at a table whose people disturb it and commit violations."""
    table = PeopleWhoViolate(hand, people, USUAL_SETUP, a_hand, scales)
    return table.play(), tuple(table.committed)


def _turns(hand: HandToPlay, seed: int, a_hand: int) -> frozenset[int]:
    """Return the events of the hand, all of them draws, at which a violation becomes due."""
    drawn = [number for number, event in enumerate(hand.played.events) if isinstance(event, TileDrawn)]
    numbers = Numbers(f"{seed} turns of violations {hand.name}")
    return frozenset(numbers.shuffled(drawn[:-_TURNS_APART])[:a_hand])


def _makes_meld(tiles: Sequence[PhysicalTile], discard: str) -> bool:
    """Whether two tiles may look like part of a pung, or neighbours of a chow, with the discard."""
    faces = [tile.face for tile in tiles]
    if discard in faces or faces[0] == faces[1]:
        return True
    suits = {face[1:] for face in (*faces, discard)}
    return len(suits) == 1 and all(face[0].isdigit() for face in (*faces, discard))
