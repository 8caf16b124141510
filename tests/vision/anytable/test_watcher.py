"""What a watched table shows from picture to picture."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from controller.recorder.tracks import covers
from controller.recorder.video_hands import parted
from tests.support.narrowed import present
from tests.support.recorder.filmed_hands import CLOTH, FilmCamera, KnowingClassifier, KnowingFinder, filmed
from tests.support.tiers import one_in
from twinwall.game.tiles import ALL_TILES, Tile
from vision.anytable.beginning import NoTableError, found_table, learn
from vision.anytable.plane import TablePlane
from vision.anytable.sources import TimedFrame
from vision.anytable.watcher import TableWatcher
from vision.finder.found import LOOKS_IN_TURN, FoundTable, FoundTile, TileForm
from vision.mat_observation import MatObservation, ObservedTile
from vision.model.crop_view import CROP_W, CropView, Foreign
from vision.model.judge import GeneralJudge
from vision.model.learning_judge import LearningJudge
from vision.table import proved_tiles

LAID = tuple(
    ObservedTile(-70.0 + 28 * column, 108.0 + 38 * row, 0.0, shares={ALL_TILES[6 * row + column]: 0.995}, sure=True)
    for row in range(2)
    for column in range(6)
)
NOTHING_COVERED = np.zeros((90, 120), np.float32)
NO_TILES = FoundTable((), NOTHING_COVERED)
FINGER = np.full((720, 960, 3), (70, 85, 140), np.uint8), NO_TILES
"""A picture of a finger on the lens, and what the finder makes of it."""
ARM = frozenset((column, row) for column in range(-4, 0) for row in range(4, 18))


def kinds(observation: MatObservation) -> dict[tuple[int, int], Tile | None]:
    """By place (cm) what was read surely there."""
    faces = [tile for tile in observation.tiles if tile.face_up]
    return {
        (round(tile.x_mm / 10), round(tile.y_mm / 10)): max(tile.shares, key=lambda one: tile.shares[one]) if tile.sure else None
        for tile in faces
    }


LONE = replace(LAID[0], x_mm=-40.0, y_mm=0.0)


@cache
def plane_of(looks: tuple[tuple[FoundTile, ...], ...]) -> TablePlane:
    """The table that is found where these tiles are; most tests begin with the same ones."""
    finder = KnowingFinder()
    frames = list(filmed([MatObservation(250 * number) for number in range(len(looks))], finder))
    finder.looks = [FoundTable(tiles, NOTHING_COVERED) for tiles in looks]
    return found_table(frames, finder)


class Watched:
    """Observations as a watcher sees them through a camera."""

    def __init__(self, *, begun: bool = False, learns: bool = False) -> None:
        self._begun, self._learns = begun, learns
        self.finder, self.classifier = KnowingFinder(), KnowingClassifier()
        self._watcher: TableWatcher | None = None

    def see(
        self,
        *tiles: Sequence[ObservedTile],
        camera: FilmCamera | None = None,
        covered: frozenset[tuple[int, int]] = frozenset(),
        certainty: float = 1.0,
    ) -> list[MatObservation]:
        """What is made of pictures of these tiles; ``certainty``: how sure the finder is of what is covered."""
        now_ms = 250 * len(self.finder.looks)
        shown = [MatObservation(now_ms + 250 * number, tuple(each), covered) for number, each in enumerate(tiles)]
        frames = list(filmed(shown, self.finder, camera or FilmCamera()))
        for look in self.finder.looks[-len(tiles) :]:
            np.multiply(look.covering, certainty, out=look.covering)
        if self._watcher is None:
            general = GeneralJudge(self.classifier.limits)
            judge = LearningJudge(general) if self._learns else general
            plane = plane_of(tuple(look.tiles for look in self.finder.looks))
            self._watcher = TableWatcher(plane, self.classifier, judge, begun=self._begun)
        return [self.observe(frame.image, self.finder.look(frame.image), frame.at_ms) for frame in frames]

    @property
    def watcher(self) -> TableWatcher:
        """The watcher once it has seen a picture."""
        return present(self._watcher)

    def see_otherwise(self, tiles: Sequence[ObservedTile], number: int, form: TileForm) -> MatObservation:
        """What is made of a picture of these tiles in which the finder takes one for a tile of another form."""
        return self.found(tiles, lambda found: [*found[:number], replace(found[number], form=form), *found[number + 1 :]])

    def found(
        self, tiles: Sequence[ObservedTile], change: Callable[[list[FoundTile]], Iterable[FoundTile]], at_ms: int | None = None
    ) -> MatObservation:
        """What is made of a picture of these tiles in which the finder finds others, faces in the order of the tiles."""
        (frame,) = filmed([MatObservation(250 * len(self.finder.looks) if at_ms is None else at_ms, tuple(tiles))], self.finder)
        look = self.finder.looks[-1]
        return self.observe(frame.image, FoundTable(tuple(change(list(look.tiles))), look.covering), frame.at_ms)

    def observe(self, image: NDArray[np.uint8], look: FoundTable, at_ms: int) -> MatObservation:
        """What is made of a picture that shows the table."""
        return present(self.watcher.observe(image, look, at_ms))


def watching(*tiles: Sequence[ObservedTile], covered: frozenset[tuple[int, int]] = frozenset()) -> Watched:
    """What watches a table since these pictures."""
    watched = Watched()
    watched.see(*tiles, covered=covered)
    return watched


def read(tiles: Sequence[ObservedTile]) -> dict[tuple[int, int], Tile | None]:
    """``kinds`` where all of these tiles are seen as they lie."""
    return kinds(MatObservation(0, tuple(tiles)))


def without(number: int) -> Callable[[list[FoundTile]], list[FoundTile]]:
    """A finder that misses a face, by its number."""
    return lambda found: found[:number] + found[number + 1 :]


def test_faces_are_read_where_they_lie_and_nothing_is_covered_on_the_table() -> None:
    (seen,) = Watched().see(LAID)
    assert kinds(seen) == read(LAID)
    assert all(max(abs(column), abs(row)) > 17 for column, row in seen.covered)


def test_squares_under_an_arm_are_covered() -> None:
    watched = watching(LAID)
    (seen,) = watched.see(LAID, covered=ARM)
    inner = {square for square in seen.covered if max(map(abs, square)) <= 17}
    assert len(inner ^ ARM) < 0.3 * len(ARM)


def test_a_face_that_is_not_found_once_and_looks_as_before_lies_there_still_and_one_that_is_taken_does_not() -> None:
    watched = watching(LAID)
    assert kinds(watched.found(LAID, without(3), 500)) == read(LAID)
    (seen,) = watched.see(LAID[:-1])
    assert kinds(seen) == read(LAID[:-1])


def test_a_face_in_doubt_is_read_once_two_others_of_its_kind_have_been() -> None:
    watched, kind = Watched(begun=True, learns=True), {ALL_TILES[20]: 0.995}
    doubt = (replace(LAID[0], shares={ALL_TILES[20]: 0.7}, sure=False), *LAID[1:])
    *_, before = watched.see(*3 * [doubt])
    more = [replace(LAID[0], x_mm=-70.0 + 28 * column, y_mm=-120.0, shares=kind) for column in range(2)]
    *_, seen = watched.see(*14 * [(*doubt, *more)])
    at = (round(LAID[0].x_mm / 10), round(LAID[0].y_mm / 10))
    assert (kinds(before)[at], kinds(seen)[at]) == (None, ALL_TILES[20])


@pytest.mark.parametrize(("kind", "lies"), [(Tile.WHITE, False), (ALL_TILES[0], True)])
def test_a_blank_face_that_is_found_as_a_back_as_often_is_the_top_of_a_wall(kind: Tile, lies: bool) -> None:
    watched, more = Watched(), (replace(LAID[0], x_mm=140.0, shares={kind: 0.995}), *LAID)
    for number in range(2 * LOOKS_IN_TURN):
        seen = watched.see(more)[0] if number % 2 == 0 else watched.see_otherwise(more, 0, TileForm.WALL)
    assert len(seen.tiles) == len(LAID) + lies


@pytest.mark.parametrize(("shares", "y_mm", "lies"), [({}, 330.0, True), ({}, 262.0, False), ({ALL_TILES[9]: 0.995}, 330.0, False)])
def test_what_is_found_as_a_back_and_shows_nothing_for_too_much_light_is_a_face_where_no_wall_is(
    shares: dict[Tile, float], y_mm: float, lies: bool
) -> None:
    watched, bright = watching(LAID), replace(LAID[0], y_mm=y_mm, shares=shares)
    for _ in range(LOOKS_IN_TURN):
        seen = watched.see_otherwise((bright, *LAID), 0, TileForm.BACK)
    assert [tile.shares for tile in seen.tiles if tile.y_mm > 200] == [{}] * lies


@pytest.mark.parametrize(("kind", "x_mm", "lies"), [(Tile.WHITE, 236.0, False), (ALL_TILES[0], 236.0, True), (Tile.WHITE, 300.0, True)])
def test_a_blank_face_at_the_end_of_a_wall_is_a_part_of_it(kind: Tile, x_mm: float, lies: bool) -> None:
    *_, seen = Watched().see(LAID, *3 * [(*LAID, replace(LAID[0], x_mm=x_mm, y_mm=228.0, shares={kind: 0.995}))])
    assert len(seen.tiles) == len(LAID) + lies


def test_a_whole_video_tells_the_size_of_tiles_and_the_middle_where_the_first_pictures_were_mistaken() -> None:
    finder, classifier = KnowingFinder(), KnowingClassifier()
    rivers = [replace(tile, x_mm=-tile.x_mm, y_mm=side * tile.y_mm) for tile in LAID for side in (-1, 1)]
    frames = list(filmed([MatObservation(250 * number, tuple(rivers)) for number in range(9)], finder))
    true = found_table(frames, finder)
    wrong = true.after(np.diag((1.15, 1.2, 1.0))).moved(np.array((0.0, 150.0)), 0.0)
    plane = learn(frames, 6000, finder, TableWatcher(wrong, classifier, LearningJudge(GeneralJudge(classifier.limits))))
    spots = np.array([(-200.0, -200.0), (200.0, -200.0), (0.0, 200.0)])
    assert np.abs(plane.points_mm(true.project(spots)) - spots).max() < 12


def test_what_one_look_alone_takes_for_a_face_is_none_after_a_turn_of_all_sizes() -> None:
    watched, more = Watched(), (*LAID, replace(LAID[0], x_mm=140.0))
    *_, seen = watched.see(LAID, more)
    assert len(seen.tiles) == len(more)
    for number in range(LOOKS_IN_TURN + 1):
        seen = watched.found(more, without(len(LAID)), 1000 + 250 * number)
    assert kinds(seen) == read(LAID)


def test_the_outline_of_a_face_is_that_of_a_tile_though_the_finder_turns_it_by_half_now_and_then() -> None:
    watched = watching(LAID)
    for _ in range(5):
        watched.found(LAID, lambda found: [replace(tile, angle_deg=tile.angle_deg + 180.0) for tile in found])
        watched.found(LAID, list)
    widths = [float(np.hypot(*(outline[1] - outline[0]))) for outline in watched.watcher.outlines_mm()]
    assert len(widths) == len(LAID)
    assert min(widths) > 20.0


def test_a_face_exchanged_for_another_is_read_again() -> None:
    watched = watching(LAID)
    other = replace(LAID[0], x_mm=LAID[0].x_mm + 10, shares={Tile.WHITE: 0.995})
    *_, seen = watched.see(*3 * [(other, *LAID[1:])])
    assert list(kinds(seen).values()).count(Tile.WHITE) == 1


@pytest.mark.parametrize(("kind", "lie"), [(Tile.WHITE, 13), (ALL_TILES[0], 12)])
def test_a_face_lies_there_still_under_the_edge_of_another_and_not_where_it_was_pushed(kind: Tile, lie: int) -> None:
    watched = watching(*4 * [LAID])
    other = replace(LAID[0], x_mm=LAID[0].x_mm + 10, shares={kind: 0.995})
    *_, seen = watched.see(*3 * [(other, *LAID[1:])])
    assert len(seen.tiles) == lie
    assert {ALL_TILES[0], kind} <= {max(tile.shares, key=lambda one: tile.shares[one]) for tile in seen.tiles}


def test_what_is_seen_of_a_face_below_another_is_no_doubtful_blank_one() -> None:
    watched, (first, face, *others) = Watched(), LAID
    watched.see(*4 * [LAID])
    upper = replace(face, y_mm=face.y_mm - 19.0, shares={ALL_TILES[20]: 0.995})
    part = replace(face, y_mm=face.y_mm + 8.0, angle_deg=90.0, shares={}, sure=False)
    *_, seen = watched.see(*8 * [(first, upper, part, *others)])
    assert {max(tile.shares, key=lambda one: tile.shares[one], default=None) for tile in seen.tiles} == {*ALL_TILES[:12], ALL_TILES[20]}


def test_a_face_that_is_taken_from_the_edge_of_another_is_gone() -> None:
    watched = Watched()
    upper = replace(LAID[0], x_mm=LAID[0].x_mm - 14, shares={Tile.WHITE: 0.995})
    watched.see(*4 * [LAID], *4 * [(upper, *LAID[1:])], covered=ARM)
    watched.see(*4 * [(upper, *LAID[1:])])
    first, *_, seen = watched.see(*3 * [LAID])
    assert (round(upper.x_mm / 10), 11) not in kinds(first)
    assert kinds(seen) == read(LAID)


@pytest.mark.parametrize(("kind", "aside_mm"), [(Tile.WHITE, 0.0), (ALL_TILES[0], 8.0), (ALL_TILES[0], -13.0)])
def test_a_face_that_a_finger_makes_look_like_another_is_hidden_until_the_hand_is_gone(kind: Tile, aside_mm: float) -> None:
    watched = watching(*4 * [LAID])
    under, beside = frozenset({(-4, 5), (-4, 6), (-3, 5), (-3, 6)}), frozenset({(-5, 5), (-5, 6)})
    watched.see(LAID[1:], covered=under)
    touched = replace(LAID[0], x_mm=LAID[0].x_mm + aside_mm, shares={kind: 0.995})
    for seen in watched.see(*3 * [(touched, *LAID[1:])], covered=beside):
        assert kinds(seen) == read(LAID[1:])
        assert covers(seen.covered, LAID[0].x_mm, LAID[0].y_mm)
    *_, seen = watched.see(*2 * [LAID])
    assert kinds(seen) == read(LAID)


def test_a_face_that_was_hidden_and_is_not_found_then_lies_there_where_it_looks_as_before() -> None:
    watched = watching(*4 * [LAID])
    watched.see(*2 * [LAID[1:]], covered=frozenset({(-4, 5), (-4, 6), (-3, 5), (-3, 6)}))
    for at_ms in (1500, 1750):
        seen = watched.found(LAID, without(0), at_ms)
    assert kinds(seen) == read(LAID)
    (seen,) = watched.see(LAID[1:])
    assert kinds(seen) == read(LAID[1:])


BESIDE = frozenset({(-5, 5), (-5, 6)})


def test_a_face_under_fingers_beside_which_alone_something_is_seen_to_cover_the_table_is_hidden_and_not_gone() -> None:
    watched = watching(*4 * [LAID])
    for seen in watched.see(*3 * [LAID[1:]], covered=BESIDE):
        assert kinds(seen) == read(LAID[1:])
        assert covers(seen.covered, LAID[0].x_mm, LAID[0].y_mm)
    (seen,) = watched.see(LAID[1:])
    assert not covers(seen.covered, LAID[0].x_mm, LAID[0].y_mm)


@pytest.mark.parametrize(("certainty", "hidden"), [(0.15, True), (0.05, False)])
def test_a_face_that_vanishes_below_what_may_cover_the_table_is_hidden_and_not_gone(certainty: float, hidden: bool) -> None:
    cup = frozenset((column, row) for column in range(-5, -1) for row in range(4, 8))
    watched = watching(*4 * [LAID])
    *_, seen = watched.see(*3 * [LAID[1:]], covered=cup, certainty=certainty)
    assert covers(seen.covered, LAID[0].x_mm, LAID[0].y_mm) is hidden
    (seen,) = watched.see(LAID[1:])
    assert not covers(seen.covered, LAID[0].x_mm, LAID[0].y_mm)


def test_a_face_that_is_taken_from_beside_what_has_covered_the_table_before_is_gone() -> None:
    watched = watching(*4 * [LAID], covered=BESIDE)
    (seen,) = watched.see(LAID[1:], covered=BESIDE)
    assert not covers(seen.covered, LAID[0].x_mm, LAID[0].y_mm)


@pytest.mark.parametrize("off_mm", [4.0, 8.0, 12.0, -18.0])
def test_a_face_that_is_taken_and_in_whose_place_another_is_laid_before_the_hand_goes_is_gone(off_mm: float) -> None:
    watched = watching(*4 * [LAID])
    watched.see(*3 * [LAID[1:]], covered=BESIDE)
    laid = (replace(LAID[0], x_mm=LAID[0].x_mm + off_mm, shares={ALL_TILES[20]: 0.995}), *LAID[1:])
    watched.see(*4 * [laid], covered=BESIDE)
    *_, seen = watched.see(*3 * [laid])
    assert kinds(seen) == read(laid)


def off_mm(seen: MatObservation) -> float:
    """How far at most a tile of ``LAID`` is from where it lies."""
    pairs = zip(sorted(seen.tiles, key=lambda tile: max(tile.shares)), LAID, strict=True)
    return max(float(np.hypot(tile.x_mm - other.x_mm, tile.y_mm - other.y_mm)) for tile, other in pairs)


def plane_off_mm(watched: Watched, camera: FilmCamera) -> float:
    """How far at most the table is from where the watcher has it."""
    spots = np.array([(-200.0, -200.0), (200.0, -200.0), (0.0, 200.0)])
    return float(np.abs(watched.watcher.plane.points_mm(camera.project(np.column_stack((spots, np.zeros(3))))) - spots).max())


@pytest.mark.parametrize(
    "moved",
    [
        FilmCamera(moved_px=(40.0, -25.0)),
        FilmCamera(turned_deg=25.0),
        FilmCamera(tilt_deg=24.0, away_mm=1250.0),
        FilmCamera(turned_deg=60.0),
    ],
)
def test_a_camera_that_is_moved_is_found_again(moved: FilmCamera) -> None:
    watched = watching(*4 * [LAID])
    (seen,) = watched.see(LAID, camera=moved)
    assert watched.watcher.moves == 1
    assert off_mm(seen) < 4.0
    assert plane_off_mm(watched, moved) < 4.0


def on_the_way(moved: FilmCamera, share: float) -> FilmCamera:
    """A camera that has been moved by a share of the way."""
    tilt_deg, away_mm, turned_deg, right, down = (
        first + share * (last - first)
        for first, last in ((15.0, moved.tilt_deg), (1150.0, moved.away_mm), (3.0, moved.turned_deg), *((0.0, px) for px in moved.moved_px))
    )
    return FilmCamera(tilt_deg=tilt_deg, away_mm=away_mm, turned_deg=turned_deg, moved_px=(right, down))


@pytest.mark.parametrize("pictures", [4, 40])
@pytest.mark.parametrize(
    "moved", [FilmCamera(moved_px=(120.0, -60.0)), FilmCamera(turned_deg=28.0), FilmCamera(tilt_deg=24.0, away_mm=1250.0)]
)
def test_a_camera_that_is_moved_for_seconds_is_followed(moved: FilmCamera, pictures: int) -> None:
    watched = watching(*4 * [LAID])
    for number in range(1, pictures + 1):
        watched.see(LAID, camera=on_the_way(moved, number / pictures))
    (seen,) = watched.see(LAID, camera=moved)
    assert off_mm(seen) < 6.0
    assert plane_off_mm(watched, moved) < 4.0


def found_off(ways_px: NDArray[np.float64], watched: Watched, count: int) -> list[bool]:
    """Whether each of some pictures shows the table whose first tiles, as many as there are ways (n × 2 px), are found that far off."""
    seen = []
    for frame in filmed([MatObservation(1000 + 2500 * number, LAID) for number in range(count)], watched.finder):
        look = watched.finder.looks[-1]
        moved = zip(look.tiles[-len(ways_px) :], ways_px.tolist(), strict=True)
        tiles = tuple(replace(tile, x_px=tile.x_px + x, y_px=tile.y_px + y) for tile, (x, y) in moved)
        seen.append(watched.watcher.observe(frame.image, FoundTable(tiles, look.covering), frame.at_ms) is not None)
    return seen


def test_tiles_that_are_found_a_little_off_are_no_moved_camera() -> None:
    watched, rng = watching(LAID), np.random.default_rng(1)
    assert all(found_off(rng.normal(0.0, 1.5, (80, 2)), watched, 1) == [True] for _ in range(20))
    assert watched.watcher.moves == 0


@pytest.mark.parametrize("pushed_px", one_in(2, [6.0, 15.0, 40.0]))
def test_a_row_that_is_pushed_alone_is_no_moved_camera(pushed_px: float) -> None:
    watched = watching(LAID)
    for way_px in (0.0, pushed_px):
        found_off(np.full((17, 2), way_px), watched, 5)
    assert watched.watcher.moves == 0


def test_tiles_that_stay_where_people_have_laid_them_are_seen_there_after_seconds() -> None:
    watched = watching(*4 * [LAID])
    first, *_, last = found_off(np.random.default_rng(2).uniform(-150.0, 150.0, (80, 2)), watched, 5)
    assert (first, last) == (False, True)
    assert watched.watcher.moves == 0


def swept(watched: Watched, first_ms: int, last_ms: int, light: float) -> list[MatObservation]:
    """What is made of a picture a second of the bare table, without walls."""
    (bare,) = filmed([MatObservation(0)], watched.finder)
    image, look = np.clip(bare.image * light, 0, 255).astype(np.uint8), FoundTable((), watched.finder.looks[-1].covering)
    seen = (watched.watcher.observe(image, look, at_ms) for at_ms in range(first_ms, last_ms, 1000))
    return [each for each in seen if each is not None]


@pytest.mark.parametrize(("first", "light"), [(LAID, 1.0), ((), 1.0), ((), 1.6), ((), 0.5)])
def test_a_hand_ends_where_its_tiles_are_swept_though_the_table_below_was_not_seen_or_the_light_changes(
    first: Sequence[ObservedTile], light: float
) -> None:
    watched = Watched()
    seen = watched.see(*10 * [first], *4 * [LAID]) + swept(watched, 4000, 30_000, light)
    for frame in filmed([MatObservation(30_000 + 1000 * count, LAID[:count]) for count in range(1, 9)], watched.finder):
        look = watched.finder.looks[-1]
        seen.append(watched.observe(np.clip(frame.image * light, 0, 255).astype(np.uint8), look, frame.at_ms))
    assert len(list(parted(seen))) == 2


def test_the_table_that_is_bare_after_a_move_is_learnt() -> None:
    watched, moved = watching(*4 * [LAID]), FilmCamera(turned_deg=15.0)
    watched.see(*12 * [()], camera=moved)
    watched.see(*4 * [LAID], camera=moved)
    assert watched.watcher.observe(*FINGER, 6000) is None


@pytest.mark.parametrize("pictures", [8, 72])
def test_a_picture_that_a_finger_hides_shows_no_table_and_what_lies_there_is_as_before(pictures: int) -> None:
    watched, moved = watching((), *4 * [LAID]), FilmCamera(turned_deg=15.0)
    assert not any(watched.watcher.observe(*FINGER, 1250 + 250 * number) for number in range(pictures))
    (seen,) = watched.see(LAID, camera=moved)
    assert kinds(seen) == read(LAID)
    assert off_mm(seen) < 4.0


def test_a_picture_of_which_a_finger_hides_most_shows_no_table() -> None:
    watched = Watched()
    rivers = (*LAID, *(replace(tile, x_mm=-tile.x_mm, y_mm=-tile.y_mm) for tile in LAID))
    watched.see((), *4 * [rivers])
    (frame,) = filmed([MatObservation(1250, rivers)], watched.finder)
    look = watched.finder.looks[-1]
    frame.image[:, :660] = 70, 85, 140
    left = tuple(tile for tile in look.tiles if tile.x_px > 660)
    assert len(rivers) / 2 < len(left) < len(rivers)
    assert watched.watcher.observe(frame.image, FoundTable(left, look.covering), 1250) is None


@pytest.mark.parametrize("turned_deg", [12.0, -30.0])
def test_a_camera_that_is_moved_over_walls_alone_has_the_sides_as_before(turned_deg: float) -> None:
    watched, moved = watching(*4 * [()]), FilmCamera(turned_deg=turned_deg)
    watched.see((), camera=moved)
    assert plane_off_mm(watched, moved) < 3.0


def test_a_face_that_is_laid_while_the_camera_is_moved_is_seen() -> None:
    watched, moved = watching(*4 * [LAID[1:]]), FilmCamera(moved_px=(40.0, -25.0))
    *_, seen = watched.see(*3 * [LAID], camera=moved)
    assert off_mm(seen) < 4.0


def test_tiles_that_are_found_at_one_size_alone_are_no_moved_camera() -> None:
    watched = watching(LAID)
    walls = [tile for tile in watched.finder.looks[-1].tiles if tile.form is TileForm.WALL]
    other = [replace(tile, x_px=tile.x_px + tile.width_px / 2) for tile in walls]
    for number in range(1, 9):
        watched.found(LAID, (lambda _: other) if number % 2 else list)
    assert watched.watcher.moves == 0


def test_tiles_that_are_swept_away_are_no_moved_camera() -> None:
    watched = watching(*4 * [LAID])
    (seen,) = watched.see(())
    assert (watched.watcher.moves, seen.tiles) == (0, ())


def test_backs_of_a_concealed_kong_are_reported_from_the_third_picture_on_and_single_ones_and_walls_are_not() -> None:
    kong = tuple(ObservedTile(-100.0 + 28 * number, 330.0, 0.0, face_up=False) for number in range(4))
    single = ObservedTile(150.0, 20.0, 90.0, face_up=False)
    by_the_wall = tuple(ObservedTile(228.0 - 36, 30.0 + 28 * number, 90.0, face_up=False) for number in range(4))
    *before, seen = Watched().see(*3 * [(*LAID, *kong, single, *by_the_wall)])
    backs = sorted(tile.x_mm for tile in seen.tiles if not tile.face_up)
    assert np.allclose(backs, [tile.x_mm for tile in kong], atol=2.0)
    assert all(tile.face_up for each in before for tile in each.tiles)


@pytest.mark.parametrize("ways", [(90.0, 0.0, 0.0, 0.0), (0.0, 0.0, 90.0, 90.0), (9.0, 9.0, 9.0, 9.0)])
def test_backs_of_a_kong_are_reported_though_the_ways_of_some_are_mistaken(ways: tuple[float, ...]) -> None:
    kong = tuple(ObservedTile(-100.0 + 28 * number, 330.0, way, face_up=False) for number, way in enumerate(ways))
    *_, seen = Watched().see(*3 * [(*LAID, *kong)])
    assert sum(not tile.face_up for tile in seen.tiles) == len(kong)


def test_backs_that_lie_askew_to_one_another_are_no_kong() -> None:
    askew = (ObservedTile(-6.0, -43.0, 0.0, face_up=False), ObservedTile(-55.0, 7.0, 0.0, face_up=False))
    *_, seen = Watched().see(*4 * [(*LAID, *askew)])
    assert kinds(seen) == read(LAID)
    assert len(seen.tiles) == len(LAID)


def test_a_face_in_doubt_lies_there_though_one_size_of_the_finder_sees_it_less_clearly() -> None:
    """The end of a row was left out, and with it the hand that was shown."""
    watched, laid = Watched(), (replace(LAID[0], sure=False), *LAID[1:])
    *_, seen = watched.see(LAID[1:], laid)
    assert kinds(seen)[-7, 11] is None
    assert kinds(watched.found(laid, lambda found: [replace(tile, score=0.5) for tile in found]))[-7, 11] is None


def test_what_looks_like_a_face_and_looked_so_on_the_bare_table_is_none() -> None:
    watched = watching(LAID[1:])
    prints = FilmCamera().found([replace(LAID[0], x_mm=-20.0, y_mm=0.0)], [TileForm.FACE])
    assert kinds(watched.found(LAID, lambda found: prints + found)) == read(LAID)


def test_what_is_read_surely_in_the_first_picture_lies_there_and_what_is_in_doubt_is_of_the_table() -> None:
    watched = Watched()
    first, later = watched.see((*LAID[:-1], replace(LAID[-1], sure=False)), (*LAID[:-1], replace(LAID[-1], sure=False)))
    assert kinds(first) == kinds(later) == read(LAID[:-1])
    assert watched.watcher.prints == 1


def test_a_face_in_doubt_lies_there_still_where_a_recording_goes_on() -> None:
    tiles = (*LAID[:-1], replace(LAID[-1], sure=False))
    first, later = Watched(begun=True).see(tiles, tiles)
    assert kinds(first) == kinds(later) == read(tiles)


def test_no_tile_in_the_first_minute_is_said_with_the_last_picture() -> None:
    finder = KnowingFinder()
    frames = list(filmed([MatObservation(20_000 * number) for number in range(6)], finder))
    finder.looks = [NO_TILES] * len(frames)
    with pytest.raises(NoTableError, match="no tile in the first 60 s") as error:
        found_table(frames, finder)
    assert error.value.image is frames[4].image


def test_a_black_video_is_said_to_be_black() -> None:
    finder, black = KnowingFinder(), np.zeros((720, 960, 3), np.uint8)
    finder.looks = [NO_TILES]
    with pytest.raises(NoTableError, match="no tile in the first 60 s; the last picture is black"):
        found_table([TimedFrame(0, black)], finder)


def askew(number: int, score: float = 0.9) -> Callable[[list[FoundTile]], list[FoundTile]]:
    """A finder that finds a face across, by its number."""

    def found(tiles: list[FoundTile]) -> list[FoundTile]:
        across = replace(tiles[number], angle_deg=(tiles[number].angle_deg + 90.0) % 180.0, score=score)
        return [*tiles[:number], across, *tiles[number + 1 :]]

    return found


def test_a_face_that_the_finder_boxes_now_here_now_there_is_one() -> None:
    watched = Watched()

    def boxed(px: float, score: float) -> MatObservation:
        return watched.found(LAID, lambda found: [replace(found[0], x_px=found[0].x_px + px, score=score), *found[1:]])

    watched.see(LAID)
    for _ in range(4):
        seen = [*(boxed(0.0, 0.5) for _ in range(3)), boxed(5.0, 0.95), boxed(5.0, 0.95), watched.found(LAID, without(0))]
        assert [len(each.tiles) for each in seen] == 6 * [len(LAID)]


def angles(observation: MatObservation) -> list[float]:
    """How far each face is from upright, in whole tens of degrees."""
    return sorted(round(abs((tile.angle_deg + 90.0) % 180.0 - 90.0), -1) for tile in observation.tiles if tile.face_up)


def test_a_face_that_one_look_finds_turned_by_a_quarter_lies_as_before() -> None:
    watched = watching(LAID, LAID)
    seen = watched.found(LAID, askew(3))
    assert angles(seen) == [0.0] * len(LAID)
    assert kinds(seen) == read(LAID)


def test_a_face_of_which_every_box_is_a_quarter_off_is_read_and_learnt_the_other_way_and_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    watched, learnt = Watched(begun=True, learns=True), list[CropView]()
    monkeypatch.setattr(LearningJudge, "learn", lambda _judge, view, _x_mm, _y_mm: learnt.append(view))
    watched.see(LAID[1:])
    look, part = watched.classifier.look, dict.fromkeys(Foreign, 0.0) | {Foreign.PART: 0.5}

    def upright(crops: NDArray[np.uint8]) -> list[CropView]:
        """A crop with cloth at its top or bottom is in doubt."""
        bare = (np.abs(crops[:, (1, -2), CROP_W // 2].astype(int) - CLOTH).max(axis=2) < 9).any(axis=1)
        return [replace(view, foreign=part) if in_part else view for view, in_part in zip(look(crops), bare, strict=True)]

    watched.classifier.look = upright  # type: ignore[method-assign]
    for number in range(12):
        seen = watched.found(LAID, askew(0, score=0.9), 500 + 3000 * number)
    assert kinds(seen) == kinds(MatObservation(0, LAID))
    assert angles(seen) == [0.0] * len(LAID)
    assert learnt
    assert not any(view.foreign is part for view in learnt)


@pytest.mark.parametrize(("said", "read"), [(ALL_TILES[9], ALL_TILES[9]), (ALL_TILES[20], None)])
def test_a_pale_face_is_read_with_more_contrast_if_that_says_what_was_likeliest(said: Tile, read: Tile | None) -> None:
    """A lamp had made a 1p pale, and it was asked about."""
    watched, pale = Watched(begun=True), (replace(LAID[0], shares={ALL_TILES[9]: 0.7}, sure=False), *LAID[1:])
    look, clear = watched.classifier.look, np.full(len(ALL_TILES), 1e-5)
    clear[said] = 0.995

    def dark(crops: NDArray[np.uint8]) -> list[CropView]:
        """A crop with dark marks is surely read."""
        return [replace(view, kinds=clear) if crop.min() == 0 else view for view, crop in zip(look(crops), crops, strict=True)]

    watched.classifier.look = dark  # type: ignore[method-assign]
    *_, seen = watched.see(*3 * [pale])
    assert kinds(seen)[round(LAID[0].x_mm / 10), round(LAID[0].y_mm / 10)] is read


def test_a_face_that_was_found_askew_at_first_is_laid_straight_when_more_looks_say_so() -> None:
    watched = watching(LAID[:3] + LAID[4:])
    assert 90.0 in angles(watched.found(LAID, askew(3, score=0.5)))
    assert angles(watched.found(LAID, list)) == [0.0] * len(LAID)


def test_a_face_that_two_looks_have_read_does_not_become_a_piece_of_a_tile() -> None:
    watched = watching(*6 * [LAID])
    look = watched.classifier.look
    piece = dict.fromkeys(Foreign, 0.0) | {Foreign.PART: 0.99}
    watched.classifier.look = lambda crops: [replace(view, kinds=view.kinds / 100, foreign=piece) for view in look(crops)]  # type: ignore[method-assign]
    assert kinds(watched.found(LAID, list, 60_000)) == read(LAID)


@pytest.mark.parametrize(("washed", "part"), [(True, {}), (False, {Foreign.BACK: 0.99})], ids=["washed out", "a back"])
def test_a_face_is_hidden_as_it_was_read_though_the_last_look_could_not_read_it(
    washed: bool, part: dict[Foreign, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = watching(*6 * [LAID])
    look, foreign = watched.classifier.look, dict.fromkeys(Foreign, 0.0) | part
    blank = np.eye(len(ALL_TILES))[Tile.WHITE]
    with monkeypatch.context() as patch:
        patch.setattr(proved_tiles, "washed", lambda _: washed)
        patch.setattr(watched.classifier, "look", lambda crops: [replace(view, kinds=blank / 100, foreign=foreign) for view in look(crops)])
        assert ALL_TILES[0] not in kinds(watched.found(LAID, list, 60_000)).values()
    upper = replace(LAID[0], x_mm=LAID[0].x_mm + 10, shares={ALL_TILES[20]: 0.995})
    for at_ms in (60_250, 60_500, 60_750):
        seen = watched.found((upper, *LAID[1:]), list, at_ms)
    assert ALL_TILES[0] in kinds(seen).values()


@pytest.mark.parametrize("ways", [(-1,), (1,), (-1, 1)])
def test_half_of_a_tile_is_none_however_surely_it_is_read_and_both_halves_are_the_tile(ways: tuple[int, ...]) -> None:
    watched = watching(*4 * [LAID[:-1]])

    def halved(found: list[FoundTile]) -> list[FoundTile]:
        *others, whole = found[: len(LAID)]
        half = replace(whole, width_px=0.79 * whole.width_px, height_px=0.86 * whole.height_px, angle_deg=(whole.angle_deg + 90) % 180)
        return [*(replace(half, y_px=half.y_px + way * 0.25 * whole.height_px) for way in ways), *others]

    assert kinds(watched.found(LAID, halved)) == read(LAID if len(ways) > 1 else LAID[:-1])


@pytest.mark.parametrize(("looks", "beside", "lies"), [(4, False, True), (3, False, False), (4, True, False)])
def test_a_face_whose_marks_alone_are_found_is_one_after_a_turn_unless_a_tile_is_beside_it(looks: int, beside: bool, lies: bool) -> None:
    """On a white board a 9p was not taken for 22 s."""
    watched, other = Watched(), replace(LAID[0], x_mm=LONE.x_mm + 30.0, y_mm=LONE.y_mm)
    laid = (LONE, *LAID[1:], *[other] * beside)
    watched.see(*4 * [laid[1:]])

    def marks(found: list[FoundTile]) -> list[FoundTile]:
        return [replace(found[0], width_px=0.8 * found[0].width_px, height_px=0.8 * found[0].height_px), *found[1:]]

    for _ in range(looks):
        seen = watched.found(laid, marks)
    assert kinds(seen) == read(laid if lies else laid[1:])


def test_halves_of_two_tiles_that_touch_are_no_third_one_between_them() -> None:
    row = [replace(tile, x_mm=26.5 * number, y_mm=108.0) for number, tile in enumerate(LAID[:6])]
    watched = watching(*4 * [row])
    halves = watched.found(row, lambda found: [half_of(found[0], 1), half_of(found[1], -1), *found[2:]])
    assert kinds(halves) == read(row)


def half_of(tile: FoundTile, way: int) -> FoundTile:
    """The left (-1) or right half of a tile."""
    return replace(tile, x_px=tile.x_px + way * tile.width_px / 4, width_px=tile.width_px / 2)


def test_bright_spots_that_together_are_as_large_as_a_tile_are_no_blank_face() -> None:
    watched, spot = watching(LAID), replace(LAID[0], x_mm=330.0, y_mm=330.0, shares={})
    for _ in range(3):
        seen = watched.found((spot, *LAID), lambda found: [half_of(found[0], -1), half_of(found[0], 1), *found[1:]])
    assert kinds(seen) == read(LAID)


@pytest.mark.parametrize(("way", "kept"), [(0.0, True), (90.0, False)])
def test_a_face_of_which_the_finder_sees_a_part_is_still_there_though_it_looks_otherwise(way: float, kept: bool) -> None:
    watched = watching(*4 * [LAID])
    (frame,) = filmed([MatObservation(1000, LAID)], watched.finder)
    *others, last = watched.finder.looks[-1].tiles[: len(LAID)]
    part = replace(last, width_px=0.75 * last.width_px, height_px=0.75 * last.height_px, angle_deg=(last.angle_deg + way) % 180)
    image = frame.image.copy()
    cv2.fillConvexPoly(image, last.outline_px().astype(np.int32), (120, 90, 160))
    seen = watched.observe(image, FoundTable((part, *others), watched.finder.looks[-1].covering), 1000)
    assert kinds(seen) == read(LAID if kept else LAID[:-1])


@pytest.mark.parametrize(("away_mm", "lies"), [(60.0, True), (300.0, False)])
def test_a_face_alone_in_the_first_picture_lies_in_a_river_or_is_of_the_table(away_mm: float, lies: bool) -> None:
    alone = ObservedTile(away_mm, -away_mm, 0.0, shares={Tile.RED: 0.995}, sure=True)
    (seen,) = Watched().see((*LAID, alone))
    assert (Tile.RED in kinds(seen).values()) == lies
