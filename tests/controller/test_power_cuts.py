"""Power cuts in the middle of a build: what the journal believes is always what lies in trays and cells."""

from __future__ import annotations

import pytest

from controller.events import FeederEventTaken
from controller.state import Stage
from firmware_bridge.messages import Place, Return
from tests.controller.conftest import MakeRig
from tests.controller.feeder import Face
from tests.controller.rigs import Rig, opened
from tests.game.tables import random_walls
from twinwall.game.tiles import Tile


def believed_wrongly(rig: Rig) -> list[tuple[object, Tile, Face]]:
    """Places where another kind lies than the journal has there: (place, believed, lying there)."""
    build, feeder = rig.state.build, rig.feeder
    cells = [(cell, tile) for cell, tile in build.bypass.items() if tile is not None]
    kinds: dict[object, Tile] = dict([*build.placed.items(), *cells])
    lying: dict[object, Face] = dict([*feeder.trays.items(), *feeder.cells.items()])
    return [(place, tile, lying[place]) for place, tile in kinds.items() if place in lying and lying[place] is not tile]


def build_with_cuts(rig: Rig, *, mean_steps: int, feeder_too: bool) -> None:
    """Build to the end while the power fails about every ``mean_steps`` steps, checking what is believed after each."""
    left = [rig.random.randint(1, 2 * mean_steps)]

    def reached() -> bool:
        assert not believed_wrongly(rig), rig.story()
        left[0] -= 1
        if left[0] <= 0 and rig.deaths < 12:
            left[0] = rig.random.randint(1, 2 * mean_steps)
            if feeder_too and rig.random.random() < 0.5:
                rig.feeder.power_cut()
            rig.die(power_cut=True)
            rig.settle()
            assert not believed_wrongly(rig), rig.story()
        return rig.state.stage is Stage.TAKING

    rig.run(reached)


@pytest.mark.parametrize("feeder_too", [False, True], ids=["the controller", "and the feeder"])
@pytest.mark.parametrize("seed", range(5))
def test_after_any_power_cut_no_kind_is_believed_where_another_one_lies(make_rig: MakeRig, seed: int, feeder_too: bool) -> None:
    rig = make_rig(opened(random_walls(seed)), seed=seed)
    build_with_cuts(rig, mean_steps=30, feeder_too=feeder_too)
    assert rig.deaths > 3
    assert rig.wall_is_right()


def test_a_killed_controller_goes_on_with_the_wall_as_it_stands(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.run(lambda: len(rig.state.build.placed) >= 100)
    before = len(rig.feeder.commands)
    rig.die(power_cut=False)
    rig.build()
    later = [command for _, command in rig.feeder.commands[before:]]
    assert sum(isinstance(command, Place) for command in later) <= 40
    assert sum(isinstance(command, Return) for command in later) <= rig.feeder.capabilities.bypass_cells
    assert rig.wall_is_right()


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
