"""Table watcher: turns the finder's answers, picture by picture, into mat observations, without a mat.

A face is read when it arrives, and again only while in doubt. Backs are reported only where they may be a concealed kong, because the
recorder's decoder has no use for walls and hands.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from vision.anytable.camera_moves import SAME_PLACE_MM, Landmarks
from vision.anytable.ground import Ground, gaps, hidden_squares
from vision.anytable.lying_faces import TOUCHING_MM, UNDER_MM, LoneParts, RestingFace, likeliest, read_again, without_doubles
from vision.anytable.plane import TILE_MM, TablePlane, apart
from vision.anytable.seats import Squares, covered_squares, mostly_in, on_table, squares_around, squares_below
from vision.finder.found import LOOKS_IN_TURN, PIECED, FoundTable, FoundTile, TileForm, filled, outlines_px
from vision.mat_observation import MatObservation, ObservedTile
from vision.model.bare_crop import washed
from vision.model.classifier import Classifier
from vision.model.judge import Judge
from vision.model.learning_judge import LearningJudge
from vision.table.lens import Points
from vision.table.proved_tiles import Crops, DoubtLimits, ProvedTile, look_at, observed_back
from vision.table.tile_pose import TilePose, cut, turned

_DOUBT = DoubtLimits(clearness=0.6, no_tile=0.05)
"""Measured on drawn tables (``benchmarks.anytable``): squares of a printed cloth that resemble tiles look like pieces of tiles."""
_ALIKE_LEVELS = 20.0
"""A face that the finder misses is still there if its pixels differ by less than this on average from its first crop."""
_ONE_KONG_MM, _ROW_MM, _BACKS_OF_KONGS = 85.0, 20.0, range(2, 9)
"""A concealed kong has two to four backs in a row and at most two faces between; kongs are laid side by side. Backs may seem turned."""
_MOST_TURN_VOTES = 4.0
"""The most votes that an orientation keeps, about six looks, so that a tile which really was turned is noticed soon."""
_LEAST_VOTE, _FORM_VOTE = 0.1, 2.0
"""The least weight of a vote, and how fast it falls as the box's form differs from the tile's: half as long again leaves the least."""
_RIVERS_MM = 250.0
"""Rivers are within this distance from the middle."""
_LEAST_LOOKS = 8
"""Outlines of faces found less often are not used: a moving hand may have held them."""
_LEAST_AREA = 0.7
"""Least area of a whole face, as a share of a tile's: drawn whole faces have at least 0.76, halves about 0.55; on a path-traced table 6 of
4,276 looks at whole faces and all 199 at parts have less."""
_PUSHED_MM, _LEAST_SHARE = 60.0, 0.05
"""Tiles are pushed no further than this. A kind with a smaller share of a look was not seen there."""
_OVERLAP_MM = 24.0
"""Two tiles cannot rest with their middles closer than this: such a pair are the halves of a standing tile."""
_LEAST_BLANK, _LEAST_BACK = 3, 3
"""A blank face must be found this many times as often as another form there, a back in this many pictures of a turn: at some sizes the
finder takes white walls and hands for them."""
_MOST_OFF_MM = 3.0
"""The pieces of one face end at most this far from its sides."""
_LEAST_KNOWN = 4
"""With fewer known faces the watcher cannot say whether a picture shows the table."""
_OBSTRUCTED_MS = 20_000
"""If the table seems hidden for longer, the light has changed, and the tiles that were there are gone."""
_Seen = tuple[TilePose, FoundTile, Points]
"""A face in a picture: its pose on the table, as the finder has it, and its outline (4 × 2 mm)."""


class TableWatcher:
    """Watches one table. The plane is given, and corrected when the camera is moved."""

    def __init__(self, plane: TablePlane, classifier: Classifier, judge: Judge, *, begun: bool = False) -> None:
        """``begun`` says that tiles are on the table in the first picture. Otherwise a doubtful face there is the table's print."""
        self.plane, self._begun = plane, begun
        self.moves = 0
        """How often the camera was moved."""
        self.prints = 0
        """How many places of the bare table look like faces."""
        self._classifier, self._judge = classifier, judge
        self._faces: list[RestingFace] = []
        self._lone = LoneParts()
        self._gone: list[Points] = []
        self._ground: Ground | None = None
        self._landmarks, self._shown_ms = Landmarks(), 0
        self._backs = deque[tuple[Points, Points]](maxlen=LOOKS_IN_TURN)
        """For each of the last pictures: the places of backs, and those of walls and hands."""
        self._next = 0

    def observe(self, image: NDArray[np.uint8], look: FoundTable, at_ms: int) -> MatObservation | None:
        """Return what a picture (h × w × 3 BGR) shows, given the finder's ``look``; None if it does not show the table: the camera is being
        moved, or a finger is on the lens."""
        if not self._shows_table(image, look, at_ms):
            return None
        crops = partial(cut, image, np.zeros(2), np.array(TILE_MM))
        look = self._with_washed_faces(look, crops)
        tiles, poses = on_table(self.plane, look.tiles)
        seen = [self._placed(tile, pose) for tile, pose in zip(tiles, poses, strict=True)]
        covered, may_be = covered_squares(self.plane, look, (image.shape[1], image.shape[0]))
        outlines = self.plane.points_mm(outlines_px(tiles).reshape(-1, 2)).reshape(-1, 4, 2)
        found = [each for each in zip(seen, tiles, outlines, strict=True) if each[0].face_up]
        faces, parts = ([each for each in found if _is_whole(each[2]) is whole] for whole in (True, False))
        clear = [not may_be & squares_around(tile) for tile, *_ in parts]
        whole = self._lone.whole(_middles(tile for tile, *_ in parts), _middles(seen), clear)
        lone, parts = ([each for each, is_whole in zip(parts, whole, strict=True) if is_whole is wanted] for wanted in (True, False))
        faces += [*lone, *self._pieced(parts, _middles(tile for tile, *_ in (*faces, *lone)))]
        self._follow(faces, [tile for tile, *_ in parts], crops, (covered, may_be))
        squares = hidden_squares(look, faces=True)
        self._note_gaps(image, squares, crops)
        self._count_against(look.tiles)
        now = [each.proved for each in self._faces if each.found]
        look_at(now, crops, self._classifier, self._judge, at_ms * 1_000_000, doubt=_DOUBT)
        read_again(self._faces, at_ms, crops, self._classifier, self._judge, doubt=_DOUBT)
        if self._ground is None:
            self._forget_prints(self.plane.poses([tile for tile in look.tiles if tile.form is TileForm.WALL])[:, :2])
            self._ground = Ground(image, look, [self._corners_px(each.proved.tile) for each in self._faces])
        self._ground.see(image, squares)
        for each in self._faces:
            each.note_read()
        self._faces = without_doubles(self._faces)
        half = [each for each in self._faces if each.under is None and self._is_half_hidden(each, covered)]
        self._faces = [each for each in self._faces if each not in half]
        lying = [(each, face) for each in self._faces if (face := each.observed) is not None and self._is_reported(each, face)]
        observed = [face for _, face in lying]
        if isinstance(self._judge, LearningJudge):
            self._teach(self._judge, [each for each, _ in lying])
        backs = [observed_back(tile) for tile in self._kong_backs(seen, look.tiles)]
        beside = (each.proved.tile for each in self._faces if each.beside and covered & each.bare)
        below = (each.proved.tile for each in self._faces if each.under is not None and mostly_in(may_be, each.proved.tile))
        hidden = [*(each.proved.tile for each in (*half, *self._faces) if each in half or each.observed is None), *beside, *below]
        covered = covered.union(*map(squares_below, hidden))
        return MatObservation(at_ms, (*backs, *observed), covered)

    def _pieced(self, pieces: Sequence[_Seen], whole: Points) -> Iterator[_Seen]:
        """Yield faces that the finder has only in pieces, which together fill a tile's outline, and not between two tiles that were seen
        whole. Only a sure read of such a face counts."""
        at, size = _middles(tile for tile, *_ in pieces), np.array(TILE_MM)
        for (tile, found, _), near in zip(pieces, apart(at, at) < TILE_MM[1] / 2, strict=True):
            outlines = np.array([outline for (*_, outline), beside in zip(pieces, near, strict=True) if beside])
            for angle_deg in (tile.angle_deg, (tile.angle_deg + 90.0) % 180.0) if near.sum() > 1 else ():
                middle, off = filled(outlines, angle_deg, size)
                if (np.abs(off) > _MOST_OFF_MM).any() or (apart(middle[None], whole) < _OVERLAP_MM).any():
                    continue
                face = replace(found, score=PIECED)
                pose = self._placed(face, np.append(middle, angle_deg))
                known = (each for each in self._faces if each.under is None and not each.pieced)
                if all(each.place_of(pose) or each.off_mm(pose) > _OVERLAP_MM for each in known):
                    whole = np.concatenate((whole, middle[None]))
                    yield pose, face, pose.corners_mm(size)

    def _with_washed_faces(self, look: FoundTable, cut_from: Crops) -> FoundTable:
        """Turn backs that may be faces washed out by light into faces."""
        backs = [tile for tile in look.tiles if tile.form is TileForm.BACK]
        crops = cut_from([self._placed(tile, pose) for tile, pose in zip(backs, self.plane.poses(backs), strict=True)])
        faces = {tile for tile, crop in zip(backs, crops, strict=True) if washed(crop)}
        return replace(look, tiles=tuple(replace(tile, form=TileForm.FACE) if tile in faces else tile for tile in look.tiles))

    def _note_gaps(self, image: NDArray[np.uint8], hidden: NDArray[np.bool_], cut_from: Crops) -> None:
        """Note which blank faces look like the table; those seen often are checked only now and then."""
        found = [(each, _blank(each.observed)) for each in self._faces if each.found and each.observed]
        blanks = [each for each, blank in found if blank and (each.looks < _LEAST_LOOKS or each.looks % LOOKS_IN_TURN == 0)]
        poses = ([each.proved.tile for each in chosen] for chosen in (blanks, [each for each, blank in found if not blank]))
        for each, blank in found:
            each.empty &= blank
        for each, empty in zip(blanks, gaps(image, hidden, cut_from, *poses), strict=True):
            each.empty = empty

    def _count_against(self, tiles: Sequence[FoundTile]) -> None:
        """Count this picture against a face that looks empty, has a tile of another form on it, or a wall but no face with marks beside
        it."""
        others = self.plane.points_mm(np.array([(tile.x_px, tile.y_px) for tile in tiles]).reshape(-1, 2))
        faces, stand = (np.array([tile.form is form for tile in tiles], bool) for form in (TileForm.FACE, TileForm.STANDING))
        at = _middles(each.proved.tile for each in self._faces)
        shown = at[[bool(each.observed and not _blank(each.observed)) for each in self._faces]]
        away = apart(at, others)
        walled = (away[:, ~faces & ~stand] < TOUCHING_MM).any(axis=1) & ~(apart(at, shown) < TOUCHING_MM).any(axis=1)
        over = (away[:, ~faces] < _OVERLAP_MM).any(axis=1)
        for each, by_wall, other in zip(self._faces, *np.stack((walled, over)).tolist(), strict=True):
            each.otherwise += by_wall or (each.found and each.empty) or (not each.found and other)

    def _teach(self, judge: LearningJudge, lying: Sequence[RestingFace]) -> None:
        """Let the judge learn from looks at whole faces; from a face in doubt only from the second look on."""
        for each in lying:
            proved, seen = each.proved, each.proved.observed
            if each.found and proved.view is not None and seen is not None and (seen.sure or proved.looks > 1):
                judge.learn(proved.view, proved.tile.x_mm, proved.tile.y_mm)
                proved.view = None

    def _forget_prints(self, walls: Points) -> None:
        """Keep of the first picture only sure faces, not blank, in the rivers or touching a tile: the others may be the table's print."""
        if self._begun:
            return
        read = [each for each in self._faces if (seen := each.proved.observed) is not None and seen.sure and not _blank(seen)]
        at = _middles(each.proved.tile for each in read)
        beside = (apart(at, np.concatenate((at, walls))) < TOUCHING_MM).sum(axis=1) > 1
        lying = [each for each, lies in zip(read, beside | (np.abs(at).max(axis=1, initial=0.0) < _RIVERS_MM), strict=True) if lies]
        self.prints, self._faces = len(self._faces) - len(lying), lying

    def _is_reported(self, lying: RestingFace, face: ObservedTile) -> bool:
        """Whether a face is reported. One in sight is, but for three: a blank seen once (a spot of the table?), a blank where other forms
        are often found (the white back of a wall's tile?), and a doubtful one over a hidden face (part of it?). A hidden one is only if a
        later tile of another kind rests on its edge and it was not pushed aside since."""
        if lying.under is None:
            hidden = (each for each in self._faces if each.under is not None)
            part = not face.sure and (lying.pieced or any(each.place_of(lying.proved.tile) for each in hidden))
            return not _blank(face) or (1 < lying.looks >= _LEAST_BLANK * lying.otherwise and not part)
        if lying.beside:
            return False
        kind, since = likeliest(face), lying.under
        assert kind is not None  # what is hidden has been read
        seen = [(other, read.shares) for other in self._faces if other.under is None and (read := other.observed)]
        later = [(other.proved.tile, shares) for other, shares in seen if other.came > lying.since]
        on_it = any(lying.may_be_under(tile) and shares and shares.get(kind, 0.0) < _LEAST_SHARE for tile, shares in later)
        alike = (other.proved for other, shares in seen if shares.get(kind, 0.0) >= _LEAST_SHARE)
        return on_it and all(lying.off_mm(other.tile) > _PUSHED_MM for other in alike if other.number > since)

    def _is_half_hidden(self, lying: RestingFace, covered: Squares) -> bool:
        """Whether a face beside a covering thing is over a hidden face of another kind, or a little beside one of its kind: a finger may
        show so."""
        kind, tile = None if lying.observed is None else likeliest(lying.observed), lying.proved.tile
        hidden = ((each.off_mm(tile), read) for each in self._faces if each.under is not None and (read := each.read))
        other = any(off_mm < UNDER_MM[1] and (likeliest(read) is not kind or off_mm > UNDER_MM[0]) for off_mm, read in hidden)
        return other and bool(covered & squares_around(tile))

    def outlines_mm(self) -> list[Points]:
        """Return the outlines (4 × 2 mm) of the faces now in sight, and of those gone since the last call."""
        gone, self._gone = self._gone, []
        return gone + [each.outlines / each.looks for each in self._faces if each.looks >= _LEAST_LOOKS and each.under is None]

    def drawn_at(self) -> list[tuple[Points, ProvedTile]]:
        """Return the outlines (4 × 2 px) of the faces in sight, with what was read of them."""
        return [(self._corners_px(each.proved.tile), each.proved) for each in self._faces if each.under is None]

    def _corners_px(self, tile: TilePose) -> Points:
        return self.plane.project(tile.corners_mm(np.array(TILE_MM)))

    def _placed(self, tile: FoundTile, pose: Points) -> TilePose:
        x_mm, y_mm, angle_deg = pose.tolist()
        own = np.eye(3)
        own[:2, :2], own[:2, 2] = turned(angle_deg), pose[:2]
        return TilePose(x_mm, y_mm, angle_deg, tile.score, tile.form is TileForm.FACE, self.plane.to_picture @ own, (0.0, 0.0))

    def _follow(self, faces: Sequence[_Seen], parts: Sequence[TilePose], cut_from: Crops, hiding: tuple[Squares, Squares]) -> None:
        """Match a picture's faces with the known ones. One that is missed is still there if it looks as before or ``parts`` show it; one
        that looks different beside a covering thing may be under it. A found face is none if the bare table looks the same there.
        ``hiding``: squares covered, or perhaps."""
        covered, may_be = hiding
        left, kept, lost, away = list(faces), list[RestingFace](), list[RestingFace](), list[RestingFace]()
        read = [each for each in self._faces if each.under is None and each.read is not None and not self._is_half_hidden(each, covered)]
        for lying in self._faces:
            if lying.under is not None:
                if lying.is_hidden(read, [tile for tile, *_ in faces], hiding):
                    kept.append(lying)
                elif not _is_near(lying, faces):
                    lost.append(lying)
                continue
            there = next((each for each in left if lying.place_of(each[0]) and not lying.is_seen_better_as(each[0])), None)
            if there is not None and lying.has_turn_of(there[0]) and not lying.proved.same_place(there[0]):
                there = there if _alike(lying.crop, cut_from([lying.proved.tile])[0]) else None
            vote = 0.0 if there is None else self._vote(*there[:2])
            lying.found = there is not None and lying.has_turn_of(there[0])
            if there is not None and (lying.found or lying.turn_votes > vote):
                left.remove(there)
                kept.append(lying)
                if lying.found:
                    lying.add_look(there[0], there[2])
                lying.turn_votes = min(lying.turn_votes + (vote if lying.found else -vote), _MOST_TURN_VOTES)
            elif not covered & squares_below(lying.proved.tile) and not _is_near(lying, faces):
                lost.append(lying)
            else:
                away.append(lying)
        crops = cut_from([lying.proved.tile for lying in lost])
        for lying, crop, bare in zip(lost, crops, self._bare([lying.proved.tile for lying in lost], crops), strict=True):
            lying.missed += 1
            in_part = lying.under is None and any(lying.place_of(tile) and lying.has_turn_of(tile) for tile in parts)
            if not bare and (in_part or _alike(lying.crop, crop)) and (lying.looks > 1 or lying.missed <= LOOKS_IN_TURN):
                lying.under, lying.beside = None, False
                kept.append(lying)
            elif lying.under is not None:
                continue
            elif mostly_in(may_be, lying.proved.tile):
                away.append(lying)
            elif covered & lying.bare:
                lying.beside = True
                away.append(lying)
            else:
                self._keep_outline(lying)
        for lying in away:
            self._keep_outline(lying)
            if lying.read is not None:
                lying.found, lying.under = False, self._next
                kept.append(lying)
        hidden = {each for each in (*self._faces, *kept) if each.under is not None}
        self._faces = [*kept, *self._new_faces(left, hidden, cut_from)]
        for lying in self._faces:
            if lying.found:
                lying.bare = squares_around(lying.proved.tile) - covered

    def _new_faces(self, faces: Sequence[_Seen], hidden: Iterable[RestingFace], cut_from: Crops) -> Iterator[RestingFace]:
        """Yield the new faces, unless the bare table looks the same there, each with the ``hidden`` faces at its place."""
        crops = cut_from(tiles := [tile for tile, *_ in faces])
        for (tile, found, outline), crop, bare in zip(faces, crops, self._bare(tiles, crops), strict=True):
            if not bare:
                self._next += 1
                before = tuple(each for each in hidden if each.place_of(tile))
                yield RestingFace(ProvedTile(self._next, tile), crop, outline, self._next, before, turn_votes=self._vote(tile, found))

    def _bare(self, tiles: Sequence[TilePose], crops: NDArray[np.uint8]) -> list[bool | None]:
        """Whether the bare table looks like these tiles' crops; None if unknown."""
        return self._ground.shows(tiles, crops) if self._ground is not None else [None] * len(tiles)

    def _vote(self, tile: TilePose, found: FoundTile) -> float:
        """Return the weight of a look for a tile's orientation: the score, less if the box's form does not fit that orientation."""
        corners = self._corners_px(tile)
        across, along = np.hypot(*(corners[1] - corners[0])), np.hypot(*(corners[2] - corners[1]))
        return found.score * max(_LEAST_VOTE, 1 - _FORM_VOTE * abs(float(np.log(found.height_px * across / (found.width_px * along)))))

    def _keep_outline(self, lying: RestingFace) -> None:
        if lying.looks >= _LEAST_LOOKS:
            self._gone.append(lying.outlines / lying.looks)

    def _kong_backs(self, seen: Sequence[TilePose], tiles: Sequence[FoundTile]) -> list[TilePose]:
        """Return the backs in groups of a size that concealed kongs have, and not beside a wall or hand of the last pictures."""
        backs = [tile for tile in seen if not tile.face_up]
        at = _middles(backs)
        halves = (apart(at, at) < _OVERLAP_MM).sum(axis=1) > 1
        built = [tile for tile in tiles if tile.form in (TileForm.WALL, TileForm.STANDING)]
        self._backs.append((at, np.concatenate((self.plane.poses(built)[:, :2], at[halves]))))
        looks = np.sum([(apart(at, points) < SAME_PLACE_MM).any(axis=1) for points, _ in self._backs], axis=0)
        backs = [tile for tile, count in zip(backs, looks, strict=True) if count >= _LEAST_BACK]
        middles, others = at[looks >= _LEAST_BACK], np.concatenate([points for _, points in self._backs])
        own = np.array([tile.own_mm(middles) for tile in backs]).reshape(len(backs), len(backs), 2)
        in_row = np.asarray((np.sort(np.abs(own), axis=2) < (_ROW_MM, _ONE_KONG_MM)).all(axis=2), np.bool_)
        joined = np.linalg.matrix_power(in_row | in_row.T, len(backs))  # by a chain of neighbours
        near = np.asarray((apart(others, middles) < TOUCHING_MM).any(axis=0))
        return [back for back, group in zip(backs, joined, strict=True) if group.sum() in _BACKS_OF_KONGS and not near[group].any()]

    def _shows_table(self, image: NDArray[np.uint8], look: FoundTable, at_ms: int) -> bool:
        """Whether a picture shows the table; the plane is corrected first if the camera was moved."""
        steady = [tile for tile in look.tiles if tile.form is not TileForm.STANDING]
        plane = self._landmarks.plane(self.plane, steady, (image.shape[1], image.shape[0]), at_ms)
        if plane is None:
            return False
        if plane is not self.plane:
            moved = plane.to_picture @ np.linalg.inv(self.plane.to_picture)
            for each in self._faces:
                each.proved.tile = replace(each.proved.tile, plane=moved @ each.proved.tile.plane)
            if self._ground is not None:
                self._ground.to_first = self._ground.to_first @ np.linalg.inv(moved)
            self.plane, self.moves = plane, self.moves + 1
        points = plane.poses(steady)[:, :2]
        if at_ms - self._shown_ms < _OBSTRUCTED_MS and self._is_obstructed(image, steady):
            return False
        self._shown_ms = at_ms
        self._landmarks.note(points, at_ms)
        return True

    def _is_obstructed(self, image: NDArray[np.uint8], found: Sequence[FoundTile]) -> bool:
        """Whether fewer than half of the known faces are found, and most of their places look neither as before nor bare: people who sweep
        the tiles together leave the table bare."""
        lying = [each for each in self._faces if each.under is None]
        faces = sum(tile.form is TileForm.FACE for tile in found)
        if 2 * faces >= len(lying):
            return False
        tiles = [each.proved.tile for each in lying]
        crops = cut(image, np.zeros(2), np.array(TILE_MM), tiles)
        looks = zip(lying, crops, self._bare(tiles, crops), strict=True)
        seen = [bare or _alike(each.crop, crop) for each, crop, bare in looks if bare is not None]
        return len(seen) >= max(_LEAST_KNOWN, len(found)) and 2 * max(sum(seen), faces) < len(seen)


def _is_near(lying: RestingFace, faces: Iterable[_Seen]) -> bool:
    return any(lying.off_mm(tile) < TILE_MM[0] * 0.8 for tile, *_ in faces)


def _middles(tiles: Iterable[TilePose]) -> Points:
    """Return the middles of tiles (n × 2 mm)."""
    return np.array([(tile.x_mm, tile.y_mm) for tile in tiles]).reshape(-1, 2)


def _alike(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    """Whether two crops show the same thing in the same light."""
    return float(np.abs(other.astype(np.float32) - one).mean()) < _ALIKE_LEVELS


def _is_whole(outline_mm: Points) -> bool:
    """Whether an outline (4 × 2 mm) is large enough for a whole tile: half a 4p would be read as a sure 2p."""
    return float(cv2.contourArea(outline_mm.astype(np.float32))) > _LEAST_AREA * TILE_MM[0] * TILE_MM[1]


def _blank(seen: ObservedTile) -> bool:
    """Whether a face shows no marks, as far as it could be read."""
    return likeliest(seen) in (None, Tile.WHITE)
