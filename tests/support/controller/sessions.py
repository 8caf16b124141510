"""Players of several hands with two tile sets: each wall is made while the hand before is played."""

from collections import Counter
from collections.abc import Callable

from controller.state.sides import OpenDeal, PlayStage
from tests.support.controller.feeder import Face, Move, OtherBack, back_of, face_of
from tests.support.controller.players import Players, written_hand
from tests.support.controller.rigs import MakeRig, Rig, opened, set_up
from tests.support.game.tables import random_walls
from tests.support.narrowed import of_type
from twinwall.game.play_events import PlayEvent
from twinwall.game.rules import rule_set

WHOLE_SET = rule_set("mcr-duplicate").tiles
Scripts = list[list[PlayEvent]]
SHORT_HANDS = 49
"""A seed whose hands have 34, 96 and 119 events; most have some 150."""


def second_set() -> list[Face]:
    """The set that lies in its box at first."""
    return [OtherBack(tile) for tile in WHOLE_SET]


def written_session(hands: int, seed: int) -> tuple[list[OpenDeal], Scripts]:
    """The deals of a session and how their hands are played."""
    walls = [random_walls(100 * seed + hand) for hand in range(1, hands + 1)]
    deals = [opened(each, n=hand, hand=hand) for hand, each in enumerate(walls, 1)]
    rules = set_up().rules
    return deals, [written_hand(rules, each, seed, hand=hand) for hand, each in enumerate(walls, 1)]


class Session:
    """Plays hand after hand at a rig as ``scripts`` say; ``box`` is the set that lies beside the table."""

    def __init__(self, rig: Rig, scripts: Scripts, *, box: list[Face]) -> None:
        self.rig, self.box = rig, box
        self.hands: list[Players] = []
        self.backs: list[Counter[int]] = []
        """Of each wall that rose, how many of its tiles had which back."""
        self.under_the_table: list[Face] = []
        self.scripts = scripts
        rig.players = self.next_move

    def next_move(self) -> Move | None:
        """What somebody does now, None when all wait."""
        feeder = self.rig.feeder
        if feeder.well_open:
            return self._push_in if feeder.out or self.box else None
        if feeder.raises > len(self.hands):
            self._sit_down()
        return self.hands[-1].next_move() if self.hands else None

    @property
    def tiles(self) -> list[Face]:
        """Both sets, wherever they are."""
        feeder = self.rig.feeder
        return [*feeder.everything, *feeder.out, *self.box, *self.under_the_table]

    def drop_under_the_table(self, count: int) -> None:
        self.under_the_table = [self.rig.feeder.out.pop() for _ in range(count)]

    def through_the_lid(self, tile: Face) -> None:
        """Somebody opens the lid and puts the tile into the drum."""
        if tile in self.under_the_table:
            self.under_the_table.remove(tile)
        self.rig.feeder.drop_through_lid(tile)

    def _sit_down(self) -> None:
        magazines = self.rig.feeder.magazines
        deal = of_type(OpenDeal, self.rig.deals.deals[len(self.hands)])
        wrong = [position for position in deal.positions if face_of(magazines[position]) is not deal.wanted(position)]
        assert not wrong, f"hand {deal.hand} is not the deal's at {wrong}: {self.rig.story()}"
        self.backs.append(Counter(map(back_of, magazines.values())))
        self.hands.append(Players(self.rig, self.scripts[len(self.hands)]))
        self.rig.players = self.next_move

    def _push_in(self) -> None:
        rig, out = self.rig, self.rig.feeder.out
        rig.mat.tiles.clear()
        rig.mat.blurred.clear()
        heap = out or self.box
        rig.random.shuffle(heap)
        rig.feeder.push_in([heap.pop() for _ in range(min(len(heap), rig.random.randint(1, 60)))])


def seat_players(
    make_rig: MakeRig, deals: list[OpenDeal], scripts: Scripts, seed: int, *, raised: bool = False, of_sessions: int = 1
) -> Session:
    """A rig for these deals, and the people who will play them; with ``raised`` the first wall stands, and the box is empty.

    ``of_sessions``: the deals are those of so many sessions; the rig is told of the first and that others follow.
    """
    setup = set_up(last_hand=len(deals) // of_sessions, sessions_follow=of_sessions > 1)
    rig = make_rig(*deals, seed=seed, setup=setup, raised=raised)
    if raised:
        rig.feeder.drum, rig.feeder.raises = second_set(), 1
        rig.random.shuffle(rig.feeder.drum)
    return Session(rig, scripts, box=[] if raised else second_set())


def seat_session(make_rig: MakeRig, hands: int, seed: int, *, raised: bool = False) -> Session:
    """The people of so many hands at a rig."""
    return seat_players(make_rig, *written_session(hands, seed), seed, raised=raised)


def hand_is(rig: Rig, hand: int, stage: PlayStage) -> Callable[[], bool]:
    """Whether this hand of the session is at the table, and at this stage."""

    def reached() -> bool:
        playing = rig.state.playing
        return playing.deal is not None and playing.deal.hand == hand and playing.stage is stage

    return reached
