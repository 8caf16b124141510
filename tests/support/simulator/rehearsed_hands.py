"""Whole hands as four simulated players who know the rules play them, from given walls."""

from collections.abc import Mapping, Sequence

from simulator.players.hand_in_memory import HandAsPlayed, HandInMemory
from simulator.players.strategies import player_of
from simulator.players.strategies.player import taste_of
from twinwall.game.play_events import EndReason, HandEnded, PlayEvent, totals
from twinwall.game.rule_set import RuleSet
from twinwall.game.session import round_wind
from twinwall.game.tiles import SEATS, Seat, Tile


def rehearsed(rules: RuleSet, walls: Mapping[Seat, Sequence[Tile]], seed: int, *, hand: int = 1, rest: Sequence[Tile] = ()) -> HandAsPlayed:
    """The hand of four tastes drawn from a seed."""
    players = {seat: player_of(rules, taste_of(seed, "1", seat.index)) for seat in SEATS}
    return HandInMemory(rules, walls, players, round_wind(hand), rest).play()


def with_end(rules: RuleSet, played: HandAsPlayed) -> tuple[PlayEvent, ...]:
    """The events of a hand, its end with what it pays included."""
    state = rules.start()
    for event in played.events:
        state = rules.apply(state, event)
    reason = EndReason.WON if played.wins else EndReason.DRAWN
    return (*played.events, HandEnded(rules.permissions(state).ended or reason, totals(rules.payments(state, played.wins))))
