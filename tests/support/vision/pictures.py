"""Pictures drawn on request: tiles on a gate's floor and on a mat with markers, and a phone's QR codes under the camera."""

from functools import cache
from typing import Literal

import cv2
import numpy as np
import segno
from numpy.typing import NDArray

from twinwall.art.designs import SIMULATOR_DESIGN, Design, Flower
from twinwall.art.faces import draw_face
from twinwall.art.mat import Mat, Slot
from twinwall.art.raster import paint, raster
from twinwall.game.tiles import Tile

Picture = NDArray[np.uint8]
GATE_W, GATE_H = 640, 480
FELT = (60, 80, 30)
MAT_PX_PER_MM = 1.7
MAT_SIDE_PX = 1280


def face(what: Tile | Flower | Literal["back"], height_px: int, design: Design = SIMULATOR_DESIGN) -> Picture:
    """A face, a flower or ``back`` as BGRA."""
    if isinstance(what, Flower):  # noqa: SIM108  # two ways to draw read better apart
        pixels = paint(draw_face(design, what), design, Tile.WHITE, height_px)
    else:
        pixels = raster(design, what, height_px)
    return np.ascontiguousarray(pixels[:, :, (2, 1, 0, 3)])


def laid(ground: Picture, sprite: Picture, centre: tuple[float, float], angle_deg: float, scale: float = 1.0) -> Picture:
    """A sprite (BGRA) laid on a picture around a point in px, turned counter-clockwise."""
    height, width = sprite.shape[:2]
    reach = scale * np.hypot(width, height) / 2 + 2
    (left, top), (right, bottom) = np.clip([np.array(centre) - reach, np.array(centre) + reach], 0, ground.shape[1::-1]).astype(int)
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), angle_deg, scale)
    matrix[:, 2] += np.array(centre) - (width / 2 + left, height / 2 + top)
    over = cv2.warpAffine(sprite, matrix, (right - left, bottom - top)).astype(np.float32)
    part = (slice(top, bottom), slice(left, right))
    alpha = over[:, :, 3:] / 255
    picture = ground.copy()
    picture[part] = (ground[part] * (1 - alpha) + over[:, :, :3] * alpha).round().astype(np.uint8)
    return picture


def empty_gate(rng: np.random.Generator, level: float = 62.0) -> Picture:
    """A dark rough floor under light that falls off to one side."""
    slope = np.linspace(0.85, 1.15, GATE_W, dtype=np.float32)[None, :, None]
    rough = rng.standard_normal((GATE_H, GATE_W, 1), np.float32) * np.float32(5) + np.float32(level)
    floor = rough * slope + rng.standard_normal((GATE_H, GATE_W, 3), np.float32) * np.float32(2)
    return np.clip(floor, 0, 255).astype(np.uint8)


def gate_with(sprite: Picture, rng: np.random.Generator, *, turned: bool = False) -> Picture:
    """A gate frame with a sprite a little off and askew, unevenly lit, with a camera's noise."""
    centre = (GATE_W / 2 + rng.uniform(-14, 14), GATE_H / 2 + rng.uniform(-14, 14))
    angle = float(rng.uniform(-3, 3)) + (180.0 if turned else 0.0)
    picture = laid(empty_gate(rng), sprite, centre, angle).astype(np.float32)
    slope = np.linspace(float(rng.uniform(0.82, 1.02)), float(rng.uniform(0.82, 1.02)), GATE_W, dtype=np.float32)[None, :, None]
    corners = np.array([(0, 0), (GATE_W, 0), (GATE_W, GATE_H), (0, GATE_H)], np.float32)
    lens = cv2.getPerspectiveTransform(corners, (corners + rng.uniform(-8, 8, (4, 2))).astype(np.float32))
    seen = cv2.warpPerspective(picture * slope, lens, (GATE_W, GATE_H), borderMode=cv2.BORDER_REPLICATE)
    seen = cv2.GaussianBlur(seen, (5, 5), float(rng.uniform(0.4, 1.1)))
    noise = rng.standard_normal(seen.shape, np.float32) * np.float32(2.5)
    noisy = np.clip(seen + noise, 0, 255).astype(np.uint8)
    encoded = cv2.imencode(".jpg", noisy, (cv2.IMWRITE_JPEG_QUALITY, 90))[1]
    return np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), np.uint8)


def noisy(picture: Picture, level: float, seed: int) -> Picture:
    """A picture with a sensor's noise (its standard deviation in grey levels). OpenCV draws it fifteen times as fast as NumPy."""
    cv2.setRNGSeed(seed)
    noise = np.empty(picture.size, np.int16)
    cv2.randn(noise, np.zeros(1), np.full(1, level))
    return np.asarray(cv2.add(picture, noise.reshape(picture.shape), dtype=cv2.CV_8U), np.uint8)


@cache
def _felt() -> Picture:
    rng = np.random.default_rng(9)
    return np.clip(np.array(FELT) + rng.normal(0, 4, (MAT_SIDE_PX, MAT_SIDE_PX, 1)), 0, 255).astype(np.uint8)


class MatPicture:
    """A mat seen squarely from above, on which tiles can be laid; no thickness, so no parallax."""

    def __init__(self, mat: Mat, *, covered_markers: tuple[int, ...] = (), shift_px: tuple[float, float] = (0.0, 0.0)) -> None:
        self._mat = mat
        self._shift = np.array(shift_px) + MAT_SIDE_PX / 2
        self.picture: Picture = _felt().copy()
        for number in set(range(4)) - set(covered_markers):
            self._print_marker(number)

    def lay(self, tile: Tile | Flower, slot: Slot, offset_mm: tuple[float, float] = (0.0, 0.0), angle_deg: float = 0.0) -> None:
        """A tile near a slot; the angle is counter-clockwise from the player's upright."""
        spot = self._mat.spot(slot)
        sprite = face(tile, 144)
        scale = self._mat.tile_height_mm * MAT_PX_PER_MM / sprite.shape[0]
        self.picture = laid(
            self.picture, sprite, self._px(spot.x_mm + offset_mm[0], spot.y_mm + offset_mm[1]), spot.turn_deg + angle_deg, scale
        )

    def cover(self, slot: Slot, colour: tuple[int, int, int] = (120, 150, 205)) -> None:
        """Something much larger than a tile lies over a slot: an arm, by default."""
        spot = self._mat.spot(slot)
        x, y = (round(value) for value in self._px(spot.x_mm, spot.y_mm))
        self.picture = self.picture.copy()
        self.picture[y - 60 : y + 60, x - 50 : x + 120] = colour

    def _px(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        x, y = np.array((x_mm, y_mm)) * MAT_PX_PER_MM + self._shift
        return float(x), float(y)

    def _print_marker(self, number: int) -> None:
        x_sign, y_sign = ((-1, 1), (1, 1), (1, -1), (-1, -1))[number]
        side = round(self._mat.marker_mm * MAT_PX_PER_MM)
        marker = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), number, side)
        marker = cv2.copyMakeBorder(marker, 12, 12, 12, 12, cv2.BORDER_CONSTANT, value=(235,))
        x, y = self._px(x_sign * self._mat.marker_centre_mm, y_sign * self._mat.marker_centre_mm)
        left, top = round(x - len(marker) / 2), round(y - len(marker) / 2)
        self.picture[top : top + len(marker), left : left + len(marker)] = marker[:, :, None]


def printed_mat(mat: Mat, lighter: float = 1.18) -> MatPicture:
    """A mat with the printed outlines of its slots, so much lighter than its cloth."""
    picture = MatPicture(mat)
    lines = np.zeros((MAT_SIDE_PX, MAT_SIDE_PX), np.float32)
    for spot in map(mat.spot, mat.all_slots()):
        ends = [np.array((spot.x_mm, spot.y_mm)) + sign * np.array(mat.tile_at(spot)) / 2 for sign in (-1, 1)]
        first, second = (tuple(np.rint((end * MAT_PX_PER_MM + MAT_SIDE_PX / 2) * 16).astype(int).tolist()) for end in ends)
        cv2.rectangle(lines, first, second, 1.0, 1, cv2.LINE_AA, 4)
    lit = picture.picture * (1 + (lighter - 1) * lines[:, :, None])
    picture.picture = np.clip(np.rint(lit), 0, 255).astype(np.uint8)
    return picture


WIDTH, HEIGHT = 1280, 720
READ_PX = 4.0
"""So wide a module is in the picture where the phone is held half-way up to the camera."""
_BORDER = 4
_FINE = 4
_AROUND = 70
"""The grey of what is beside the phone; only the code itself is drawn finely."""


def seen_phone(text: str, rng: np.random.Generator, *, module_px: float = READ_PX) -> Picture:
    """A camera's frame (BGR) with a phone that shows the code of a text: turned by any angle, tilted, a little blurred, with noise."""
    drawn = _drawn(text)
    side = drawn.shape[0]
    angle = np.deg2rad(rng.uniform(-180, 180))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * side * module_px / 2
    corners[:2] *= 1 - rng.uniform(0, 0.1)
    middle = np.array([WIDTH / 2, HEIGHT / 2]) + rng.uniform(-60, 60, 2)
    placed = (corners @ turn.T + middle).astype(np.float32) * _FINE
    code = cv2.resize(drawn, None, fx=16, fy=16, interpolation=cv2.INTER_NEAREST)
    size = float(code.shape[0])
    from_code = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32)
    left, top = (np.floor(placed.min(axis=0) / _FINE).astype(int) - 1).tolist()
    right, bottom = (np.ceil(placed.max(axis=0) / _FINE).astype(int) + 1).tolist()
    placing = cv2.getPerspectiveTransform(from_code, (placed - np.array([left, top]) * _FINE).astype(np.float32))
    size_fine = (right - left) * _FINE, (bottom - top) * _FINE
    fine = cv2.warpPerspective(code, placing, size_fine, flags=cv2.INTER_AREA, borderValue=(_AROUND, _AROUND, _AROUND))
    room = max(0, -left, -top, right - WIDTH, bottom - HEIGHT)
    seen = np.full((HEIGHT + 2 * room, WIDTH + 2 * room), _AROUND, np.uint8)
    seen[top + room : bottom + room, left + room : right + room] = cv2.resize(
        fine, (right - left, bottom - top), interpolation=cv2.INTER_AREA
    )
    seen = seen[room : room + HEIGHT, room : room + WIDTH]
    frame = cv2.GaussianBlur(seen, (0, 0), 0.7)
    seen = noisy(np.asarray(cv2.convertScaleAbs(frame, alpha=0.75, beta=40), np.uint8), 4, int(rng.integers(1 << 31)))
    return np.asarray(cv2.cvtColor(seen, cv2.COLOR_GRAY2BGR), np.uint8)


def module_count(text: str) -> int:
    """The modules along a side of a text's code, without its border."""
    return len(segno.make(text, error="l").matrix)


def _drawn(text: str) -> Picture:
    """One pixel a module, with its border."""
    rows = segno.make(text, error="l").matrix_iter(border=_BORDER)
    return np.array([[0 if dark else 255 for dark in row] for row in rows], np.uint8)
