"""Tracks: tiles that lie still, joined from frames; covered is not gone, and frames are not independent looks."""

from dataclasses import replace

import pytest

from controller.recorder.kind_evidence import ANSWERED, KindEvidence, most_against
from controller.recorder.tracks import Happening, TrackList
from twinwall.game.tiles import Tile
from vision.mat_observation import MatObservation, ObservedTile

FRAME_MS = 200


def tile(kind: Tile = Tile.M5, x_mm: float = 0.0, y_mm: float = 120.0, *, share: float = 0.97, sure: bool = True) -> ObservedTile:
    return ObservedTile(x_mm, y_mm, 0.0, shares={kind: share}, sure=sure)


def seen(tracks: TrackList, *frames: tuple[ObservedTile, ...] | None, begins: int = 0) -> list[Happening]:
    """Show frames one after the other (None: everything is covered); what changed."""
    everything = frozenset((column, row) for column in range(-20, 21) for row in range(-20, 21))
    changes: list[Happening] = []
    for number, tiles in enumerate(frames, begins):
        covered = everything if tiles is None else frozenset()
        changes.extend(happening for happening, _ in tracks.see(MatObservation(number * FRAME_MS, tiles or (), covered)))
    return changes


def test_a_tile_lies_there_once_two_frames_have_seen_it_since_the_first_of_them() -> None:
    tracks = TrackList()
    assert seen(tracks, (tile(),)) == []
    ((happening, track),) = tracks.see(MatObservation(FRAME_MS, (tile(),)))
    assert (happening, track.appeared_ms) == (Happening.APPEARED, 0)


PAIR = (tile(), tile(x_mm=27.0))
BACK = ObservedTile(0.0, 120.0, 0.0, face_up=False)
FRAMES: dict[str, tuple[list[tuple[ObservedTile, ...] | None], list[Happening]]] = {
    "one frame alone shows no tile": ([(tile(),), (), ()], []),
    "one frame misses it": ([(tile(),), (tile(),), (), (tile(),), (), (tile(),)], [Happening.APPEARED]),
    "one frame misreads it": ([(tile(),), (tile(),), (tile(Tile.M6),), (tile(),), (tile(),)], [Happening.APPEARED]),
    "pushed a little, then far": (
        [(tile(),), (tile(),), (tile(x_mm=5.0),), (tile(x_mm=40.0),), (tile(x_mm=40.0),)],
        [Happening.APPEARED, Happening.APPEARED, Happening.GONE],
    ),
    "two side by side": ([PAIR, PAIR, PAIR], [Happening.APPEARED, Happening.APPEARED]),
    "covered for a time": ([(tile(),), (tile(),), None, None, None, (tile(),)], [Happening.APPEARED]),
    "turned up": ([(BACK,), (BACK,), (tile(),), (tile(),)], [Happening.APPEARED, Happening.TURNED]),
    "turned up after one frame has seen it": ([(BACK,), (tile(),), (tile(),)], [Happening.APPEARED]),
    "surely read as a kind that the set has not": ([(tile(),), (tile(),), *[(tile(Tile.EAST),)] * 2, (tile(),)], [Happening.APPEARED]),
}
"""A tile that was turned up after one frame never appeared, so that no path could explain it (sichuan 6474)."""
SET = frozenset({Tile.M5, Tile.M6})


@pytest.mark.parametrize("case", FRAMES)
def test_frames_make_tiles_appear_and_go(case: str) -> None:
    (frames, changes), tracks = FRAMES[case], TrackList(SET)
    assert seen(tracks, *frames) == changes
    if case.startswith("turned up"):
        assert [(track.face_up, track.evidence.likeliest) for track in tracks.lying] == [(True, Tile.M5)]


def test_a_tile_is_gone_since_the_first_of_two_frames_that_see_its_place_bare() -> None:
    tracks = TrackList()
    assert seen(tracks, (tile(),), (tile(),), (), None, ()) == [Happening.APPEARED, Happening.GONE]
    assert tracks[0].gone_ms == 2 * FRAME_MS


def test_a_tile_under_anothers_edge_covers_its_place_and_hides_nothing() -> None:
    """As long as the upper one lies there the lower one is not seen whole, beside whose rest the next discard is due."""
    tracks, lower, upper = TrackList(), tile(x_mm=34.0), tile(Tile.S1, x_mm=10.0)
    rest = frozenset({(1, 6), (2, 5), (2, 6)})
    seen(tracks, (lower,), (lower,))
    for number in range(2, 40):
        tracks.see(MatObservation(number * FRAME_MS, (upper,), rest))
    assert tracks.is_covered(42.0, 120.0)
    assert not tracks.may_hide(42.0, 120.0)
    assert len(tracks.lying) == 2


@pytest.mark.parametrize("covered", [frozenset({(2, 6)}), frozenset({(2, 6), (3, 6)})], ids=["the lower tile alone", "more than that"])
def test_a_tile_beside_one_that_lies_under_anothers_edge_is_gone_when_it_has_been_taken_up(covered: frozenset[tuple[int, int]]) -> None:
    """What is left of the lower tile covers a part of its place for good; that it touches a tile beside it, which lay there first, covers
    nothing."""
    tracks, lower, upper, right = TrackList(), tile(x_mm=34.0), tile(Tile.S1, x_mm=10.0), tile(Tile.S2, x_mm=85.0)
    taken_up = tile(Tile.S3, x_mm=60.0)
    seen(tracks, (lower, right), (lower, right))
    for number in range(2, 20):
        lying = (upper, right, taken_up) if number < 10 else (upper, right)
        tracks.see(MatObservation(number * FRAME_MS, lying, covered if number >= 10 else frozenset({(2, 6)})))
    found = {track.x_mm: track.gone_ms for track in tracks.all.values()}
    assert found[60.0] == (10 * FRAME_MS if len(covered) == 1 else None)
    assert found[34.0] is None


def test_a_tile_moved_by_a_centimetre_does_not_lie_below_itself() -> None:
    """It covers the place where it lay; another one that comes to lie so is laid on it."""
    for kind, gone in ((Tile.M5, True), (Tile.S1, False)):
        tracks = TrackList()
        seen(tracks, (tile(),), (tile(),))
        for number in range(2, 6):
            tracks.see(MatObservation(number * FRAME_MS, (tile(kind, x_mm=10.0),), frozenset({(-1, 6)})))
        assert (tracks[0].gone_ms is not None) is gone


@pytest.mark.parametrize("leaves", [True, False])
def test_a_tile_was_not_hidden_by_what_covers_a_part_of_its_place_still(leaves: bool) -> None:
    tracks, beside = TrackList(), frozenset({(1, 6)})
    for number in range(4):
        tracks.see(MatObservation(number * FRAME_MS, (), beside))
    for number in range(4, 6):
        tracks.see(MatObservation(number * FRAME_MS, (tile(),), frozenset() if leaves else beside))
    assert tracks[0].bare_before_ms == (None if leaves else 3 * FRAME_MS)


def test_what_was_laid_while_the_camera_was_silent_may_be_hidden() -> None:
    tracks = TrackList()
    seen(tracks, (), ())
    seen(tracks, None, None, begins=90)
    assert tracks.may_hide(0.0, 120.0, laid_ms=80 * FRAME_MS)


def test_a_sure_look_at_another_kind_in_the_same_pose_is_at_another_tile() -> None:
    tracks = TrackList()
    seen(tracks, (tile(),), (tile(),))
    assert seen(tracks, (tile(Tile.M6),), (tile(Tile.M6),), begins=20) == [Happening.APPEARED, Happening.GONE]


@pytest.mark.parametrize(
    ("frames", "at_mm", "laid_ms", "hides"),
    [
        pytest.param([PAIR, PAIR, None], 62.0, None, True, id="an arm over tiles that touch, beside them"),
        pytest.param([(), (), (), None, None], 0.0, FRAME_MS, False, id="its place was seen bare since"),
        pytest.param([(), (), (), None, None], 0.0, 3 * FRAME_MS, True, id="its place was not seen since"),
        pytest.param([(), (), (), None, None], 0.0, None, True, id="nobody knows when it was laid"),
        pytest.param([(), None, (), None, (), None], 0.0, 3 * FRAME_MS, False, id="what came and went showed its place bare"),
        pytest.param([(), None, (), None, (), None], 0.0, 4 * FRAME_MS, True, id="what came and went did not"),
        pytest.param([(), None, None, (tile(),), None], 0.0, FRAME_MS, True, id="one frame between showed a tile there"),
    ],
)
def test_what_comes_over_a_place_may_hide_what_was_not_seen_to_lie_there_before(
    frames: list[tuple[ObservedTile, ...] | None], at_mm: float, laid_ms: int | None, hides: bool
) -> None:
    tracks = TrackList()
    seen(tracks, *frames)
    assert tracks.may_hide(at_mm, 120.0, laid_ms=laid_ms) is hides


def logs(*frames: tuple[float, bool]) -> KindEvidence:
    evidence = KindEvidence()
    for share, sure in frames:
        evidence.look({Tile.M5: share, Tile.M6: 1 - share}, sure=sure)
    return evidence


def against(evidence: KindEvidence, other: Tile = Tile.M6) -> float:
    return float(evidence.logs[Tile.M5] - evidence.logs[other])


def test_unsure_frames_do_not_become_certain_by_being_repeated() -> None:
    assert against(logs(*[(0.8, False)] * 20)) == pytest.approx(against(logs((0.8, False))), abs=0.01)


def test_sure_frames_say_more_than_one_but_never_more_than_what_all_frames_misread_alike() -> None:
    one, many = logs((0.97, True)), logs(*[(0.97, True)] * 20)
    assert against(one) < against(many) <= most_against()


def test_an_answer_outweighs_the_frames() -> None:
    evidence = logs(*[(0.97, True)] * 20)
    evidence.answer(Tile.M6)
    assert against(evidence) == pytest.approx(most_against() - ANSWERED, abs=2.0)
    assert against(evidence) < 0
    assert evidence.by_camera()[0] is Tile.M5


def test_frames_after_five_sure_ones_are_not_counted() -> None:
    evidence = logs(*[(0.6, False)] * 3, *[(0.97, True)] * 5)
    assert not evidence.look({Tile.M6: 0.99}, sure=True)
    assert evidence.frames == 8


def test_no_kind_that_the_set_in_play_does_not_have_is_possible_whatever_the_frames_say() -> None:
    tracks = TrackList(frozenset({Tile.M5, Tile.M6}))
    doubted = replace(tile(), shares={Tile.EAST: 0.3, Tile.M5: 0.6, Tile.M6: 0.1})
    unknown = replace(tile(x_mm=60.0), shares={Tile.EAST: 0.9, Tile.M5: 0.1})
    seen(tracks, (doubted, unknown), (doubted, unknown))
    evidence, unread = (track.evidence for track in tracks.lying)
    alone = KindEvidence()
    for _ in range(2):
        alone.look({Tile.M5: 0.6, Tile.M6: 0.1}, sure=True)
    assert against(evidence) == against(alone)
    assert against(evidence, Tile.EAST) > most_against()
    assert (unread.frames, unread.sure, against(unread)) == (0, 0, 0.0)
    assert against(unread, Tile.EAST) > most_against()
