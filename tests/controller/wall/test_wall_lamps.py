"""Wall lamps for building by hand: the wall of the tile in hand is lit, and nothing else is told."""

from functools import partial

from controller.ledger.journal_events import OperationIssued
from controller.state.messages import GateLook
from firmware_bridge.messages import Place, Release
from tests.support.controller.rigs import MakeRig, Rig


def placing(rig: Rig) -> tuple[int, ...]:
    """The places of the walls to which tiles are on their way, the first one first."""
    return tuple(pending.command.seat for pending in rig.state.pending if isinstance(pending.command, Place | Release))


def is_answered(rig: Rig, pending: OperationIssued) -> bool:
    return pending not in rig.state.pending


def test_the_lamp_of_the_wall_is_lit_while_a_tile_is_on_its_way_to_it_and_out_afterwards(rig: Rig) -> None:
    rig.settle()
    assert rig.lamps.wall is None
    lit: set[int | None] = set()
    for _ in range(20):
        rig.run(lambda: bool(placing(rig)))
        assert rig.lamps.wall == placing(rig)[0]
        lit.add(rig.lamps.wall)
        rig.run(partial(is_answered, rig, rig.state.pending[0]))
    assert len(lit) > 1
    rig.build()
    assert rig.lamps.wall is None


def test_a_tile_that_goes_to_no_wall_lights_no_lamp(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.look = lambda face, showing: (None, "glare")
    seen: list[GateLook] = []
    honest = rig.read

    def read(look: GateLook, after_ns: int) -> None:
        seen.append(look)
        honest(look, after_ns)

    rig.read = read  # type: ignore[method-assign]  # the fake camera of this test
    rig.run(lambda: len(seen) > 6)
    assert all(what != "lamps" or lamps.wall is None for what, lamps in rig.effects)  # type: ignore[attr-defined]  # effects name their detail
