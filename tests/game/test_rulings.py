"""Rulings in play: dead hands, penalties, hands that a referee ends, alone and within random hands; and payments."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from tests.support.game.scripted import NOTHING, ScriptedHand
from tests.support.game.tables import Table, random_walls, walls_with_kongs
from tests.support.narrowed import present
from tests.support.tiers import TIER, Tier
from twinwall.game.play import Phase
from twinwall.game.play_events import (
    Claim,
    Claimed,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandRuledDead,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    Offence,
    Payment,
    PaymentReason,
    PenaltyRuled,
    PlayEvent,
    ResultExcluded,
    WinDeclared,
    WinRefused,
    penalty_payments,
    totals,
)
from twinwall.game.play_json import from_json, to_json
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rule_set import RuleSet, Win
from twinwall.game.rules import rule_set
from twinwall.game.rules.mcr_duplicate.scoring import payments as mcr_gains
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles

E, S, W, N = SEATS
ADDED = Meld(MeldType.ADDED_KONG, parse_tiles("5p 5p 5p 5p"), None)


def test_a_payment_is_written_as_the_contracts_say_and_nobody_is_null() -> None:
    assert Payment(PaymentReason.NOT_READY, E, W, 8).to_json() == {"reason": "not-ready", "from": "E", "to": "W", "amount": 8}
    assert Payment(PaymentReason.WIN, None, W, 8).to_json() == {"reason": "win", "from": None, "to": "W", "amount": 8}


def test_totals_sum_what_each_seat_gets() -> None:
    paid = [Payment(PaymentReason.WIN, E, W, 8), Payment(PaymentReason.KONG, E, S, 2), Payment(PaymentReason.WIN, None, N, 1)]
    assert totals(paid) == {E: -10, S: 2, W: 8, N: 1}


@pytest.mark.parametrize("self_draw", ["sum", "rounded"])
@pytest.mark.parametrize("drawn", [True, False])
def test_the_payments_of_an_mcr_win_are_what_it_scores(self_draw: str, drawn: bool) -> None:
    rules = rule_set("mcr-duplicate", {"self_draw": self_draw})
    state = rules.apply(rules.start(), WinDeclared(E, None, None))
    win = Win((), 17, mcr_gains(E, None if drawn else W, 17, self_draw))
    assert totals(rules.payments(state, {E: win})) == dict(win.payments)
    assert {payment.reason for payment in rules.payments(state, {E: win})} == {PaymentReason.WIN}


@pytest.mark.parametrize(
    ("event", "keys"),
    [
        (KongDeclared(E, ADDED, late=True), {"type", "seat", "meld", "tiles", "late"}),
        (KongDeclared(E, ADDED), {"type", "seat", "meld", "tiles"}),
        (HandLaidOpen(N, parse_tiles("1m 2m 3m")), {"type", "seat", "concealed"}),
        (HandShown(N, parse_tiles("1m 2m 3m"), Tile.P1), {"type", "seat", "concealed", "winning"}),
    ],
)
def test_an_event_reads_back_and_says_late_only_of_a_late_kong(event: PlayEvent, keys: set[str]) -> None:
    assert to_json(event).keys() == keys
    assert from_json(to_json(event)) == event


MCR = rule_set("mcr-duplicate")
SEVERAL = rule_set("mcr-duplicate", {"several_winners": "each-minus-others"})
HANDS = {Tier.QUICK: 30, Tier.TEST: 45, Tier.NIGHTLY: 3000}[TIER]
"""Hands with rulings."""
HAND = parse_tiles("123m 456m 789m 12p 55s")


def hand(*steps: str | PlayEvent, rules: RuleSet = MCR) -> ScriptedHand:
    return ScriptedHand(rules).after(*steps)


def shows(seat: Seat) -> HandShown:
    return HandShown(seat, HAND, Tile.P3)


def test_a_dead_hand_draws_and_discards_and_may_do_nothing_else() -> None:
    dead = hand("E 3p", HandRuledDead(S))
    assert (dead.claims[S], Claim.WIN in dead.claims[W]) == (set(), True)
    assert MCR.priority(dead.state, {S: Claim.WIN, W: Claim.PUNG}) == (W,)
    allowed = dead.after("S draws").allowed
    assert (allowed.discard, allowed.win, allowed.kong) == (S, None, None)
    dead.after("S 1m, W draws")


@pytest.mark.parametrize(
    ("script", "seat", "step"),
    [("E 3p", S, "S wins"), ("E 3p", S, "S chow 345p"), ("E 3p", S, "S pung"), ("E draws", E, "E wins"), ("E draws", E, "E conceals")],
)
def test_what_a_dead_hand_may_not_do_is_refused_with_that_reason(script: str, seat: Seat, step: str) -> None:
    dead = hand(script, HandRuledDead(seat))
    assert "its hand was ruled dead" in present(MCR.illegal(dead.state, dead.event(step))).sentence


def test_a_hand_that_never_was_shown_is_ruled_dead_and_play_goes_on() -> None:
    own = hand("E wins", HandRuledDead(E))
    assert (own.state.phase, own.state.winner, own.allowed.discard) == (Phase.DISCARD, None, E)
    claimed = hand("E 3p, W wins", HandRuledDead(W))
    assert (claimed.state.phase, claimed.state.winner) == (Phase.CLAIMS, None)
    claimed.after("N wins")


def test_a_win_that_lies_open_falls_when_its_hand_is_ruled_dead() -> None:
    dead = hand("E 3p, W wins", shows(W), HandRuledDead(W))
    assert (dead.state.seat(W).shown, dead.state.phase) == (None, Phase.CLAIMS)
    assert dead.reason(HandEnded(EndReason.WON, NOTHING)) == "not-now"


def test_other_winners_stay_when_one_hand_is_ruled_dead() -> None:
    waiting = hand("E 3p, S wins", shows(S), "N wins", HandRuledDead(S), rules=SEVERAL)
    assert (waiting.state.phase, waiting.state.winner, waiting.state.seat(S).shown) == (Phase.SHOW, N, None)
    assert waiting.allowed.show is N
    kept = hand("E 3p, S wins", shows(S), "N wins", shows(N), HandRuledDead(N), rules=SEVERAL)
    assert (kept.state.phase, kept.state.winner) == (Phase.SHOW, S)
    assert set(hand("E 3p, S wins", shows(S), HandRuledDead(W), rules=SEVERAL).claims) == {N}


def test_points_of_a_penalty_are_paid_to_each_of_the_others_and_imp_leave_the_scores_alone() -> None:
    state = hand(PenaltyRuled(W, Offence.CONDUCT, imp=0, points=5)).state
    assert totals(MCR.payments(state, {})) == {E: 5, S: 5, W: -15, N: 5}
    assert [payment.to_json() for payment in penalty_payments(state.penalties)] == [
        {"reason": "penalty", "from": "W", "to": to, "amount": 5} for to in "ESN"
    ]
    assert totals(MCR.payments(hand(PenaltyRuled(W, Offence.FALSE_WIN, imp=8, points=0)).state, {})) == NOTHING


def test_penalties_add_up_and_are_paid_beside_a_win() -> None:
    win = Win((), 8, {E: -16, S: -8, W: 32, N: -8})
    played = hand("E 3p", PenaltyRuled(W, Offence.CONDUCT, 0, 1), PenaltyRuled(E, Offence.CONDUCT, 4, 2), "W wins", shows(W))
    assert totals(MCR.payments(played.state, {W: win})) == {E: -16 + 1 - 6, S: -8 + 1 + 2, W: 32 - 3 + 2, N: -8 + 1 + 2}


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
    refused = hand("E wins", shows(E), WinRefused(E, "not-a-win"), rules=rule_set("mcr-duplicate", {"false_win": option}))
    assert refused.reason(PenaltyRuled(E, Offence.FALSE_WIN, imp, points)) == (None if stands else "wrong-amount")
    assert refused.reason(PenaltyRuled(E, Offence.CONDUCT, imp, points)) is None


@pytest.mark.parametrize(
    ("before", "event", "word"),
    [
        (HandRuledDead(N), PenaltyRuled(W, Offence.CONDUCT, 0, 0), "wrong-amount"),
        (HandRuledDead(N), PenaltyRuled(W, Offence.CONDUCT, -1, 4), "wrong-amount"),
        (HandRuledDead(N), HandRuledDead(N), "ruled-already"),
        (ResultExcluded(), ResultExcluded(), "ruled-already"),
        (ResultExcluded(), HandEnded(EndReason.RULED, {E: 1}), "wrong-scores"),
        (ResultExcluded(), HandEnded(EndReason.ANNULLED, {**NOTHING, E: 1}), "wrong-scores"),
        (ResultExcluded(), HandEnded(EndReason.DRAWN, NOTHING), "not-now"),
        (HandEnded(EndReason.ANNULLED, NOTHING), HandRuledDead(E), "not-now"),
        (HandEnded(EndReason.ANNULLED, NOTHING), PenaltyRuled(W, Offence.CONDUCT, 4, 0), "not-now"),
        (HandEnded(EndReason.ANNULLED, NOTHING), ResultExcluded(), "not-now"),
        (HandEnded(EndReason.ANNULLED, NOTHING), HandEnded(EndReason.RULED, {E: 30, S: -8, W: -8, N: -8}), "not-now"),
    ],
)
def test_a_ruling_that_says_nothing_new_nothing_possible_or_comes_after_the_hand_is_refused(
    before: PlayEvent, event: PlayEvent, word: str
) -> None:
    assert hand(before).reason(event) == word


def test_the_referee_ends_a_hand_at_any_moment_with_scores_of_his_own() -> None:
    ended = HandEnded(EndReason.RULED, {E: 20, S: 0, W: -10, N: 0})
    moments = ("E draws", "E 3p", "W wins", shows(W))
    for length in range(len(moments) + 1):
        assert hand(*moments[:length], ended).state.ended == ended


@dataclass
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
        tables.append(table.played())
    return tables


@pytest.mark.slow
def test_hands_with_rulings_end_in_every_way(ruled: list[RuledTable]) -> None:
    ends = Counter(table.state.ended.reason for table in ruled if table.state.ended is not None)
    assert sum(ends.values()) == len(ruled)
    assert all(ends[end] >= HANDS // 30 for end in EndReason if end is not EndReason.ENTERED), ends
    assert sum(any(seat.dead for seat in table.state.seats) for table in ruled) >= HANDS // 3


@pytest.mark.slow
def test_scores_stay_zero_sum_and_no_tile_is_lost_or_doubled_whatever_is_ruled(ruled: list[RuledTable]) -> None:
    for table in ruled:
        ended = present(table.state.ended)
        assert sum(ended.scores.values()) == 0
        if ended.reason is EndReason.DRAWN:
            assert any(ended.scores.values()) <= any(penalty.points for penalty in table.state.penalties)
        lying = Counter(river_tile.tile for seat in table.state.seats for river_tile in seat.river if river_tile.claimed_by is None)
        for seat in SEATS:
            public = table.state.seat(seat)
            lying.update(tile for meld in public.melds for tile in meld.tiles)
            lying.update(table.held.of[seat])
            lying.update(table.walls[seat].draws[21 - public.draws_left :])
        assert lying == Counter(MCR.tiles)


def test_a_dead_hand_never_claims_nor_wins_again(ruled: list[RuledTable]) -> None:
    for table in ruled:
        dead: set[Seat] = set()
        for event in table.events:
            if isinstance(event, Claimed | KongDeclared | WinDeclared | HandShown):
                assert event.seat not in dead
            if isinstance(event, HandRuledDead):
                dead.add(event.seat)
        if present(table.state.ended).reason is EndReason.WON:
            assert table.state.winner not in dead


@pytest.mark.slow
def test_a_record_with_rulings_replays_to_the_same_scores_and_reads_back_and_without_a_penalty_does_not(ruled: list[RuledTable]) -> None:
    forgetful = 0
    for table in ruled:
        record = table.record()
        again = replay(record)
        assert again.legal, [problem for problem in again.verdicts if problem]
        assert again.scores == record.scores
        assert HandRecord.from_json(json.dumps(record.to_json())) == record
        without = tuple(event for event in record.events if not (isinstance(event, PenaltyRuled) and event.points))
        ended = record.events[-1]
        if without != record.events and isinstance(ended, HandEnded) and ended.reason in (EndReason.WON, EndReason.DRAWN):
            assert not replay(replace(record, events=without)).legal
            forgetful += 1
    assert forgetful >= 10
