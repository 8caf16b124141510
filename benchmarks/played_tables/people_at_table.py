"""People at a table who carry out the events of a hand one after the other, in their own time and way."""

from collections.abc import Sequence
from typing import assert_never

from benchmarks.played_tables import slips
from benchmarks.played_tables.acts import Act, LayApart, TakeUp, TurnUpShared
from benchmarks.played_tables.hand_on_table import USUAL_SETUP, HandOnTable, HandToPlay, TableSetup
from benchmarks.played_tables.slips import SecondClaim, lower_claims
from benchmarks.played_tables.table_in_play import TableInPlay
from simulator.disturbances.acts import AddToPung, Discard, Draw, Expose, LayFaceDown, Show
from simulator.disturbances.camera_troubles import troubles_of_turn
from simulator.disturbances.kinds import Disturbance, Disturbances, Numbers
from simulator.disturbances.open_tiles import plan_meld, plan_shown
from simulator.disturbances.rivers import plan_discard, plan_order, plan_river
from simulator.tabletop import PLACES, RIVER_SLOTS, PhysicalTile
from twinwall.art.mat import Area, Slot
from twinwall.game.play import Phase
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandLaidOpen,
    HandRuledDead,
    HandShown,
    KongDeclared,
    MeldType,
    PenaltyRuled,
    PlayEvent,
    ResultExcluded,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.tiles import SEATS, Seat, Tile, place_of
from twinwall.wire.shapes.panel import Key

_HAND_TILES = 13
_BACK = 1
_IDS_A_WALL = 100
_CLAIM_KEYS = (Key.CHOW, Key.PUNG, Key.KONG)
_KEY_OF_MELD = {MeldType.CHOW: Key.CHOW, MeldType.PUNG: Key.PUNG, MeldType.KONG: Key.KONG}
_PRESSED_WITHIN_S = (0.4, 2.4)


class PeopleAtTable:
    """Four people with their walls, who play one hand."""

    def __init__(self, hand: HandToPlay, people: Disturbances, setup: TableSetup) -> None:
        self._hand, self._pace = hand, setup.pace
        self._record = TableInPlay(hand.name, people, setup)
        self._state = hand.rules.start()
        self._walls = {self._place(seat): _physical(seat, hand.walls[seat]) for seat in SEATS}
        for place in PLACES:
            for tile in self._walls[place][:_HAND_TILES]:
                self._record.table = self._record.table.take(place, tile)
            del self._walls[place][:_HAND_TILES]
        self._kongs = {seat: list(hand.played.face_down[seat]) for seat in SEATS}
        self._window_ms = 0
        self._laid_apart: set[int] = set()
        self._aside: PhysicalTile | None = None
        self._events: list[tuple[int, PlayEvent]] = []

    def play(self) -> HandOnTable:
        """Carry out all events; raises NotPossibleError if the hand and its walls do not fit together."""
        record, beginning = self._record, self._record.table
        for number, event in enumerate(self._hand.played.events):
            record.occasion = f"{self._hand.name} {number}"
            self._turn(number, event)
        keys = tuple(sorted(record.keys, key=lambda key: key.at_ms))
        acts, troubles, happened = tuple(record.acts), tuple(record.troubles), tuple(record.happened)
        uncovered_ms = max((each.until_ms or 0 for each in troubles), default=0)
        return HandOnTable(beginning, tuple(self._events), acts, keys, troubles, happened, max(record.now_ms, uncovered_ms))

    def _turn(self, number: int, event: PlayEvent) -> None:  # noqa: ARG002 - people who violate need the number
        """Carry out an event."""
        at_ms = self._do(event)
        self._stands(event, self._record.now_ms if at_ms is None else at_ms)

    def _stands(self, event: PlayEvent, at_ms: int) -> None:
        """Note an event by the rules, with the time when it was fully visible."""
        self._events.append((at_ms, event))
        self._state = self._hand.rules.apply(self._state, event)

    def _do(self, event: PlayEvent) -> int | None:
        """Carry out one event; return when it was fully visible, None for now."""
        match event:
            case TileDrawn():
                return self._draw(event)
            case TileDiscarded():
                return self._discard(event)
            case ClaimsPassed():
                self._let_pass()
            case Claimed():
                return self._claim(event)
            case KongDeclared():
                self._make_kong(event)
            case WinDeclared():
                return self._declare(event)
            case HandShown():
                place = self._place(event.seat)
                drawn = self._drawn_win(event.seat) and place not in self._laid_apart
                self._show(place, event.winning.text if drawn or self._take_won_tile(event) else None)
            case HandLaidOpen():
                self._show(self._place(event.seat), None)
            case SharedTileTurned():
                self._turn_up(event)
            case WinRefused() | HandRuledDead() | PenaltyRuled() | ResultExcluded() | HandEnded():
                pass
            case _:
                assert_never(event)
        return None

    # Draws ------------------------------------------------------------------------------------------

    def _draw(self, event: TileDrawn) -> int:
        record, place = self._record, self._place(event.seat)
        for plan in (plan_river, plan_order):
            record.carry_out(plan(record.people, record.occasion, record.mat, record.table), place)
        awaited = Slot(place, Area.RIVER, min(self._state.seat(event.seat).next_place, RIVER_SLOTS - 1))
        for trouble in troubles_of_turn(record.people, record.occasion, record.mat, awaited, record.now_ms):
            record.troubles.append(trouble)
            record.note(trouble.kind, place)
        record.wait(self._pace.reach_s)
        slips.draw_wrongly(record, Disturbance.DRAW_FROM_OTHER_WALL, place, (place + 1) % 4, self._walls[(place + 1) % 4][:1])
        tile = self._walls[place].pop(-1 if event.from_end else 0)
        record.do(Draw(place, tile, place))
        drawn_ms = record.now_ms
        slips.put_back(record, place, tile)
        slips.draw_wrongly(record, Disturbance.TWO_DRAWN, place, place, self._walls[place][:1])
        slips.lay_down(record, place, tile)
        slips.drop_tiles(record, place, tile)
        self._aside = tile if slips.lay_aside(record, place, tile) else None
        return drawn_ms

    # Discards and claims ----------------------------------------------------------------------------

    def _discard(self, event: TileDiscarded) -> int:
        record, place = self._record, self._place(event.seat)
        record.wait(self._pace.think_s)
        if self._aside is not None and self._aside.face == event.tile.text:
            self._take_up_aside(place)
        if event.riichi:
            record.press(place, Key.RIICHI)
            record.wait(self._pace.reach_s)
        act = Discard(place, event.tile.text, self._state.seat(event.seat).next_place, event.riichi)
        plan = plan_discard(record.people, record.occasion, record.mat, record.table, act)
        laid_ms = record.now_ms
        record.carry_out(plan, place)
        self._window_ms = record.now_ms
        self._take_up_aside(place, apart=False)
        return laid_ms + plan.seen_after_ms

    def _take_up_aside(self, place: int, *, apart: bool = True) -> None:
        """Pick up the drawn tile if it was laid aside; one that stands apart is discarded before others of its face."""
        aside, self._aside = self._aside, None
        if aside is not None:
            slips.take_up_aside(self._record, place, aside, apart=apart)

    def _let_pass(self) -> None:
        """End the window without a claim, though a player may have pressed a key."""
        record, giver = self._record, self._place(self._state.turn)
        if (numbers := self._record.numbers_if(Disturbance.CALL_TAKEN_BACK, giver)) is not None:
            other = numbers.one_of([place for place in PLACES if place != giver])
            record.press(other, numbers.one_of(_CLAIM_KEYS), self._window_ms + numbers.milliseconds(*_PRESSED_WITHIN_S))
        self._end_window()

    def _claim(self, event: Claimed) -> int:
        record, place, source = self._record, self._place(event.seat), event.meld.source
        assert source is not None
        river = self._state.seat(source).river
        slot = Slot(self._place(source), Area.RIVER, self._state.seat(source).place_of(len(river) - 1))
        second = self._second_claim(event.seat, Claim(event.meld.type.value))
        self._call(place, _KEY_OF_MELD[event.meld.type])
        if (numbers := self._record.numbers_if(Disturbance.CLAIMED_TILE_LATE, place)) is not None:
            record.now_ms += numbers.milliseconds(3, 8)
        slips.take_wrong_tile(record, place, slot)
        record.wait(self._pace.reach_s)
        faces = [tile.text for tile in event.meld.tiles]
        faces.remove(river[-1].tile.text)
        self._lay_meld(Expose(place, tuple(faces), slot))
        laid_ms = record.now_ms
        if second is not None:
            second.take_back()
        return laid_ms

    def _second_claim(self, seat: Seat, claim: Claim) -> SecondClaim | None:
        """Let a player lay two tiles for a lower claim than the one that ``seat`` is about to make; None if no player does."""
        record, racks = self._record, self._record.table.racks
        held = {other: racks[self._place(other)].tiles for other in SEATS}
        lower = next(lower_claims(self._hand.rules, self._state, seat, claim, held), None)
        if lower is None or record.numbers_if(Disturbance.SECOND_CLAIM_LAID, self._place(lower[0].seat)) is None:
            return None
        second = SecondClaim(record, self._place(lower[0].seat), lower)
        second.lay()
        return second

    def _call(self, place: int, key: Key) -> None:
        """Press for a claim, or say it; this ends the window, if one is open."""
        record = self._record
        in_window = self._state.phase is Phase.CLAIMS
        begins_ms = self._window_ms if in_window else record.now_ms
        at_ms = begins_ms + Numbers(f"{record.people.seed} call {record.occasion}").milliseconds(*_PRESSED_WITHIN_S)
        if self._record.numbers_if(Disturbance.CALL_BY_VOICE, place) is None:
            record.press(place, self._key(place, key), at_ms)
        if (numbers := self._record.numbers_if(Disturbance.SECOND_CALL, place)) is not None:
            others = [other for other in PLACES if other not in (place, self._place(self._state.turn))]
            record.press(numbers.one_of(others), Key.CHOW, at_ms + numbers.milliseconds(0.05, 0.5))
        if in_window:
            self._end_window()
        else:
            record.now_ms = at_ms

    def _key(self, place: int, key: Key) -> Key:
        """Return the key that is pressed instead of the intended one, if wrong."""
        wrong = self._record.numbers_if(Disturbance.WRONG_KEY, place)
        return key if wrong is None else wrong.one_of([other for other in _CLAIM_KEYS if other is not key])

    def _end_window(self) -> None:
        self._record.now_ms = max(self._record.now_ms, self._window_ms + round(1000 * self._pace.window_s))

    # Melds, wins, shown hands -----------------------------------------------------------------------

    def _lay_meld(self, act: Act) -> None:
        record, before = self._record, self._record.table
        record.do(act)
        record.carry_out(plan_meld(record.people, record.occasion, record.mat, before, record.table), self._place(self._state.turn))

    def _make_kong(self, event: KongDeclared) -> None:
        record, place = self._record, self._place(event.seat)
        self._take_up_aside(place)
        record.wait(self._pace.think_s)
        record.press(place, self._key(place, Key.KONG))
        record.wait(self._pace.reach_s)
        if event.meld.type is MeldType.ADDED_KONG:
            self._lay_meld(AddToPung(place, event.meld.tiles[0].text))
            self._window_ms = record.now_ms
            return
        kind = self._kongs[event.seat].pop(0) if event.meld.face_down else event.meld.tiles[0]
        self._lay_meld(LayFaceDown(place, kind.text, last_face_up=not event.meld.face_down))
        if event.meld.face_down:
            record.wait(self._pace.reach_s)
            record.press(place, Key.CONFIRM)

    def _declare(self, event: WinDeclared) -> int:
        record, place = self._record, self._place(event.seat)
        if event.source is not None:
            second = self._second_claim(event.seat, Claim.WIN)
            self._call(place, Key.WIN)
            declared_ms = record.now_ms
            if second is not None:
                second.take_back()
            return declared_ms
        self._take_up_aside(place)
        record.wait(self._pace.think_s)
        record.press(place, self._key(place, Key.WIN))
        if event.tile is not None:
            record.wait(self._pace.reach_s)
            self._lay_at(LayApart(place, event.tile.text), Slot(place, Area.WIN, 0))
            self._laid_apart.add(place)
        return record.now_ms

    def _drawn_win(self, seat: Seat) -> bool:
        declared = next(event for event in self._hand.played.events if isinstance(event, WinDeclared) and event.seat is seat)
        return declared.source is None

    def _take_won_tile(self, shown: HandShown) -> bool:
        """Take the winning discard, if it is this seat's alone, out of the river to show it with the hand; return whether that happens."""
        record, place, slot = self._record, self._place(shown.seat), self._record.table.last_discard
        wins = [event for event in self._hand.played.events if isinstance(event, WinDeclared)]
        own = next(event for event in wins if event.seat is shown.seat)
        alone = own.source is not None and sum((event.source, event.tile) == (own.source, own.tile) for event in wins) == 1
        lying = record.table.at(slot) if alone and slot is not None and slot.area is Area.RIVER else None
        if lying is None or lying.tile.face != shown.winning.text:
            return False
        numbers = record.numbers_if(Disturbance.WON_TILE_TAKEN, place)
        if numbers is not None:
            record.do(TakeUp(place, lying.slot), numbers.milliseconds(0.3, 1.5))
        return numbers is not None

    def _show(self, place: int, winning: str | None) -> None:
        record = self._record
        record.wait(self._pace.reach_s)
        record.carry_out(plan_shown(record.people, record.occasion, record.mat, record.table, Show(place, winning)), place)

    def _turn_up(self, event: SharedTileTurned) -> None:
        self._record.wait(self._pace.reach_s)
        rows = self._hand.rules.shared_rows
        seat = next(seat for seat in SEATS if event.place in rows[seat.index])
        tile = PhysicalTile(len(SEATS) * _IDS_A_WALL + event.place, event.tile.text, _BACK)
        self._lay_at(TurnUpShared(self._place(seat), tile, event.place), Slot(0, Area.SHARED, event.place))

    def _lay_at(self, act: LayApart | TurnUpShared, slot: Slot) -> None:
        """Lay one tile without an error, beside a tile already there."""
        self._record.do(act)
        self._record.carry_out(slips.give_way(self._record.mat, self._record.table, slot), act.place)

    def _place(self, seat: Seat) -> int:
        return place_of(seat, self._hand.hand)


def hand_on_table(hand: HandToPlay, people: Disturbances, setup: TableSetup = USUAL_SETUP) -> HandOnTable:
    """Play a hand at a table with these disturbances."""
    return PeopleAtTable(hand, people, setup).play()


def _physical(seat: Seat, tiles: Sequence[Tile]) -> list[PhysicalTile]:
    """Return a wall's tiles, each with its own id."""
    return [PhysicalTile(_IDS_A_WALL * seat.index + number, tile.text, _BACK) for number, tile in enumerate(tiles)]
