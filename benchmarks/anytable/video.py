"""A hand played by simulated people, filmed by a camera over their own table: the frames, and the truth about each."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.anytable.home_table import HOME, tiles_of, wall_end
from benchmarks.anytable.surfaces import SURFACES, lay_surface, unseen_banks, unseen_set
from benchmarks.played_tables.acts import Act, done
from benchmarks.played_tables.hand_on_table import HandOnTable, TableSetup
from benchmarks.played_tables.people_at_table import hand_on_table
from simulator.disturbances.acts import Draw
from simulator.disturbances.kinds import Disturbances
from simulator.disturbances.poses import along_seat, pose_of
from simulator.scene import SIZES_MM, Between, Cover, CoverKind
from simulator.tabletop import Tabletop
from tests.support.recorder.played_hands import PlayedHand
from tools.train.finder.frames import footprint
from tools.train.finder.surroundings import DrawnArm, bgr, draw_arm, shadows, skin_and_sleeve
from tools.train.finder.tabletop import DrawnSet, Eye, Label, Picture, Tile3D, draw, turned_by
from twinwall.art.mat import Mat
from twinwall.values import frozen_identity
from vision.finder.found import CELL_PX

SIZE_PX = 1280, 720
_QUALITY = 80
_EDGE_MM = 580.0
_REACHES_MS, _RESTS_MS, _LEAVES_MS = 800, 100, 500
"""A hand sets out this long before a tile is laid, rests on it, and leaves."""
_HAND_MM, _ARM_MM = 82.0, 68.0
_NOISES = 6


class HandReach(NamedTuple):
    """A hand is at a spot of the table at a time."""

    place: int
    x_mm: float
    y_mm: float
    at_ms: int


@frozen_identity
class FilmFrame:
    """One frame, the tiles that would be seen without hands, and the squares that something covers (rows × columns)."""

    image: Picture
    labels: list[Label]
    covering: NDArray[np.bool_]


class FilmedView(Protocol):
    """Shows a table without the things over it."""

    def seen(self, tiles: list[Tile3D], eye: Eye, bright: NDArray[np.float32]) -> tuple[Picture, list[Label]]:
        """Return the picture in light ``bright`` (h × w × 1) times as bright as usual, and the tiles that are seen."""
        ...


class DrawnView:
    """A drawn table."""

    def __init__(self, surface: str, tile_set: DrawnSet, seed: int, rng: np.random.Generator) -> None:
        self._surface, self._set, self._seed = surface, tile_set, seed
        self._gain, self._light = _lamps(rng)
        self._bare: tuple[Eye, Picture] | None = None

    def seen(self, tiles: list[Tile3D], eye: Eye, bright: NDArray[np.float32]) -> tuple[Picture, list[Label]]:
        """As ``FilmedView``."""
        if self._bare is None or self._bare[0] is not eye:
            self._bare = eye, lay_surface(self._surface, np.random.default_rng([self._seed, 16]), eye, SIZE_PX)
        image = self._bare[1].copy()
        scale = eye.focal_px / float(np.linalg.norm(eye.at_mm)) * self._set.width_mm
        feet = [footprint(tile, self._set.height_mm, eye) for tile in tiles if tile.z_mm == 0]
        shadows(image, feet, np.random.default_rng([self._seed, 17]), scale)
        labels, _ = draw(image, tiles, self._set, eye, self._light)
        return np.clip(image * self._gain * bright, 0, 255).astype(np.uint8), labels


ViewOf = Callable[[str, DrawnSet, int, np.random.Generator], FilmedView]
"""Makes the view of a table with this surface, these tiles and this seed; the generator decides the rest."""


class TableFilm:
    """One hand on one table before one camera, all drawn from ``seed``."""

    def __init__(self, hand: PlayedHand, seed: int, disturbances: Disturbances, view: ViewOf = DrawnView) -> None:
        self._hand, self._seed = hand, seed
        rng = np.random.default_rng([seed, 15])
        self.surface = list(SURFACES)[seed % len(SURFACES)]
        self.on_table = hand_on_table(hand.to_play, disturbances, TableSetup(mat=HOME, seed=seed))
        self._eye = _hung(rng)
        sets = sorted(unseen_banks())
        self.tile_set = sets[seed // len(SURFACES) % len(sets)]
        self._set, self._faces = unseen_set(self.tile_set, rng)
        self._people = [skin_and_sleeve(rng) for _ in range(4)]
        self._view = view(self.surface, self._set, seed, rng)
        self._focus = float(rng.uniform(0.45, 0.85))
        noise = rng.normal(0, rng.uniform(1.5, 3.5), (_NOISES, *SIZE_PX[::-1], 3)).astype(np.float32)
        self._noise = [(np.clip(one, 0, 255).astype(np.uint8), np.clip(-one, 0, 255).astype(np.uint8)) for one in noise]
        self._reaches = tuple(_reaches(self.on_table, HOME))
        self._bumped: tuple[object, Eye] | None = None
        self._drawn: tuple[object, Picture, list[Label]] | None = None

    @property
    def east_side(self) -> int:
        """Where East sits: 0 at the bottom of the picture, then counter-clockwise."""
        sides = self._eye.project(np.array([(*along_seat(place, 0.0, 300.0), 0.0) for place in range(4)]))
        return int((self._hand.east - sides[:, 1].argmax()) % 4)

    def frames(self, period_ms: int, first: int | None = None) -> Iterator[FilmFrame]:
        """Yield what the camera shows; while it is silent the last picture is repeated."""
        last: FilmFrame | None = None
        for number, (at_ms, table, between) in enumerate(self.on_table.frames(period_ms)):
            if first is not None and number >= first:
                return
            last = last if between.silent and last is not None else self._frame(number, at_ms, table, between)
            yield last

    def _frame(self, number: int, at_ms: int, table: Tabletop, between: Between) -> FilmFrame:
        eye, lit, labels = self._lit(table, between)
        image, covering = lit.copy(), np.zeros(SIZE_PX[::-1], np.uint8)
        for cover in between.covers:
            if cover.kind is CoverKind.ARM:
                shoulder = along_seat(cover.place, cover.shoulder_mm, _EDGE_MM)
                arm = self._arm(eye, cover.place, (cover.x_mm, cover.y_mm), shoulder)
                draw_arm(image, covering, arm, np.random.default_rng([self._seed, cover.place]))
            else:
                _thing(image, covering, eye, cover)
        for reach in self._reaches:
            after_ms = at_ms - reach.at_ms
            share = min((_REACHES_MS + after_ms) / (_REACHES_MS - 150), (_RESTS_MS + _LEAVES_MS - after_ms) / _LEAVES_MS, 1.0)
            if share > 0:
                right, near = along_seat((-reach.place) % 4, reach.x_mm, reach.y_mm)
                shoulder = along_seat(reach.place, 0.5 * right, _EDGE_MM)
                goal = along_seat(reach.place, right, near + 30)
                palm = (shoulder[0] + share * (goal[0] - shoulder[0]), shoulder[1] + share * (goal[1] - shoulder[1]))
                arm = self._arm(eye, reach.place, palm, along_seat(reach.place, 0.4 * right, _EDGE_MM + 150))
                draw_arm(image, covering, arm, np.random.default_rng([self._seed, reach.place]))
        plus, minus = self._noise[number * 7 % _NOISES]
        noisy = cv2.subtract(cv2.add(image, plus), minus)
        cells = cv2.resize(covering, (SIZE_PX[0] // CELL_PX, SIZE_PX[1] // CELL_PX), interpolation=cv2.INTER_AREA) > 0
        return FilmFrame(np.asarray(noisy, np.uint8), labels, np.asarray(cells))

    def _arm(self, eye: Eye, place: int, palm: tuple[float, float], shoulder: tuple[float, float]) -> DrawnArm:
        points = np.array([(*palm, 45.0), (*shoulder, 150.0)])
        goal, end = eye.project(points)
        scale = eye.focal_px / max(float((points[0] - eye.at_mm) @ eye.ahead), 100.0)
        way = (end - goal) / max(float(np.linalg.norm(end - goal)), 1.0)
        return DrawnArm(goal, way, _HAND_MM * scale, _ARM_MM * scale, *self._people[place])

    def _lit(self, table: Tabletop, between: Between) -> tuple[Eye, Picture, list[Label]]:
        """Return the camera and the table without the things over it."""
        hung = (between.moved_mm, between.turned_deg)
        if self._bumped is None or self._bumped[0] != hung:
            self._bumped = hung, _bumped(self._eye, *hung)
        eye = self._bumped[1]
        state = (hung, between.light, between.side_light, table.version, len(table.lying), len(table.loose))
        if self._drawn is None or self._drawn[0] != state:
            tiles = tiles_of(table, self._hand.to_play, self._set, self._faces)
            right, lower = (np.linspace(-by, by, side, dtype=np.float32) for by, side in zip(between.side_light, SIZE_PX, strict=True))
            bright = np.float32(between.light) * (1 + right[None, :, None] + lower[:, None, None])
            seen, labels = self._view.seen(tiles, eye, bright)
            self._drawn = state, np.asarray(cv2.GaussianBlur(seen, (0, 0), self._focus), np.uint8), labels
        return eye, self._drawn[1], self._drawn[2]


def write(film: TableFilm, path: Path, frames_per_s: int, facts: dict[str, object], first: int | None = None) -> int:
    """Write a video (.avi) with a .json file of the truth about its frames and the entries of ``facts``; return the number of frames."""
    writer = cv2.VideoWriter(str(path), cv2.CAP_OPENCV_MJPEG, cv2.VideoWriter.fourcc(*"MJPG"), frames_per_s, SIZE_PX)
    writer.set(cv2.VIDEOWRITER_PROP_QUALITY, _QUALITY)
    looks: list[dict[str, object]] = []
    covered: dict[int, str] = {}
    before: list[Label] | None = None
    count = 0
    for count, frame in enumerate(film.frames(1000 // frames_per_s, first), 1):
        writer.write(frame.image)
        if frame.labels is not before:
            before = frame.labels
            looks.append({"frame": count - 1, "tiles": [_row(one) for one in before]})
        if frame.covering.any():
            covered[count - 1] = base64.b64encode(np.packbits(frame.covering).tobytes()).decode()
    writer.release()
    of_film = {"width": SIZE_PX[0], "height": SIZE_PX[1], "east_side": film.east_side, "surface": film.surface, "set": film.tile_set}
    truth = {**facts, **of_film, "frames_per_s": frames_per_s, "frames": count, "looks": looks, "covered": covered}
    path.with_suffix(".json").write_text(json.dumps(truth), encoding="utf-8")
    return count


def _row(one: Label) -> list[float]:
    """Return middle, sides, turn and lean in degrees, form, and whether it is doubtful."""
    sizes = one.x, one.y, one.width, one.height, *np.rad2deg((one.angle, one.lean)).tolist()
    return [*(round(float(value), 2) for value in sizes), int(one.form), one.doubtful]


def _hung(rng: np.random.Generator) -> Eye:
    """Return a camera on a lamp arm at 0.7 to 1.2 m with a lens that shows the whole table."""
    tilt, yaw, far = rng.uniform(0, 25), 90 * rng.integers(4) + rng.normal(0, 4), rng.uniform(750, 1200)
    roll, focal, aim = rng.normal(0, 1.5), 900.0, np.zeros(2)
    corners = np.array([(x * HOME.half_side_mm, y * HOME.half_side_mm, 0.0) for x in (-1, 1) for y in (-1, 1)])
    for _ in range(8):
        eye = Eye.looking_at((float(aim[0]), float(aim[1])), (tilt, yaw, roll), focal, far, (SIZE_PX[0] / 2, SIZE_PX[1] / 2))
        seen = eye.project(corners)
        low, high = seen.min(axis=0), seen.max(axis=0)
        off = ((low + high) / 2 - eye.middle_px) * far / focal
        aim += (off @ np.stack((eye.right, eye.down)))[:2]
        focal *= float(np.min((np.array(SIZE_PX) - 8) / (high - low)))
    return eye


def _bumped(eye: Eye, moved_mm: tuple[float, float], turned_deg: float) -> Eye:
    """Return the camera that sees everything moved and turned on the table."""
    roll = np.deg2rad(turned_deg)
    right, down = np.cos(roll) * eye.right + np.sin(roll) * eye.down, np.cos(roll) * eye.down - np.sin(roll) * eye.right
    return Eye(eye.at_mm - np.array((*moved_mm, 0.0)), right, down, eye.ahead, eye.focal_px, eye.middle_px)


def _lamps(rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return brightness and colour of the light everywhere (h × w × 3), from a warm lamp and a window, and the lamp's direction (3)."""
    y, x = np.mgrid[0:9, 0:16] / (8, 15)[0]
    gain, side = np.zeros((9, 16, 3)), rng.uniform(0, 2 * np.pi)
    for way, tint in ((side, (0.74, 0.93, 1.08)), (side + rng.uniform(2, 4), (1.14, 1.02, 0.92))):
        at = 0.9 + 1.1 * np.cos(way), 0.5 + 1.1 * np.sin(way)
        fall = 1 / (1 + rng.uniform(0.3, 0.9) * ((x - at[0]) ** 2 + (y - at[1]) ** 2))
        gain += np.array(tint) * fall[..., None] * rng.uniform(0.5, 1.0)
    gain *= rng.uniform(0.8, 1.15) / gain.mean()
    light = np.array((np.cos(side), np.sin(side), 1.5))
    return np.asarray(cv2.resize(gain.astype(np.float32), SIZE_PX, interpolation=cv2.INTER_CUBIC)), light / np.linalg.norm(light)


def _thing(image: Picture, covering: Picture, eye: Eye, cover: Cover) -> None:
    """Draw a cup, a phone or a sheet of paper into the picture."""
    rng = np.random.default_rng(int(abs(cover.x_mm * 1000)))
    width, height = SIZES_MM[cover.kind]
    ways = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    round_, square = np.stack((np.cos(ways), np.sin(ways)), axis=1), np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    own = (round_ if cover.kind is CoverKind.CUP else square) * (width / 2, height / 2)
    spots = own @ turned_by(np.deg2rad(cover.turn_deg)) + (cover.x_mm, cover.y_mm)
    colour = {CoverKind.CUP: bgr(rng.random(), 0.5, 0.8), CoverKind.PHONE: bgr(0.6, 0.2, 0.12)}.get(cover.kind, bgr(0.1, 0.04, 0.93))

    def at(z_mm: float, share: float = 1.0) -> NDArray[np.int32]:
        middle = spots.mean(axis=0)
        return np.rint(eye.project(np.column_stack((middle + share * (spots - middle), np.full(len(spots), z_mm))))).astype(np.int32)

    top = {CoverKind.CUP: 90.0, CoverKind.PHONE: 9.0}.get(cover.kind, 0.5)
    outline = cv2.convexHull(np.concatenate((at(0.0), at(top))))
    for canvas, paint in ((image, colour * 0.7), (covering, np.array((255.0,)))):
        cv2.fillConvexPoly(canvas, outline, tuple(paint.tolist()), cv2.LINE_AA)
    cv2.fillConvexPoly(image, at(top), tuple(colour.tolist()), cv2.LINE_AA)
    if cover.kind is not CoverKind.PAPER:
        inner = colour * 0.45 if cover.kind is CoverKind.CUP else bgr(0.58, 0.3, 0.25)
        cv2.fillConvexPoly(image, at(top, 0.88), tuple(inner.tolist()), cv2.LINE_AA)


def _reaches(hand: HandOnTable, mat: Mat) -> Iterator[HandReach]:
    """Yield hands, at every place and time where something is laid, leaves, or is drawn from a wall."""
    table, walls = hand.beginning, [21, 21, 21, 21]
    for timed in hand.acts:
        after = done(table, timed.act)
        if isinstance(timed.act, Draw):
            yield HandReach(timed.act.place, *wall_end(walls[timed.act.wall], timed.act.wall), timed.at_ms)
            walls[timed.act.wall] -= 1
        else:
            changed = sorted(_spots(mat, table) ^ _spots(mat, after))
            if changed:
                x_mm, y_mm = (float(np.mean([spot[axis] for spot in changed])) for axis in (1, 2))
                yield HandReach(_actor(timed.act, x_mm, y_mm), x_mm, y_mm, timed.at_ms)
        table = after


def _spots(mat: Mat, table: Tabletop) -> set[tuple[int, float, float]]:
    poses = [(one.tile.id, pose_of(mat, one)) for one in table.lying]
    return {(number, pose.x_mm, pose.y_mm) for number, pose in poses} | {(one.tile.id, one.x_mm, one.y_mm) for one in table.loose}


def _actor(act: Act, x_mm: float, y_mm: float) -> int:
    """Return whose act it is: the named person, else the nearest one."""
    own = getattr(act, "place", None)
    if isinstance(own, int):
        return own
    return max(range(4), key=lambda place: along_seat((-place) % 4, x_mm, y_mm)[1])
