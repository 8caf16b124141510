"""Gate readers that contradict what was sorted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from controller.ledger.journal_events import TileRead
from controller.state.messages import GateLook, GateSeen
from tests.support.controller.feeder import face_of
from tests.support.controller.rigs import Rig
from twinwall.game.tiles import Tile
from vision.reading import Candidate

SIX, SEVEN = Tile.P6, Tile.P7
Kinds = Mapping[Tile, float]


def seen_as(*kinds: Kinds) -> tuple[tuple[Candidate, ...], ...]:
    """Looks as the reader gives them, the likeliest kind first."""
    return tuple(tuple(Candidate(tile, share) for tile, share in sorted(each.items(), key=lambda item: -item[1])) for each in kinds)


class ScriptedModels:
    """A gate camera of two models, each of which makes of the tile's showing what the test says."""

    def __init__(self, rig: Rig, looks: Callable[[Tile, int], tuple[Kinds, Kinds]]) -> None:
        self._rig, self._looks = rig, looks
        self._showings: dict[tuple[int, int], tuple[Kinds, Kinds]] = {}
        self._shown: Counter[Tile] = Counter()
        rig.read = self.read  # type: ignore[method-assign]  # the rig's own camera is certain of everything

    def read(self, look: GateLook, after_ns: int) -> None:
        face = None if self._rig.feeder.gate is None else face_of(self._rig.feeder.gate)
        if not isinstance(face, Tile):
            return
        showing = (self._rig.feeder.boot, look.number)
        if showing not in self._showings:
            self._showings[showing] = self._looks(face, self._shown[face])
            self._shown[face] += 1
        (best, *others), second = seen_as(*self._showings[showing])
        self._rig.post(GateSeen(look, TileRead(best.tile, best.probability, "", tuple(others), second)))


def sure(tile: Tile) -> tuple[Kinds, Kinds]:
    return {tile: 0.9999}, {tile: 0.999}


def contradicting(tile: Tile, _: int) -> tuple[Kinds, Kinds]:
    """However often they look, the models differ over two kinds, and the first one is not sure of them."""
    other = {SIX: SEVEN, SEVEN: SIX}.get(tile)
    return sure(tile) if other is None else ({tile: 0.6, other: 0.39}, {other: 0.9999})
