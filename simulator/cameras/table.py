"""Renders the table from above: the mat and what lies face up on it, with thickness, shadow and light.

The lit picture is kept, and only where a tile came, went or moved is it composed again: first the
mat, then all shadows, then all tiles that reach in. Noise is new in every frame.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from simulator.cameras.cover_layers import WHOLE, Layer, Rect, cover_layer, lay_over, share_of
from simulator.cameras.ground import PX_PER_MM, SIDE_PX, Cloth, Points, View, as_seen, empty_mat, mounted_view, rectangle, turned
from simulator.cameras.optics import (
    BACK_COLOUR,
    FOREIGN,
    Light,
    Noise,
    Picture,
    as_picture,
    face_sprite,
    light_map,
    lit,
    lit_up,
    to_light,
    to_picture,
)
from simulator.scene import BACK, CLEAR, FREE, Between, LaidTile, TableScene
from twinwall.art.designs import SIMULATOR_DESIGN, SIMULATOR_FLOWERS, Design
from twinwall.art.mat import Area, Mat, Slot, Spot
from twinwall.values import frozen

CAMERA_HEIGHT_MM = 1600.0
TILE_THICKNESS_MM = 16.0
_SPRITE_HEIGHT_PX = 72
_SHADOW_PX = 7
_CORNER_MM = 2.8
_RIM_PX = 2.6
_RIM_SHADE = 0.72


@frozen
class TileSet:
    """What the tiles on a table look like: their design, the colour of backs and sides (blue, green, red), how thick a back is."""

    design: Design = SIMULATOR_DESIGN
    back: tuple[int, int, int] = BACK_COLOUR
    side: tuple[int, int, int] = (176, 206, 216)
    back_share: float = 0.4
    """How much of a tile's thickness has the colour of its back."""


USUAL_CLOTH, USUAL_TILES = Cloth(), TileSet()


@frozen
class TableLook:
    """How one camera sees one table: where it hangs, tiles and cloth, gains of the light (uint8 SIDE_PX × SIDE_PX × 3, 1/128), noise."""

    view: View
    gains: Picture
    cloth: Cloth = USUAL_CLOTH
    tiles: TileSet = USUAL_TILES
    noise: float = 2.2
    canvas: Picture | None = None
    """What lies on the table in place of the printed cloth (``ground.CANVAS_SIDE_PX`` square)."""


class TableCamera:
    """The camera over the table; ``seed`` fixes how it was mounted, the light and the felt, as far as no ``look`` says otherwise."""

    def __init__(self, seed: int, mat: Mat, look: TableLook | None = None) -> None:
        rng = np.random.default_rng((seed, 3))
        look = look or usual_look(rng)
        self.view = look.view
        self._mat, self._tiles, self._gains = mat, look.tiles, look.gains
        bare = empty_mat(mat, self.view, rng, look.cloth) if look.canvas is None else as_seen(look.canvas, self.view)
        self._ground = lit(bare, self._gains)
        self._noise = Noise(SIDE_PX, SIDE_PX, look.noise, rng)
        self._composed = self._ground.copy()
        self._patches: dict[LaidTile, Layer] = {}
        self._frame = 0

    def render(self, scene: TableScene, window: Rect | None = None, over: Sequence[Layer] = ()) -> Picture:
        """One exposure: uint8 of shape (1280, 1280, 3), blue, green, red, or the part of it that ``window`` covers.

        ``over`` is what is held over the table in this exposure, the lowest first. Raises ValueError for a
        tile with a face or at a slot that does not exist; the frame before it stays as it was.
        """
        wanted = dict.fromkeys(scene.tiles)
        fresh = {tile: self._patch(tile) for tile in wanted if tile not in self._patches}
        gone = [patch.rect for tile, patch in self._patches.items() if tile not in wanted]
        patches = {tile: fresh.get(tile) or self._patches[tile] for tile in wanted}
        self._patches = dict(sorted(patches.items(), key=lambda one: (one[0].level, -self._far(one[0])))) if fresh else patches
        for rect in (*gone, *(patch.rect for patch in fresh.values())):
            self._compose(rect)
        self._frame += 1
        part = window or WHOLE
        covers = tuple(cover_layer(cover, self.view, self._gains) for cover in scene.between.covers)
        picture = self._seen_through(scene.between, part, (*over, *covers))
        return self._noise.added(picture, self._frame, part.corner)

    def _seen_through(self, between: Between, part: Rect, over: Sequence[Layer]) -> Picture:
        """A part of what is composed, with what is over it, under another light, and where a camera that was moved shows it."""
        moved = between.moved_mm != CLEAR.moved_mm or between.turned_deg != CLEAR.turned_deg
        drawn = WHOLE if moved else part
        picture = drawn.cut(self._composed)
        if over or (between.light, between.side_light) != (CLEAR.light, CLEAR.side_light):
            light = to_light(picture)
            lay_over(light, drawn, over)
            picture = to_picture(np.asarray(light * _brightness(between, drawn), np.float32))
        return part.cut(_moved(picture, between)) if moved else picture

    def _compose(self, rect: Rect) -> None:
        light = to_light(rect.cut(self._ground))
        lay_over(light, rect, self._patches.values())
        rect.cut(self._composed)[:] = to_picture(light)

    def _patch(self, tile: LaidTile) -> Layer:
        """Draw one tile by itself: shadow, sides, face."""
        corners_mm = self._corners_mm(tile)
        above_mm = tile.level * TILE_THICKNESS_MM
        foot, top = self.view.project(corners_mm, above_mm), self.view.project(corners_mm, above_mm + TILE_THICKNESS_MM)
        rect = _around(np.vstack((foot, top)))
        corner, size = np.array(rect.corner), rect.size
        light, cover = self._body(tile, corners_mm, corner, size)
        face, face_cover = _face(tile, top - corner, size, self._tiles)
        light = light * (1 - share_of(face_cover)) + face
        cover = as_picture(cv2.max(cover, face_cover))
        shadow = np.zeros(size[::-1], np.uint8)
        cv2.fillConvexPoly(shadow, np.rint(foot - corner + (1.5, 2.5)).astype(np.int32), 150)
        shadow = cv2.GaussianBlur(shadow, (0, 0), 2.6)
        return Layer.of(rect, lit_up(light, rect.cut(self._gains)), cover, 255 - as_picture(shadow))

    def _far(self, tile: LaidTile) -> float:
        """How far a tile lies from the point below the camera: a nearer one hides the flank of one behind it."""
        spot = self._spot(tile)
        return math.hypot(spot.x_mm + tile.offset_mm[0] - self.view.eye_mm[0], spot.y_mm + tile.offset_mm[1] - self.view.eye_mm[1])

    def _spot(self, tile: LaidTile) -> Spot:
        return Spot(0.0, 0.0, 90 * tile.place) if tile.area == FREE else self._mat.spot(Slot(tile.place, Area(tile.area), tile.index))

    def _corners_mm(self, tile: LaidTile) -> Points:
        """The tile's corners on the mat: its own upper left, upper right, lower right, lower left."""
        spot = self._spot(tile)
        angle = math.radians(spot.turn_deg + tile.angle_deg + (90.0 if tile.sideways else 0.0))
        upright = rectangle(self._mat.tile_width_mm / 2, self._mat.tile_height_mm / 2)
        middle = np.array((spot.x_mm, spot.y_mm)) + np.array(tile.offset_mm)
        return np.asarray(turned(upright, angle) + middle, np.float64)

    def _body(self, tile: LaidTile, corners_mm: Points, corner: Points, size: tuple[int, int]) -> tuple[Light, Picture]:
        """The tile's sides: its outline at rising heights, ivory next to its face and the back's colour next to its back; their light
        times their cover."""
        light = np.zeros((size[1], size[0], 3), np.float32)
        cover = np.zeros(size[::-1], np.uint8)
        outline = _rounded(corners_mm)
        for step in range(5):
            share = step / 4
            points = np.rint((self.view.project(outline, (tile.level + share) * TILE_THICKNESS_MM) - corner) * 16).astype(np.int32)
            from_back = 1 - share if tile.face == BACK else share
            paint = self._tiles.back if from_back < self._tiles.back_share else self._tiles.side
            layer = np.zeros(size[::-1], np.uint8)
            cv2.fillConvexPoly(layer, points, 255, cv2.LINE_AA, 4)
            painted = to_light(np.array([round(part * (0.7 + 0.2 * share)) for part in paint], np.uint8))
            light += (painted - light) * share_of(layer)
            np.maximum(cover, layer, out=cover)
        return light, cover


def usual_look(rng: np.random.Generator) -> TableLook:
    """A camera as a club hangs it, over the table's own cloth and set."""
    view = mounted_view(rng, CAMERA_HEIGHT_MM)
    gains = light_map(SIDE_PX, SIDE_PX, rng, uneven=rng.uniform(0.06, 0.16), vignette=0.16, level=rng.uniform(0.95, 1.08))
    return TableLook(view, gains)


def _brightness(between: Between, part: Rect) -> Light:
    """How many times as bright as usual each pixel of a part is (h × w × 1): evenly, or more on one side."""
    right = between.side_light[0] * _from_middle(part.columns)
    lower = between.side_light[1] * _from_middle(part.rows)
    return np.asarray(between.light * np.maximum(0, 1 + lower[:, None] + right), np.float32)[:, :, None]


def _from_middle(pixels: range) -> NDArray[np.float64]:
    """How far pixels lie from the middle of the picture, of which the edges are at -1 and 1."""
    return np.asarray((np.array(pixels) + 0.5) / (SIDE_PX / 2) - 1, np.float64)


def _moved(picture: Picture, between: Between) -> Picture:
    """The whole picture as a camera shows it that has been pushed."""
    move = np.asarray(cv2.getRotationMatrix2D((SIDE_PX / 2, SIDE_PX / 2), between.turned_deg, 1.0), np.float64)
    move[:, 2] += np.array(between.moved_mm) * PX_PER_MM
    return np.asarray(cv2.warpAffine(picture, move, (SIDE_PX, SIDE_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)


@lru_cache(maxsize=512)
def _sprite(face: str, variant: int, tiles: TileSet) -> NDArray[np.float32]:
    """A face (float32 height × width × 4, light times cover, and cover) whose rim is rounded off and so a little darker."""
    face_and_cover = face_sprite(face, _SPRITE_HEIGHT_PX, variant, tiles.design, tiles.back)
    cover = face_and_cover[:, :, 3]
    body = np.pad((cover > 127).astype(np.uint8), 1)
    depth = np.asarray(cv2.distanceTransform(body, cv2.DIST_L2, 5), np.float32)[1:-1, 1:-1]
    shade = _RIM_SHADE + (1 - _RIM_SHADE) * np.clip(depth / _RIM_PX, 0, 1)
    shaded = np.rint(face_and_cover[:, :, :3] * shade[:, :, np.newaxis]).astype(np.uint8)
    return np.asarray(np.dstack((to_light(shaded) * share_of(cover), share_of(cover))))


def _around(points_px: Points) -> Rect:
    """The pixels that a tile and its shadow can reach, inside the picture."""
    left, top = (max(0, math.floor(value) - _SHADOW_PX) for value in points_px.min(axis=0))
    right, bottom = (min(SIDE_PX, math.ceil(value) + _SHADOW_PX + 2) for value in points_px.max(axis=0))
    if left >= right or top >= bottom:
        raise ValueError(f"a tile around pixel {points_px.mean(axis=0).round().tolist()} lies outside the camera's view")
    return Rect(range(left, right), range(top, bottom))


def _rounded(corners: Points) -> Points:
    points = []
    for index, at in enumerate(corners):
        before, after = corners[index - 1] - at, corners[(index + 1) % 4] - at
        back, forth = before / np.linalg.norm(before) * _CORNER_MM, after / np.linalg.norm(after) * _CORNER_MM
        points += [at + back, at + 0.29 * (back + forth), at + forth]
    return np.array(points)


def _face(tile: LaidTile, corners_px: Points, size: tuple[int, int], tiles: TileSet) -> tuple[Light, Picture]:
    """The face's light times its cover, and its cover, warped between four corners."""
    variant = (tile.place + tile.index) % len(SIMULATOR_FLOWERS) if tile.face == FOREIGN else 0
    sprite = _sprite(tile.face, variant, tiles)
    height, width = sprite.shape[:2]
    source = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) - 0.5
    to_patch = cv2.getPerspectiveTransform(source, corners_px.astype(np.float32))
    warped = np.asarray(cv2.warpPerspective(sprite, to_patch, size, flags=cv2.INTER_LINEAR))
    warped = np.asarray(cv2.GaussianBlur(warped, (3, 3), 0.55), np.float32)
    return np.asarray(warped[:, :, :3], np.float32), np.rint(warped[:, :, 3] * 255).astype(np.uint8)
