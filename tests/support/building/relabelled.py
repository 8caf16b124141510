"""Builds of a wall whose kinds have been exchanged, to compare what the feeder is told."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from firmware_bridge.link.events import OperationRequest
from tests.support.building.deals import any_deal
from tests.support.building.quick import Chances, QuickBuild
from tests.support.controller.feeder import Face
from tests.support.controller.rigs import opened
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Tile
from twinwall.game.walls import SeatWall

NO_MISREADING = Chances(misread=0.0, missing=0.0, extra=0.0, other_set=0.0)
"""Every fault that strikes whatever the kinds are."""


class RelabelledBuild(QuickBuild):
    """A build with each kind exchanged for another, in the deal and in the drum; ``told`` is what its feeder is told."""

    def __init__(self, rules: str, seed: int, kinds: Mapping[Tile, Tile]) -> None:
        setup, deal = any_deal(seed, rules)
        self._kinds = kinds
        self.told: list[OperationRequest] = []
        walls = {
            seat: SeatWall(tuple(kinds[tile] for tile in wall.hand), tuple(kinds[tile] for tile in wall.draws))
            for seat, wall in deal.walls.items()
        }
        relabelled = opened(walls, rules=rules, rest=tuple(kinds[tile] for tile in deal.rest))
        super().__init__(replace(setup, frames_to_agree=1), relabelled, seed, NO_MISREADING)
        submit = self.feeder.submit

        def tell(request: OperationRequest) -> None:
            self.told.append(request)
            submit(request)

        self.feeder.submit = tell  # type: ignore[method-assign]  # it listens at the feeder's door

    def _set(self) -> list[Face]:
        return [self._kinds[face] if isinstance(face, Tile) else face for face in super()._set()]


def told_of(rules: str, seed: int, *, relabelled: bool) -> list[OperationRequest]:
    """What the feeder is told while it builds the seed's deal, with its kinds as they are or exchanged at random."""
    kinds = sorted(set(rule_set(rules).tiles))
    others = list(kinds)
    if relabelled:
        Random(f"kinds {seed}").shuffle(others)
    build = RelabelledBuild(rules, seed, dict(zip(kinds, others, strict=True)))
    build.build()
    return build.told
