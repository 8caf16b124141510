"""Wall audit: doubtful positions are read again, and in spare time positions drawn by lot."""

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import pytest

from controller.ledger.journal_events import PositionsChecked, PositionsDoubted, TileRead, WallWeighed
from controller.state.faults import WALL_DOUBTED
from controller.state.messages import GateLook, GateSeen
from controller.state.sides import PlayStage, WallStage
from controller.state.table_state import replace
from controller.wall.audit import DOUBTFUL, SAMPLED, sample
from firmware_bridge.messages import Command, Lock, Renew, Return, Unlock
from tests.support.controller.feeder import Face, face_of
from tests.support.controller.rigs import MakeRig, Rig, opened, set_up
from tests.support.controller.sessions import SHORT_HANDS, Session, hand_is, seat_session
from tests.support.game.tables import random_walls
from tests.support.narrowed import of_type, present
from tests.support.tiers import some
from twinwall.game.tiles import Tile
from twinwall.wire.events.trouble_events import TableFault
from twinwall.wire.events.wall_events import Building, WallChecked, WallReady
from twinwall.wire.shapes.panel import Key
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
        self._shown = Counter[Tile]()
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


pytestmark = pytest.mark.slow


def doubted(rig: Rig, reason: str) -> list[tuple[int, int]]:
    """Positions that went back to the gate for a reason."""
    return [position for event in rig.happened(PositionsDoubted) if event.reason == reason for position in event.positions]


def test_a_wall_that_was_read_with_certainty_is_ready_at_once_with_its_doubt_in_the_journal(rig: Rig) -> None:
    ScriptedModels(rig, lambda tile, _: sure(tile))
    rig.build()
    assert [event.doubt < 1e-4 for event in rig.happened(WallWeighed)] == [True]
    assert not rig.happened(PositionsDoubted), "the first wall of a session is waited for: nothing of it is read again in spare time"
    assert not rig.ordered(Return)


PAIR = {SIX: SEVEN, SEVEN: SIX}
RING = {SIX: SEVEN, SEVEN: Tile.P8, Tile.P8: SIX}


@pytest.mark.parametrize(
    ("others", "first_look", "models", "least"),
    [
        pytest.param(PAIR, (0.96, 0.039, 0.995, 0.004), 1, 1, id="a pair, by one model"),
        pytest.param(PAIR, (0.96, 0.039, 0.995, 0.004), 2, 1, id="a pair, which the second model sees"),
        pytest.param(RING, (0.6, 0.38, 0.999, 0.0), 2, 3, id="a ring of three"),
    ],
)
def test_kinds_taken_for_each_other_are_read_again_where_the_looks_leave_doubt(
    rig: Rig, others: Mapping[Tile, Tile], first_look: tuple[float, float, float, float], models: int, least: int
) -> None:
    """At its first showing; the shares are those of the other and the right kind by the first model, and the other way round."""

    def looks(tile: Tile, showing: int) -> tuple[Kinds, Kinds]:
        first, second = sure(tile)
        if tile in others and not showing:
            first, second = (
                dict(zip((others[tile], tile), first_look[:2], strict=True)),
                dict(zip((tile, others[tile]), first_look[2:], strict=True)),
            )
        return first, second if models == 2 else {}

    ScriptedModels(rig, looks)
    rig.build()
    assert len(doubted(rig, DOUBTFUL)) >= least
    assert len(rig.happened(WallReady)) == 1


def test_two_misreads_of_one_kind_are_found_by_the_count_however_sure_both_models_are(rig: Rig) -> None:
    ScriptedModels(rig, lambda tile, showing: sure(SIX if tile is SEVEN and showing < 2 else tile))
    rig.build()
    assert doubted(rig, "fifth-copy")


def test_both_models_looks_are_in_the_journal(rig: Rig) -> None:
    ScriptedModels(rig, lambda tile, _: ({tile: 0.99, SIX if tile is not SIX else SEVEN: 0.009}, {tile: 0.9}))
    rig.run(lambda: bool(rig.happened(TileRead)))
    read = rig.happened(TileRead)[0]
    assert [one.probability for one in read.others] == [0.009]
    assert [(one.tile, one.probability) for one in read.second] == [(read.tile, 0.9)]


def test_where_the_models_differ_even_then_staff_are_called_and_no_kind_or_place_is_named(rig: Rig) -> None:
    ScriptedModels(rig, contradicting)
    rig.run(lambda: rig.state.has_fault(WALL_DOUBTED))
    fault = rig.happened(TableFault)[-1]
    assert fault.where == "gate"
    assert not any(word in fault.sentence for word in ("6p", "7p"))
    assert not rig.happened(WallReady)
    ScriptedModels(rig, lambda tile, _: sure(tile))
    rig.press(0, Key.CONFIRM)
    rig.build()


def test_no_more_positions_are_read_again_for_doubt_than_the_settings_say(make_rig: MakeRig) -> None:
    rig = make_rig(setup=set_up(most_doubtful=4))
    ScriptedModels(rig, lambda tile, _: ({tile: 0.9, SIX if tile is not SIX else SEVEN: 0.09}, {}))
    rig.build()
    assert len(doubted(rig, DOUBTFUL)) == 4
    assert rig.happened(WallWeighed)[-1].doubt > 1e-3, "what is left of the doubt is in the journal"


def test_no_limit_of_re_reads_lets_a_wall_pass_that_all_looks_together_speak_against(make_rig: MakeRig) -> None:
    rig = make_rig(setup=set_up(most_doubtful=0))
    ScriptedModels(rig, lambda tile, showing: (contradicting(tile, showing)[0], {} if tile is SEVEN else contradicting(tile, showing)[1]))
    rig.run(lambda: rig.state.has_fault(WALL_DOUBTED) or bool(rig.happened(WallReady)))
    assert not rig.happened(WallReady)


def test_a_pair_that_both_models_take_for_each_other_and_are_sure_of_passes_every_weighing(rig: Rig) -> None:
    """What no count and no weighing can see: tiles read again in spare time and play itself are against it."""
    ScriptedModels(rig, lambda tile, showing: sure({SIX: SEVEN, SEVEN: SIX}.get(tile, tile) if not showing else tile))
    rig.build(right=False)
    assert not doubted(rig, DOUBTFUL)
    wrong = [face for position, face in rig.feeder.magazines.items() if face is not rig.deal.wanted(position)]
    assert sorted(map(str, wrong)) == sorted(map(str, (SIX, SEVEN)))


def waiting(make_rig: MakeRig, seed: int = SHORT_HANDS) -> Session:
    """A hand is at the table and nobody goes on with it."""
    session = seat_session(make_rig, 2, seed, raised=True)
    session.rig.run(hand_is(session.rig, 1, PlayStage.PLAYING))
    session.rig.players = lambda: None
    return session


def enough(rig: Rig) -> bool:
    return rig.state.making.stage is WallStage.READY and len(rig.state.making.build.reread) >= 20


@pytest.mark.parametrize("answers_first", [False, True], ids=["tile before answer", "answer before tile"])
def test_while_a_hand_is_played_a_share_of_the_next_wall_is_read_once_more(make_rig: MakeRig, answers_first: bool) -> None:
    rig = waiting(make_rig).rig
    rig.feeder.answers_first = answers_first
    rig.run(lambda: enough(rig))
    again = doubted(rig, SAMPLED)
    assert len(again) == len(set(again)) in (20, 21)
    assert all(event.agreed for event in rig.happened(PositionsChecked))
    assert len([event for event in rig.happened(WallReady) if event.n == 2]) == 1, "nobody is told that a wall is ready twice"
    counts = [event.placed for event in rig.happened(Building)]
    assert counts == sorted(set(counts))


def test_only_the_table_is_told_the_result_of_reading_again_when_the_wall_rises(make_rig: MakeRig) -> None:
    session = waiting(make_rig)
    rig = session.rig
    rig.run(lambda: enough(rig))
    assert not rig.happened(WallChecked)
    rig.players = session.next_move
    rig.run(hand_is(rig, 2, PlayStage.TAKING))
    assert rig.happened(WallChecked) == [WallChecked(2, len(doubted(rig, SAMPLED)), 0)]
    at_table, everywhere = ([json.loads(line)["type"] for line in ledger.lines] for ledger in rig.ledgers)
    assert at_table.index("wall-checked") == len(at_table) - 1 - at_table[::-1].index("wall-raised") - 1
    assert "wall-checked" not in everywhere


def test_that_is_told_also_where_a_power_cut_has_taken_the_answer_that_the_wall_has_risen(make_rig: MakeRig) -> None:
    session = waiting(make_rig)
    rig = session.rig
    rig.run(lambda: enough(rig))
    rig.players = session.next_move
    rig.run(lambda: rig.state.making.stage is WallStage.RAISING)
    rig.feeder.power_cut()
    rig.feeder.magazines, rig.feeder.trays = rig.feeder.trays, {}
    rig.feeder.connect()
    rig.run(hand_is(rig, 2, PlayStage.TAKING))
    assert rig.happened(WallChecked) == [WallChecked(2, len(doubted(rig, SAMPLED)), 0)]


def test_no_position_goes_back_once_somebody_may_wait_for_the_table(make_rig: MakeRig) -> None:
    rig = waiting(make_rig).rig
    rig.run(lambda: bool(rig.state.making.build.rereading))
    making, deal = rig.state.making, rig.state.making.deal
    assert deal is not None
    ready = replace(making, stage=WallStage.READY, build=replace(making.build, rereading=frozenset(), doubted=frozenset()))
    state = replace(rig.state, making=ready, pending=())
    spare = {stage: bool(sample(rig.setup, replace(state, playing=replace(state.playing, stage=stage)), deal)) for stage in PlayStage}
    assert {stage for stage, goes in spare.items() if goes} == {PlayStage.TAKING, PlayStage.PLAYING}
    assert not sample(rig.setup, replace(state, faults=(TableFault("lid", "drum", "The lid is open"),)), deal)
    assert not sample(dataclasses.replace(rig.setup, re_read_share=0.0), state, deal)


def test_a_swapped_pair_of_which_one_is_drawn_is_found_and_mended(make_rig: MakeRig) -> None:
    rig = seat_session(make_rig, 2, SHORT_HANDS, raised=True).rig
    misread: list[Tile] = []

    def look(tile: Face, showing: int) -> tuple[Tile | None, str]:
        """The first tile of each of the two kinds is taken for one of the other."""
        face = of_type(Tile, face_of(tile))
        if (other := {SIX: SEVEN, SEVEN: SIX}.get(face)) is not None and face not in misread:
            misread.append(face)
            return other, ""
        return face, ""

    rig.look = look
    rig.setup = set_up(last_hand=2, re_read_share=1.0)
    rig.die(power_cut=False)
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    rig.players = lambda: None
    rig.run(lambda: len(rig.state.making.build.reread) == 136 and rig.state.making.stage is WallStage.READY, most=60_000)
    differing = [event for event in rig.happened(PositionsChecked) if not event.agreed]
    assert rig.state.making.build.differed == len(differing) > 0
    assert len([event for event in rig.happened(WallReady) if event.n == 2]) == 2, "it was not, and now it is"
    deal = present(rig.state.making.deal)
    assert all(face_of(rig.feeder.trays[position]) is deal.wanted(position) for position in deal.positions)


@pytest.mark.parametrize("seed", some(range(3), 1))
def test_a_wall_that_is_being_read_again_survives_any_power_cut(make_rig: MakeRig, seed: int) -> None:
    session = seat_session(make_rig, 2, 10 + seed, raised=True)
    rig = session.rig
    rig.feeder.answers_first = seed % 2 == 1
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    rig.players = lambda: None
    rig.run(lambda: bool(rig.state.making.build.rereading))
    for _ in range(12):
        rig.fuse = rig.random.randrange(1, 12)
        rig.run(lambda before=rig.deaths: rig.deaths > before or enough(rig))  # type: ignore[misc]  # bound now
        rig.fuse = None
        if rig.random.random() < 0.3:
            rig.feeder.restart()
    rig.run(lambda: enough(rig))
    deal = present(rig.state.making.deal)
    assert all(face_of(rig.feeder.trays[position]) is deal.wanted(position) for position in deal.positions)
    rig.players = session.next_move
    rig.run(hand_is(rig, 2, PlayStage.TAKING))


@pytest.mark.parametrize("answers_first", [False, True], ids=["tile before answer", "answer before tile"])
def test_which_positions_are_drawn_and_what_the_machine_does_then_say_nothing_of_the_tiles(make_rig: MakeRig, answers_first: bool) -> None:
    """Two worlds: another deal for the next hand, seen from when its wall is ready."""

    def noises(seed: int) -> Sequence[Command]:
        rig = seat_session(make_rig, 2, SHORT_HANDS, raised=True).rig
        rig.deals.deals[1] = opened(random_walls(seed), n=2, hand=2)
        rig.run(hand_is(rig, 1, PlayStage.PLAYING))
        rig.players = lambda: None
        rig.run(lambda: bool(rig.state.making.build.rereading))
        lit, told = rig.lamps, [len(ledger.lines) for ledger in rig.ledgers]
        rig.run(lambda: enough(rig))
        commands = [command for _, command in rig.feeder.commands if not isinstance(command, Unlock | Renew | Lock)]
        built = next(number for number, command in enumerate(commands) if isinstance(command, Return))
        assert sum(isinstance(command, Return) for command in commands) >= 20
        assert rig.lamps == lit
        assert [len(ledger.lines) for ledger in rig.ledgers] == told, "nothing is told"
        return commands[built:]

    assert noises(7) == noises(8)
