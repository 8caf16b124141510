"""Secrecy where a decoder tells of what lies astray: two deals that differ only in tiles that nobody saw give equal outputs."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import pytest

from controller.recorder.at_table.reported_tiles import DoubtedTile
from controller.recorder.at_table.table_decoding import LocatedViolation
from controller.state.messages import CallDecoded, TilesDecoded
from controller.state.sides import PlayStage
from tests.support.controller.decoded_table import ASTRAY_MM, FRAME_MS, DecodedTable
from tests.support.controller.hands_of_rules import World, other_world, outside
from tests.support.controller.players import Players, PlayersWhoCallAloud
from tests.support.controller.rigs import QUESTION, MakeRig, Rig, opened, set_up
from tests.support.narrowed import present
from tests.support.recorder.played_hands import played
from tests.support.tiers import one_in
from twinwall.game.play_events import Claimed, HandLaidOpen, HandShown, TileDiscarded
from twinwall.game.tiles import Tile
from twinwall.wire.events.hand_events import ClaimBound, TileAnswered
from twinwall.wire.events.trouble_events import Violation
from vision.mat import Area, Mat, Slot
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile

pytestmark = pytest.mark.slow

Disturb = Callable[[MatObservation], MatObservation]


@dataclass(frozen=True, slots=True)
class PlayedWorld:
    """A deal whose hand has been played, at a table with a decoder."""

    rig: Rig
    table: DecodedTable

    @property
    def questions(self) -> list[bytes]:
        """What was sent to the server to be shown to the referee: kinds in their order, and pictures."""
        return [payload for topic, payload in self.rig.broker.published if topic == QUESTION]


@dataclass(frozen=True, slots=True)
class Case:
    """A hand that is played so far (``first`` events; None: to its end) by people who disturb what the decoder sees."""

    rules: str
    number: int
    first: int | None
    disturb: Disturb = lambda seen: seen
    players: type[Players] = Players
    frames_after_a_change: int = 0

    def played(self, make_rig: MakeRig) -> PlayedWorld:
        """One of two worlds, once it was played in both with the same outputs. Each discard and meld lies so far off its slots that the
        decoder alone can tell of it."""
        hand = played(self.rules, self.number)
        setup = set_up(decodes=True, rules=hand.rules, options={"minimum": 0} if self.rules == "mcr-duplicate" else {})
        world = World(dict(hand.walls), hand.rest, hand.events, setup)
        other = other_world(world, 1, tries=75)
        assert world.differing(other) > 12
        first, second = (self._played(make_rig, each) for each in (world, other))
        assert first.rig.deal.digest != second.rig.deal.digest
        assert (first.table.reported, first.questions) == (second.table.reported, second.questions)
        assert outside(first.rig) == outside(second.rig)
        return first

    def _played(self, make_rig: MakeRig, world: World) -> PlayedWorld:
        rig = make_rig(opened(world.walls, rules=self.rules, rest=world.rest), setup=world.setup, raised=True)
        self.players(rig, list(world.script))
        table = DecodedTable(rig, self.disturb, frames_after_a_change=self.frames_after_a_change)
        if self.first is None:
            rig.run(lambda: rig.state.playing.stage is PlayStage.CLOSED)
        else:
            rig.run(lambda: len(rig.state.playing.hand.events) >= (self.first or 0))
        return PlayedWorld(rig, table)


def test_nor_does_it_where_a_decoder_tells_of_discards_and_melds(make_rig: MakeRig) -> None:
    world = Case("mcr-duplicate", 0, 45).played(make_rig)
    laid = len(world.rig.happened(TileDiscarded)) + len(world.rig.happened(Claimed))
    reports = world.table.reported
    assert len([each for each in reports if isinstance(each, TilesDecoded)]) == len(reports) == laid
    assert len(world.rig.happened(TileDiscarded)) > 12
    assert world.rig.happened(Claimed)


def arm_over(seen: MatObservation) -> MatObservation:
    """An arm lies over the river of place 0, and of what lies there, for 3 of 7 frames."""
    if seen.at_ms // FRAME_MS % 7 > 2:
        return seen
    under = [Mat().spot(slot) for slot in Mat().slots(0, Area.RIVER)[:9]]
    covered = {(round(spot.x_mm / COVER_MM) + column, round(spot.y_mm / COVER_MM) + row) for spot in under for column, row in AROUND}
    bare = [tile for tile in seen.tiles if (round(tile.x_mm / COVER_MM), round(tile.y_mm / COVER_MM)) not in covered]
    return replace(seen, tiles=tuple(bare), covered=frozenset(covered))


def turned(seen: MatObservation) -> MatObservation:
    """Every tile lies turned by 20° more than it should."""
    return replace(seen, tiles=tuple(replace(tile, angle_deg=(tile.angle_deg + 20) % 180) for tile in seen.tiles))


def laid_beside(seen: MatObservation) -> MatObservation:
    """A tile lies face down before the hand of place 2 for 5 of 9 frames."""
    back = ObservedTile(*BESIDE_MM, 30.0, face_up=False)
    return replace(seen, tiles=(*seen.tiles, back)) if seen.at_ms // FRAME_MS % 9 < 5 else seen


AROUND = [(column, row) for column in (-1, 0, 1) for row in (-1, 0, 1)]
BESIDE_MM = (-60.0, -300.0)
DISTURBED = [Case("yangzhou", 0, 20, arm_over), Case("sichuan", 5, 16, turned), Case("seigo", 3, 26, laid_beside)]
"""Hands of the other rule sets with a claim among so many first events, and how people disturb."""


def noted(case: Case, happened: list[MatObservation]) -> Case:
    """The case that notes each observation in which somebody disturbs."""

    def seen(observation: MatObservation) -> MatObservation:
        after = case.disturb(observation)
        if after != observation:
            happened.append(after)
        return after

    return replace(case, disturb=seen)


@pytest.mark.parametrize("case", DISTURBED, ids=[case.rules for case in DISTURBED])
def test_nor_does_it_by_the_other_rules_where_people_disturb_what_the_decoder_sees(make_rig: MakeRig, case: Case) -> None:
    happened: list[MatObservation] = []
    world = noted(case, happened).played(make_rig)
    assert happened
    assert world.rig.happened(Claimed)
    assert len(world.table.reported) >= len(world.rig.happened(TileDiscarded)) + len(world.rig.happened(Claimed))


def hard_to_read(unsure: Collection[Slot], unread: Collection[Slot] = ()) -> Disturb:
    """The camera is unsure of what lies at some slots, and reads nothing of what lies at others."""

    def disturb(seen: MatObservation) -> MatObservation:
        return replace(seen, tiles=tuple(map(looked_at, seen.tiles)))

    def looked_at(tile: ObservedTile) -> ObservedTile:
        if (tile.x_mm, tile.y_mm) in blank:
            return replace(tile, shares={}, sure=False)
        if (tile.x_mm, tile.y_mm) not in vague or not tile.face_up:
            return tile
        (kind,) = tile.shares
        return replace(tile, shares={kind: 0.5, NEAR_IT if kind is not NEAR_IT else Tile.P1: 0.45}, sure=False)

    vague, blank = (frozenset(map(lies_at, slots)) for slots in (unsure, unread))
    return disturb


def lies_at(slot: Slot) -> tuple[float, float]:
    """Where a decoded table has a tile that was laid for a slot."""
    spot = Mat().spot(slot)
    return (spot.x_mm + ASTRAY_MM, spot.y_mm) if slot.place % 2 == 0 else (spot.x_mm, spot.y_mm + ASTRAY_MM)


NEAR_IT = Tile.WHITE
RIVERS = [Slot(place, Area.RIVER, place % 2) for place in range(4)]
OPEN_TILES = tuple(Slot(place, area, index) for place in range(4) for area, index in ((Area.MELD, 1), (Area.HAND, 4)))


@pytest.mark.parametrize("rules", ["mcr-duplicate", "seigo"])
def test_nor_do_the_questions_about_tiles_of_which_the_decoder_is_unsure(make_rig: MakeRig, rules: str) -> None:
    """One discard of two seats each is unsure, of two others nothing is read; of later ones some are in doubt for that."""
    world = Case(rules, 0, 32, hard_to_read(RIVERS[:2], RIVERS[2:])).played(make_rig)
    doubted = [report for report in world.table.reported if isinstance(report, DoubtedTile)]
    assert len(doubted) == len(world.rig.happened(TileAnswered)) >= 4
    assert len({report.kinds for report in doubted}) > 1
    assert world.questions


def test_nor_does_it_where_melds_are_called_without_a_key(make_rig: MakeRig) -> None:
    world = Case("mcr-duplicate", 0, 32, players=PlayersWhoCallAloud, frames_after_a_change=8).played(make_rig)
    calls = [report for report in world.table.reported if isinstance(report, CallDecoded)]
    assert len(calls) == len(world.rig.happened(ClaimBound)) == len(world.rig.happened(Claimed)) == 2


def laid_open(seen: MatObservation) -> MatObservation:
    """A tile of a hand lies open before place 2 for 12 s."""
    fallen = ObservedTile(*BESIDE_MM, 0.0, True, {Tile.S2: 0.99}, sure=True)
    return replace(seen, tiles=(*seen.tiles, fallen)) if 20 <= seen.at_ms // FRAME_MS < 60 else seen


def test_nor_does_it_where_a_violation_is_told_and_its_place_shown(make_rig: MakeRig) -> None:
    world = Case("mcr-duplicate", 0, 32, laid_open).played(make_rig)
    assert [report.report.what for report in world.table.reported if isinstance(report, LocatedViolation)] == ["exposed-tiles"]
    assert [event.what for event in world.rig.happened(Violation)] == ["exposed-tiles"]
    assert world.questions


TO_THE_END = [
    ("seigo", 3, (*RIVERS, *OPEN_TILES)),
    ("mcr-duplicate", 8, (*RIVERS, *OPEN_TILES)),
    ("yangzhou", 4, (*RIVERS, *OPEN_TILES)),
    ("sichuan", 11, OPEN_TILES),
]
"""Short hands that end with a win, and the slots of whose tiles the camera is unsure."""


@pytest.mark.parametrize(("rules", "number", "unsure"), one_in(4, TO_THE_END), ids=[rules for rules, *_ in one_in(4, TO_THE_END)])
def test_nor_does_it_where_shown_tiles_are_hard_to_read(make_rig: MakeRig, rules: str, number: int, unsure: Collection[Slot]) -> None:
    world = Case(rules, number, None, hard_to_read(unsure)).played(make_rig)
    exposed = [report.event for report in world.table.reported if isinstance(report, TilesDecoded)]
    doubted = [present(report.report.asked).area for report in world.table.reported if isinstance(report, DoubtedTile)]
    assert any(isinstance(event, HandShown | HandLaidOpen) for event in exposed)
    assert {slot.area for slot in unsure} - {Area.MELD} <= set(doubted)
    assert len(doubted) == len(world.rig.happened(TileAnswered))
    assert world.questions


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("case", "claims"),
    [
        pytest.param(Case("seigo", 3, 20, hard_to_read([], RIVERS[1:2])), 1, id="no frame reads the discard"),
        pytest.param(Case("sichuan", 11, 56, hard_to_read(RIVERS)), 2, id="the referee names each tile of the meld"),
    ],
)
def test_a_meld_astray_is_taken_where_the_referee_has_named_the_discard_that_it_claims(make_rig: MakeRig, case: Case, claims: int) -> None:
    """The meld lies there already when the decoder is set on the record: its tiles are none of the older ones. In the other hand it holds
    the claim with a margin of 8.9, which is not enough, and each of the three tiles was named."""
    world = case.played(make_rig)
    assert len(world.rig.happened(Claimed)) == claims
    assert not world.rig.happened(Violation)
