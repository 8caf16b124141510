"""Whole hands in memory by four strategies and a rule set, without table, wires or time."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from simulator.players.player_view import PlayerView, SeatView
from simulator.players.strategies import player_of
from simulator.players.strategies.player import ClaimAnswer, Kong, Player, RiichiPlayer, taste_of
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
)
from twinwall.game.rule_set import Permissions, RuleSet, Win
from twinwall.game.rules import DEFAULT_RULES, rule_set
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile, place_of, round_wind
from twinwall.game.walls import SeatWall
from twinwall.values import frozen


@frozen
class HandAsPlayed:
    """One hand as played: its events in order, the wins by seat in the order in which they were shown, and the kinds of each
    seat's concealed kongs in the order made."""

    events: tuple[PlayEvent, ...]
    wins: Mapping[Seat, Win]
    face_down: Mapping[Seat, Sequence[Tile]]

    @property
    def winner(self) -> Seat | None:
        return next(iter(self.wins), None)

    @property
    def win(self) -> Win | None:
        return next(iter(self.wins.values()), None)

    @property
    def draws(self) -> int:
        return sum(isinstance(event, TileDrawn) for event in self.events)


class HandInMemory:
    """Plays one hand; ``walls`` holds 13 hand tiles and then the draws of every seat, ``rest`` the tiles of none."""

    def __init__(
        self,
        rules: RuleSet,
        walls: Mapping[Seat, Sequence[Tile]],
        players: Mapping[Seat, Player],
        round_wind: Seat,
        rest: Sequence[Tile] = (),
    ) -> None:
        self._rules = rules
        self._players = players
        self._round = round_wind
        self._rest = rest
        self._state: PlayState = rules.start()
        self._concealed = {seat: list(walls[seat][:13]) for seat in SEATS}
        self._draws = {seat: list(walls[seat][13:]) for seat in SEATS}
        self._events: list[PlayEvent] = []
        self._face_down: dict[Seat, list[Tile]] = {seat: [] for seat in SEATS}
        self._drawn_wins: dict[Seat, Tile] = {}
        self._wins: dict[Seat, Win] = {}

    def play(self) -> HandAsPlayed:
        while True:
            allowed = self._rules.permissions(self._state)
            if allowed.turn_up is not None and self._rest:
                self._happen(SharedTileTurned(allowed.turn_up, self._rest[allowed.turn_up]))
            elif allowed.show is not None:
                self._show(allowed.show)
            elif allowed.draw is not None:
                if not self._claim_waiting(allowed.draw, allowed.claims or {}):
                    self._turn(allowed.draw)
            elif allowed.claims is not None and self._state.phase is Phase.CLAIMS:
                self._window(allowed.claims)
            else:
                return HandAsPlayed(tuple(self._events), self._wins, self._face_down)

    def view(self, seat: Seat) -> PlayerView:
        """What one seat sees now: of the kongs that lie face down it knows its own."""
        seats = [
            SeatView(
                tuple(None if laid.claimed_by else laid.tile for laid in state.river),
                state.melds,
                state.draws_left,
                any(laid.riichi for laid in state.river),
            )
            for state in self._state.seats
        ]
        kinds = iter(self._face_down[seat])
        own = seats[seat.index]
        known = tuple(Meld(meld.type, (next(kinds),) * COPIES, None) if meld.face_down else meld for meld in own.melds)
        seats[seat.index] = replace(own, melds=known)
        return PlayerView(seat, self._round, tuple(sorted(self._concealed[seat])), tuple(seats), self._barred(seat))

    def _barred(self, seat: Seat) -> frozenset[Tile]:
        """What a seat that has just claimed may not discard."""
        if self._rules.permissions(self._state).discard is not seat or self._state.drew:
            return frozenset()
        return frozenset(tile for tile in self._concealed[seat] if self._rules.illegal(self._state, TileDiscarded(seat, tile)) is not None)

    def _turn(self, seat: Seat) -> None:
        from_end = self._rules.permissions(self._state).from_end
        drawn = self._draws[seat].pop(-1 if from_end else 0)
        self._concealed[seat].append(drawn)
        self._happen(TileDrawn(seat, from_end))
        allowed, player, view = self._rules.permissions(self._state), self._players[seat], self.view(seat)
        if player.wants_win(view, drawn, replacement=self._state.after_kong):
            self._concealed[seat].remove(drawn)
            self._drawn_wins[seat] = drawn
            self._happen(WinDeclared(seat, None, drawn if allowed.face_up else None))
            return
        kong = player.choose_kong(view) if allowed.kong is seat else None
        if kong is None:
            self._discard(seat, drawn if view.seats[seat.index].riichi else None)
        else:
            self._make(seat, kong, drawn, allowed)

    def _make(self, seat: Seat, kong: Kong, drawn: Tile, allowed: Permissions) -> None:
        meld = kong.declared
        if meld.face_down and allowed.face_up:
            meld = replace(meld, tiles=(kong.tile,) * COPIES)
        if meld.face_down:
            self._face_down[seat].append(kong.tile)
        self._concealed[seat] = [tile for tile in self._concealed[seat] if tile is not kong.tile]
        self._happen(KongDeclared(seat, meld, late=allowed.late_kongs and kong.added and drawn is not kong.tile))

    def _discard(self, seat: Seat, tile: Tile | None = None) -> None:
        player, view = self._players[seat], self.view(seat)
        chosen = player.choose_discard(view) if tile is None else tile
        riichi = TileDiscarded(seat, chosen, riichi=True)
        declares = tile is None and isinstance(player, RiichiPlayer) and player.declares_riichi(view, chosen)
        self._concealed[seat].remove(chosen)
        self._happen(riichi if declares and self._rules.illegal(self._state, riichi) is None else TileDiscarded(seat, chosen))

    def _window(self, allowed: Mapping[Seat, frozenset[Claim]]) -> None:
        """Ask the others, let the rules choose, and do what was claimed."""
        source, tile = self._state.turn, self._state.last_discard
        assert tile is not None
        answers: dict[Seat, ClaimAnswer] = {}
        for seat, claims in allowed.items():
            player, view = self._players[seat], self.view(seat)
            answer = player.answer_added(view, tile, source) if self._state.robbing else player.answer_discard(view, tile, source)
            if answer is not None and answer.claim in claims:
                answers[seat] = answer
        if not answers:
            self._happen(ClaimsPassed())
            return
        first = self._rules.priority(self._state, {seat: answer.claim for seat, answer in answers.items()})[0]
        answer = answers[first]
        if answer.claim is Claim.WIN:
            self._happen(WinDeclared(first, source, tile))
            return
        self._lay(first, answer, _claimed(first, answer, tile, source))

    def _claim_waiting(self, seat: Seat, allowed: Mapping[Seat, frozenset[Claim]]) -> bool:
        """Claim one of the discards that wait for the own turn, where the rules know that; False where the seat draws."""
        claims = allowed.get(seat, frozenset())
        for source in SEATS if claims else ():
            river = self._state.seat(source).river
            if source is seat or not river or river[-1].claimed_by is not None:
                continue
            answer = self._players[seat].answer_discard(self.view(seat), river[-1].tile, source)
            if answer is None or answer.claim not in claims:
                continue
            claim = _claimed(seat, answer, river[-1].tile, source)
            if self._rules.illegal(self._state, claim) is None:
                self._lay(seat, answer, claim)
                return True
        return False

    def _lay(self, seat: Seat, answer: ClaimAnswer, claim: Claimed) -> None:
        for used in answer.tiles:
            self._concealed[seat].remove(used)
        self._happen(claim)
        if answer.claim is not Claim.KONG:
            self._discard(seat)

    def _show(self, seat: Seat) -> None:
        """A declared winner shows its hand; where all are to be shown at the end, so does everybody else."""
        concealed = tuple(sorted(self._concealed[seat]))
        declared = next((event for event in self._events if isinstance(event, WinDeclared) and event.seat is seat), None)
        if declared is None:
            self._happen(HandLaidOpen(seat, concealed))
            return
        winning = self._drawn_wins[seat] if declared.source is None else declared.tile
        assert winning is not None
        shown = HandShown(seat, concealed, winning, tuple(self._face_down[seat]))
        self._happen(shown)
        score = self._rules.score(self._rules.winning_hand(self._state, shown, self._round))
        assert isinstance(score, Win), f"{seat.name} declared a hand that does not win: {score}"
        self._wins[seat] = score

    def _happen(self, event: PlayEvent) -> None:
        illegal = self._rules.illegal(self._state, event)
        assert illegal is None, f"{event}: {illegal}"
        self._state = self._rules.apply(self._state, event)
        self._events.append(event)


def play_in_memory(
    table: str, walls: Mapping[Seat, SeatWall], hand: int, seed: int, rules: RuleSet | None = None, *, rest: Sequence[Tile] = ()
) -> HandAsPlayed:
    """The hand that those who sit at a table play in memory; ``seed`` is that of their habits, or of the demo."""
    rules = rules or rule_set(DEFAULT_RULES)
    players = {seat: player_of(rules, taste_of(seed, table, place_of(seat, hand))) for seat in SEATS}
    return HandInMemory(rules, {seat: (*wall.hand, *wall.draws) for seat, wall in walls.items()}, players, round_wind(hand), rest).play()


def _claimed(seat: Seat, answer: ClaimAnswer, tile: Tile, source: Seat) -> Claimed:
    return Claimed(seat, Meld(MeldType(answer.claim.value), tuple(sorted((*answer.tiles, tile))), source))
