"""The referee's page refuses an answer where the table would refuse it: at any moment of a hand, for every kind of tile."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import cast

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from controller.core.decide import decide
from controller.core.outputs import outputs_of
from controller.hand.watching import watched
from controller.state.faults import unread_tile
from controller.state.messages import Refused
from controller.state.playing import Hand, Playing, PlayStage, Window
from controller.state.table_state import Setup, TableState, replace
from controller.state.watches import Watch
from dashboard.access.viewer_scope import TableScope
from dashboard.actions.answers import SENT, give_answer
from dashboard.projections.store import Level, ViewerChannel
from dashboard.projections.table_view import HandView
from tests.support.controller.rigs import START, opened, set_up
from tests.support.game.random_hands import PlayedHand, any_mcr, seigo, sichuan, yangzhou
from tests.support.tiers import examples
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import Claim
from twinwall.game.tiles import ALL_TILES, SEATS, Tile, format_tiles
from twinwall.wire.messages.commands import AnswerTile
from twinwall.wire.messages.tile_question import AskedArea, AskedTile
from vision.mat import Area, Slot

HANDS: Mapping[str, Callable[[int], PlayedHand]] = {"mcr": any_mcr, "seigo": seigo, "sichuan": sichuan, "yangzhou": yangzhou}
ASKED_AREAS = (Area.RIVER, Area.MELD, Area.HAND, Area.WIN)


@cache
def played(rules: str, seed: int) -> PlayedHand:
    return HANDS[rules](seed)


@dataclass(frozen=True)
class Asking:
    """A table that asks about a slot, and what a referee's page knows of it."""

    setup: Setup
    state: TableState
    asked: AskedTile
    hand: HandView

    def _answer(self, tile: Tile) -> AnswerTile:
        return AnswerTile(self.asked.n, self.asked.number, self.asked.where, tile.text, "Ota")

    def table_refuses(self, tile: Tile) -> bool:
        """What the table makes of an answer that has come."""
        return isinstance(decide(self.setup, self.state, self._answer(tile)), Refused)

    def page_refuses(self, tile: Tile) -> bool:
        """What the page makes of an answer that a referee chooses."""
        return give_answer(cast(TableScope, FakeScope(self.asked, self.hand)), self._answer(tile), lambda _table, _command: True) != SENT


@dataclass(frozen=True)
class FakeView:
    hand: HandView


@dataclass(frozen=True)
class FakeSnapshot:
    view: FakeView


class FakeScope:
    """What a referee sees of a table that asks."""

    def __init__(self, asked: AskedTile, hand: HandView) -> None:
        self.question = asked
        self.connected = True
        self.channel = ViewerChannel(Level.TABLE, "1")
        self._hand = hand

    def play(self) -> FakeSnapshot:
        return FakeSnapshot(FakeView(self._hand))


@st.composite
def askings(draw: st.DrawFn) -> Asking:
    """A table at any moment of a hand, after any call, that cannot read one of the tiles for which it waits."""
    hand = played(draw(st.sampled_from(sorted(HANDS))), draw(st.integers(0, 3)))
    events = tuple(hand.events[: draw(st.integers(1, len(hand.events) - 1))])
    play = hand.rules.start()
    for event in events:
        play = hand.rules.apply(play, event)
    setup = set_up(rules=hand.rules, options=dict(hand.options))
    deal = opened(hand.walls, rules=hand.rules.name, rest=hand.rest)
    at_table = _called(draw, setup, Hand(play=play, events=events), play)
    state = TableState(playing=Playing(PlayStage.PLAYING, deal, None, at_table))
    awaited = _awaited(watched(setup, state))
    assume(awaited)
    slot = draw(st.sampled_from(awaited))
    state = replace(state, faults=(unread_tile(slot),))
    question = outputs_of(setup, state).asked.question
    assert question is not None
    area = cast(AskedArea, slot.area.value)
    asked = AskedTile(question.n, question.number, slot.place, area, slot.index, format_tiles(ALL_TILES), b"\xff\xd8\xff")
    draws = {seat: play.seat(seat).draws_left for seat in SEATS}
    return Asking(setup, state, asked, HandView(1, 1, hand.rules, {}, draws, START, START, play))


def _awaited(watch: Watch | None) -> list[Slot]:
    return [] if watch is None else [slot for slot in watch.slots if slot.area in ASKED_AREAS]


def _called(draw: st.DrawFn, setup: Setup, hand: Hand, play: PlayState) -> Hand:
    """The hand after a call that the rules offer now, or after none; where a discard lies there, perhaps after a restart."""
    allowed = setup.rules.permissions(play)
    claims = [(seat, claim) for seat, offered in (allowed.claims or {}).items() for claim in sorted(offered - {Claim.WIN})]
    choices: list[Hand] = [hand]
    if play.phase is Phase.DISCARD and allowed.kong is not None:
        choices.append(replace(hand, kong=allowed.kong))
    if play.phase is Phase.DISCARD and allowed.win is not None and allowed.face_up:
        choices.append(replace(hand, win=allowed.win))
    if play.phase is Phase.DRAW:
        choices.extend(replace(hand, claim=claim) for _, claim in claims)
    if play.phase is Phase.CLAIMS:
        choices.extend(replace(hand, window=Window(1, open=False, bound={seat: claim}, granted=(seat,))) for seat, claim in claims)
    if play.phase in (Phase.DRAW, Phase.CLAIMS):
        choices.append(replace(hand, unseen=True))
    return draw(st.sampled_from(choices))


@settings(max_examples=examples(300))
@given(askings())
def test_the_page_refuses_what_the_table_would_refuse_and_nothing_else(asking: Asking) -> None:
    by_table = {tile for tile in ALL_TILES if asking.table_refuses(tile)}
    assert {tile for tile in ALL_TILES if asking.page_refuses(tile)} == by_table
