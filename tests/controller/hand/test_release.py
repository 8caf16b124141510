"""Release of a deal at the table: it is journalled, and the hand's record gets its walls."""

from dataclasses import replace

import pytest

from controller.core.decide import decide
from controller.state.making import OpenDeal
from controller.state.messages import Refused, SlipHeard
from tests.support.controller.players import Players, written_hand
from tests.support.controller.rigs import MakeRig, Rig, opened
from tests.support.game.tables import random_walls
from twinwall.game.deals.uncommitted import imported_check
from twinwall.game.replay import replay
from twinwall.wire.events.hand_events import DealReleased

SEED = 4
HAND = SEED % 16 + 1


WALLS = random_walls(SEED)


def after_the_hand(make_rig: MakeRig, deal: OpenDeal) -> Rig:
    """A rig that has played and closed one hand."""
    rig = make_rig(deal, seed=SEED, raised=True)
    Players(rig, written_hand(rig.setup.rules, WALLS, SEED, hand=HAND))
    rig.run(lambda: bool(rig.state.closed))
    return rig


@pytest.fixture
def played(make_rig: MakeRig) -> Rig:
    return after_the_hand(make_rig, opened(WALLS, hand=HAND))


def release(rig: Rig) -> None:
    rig.tell(SlipHeard(rig.deal.n))


def test_the_record_has_no_walls_before_the_release_and_those_of_the_deal_after_it(played: Rig) -> None:
    assert played.record(HAND).walls is None
    release(played)
    record = played.record(HAND)
    assert record.walls == played.deal.walls
    assert record.digest is not None
    assert record.digest.hex() == played.deal.digest
    assert replay(record).legal


def test_the_record_of_an_imported_deal_has_its_walls_at_once(make_rig: MakeRig) -> None:
    deal = opened(WALLS, hand=HAND)
    imported = replace(deal, check=imported_check(deal.n, bytes.fromhex(deal.digest)).hex())
    assert after_the_hand(make_rig, imported).record(HAND).walls == deal.walls


def test_the_release_is_told_once_however_often_the_slip_comes(played: Rig) -> None:
    release(played)
    assert played.state.released == {played.deal.n}
    assert isinstance(decide(played.setup, played.state, SlipHeard(played.deal.n)), Refused)


def test_a_slip_of_a_deal_that_this_table_has_not_played_is_not_its_release(played: Rig) -> None:
    assert isinstance(decide(played.setup, played.state, SlipHeard(played.deal.n + 1)), Refused)
    assert decide(played.setup, played.state, SlipHeard(played.deal.n)) == (DealReleased(played.deal.n),)


@pytest.mark.parametrize("power_cut", [False, True])
def test_a_controller_that_dies_after_the_release_finds_or_makes_the_whole_record(played: Rig, power_cut: bool) -> None:
    release(played)
    (played.folder / "records" / f"session-01-hand-{HAND:02d}.json").unlink()
    played.die(power_cut=power_cut)
    played.settle()
    assert played.record(HAND).walls == played.deal.walls
