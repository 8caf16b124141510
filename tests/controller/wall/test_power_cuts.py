"""Power cuts during a build: the journal always agrees with trays and cells."""

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from controller.ledger.journal_events import FeederEventTaken
from controller.state.faults import WELL_COUNT
from controller.state.playing import PlayStage
from firmware_bridge.messages import Capabilities, Place, Return
from tests.support.controller.feeder import Face, face_of
from tests.support.controller.rigs import MakeRig, Rig, opened
from tests.support.controller.sessions import SHORT_HANDS, hand_is, seat_session
from tests.support.game.tables import random_walls
from tests.support.tiers import pairs, some
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Tile
from twinwall.wire.events.hand_events import HandClosed
from twinwall.wire.shapes.panel import Key

pytestmark = pytest.mark.slow


def believed_wrongly(rig: Rig) -> list[tuple[object, Tile, Face]]:
    """Places where another kind lies than the journal has there: (place, believed, lying there)."""
    build, feeder = rig.state.making.build, rig.feeder
    placed = [(place, tile, feeder.trays[place]) for place, tile in build.placed.items() if place in feeder.trays]
    waiting = [(cell, tile, feeder.cells[cell]) for cell, tile in build.bypass.items() if tile is not None and cell in feeder.cells]
    return [(place, tile, lying) for place, tile, lying in [*placed, *waiting] if face_of(lying) is not tile]


def crowded(make_rig: MakeRig, seed: int) -> Rig:
    """A rig whose first tiles are all of kinds wanted on top of others, so that the bypass cells are busy."""
    deal, chance = opened(random_walls(seed)), Random(seed)
    upper = [deal.wanted(position) for position in deal.positions if Capabilities().support_below(position[1]) is not None]
    rest = list((Counter(rule_set("mcr-duplicate").tiles) - Counter(upper)).elements())
    chance.shuffle(upper)
    chance.shuffle(rest)
    return make_rig(deal, seed=seed, faces=[*upper, *rest])


def cut_again_and_again(rig: Rig, until: Callable[[], bool], *, mean_steps: int, feeder_too: bool) -> None:
    """Go on until something holds while the power fails about every ``mean_steps`` steps, checking what is believed after each."""
    left = [rig.random.randint(1, 2 * mean_steps)]

    def reached() -> bool:
        assert not believed_wrongly(rig), rig.story()
        left[0] -= 1
        if left[0] <= 0 and rig.deaths < 40:
            left[0] = rig.random.randint(1, 2 * mean_steps)
            if feeder_too and rig.random.random() < 0.5:
                rig.feeder.power_cut()
            rig.die(power_cut=True)
            rig.settle()
            assert not believed_wrongly(rig), rig.story()
        if rig.state.has_fault(WELL_COUNT) and not rig.feeder.out:
            rig.press(0, Key.CONFIRM)
        return until()

    rig.run(reached)


@pytest.mark.parametrize(("seed", "cuts"), pairs(some(range(4), 2), [(5, False), (10, True)]))
def test_after_any_power_cut_no_kind_is_believed_where_another_one_lies(make_rig: MakeRig, seed: int, cuts: tuple[int, bool]) -> None:
    mean_steps, feeder_too = cuts
    rig = crowded(make_rig, seed)
    cut_again_and_again(rig, lambda: rig.state.playing.stage is PlayStage.TAKING, mean_steps=mean_steps, feeder_too=feeder_too)
    assert rig.deaths > 3
    assert rig.wall_is_right()


@pytest.mark.nightly
@pytest.mark.parametrize(("mean_steps", "feeder_too"), some([(40, True), (20, False)], 1))
def test_nor_while_the_other_set_is_played(make_rig: MakeRig, mean_steps: int, feeder_too: bool) -> None:
    rig = seat_session(make_rig, 2, SHORT_HANDS, raised=True).rig
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    cut_again_and_again(rig, hand_is(rig, 2, PlayStage.TAKING), mean_steps=mean_steps, feeder_too=feeder_too)
    assert rig.deaths > 3
    assert rig.wall_is_right()
    assert rig.happened(HandClosed)


def test_a_killed_controller_goes_on_with_the_wall_as_it_stands(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.run(lambda: len(rig.state.making.build.placed) >= 100)
    before = len(rig.feeder.commands)
    rig.die(power_cut=False)
    rig.build()
    later = [command for _, command in rig.feeder.commands[before:]]
    assert sum(isinstance(command, Place) for command in later) <= 40
    assert sum(isinstance(command, Return) for command in later) <= rig.feeder.capabilities.bypass_cells


def test_the_feeder_need_not_keep_an_event_only_when_it_is_on_disk(make_rig: MakeRig) -> None:
    rig = make_rig()
    safe, acknowledged = [0], []

    def effect(what: str, detail: object) -> None:
        if what == "fsync":
            safe[0] = rig.state.last_event
        if what == "acknowledge":
            assert isinstance(detail, int)
            acknowledged.append(detail)
            assert detail <= safe[0], "acknowledged before it was on disk"

    rig._effect = effect  # type: ignore[method-assign]  # looking on
    rig.build()
    assert acknowledged[-1] == rig.happened(FeederEventTaken)[-1].number
    assert len(acknowledged) < rig.state.last_event
