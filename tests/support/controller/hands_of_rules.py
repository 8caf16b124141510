"""A hand of duplicate MCR by its seed, and a hand of every rule set with much in it: for what has to hold under each of them."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tests.support.controller import bitter_end, seigo_hands, yangzhou_hands
from tests.support.controller.players import with_players, written_hand
from tests.support.controller.rigs import MakeRig, Rig, opened
from tests.support.game.tables import random_walls, walls_with_kongs
from twinwall.game.play_events import PlayEvent
from twinwall.game.tiles import Seat
from twinwall.game.walls import SeatWall

Seated = Callable[..., tuple[Rig, list[PlayEvent]]]


def seated(
    make_rig: MakeRig, seed: int, *, raised: bool = False, deal: Callable[[int], dict[Seat, SeatWall]] = random_walls
) -> tuple[Rig, list[PlayEvent]]:
    """A table of duplicate MCR with players who will play the hand of this seed, and what they will play."""
    walls = deal(seed)
    rig = make_rig(opened(walls, hand=seed % 16 + 1), seed=seed, raised=raised)
    return with_players(rig, written_hand(rig.setup.rules, walls, seed, hand=seed % 16 + 1))


HANDS: Mapping[str, Seated] = {
    "mcr-duplicate": partial(seated, seed=394, deal=walls_with_kongs),
    "seigo": partial(seigo_hands.seated, seed=34, alike=0),
    "sichuan": partial(bitter_end.seated, seed=bitter_end.LATE_KONG),
    "yangzhou": partial(yangzhou_hands.seated_at_random, seed=591),
}
"""Of each rule set a hand in which kongs are declared, tiles are claimed and somebody wins."""


def table_of(rules: str, folder: Path, *, raised: bool = True) -> Rig:
    """A table in a folder, with people who will play the rule set's hand; with ``raised`` its walls stand."""
    rig, _ = HANDS[rules](partial(Rig, folder), raised=raised)
    return rig
