"""Turns that go round evenly: what a person reads from the table equals the rules' own state over whole hands."""

from dataclasses import replace
from random import Random

import pytest

from simulator.players.even_turns import just_claimed, next_shared, turns_had, waiting
from simulator.players.strategies.player import Taste
from simulator.players.strategies.seigo import SeigoStrategy
from simulator.seen_tiles import MeldSeen
from simulator.world.visible_table import VisibleTable
from tests.support.game.seigo_tables import DRAWS, SeigoTable, seigo_deal
from tests.support.simulator.visible_tables import VISIBLE
from tests.support.tiers import some
from twinwall.game.play import Phase
from twinwall.game.rules import rule_set
from twinwall.game.rules.seigo.state import SHARED_ROWS, SeigoState
from twinwall.game.rules.seigo.turns import waiting_discard
from twinwall.game.session import place_of
from twinwall.game.tiles import SEATS, Seat, parse_tiles

HAND = 2
_SIDEWAYS = {3: 0, 2: 1, 1: 2}


def visible_of(state: SeigoState, seat: Seat) -> VisibleTable:
    """What a person at a table sees of this state; claimed tiles lie sideways where they came from."""
    rivers, melds, sticks, draws = [], [], [], []
    for place in range(4):
        owner = SEATS[(place - (HAND - 1)) % 4]
        own = state.seat(owner)
        river: list[str | None] = [None] * own.next_place
        for index, laid in enumerate(own.river):
            river[own.place_of(index)] = None if laid.claimed_by else laid.tile.text
        rivers.append(tuple(river))
        riichi = [own.place_of(index) for index, laid in enumerate(own.river) if laid.riichi]
        sticks.append(riichi[0] if riichi else None)
        draws.append(own.draws_left)
        melds.append(
            tuple(
                MeldSeen(
                    tuple(tile.text for tile in meld.tiles),
                    None if meld.source is None else _SIDEWAYS[(meld.source.index - owner.index) % 4],
                )
                for meld in own.melds
            )
        )
    shared: list[str | None] = [None] * 12
    for number, tile in zip((10, 8, 6, 4, 2), state.turned, strict=False):
        shared[number] = tile.text
    return replace(
        VISIBLE,
        place=place_of(seat, HAND),
        hand=HAND,
        drawn=None,
        rivers=tuple(rivers),
        melds=tuple(melds),
        sticks=tuple(sticks),
        draws_left=tuple(draws),
        shared=tuple(shared),
    )


@pytest.mark.parametrize("seed", some(range(12), 4))
def test_turns_discards_that_wait_and_rear_gates_are_read_as_the_rules_have_them(seed: int) -> None:
    walls, rest = seigo_deal(seed, alike=30 * (seed % 2))
    table = SeigoTable(rule_set("seigo"), walls, Random(seed), eager=seed % 3 == 0, rest=rest)
    read = 0
    for _ in table.play():
        state = table.state
        visible = visible_of(state, state.turn)
        if state.phase is Phase.DRAW and state.turn_up is not None:
            giver = next(seat for seat in SEATS if state.turn_up in SHARED_ROWS[seat.index])
            assert next_shared(visible_of(state, giver), SHARED_ROWS) == state.turn_up
        elif state.phase is Phase.DRAW:
            assert turns_had(visible, visible.place, DRAWS) == state.turn_number - 1
            found = {seat: tile for seat, tile, _ in waiting(visible, DRAWS)}
            assert found == {seat: waiting_discard(state, seat) for seat in state.takeable}
            read += 1
    assert read


@pytest.mark.parametrize(
    ("lies", "sideways", "text"),
    [("4p 5p 6p", 0, "4p 7p"), ("6p 4p 5p", 0, "3p 6p"), ("5p 4p 6p", 0, "5p"), ("7m 8m 9m", 0, "7m"), ("C C C", 1, "C")],
    ids=["for the low end", "for the high end", "for the middle", "at the edge of the suit", "for a triplet"],
)
def test_a_tile_just_claimed_is_not_discarded(lies: str, sideways: int, text: str) -> None:
    melds = ((), (MeldSeen(tuple(lies.split()), sideways),), (), ())
    claim = just_claimed(replace(VISIBLE, melds=melds))
    assert claim is not None
    assert SeigoStrategy(rule_set("seigo"), Taste()).barred_after(*claim) == frozenset(parse_tiles(text))
    assert just_claimed(replace(VISIBLE, melds=melds, drawn="1m")) is None, "after a draw everything may be thrown"
    assert just_claimed(VISIBLE) is None
