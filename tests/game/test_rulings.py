"""Rulings in play: dead hands, penalties, hands that a referee ends, alone and within random hands."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.support.game.tables import Table, random_walls, walls_with_kongs
from tests.support.tiers import TIER, Tier
from twinwall.game.held import concealed
from twinwall.game.payments import totals
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rule_set import RuleSet, Win
from twinwall.game.rules import rule_set
from twinwall.game.rulings import HandRuledDead, Offence, PenaltyRuled, ResultExcluded, penalty_payments
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles

E, S, W, N = SEATS
NOTHING = dict.fromkeys(SEATS, 0)
MCR = rule_set("mcr-duplicate")
SEVERAL = rule_set("mcr-duplicate", {"several_winners": "each-minus-others"})
HANDS = {Tier.QUICK: 30, Tier.TEST: 45, Tier.NIGHTLY: 3000}[TIER]
"""Hands with rulings."""
HAND = parse_tiles("123m 456m 789m 12p 55s")


def after(rules: RuleSet, *events: PlayEvent, state: PlayState | None = None) -> PlayState:
    state = state or rules.start()
    for event in events:
        problem = rules.illegal(state, event)
        assert problem is None, (event, problem)
        state = rules.apply(state, event)
    return state


def reason(rules: RuleSet, state: PlayState, event: PlayEvent) -> str | None:
    problem = rules.illegal(state, event)
    return None if problem is None else problem.reason


DISCARDED = (TileDrawn(E), TileDiscarded(E, Tile.P3))


def test_a_dead_hand_draws_and_discards_and_may_do_nothing_else() -> None:
    state = after(MCR, *DISCARDED, HandRuledDead(S))
    claims = MCR.permissions(state).claims
    assert claims is not None
    assert claims[S] == frozenset()
    assert Claim.WIN in claims[W]
    assert MCR.priority(state, {S: Claim.WIN, W: Claim.PUNG}) == (W,)
    state = after(MCR, ClaimsPassed(), TileDrawn(S), state=state)
    allowed = MCR.permissions(state)
    assert (allowed.discard, allowed.win, allowed.kong) == (S, None, None)
    after(MCR, TileDiscarded(S, Tile.M1), ClaimsPassed(), TileDrawn(W), state=state)


@pytest.mark.parametrize(
    "event",
    [
        WinDeclared(S, E, Tile.P3),
        Claimed(S, Meld(MeldType.CHOW, parse_tiles("345p"), E)),
        Claimed(S, Meld(MeldType.PUNG, parse_tiles("333p"), E)),
    ],
)
def test_what_a_dead_hand_may_not_do_is_refused_with_that_reason(event: PlayEvent) -> None:
    problem = MCR.illegal(after(MCR, *DISCARDED, HandRuledDead(S)), event)
    assert problem is not None
    assert "its hand was ruled dead" in problem.sentence


@pytest.mark.parametrize("event", [WinDeclared(E, None, None), KongDeclared(E, Meld(MeldType.CONCEALED_KONG, (), None))])
def test_a_dead_hand_at_its_own_turn_neither_wins_nor_makes_a_kong(event: PlayEvent) -> None:
    problem = MCR.illegal(after(MCR, TileDrawn(E), HandRuledDead(E)), event)
    assert problem is not None
    assert "its hand was ruled dead" in problem.sentence


def test_a_hand_that_never_was_shown_is_ruled_dead_and_play_goes_on() -> None:
    own = after(MCR, TileDrawn(E), WinDeclared(E, None, None), HandRuledDead(E))
    assert (own.phase, own.winner, MCR.permissions(own).discard) == (Phase.DISCARD, None, E)
    claimed = after(MCR, *DISCARDED, WinDeclared(W, E, Tile.P3), HandRuledDead(W))
    assert (claimed.phase, claimed.winner) == (Phase.CLAIMS, None)
    after(MCR, WinDeclared(N, E, Tile.P3), state=claimed)


def test_a_win_that_lies_open_falls_when_its_hand_is_ruled_dead() -> None:
    state = after(MCR, *DISCARDED, WinDeclared(W, E, Tile.P3), HandShown(W, HAND, Tile.P3), HandRuledDead(W))
    assert state.seat(W).shown is None
    assert state.phase is Phase.CLAIMS
    assert reason(MCR, state, HandEnded(EndReason.WON, NOTHING)) == "not-now"


def test_other_winners_stay_when_one_hand_is_ruled_dead() -> None:
    both = (*DISCARDED, WinDeclared(S, E, Tile.P3), HandShown(S, HAND, Tile.P3), WinDeclared(N, E, Tile.P3))
    waiting = after(SEVERAL, *both, HandRuledDead(S))
    assert (waiting.phase, waiting.winner, waiting.seat(S).shown) == (Phase.SHOW, N, None)
    assert SEVERAL.permissions(waiting).show is N
    kept = after(SEVERAL, *both, HandShown(N, HAND, Tile.P3), HandRuledDead(N))
    assert (kept.phase, kept.winner) == (Phase.SHOW, S)
    shown = after(SEVERAL, *DISCARDED, WinDeclared(S, E, Tile.P3), HandShown(S, HAND, Tile.P3), HandRuledDead(W))
    claims = SEVERAL.permissions(shown).claims
    assert claims is not None
    assert set(claims) == {N}


def test_points_of_a_penalty_are_paid_to_each_of_the_others() -> None:
    penalty = PenaltyRuled(W, Offence.CONDUCT, imp=0, points=5)
    state = after(MCR, penalty)
    assert totals(MCR.payments(state, {})) == {E: 5, S: 5, W: -15, N: 5}
    assert [payment.to_json() for payment in penalty_payments(state.penalties)] == [
        {"reason": "penalty", "from": "W", "to": to, "amount": 5} for to in "ESN"
    ]


def test_penalties_add_up_and_are_paid_beside_a_win() -> None:
    win = Win((), 8, {E: -16, S: -8, W: 32, N: -8})
    state = after(MCR, *DISCARDED, PenaltyRuled(W, Offence.CONDUCT, 0, 1), PenaltyRuled(E, Offence.CONDUCT, 4, 2))
    state = after(MCR, WinDeclared(W, E, Tile.P3), HandShown(W, HAND, Tile.P3), state=state)
    assert totals(MCR.payments(state, {W: win})) == {E: -16 + 1 - 6, S: -8 + 1 + 2, W: 32 - 3 + 2, N: -8 + 1 + 2}


def test_imp_of_a_penalty_leave_the_scores_of_the_table_alone() -> None:
    assert totals(MCR.payments(after(MCR, PenaltyRuled(W, Offence.FALSE_WIN, imp=8, points=0)), {})) == NOTHING


@pytest.mark.parametrize(
    ("option", "imp", "points", "stands"),
    [
        ("referee", 4, 0, True),
        ("referee", 0, 10, True),
        ("imp-4", 4, 0, True),
        ("imp-4", 8, 0, False),
        ("imp-8", 8, 0, True),
        ("imp-8", 8, 1, False),
        ("table", 0, 10, True),
        ("table", 4, 0, False),
    ],
)
def test_a_false_win_costs_what_the_option_says(option: str, imp: int, points: int, stands: bool) -> None:
    rules = rule_set("mcr-duplicate", {"false_win": option})
    state = after(rules, TileDrawn(E), WinDeclared(E, None, None), HandShown(E, HAND, Tile.P3), WinRefused(E, "not-a-win"))
    assert reason(rules, state, PenaltyRuled(E, Offence.FALSE_WIN, imp, points)) == (None if stands else "wrong-amount")
    assert reason(rules, state, PenaltyRuled(E, Offence.CONDUCT, imp, points)) is None


@pytest.mark.parametrize(
    ("event", "word"),
    [
        (PenaltyRuled(W, Offence.CONDUCT, 0, 0), "wrong-amount"),
        (PenaltyRuled(W, Offence.CONDUCT, -1, 4), "wrong-amount"),
        (HandRuledDead(N), "ruled-already"),
        (ResultExcluded(), "ruled-already"),
        (HandEnded(EndReason.RULED, {E: 1}), "wrong-scores"),
        (HandEnded(EndReason.ANNULLED, {**NOTHING, E: 1}), "wrong-scores"),
        (HandEnded(EndReason.DRAWN, NOTHING), "not-now"),
    ],
)
def test_a_ruling_that_says_nothing_new_or_nothing_possible_is_refused(event: PlayEvent, word: str) -> None:
    assert reason(MCR, after(MCR, HandRuledDead(N), ResultExcluded()), event) == word


@pytest.mark.parametrize(
    "event",
    [HandRuledDead(E), PenaltyRuled(W, Offence.CONDUCT, 4, 0), ResultExcluded(), HandEnded(EndReason.RULED, {E: 30, S: -8, W: -8, N: -8})],
)
def test_nothing_is_ruled_in_a_hand_that_is_over(event: PlayEvent) -> None:
    over = after(MCR, HandEnded(EndReason.ANNULLED, NOTHING))
    assert MCR.permissions(over).ended is EndReason.ANNULLED
    assert reason(MCR, over, event) == "not-now"


def test_the_referee_ends_a_hand_at_any_moment_with_scores_of_his_own() -> None:
    scores = {E: 20, S: 0, W: -10, N: 0}
    moments = (*DISCARDED, WinDeclared(W, E, Tile.P3), HandShown(W, HAND, Tile.P3))
    for length in range(len(moments) + 1):
        state = after(MCR, *moments[:length], HandEnded(EndReason.RULED, scores))
        assert state.ended == HandEnded(EndReason.RULED, scores)


class RuledTable(Table):
    """A table whose referee strews rulings over the hand, now and then one that ends it."""

    def next_event(self) -> PlayEvent:
        for ruling in self._rulings():
            if self.rules.illegal(self.state, ruling) is None:
                if isinstance(ruling, HandRuledDead):
                    self.wins.pop(ruling.seat, None)
                return ruling
        if self.state.phase is Phase.SHOW and not any(self.state.seat(seat).shown is not None for seat in SEATS):
            self.wins.clear()
        event = super().next_event()
        if isinstance(event, HandEnded) and event.reason is EndReason.DRAWN:
            return HandEnded(EndReason.DRAWN, totals(self.rules.payments(self.state, {})))
        return event

    def _rulings(self) -> Iterator[PlayEvent]:
        chance, seat = self.choice.random(), self.choice.choice(SEATS)
        if chance < 0.01:
            yield HandRuledDead(seat)
        elif chance < 0.02:
            yield PenaltyRuled(seat, self.choice.choice(list(Offence)), self.choice.choice((0, 4, 8)), self.choice.randrange(12))
        elif chance < 0.022:
            yield ResultExcluded()
        elif chance < 0.0235:
            gains = [self.choice.randrange(-40, 40) for _ in range(3)]
            yield HandEnded(EndReason.RULED, dict(zip(SEATS, [*gains, -sum(gains)], strict=True)))
        elif chance < 0.0245:
            yield HandEnded(EndReason.ANNULLED, NOTHING)


@pytest.fixture(scope="module")
def ruled() -> list[RuledTable]:
    """Hands with rulings, by both end rules and with several winners."""
    options: list[dict[str, object]] = [
        {"minimum": 0},
        {"minimum": 0, "end": "next-empty", "kong_when_next_empty": False},
        {"minimum": 0, "several_winners": "each-minus-others"},
    ]
    tables = []
    for seed in range(HANDS):
        chosen = options[seed % 3]
        walls = walls_with_kongs(seed) if seed % 5 == 0 else random_walls(seed)
        eager = seed % 10 < 3
        table = RuledTable(rule_set("mcr-duplicate", chosen), walls, random.Random(seed), eager, hand=seed % 16 + 1, options=chosen)
        for _ in table.play():
            pass
        tables.append(table)
    return tables


@pytest.mark.slow
def test_hands_with_rulings_end_in_every_way(ruled: list[RuledTable]) -> None:
    ends = Counter(table.state.ended.reason for table in ruled if table.state.ended is not None)
    assert sum(ends.values()) == len(ruled)
    assert all(ends[end] >= HANDS // 30 for end in EndReason if end is not EndReason.ENTERED), ends
    assert sum(any(seat.dead for seat in table.state.seats) for table in ruled) >= HANDS // 3


@pytest.mark.slow
def test_scores_stay_zero_sum_whatever_is_ruled(ruled: list[RuledTable]) -> None:
    for table in ruled:
        ended = table.state.ended
        assert ended is not None
        assert sum(ended.scores.values()) == 0
        if ended.reason is EndReason.DRAWN:
            assert any(ended.scores.values()) <= any(penalty.points for penalty in table.state.penalties)


def test_no_tile_is_lost_or_doubled_by_a_ruling(ruled: list[RuledTable]) -> None:
    for table in ruled:
        lying = Counter(river_tile.tile for seat in table.state.seats for river_tile in seat.river if river_tile.claimed_by is None)
        for seat in SEATS:
            public = table.state.seat(seat)
            lying.update(tile for meld in public.melds for tile in meld.tiles)
            lying.update(concealed(table.walls, table.events, seat))
            lying.update(table.walls[seat].draws[21 - public.draws_left :])
        assert set(lying.values()) == {4}
        assert len(lying) == 34


def test_a_dead_hand_never_claims_nor_wins_again(ruled: list[RuledTable]) -> None:
    for table in ruled:
        dead: set[Seat] = set()
        for event in table.events:
            if isinstance(event, Claimed | KongDeclared | WinDeclared | HandShown):
                assert event.seat not in dead
            if isinstance(event, HandRuledDead):
                dead.add(event.seat)
        ended = table.state.ended
        assert ended is not None
        if ended.reason is EndReason.WON:
            assert table.state.winner not in dead


@pytest.mark.slow
def test_a_record_with_rulings_replays_to_the_same_scores_and_reads_back(ruled: list[RuledTable]) -> None:
    for table in ruled:
        record = table.record()
        again = replay(record)
        assert again.legal, [problem for problem in again.verdicts if problem]
        assert again.scores == record.scores
        assert HandRecord.from_json(json.dumps(record.to_json())) == record


def test_a_record_that_forgets_a_penalty_does_not_replay(ruled: list[RuledTable]) -> None:
    forgetful = 0
    for table in ruled:
        record = table.record()
        without = tuple(event for event in record.events if not (isinstance(event, PenaltyRuled) and event.points))
        ended = record.events[-1]
        if without != record.events and isinstance(ended, HandEnded) and ended.reason in (EndReason.WON, EndReason.DRAWN):
            assert not replay(replace(record, events=without)).legal
            forgetful += 1
    assert forgetful >= 10
