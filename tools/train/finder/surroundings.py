"""What is around tiles: the table's surface, things on it, hands over it, its light, and the camera's faults."""

import colorsys

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tools.train.finder.tabletop import Eye, Picture, turned_by
from twinwall.values import frozen_identity

_GROUND_MM, _GROUND_PX, _PRINT_PX = 1500.0, 640, 1600


def bgr(hue: float, saturation: float, value: float) -> NDArray[np.float64]:
    """A colour from hue, saturation and value (0 to 1)."""
    return np.array(colorsys.hsv_to_rgb(hue % 1.0, min(max(saturation, 0), 1), min(max(value, 0), 1))[::-1]) * 255


def _any_colour(rng: Generator, darkest: float = 0.05, lightest: float = 0.95) -> NDArray[np.float64]:
    return bgr(rng.random(), rng.random() ** 0.7, rng.uniform(darkest, lightest))


def _noise(rng: Generator, rows: int, columns: int) -> NDArray[np.float32]:
    """Smooth noise of a picture's size, about 0."""
    small = rng.normal(0, 1, (max(rows, 2), max(columns, 2))).astype(np.float32)
    return np.asarray(cv2.resize(small, (_GROUND_PX, _GROUND_PX), interpolation=cv2.INTER_CUBIC), np.float32)


def surface(rng: Generator, body: NDArray[np.float64] | None = None) -> Picture:
    """A table's surface of some 1.5 m from above: cloth, wood, print, stone or an automatic table; at times of the colour ``body``."""
    if rng.random() < 0.3:
        return _repeated(rng)
    kind = rng.random()
    if body is not None and rng.random() < 0.12:
        folds = _noise(rng, *rng.integers(3, 12, 2).tolist()) * rng.uniform(0, 22)
        ground: NDArray[np.generic] = body * rng.uniform(0.82, 1.12, 3 if rng.random() < 0.5 else 1) + folds[..., None]
    elif kind < 0.35:  # cloth
        hue = rng.choice((0.33, 0.38, 0.45, 0.58, 0.62, 0.0, 0.8, 0.08)) + rng.normal(0, 0.03)
        colour = bgr(hue, rng.uniform(0.2, 0.95), rng.uniform(0.1, 0.7))
        ground = colour + (_noise(rng, 5, 5) * rng.uniform(0, 10) + _noise(rng, 320, 320) * rng.uniform(0, 14))[..., None]
    elif kind < 0.6:  # wood
        colour = bgr(rng.uniform(0.03, 0.11), rng.uniform(0.15, 0.7), rng.uniform(0.2, 0.9))
        grain = _noise(rng, int(rng.integers(60, 300)), int(rng.integers(2, 8))) + 0.6 * _noise(rng, 640, int(rng.integers(5, 30)))
        ground = _as_picture(colour * (1 + rng.uniform(0.03, 0.16) * grain)[..., None])
        if rng.random() < 0.5:
            for edge in range(0, _GROUND_PX, int(rng.integers(40, 200))):
                cv2.line(ground, (0, edge), (_GROUND_PX, edge), tuple((colour * 0.4).tolist()), int(rng.integers(1, 4)))
    elif kind < 0.8:  # print: two to four colours in blobs, checks or stripes
        colours = [_any_colour(rng) for _ in range(int(rng.integers(2, 5)))]
        ground = _as_picture(np.tile(colours[0], (_GROUND_PX, _GROUND_PX, 1)))
        step = int(rng.integers(8, 90))
        for number, colour in enumerate(colours[1:]):
            form = rng.random()
            if form < 0.45:
                ground[_noise(rng, _GROUND_PX // step, _GROUND_PX // step) > 0.6] = colour
            elif form < 0.75:
                width = max(step // int(rng.integers(2, 9)), 1)
                for at in range(number * step // 2, _GROUND_PX, step):
                    cv2.line(ground, (at, 0), (at, _GROUND_PX), tuple(colour.tolist()), width)
                    if form < 0.6:
                        cv2.line(ground, (0, at), (_GROUND_PX, at), tuple(colour.tolist()), width)
            else:
                for _ in range(int(rng.integers(20, 200))):
                    x, y = rng.integers(0, _GROUND_PX, 2).tolist()
                    axes = (int(rng.integers(2, step + 3)), int(rng.integers(2, step + 3)))
                    thick = -1 if rng.random() < 0.6 else 2
                    cv2.ellipse(ground, (x, y), axes, float(rng.uniform(0, 180)), 0, 360, tuple(colour.tolist()), thick)
    elif kind < 0.86:  # stone, paper, a bed, a plain board
        colour = bgr(rng.random(), rng.uniform(0, 0.25), rng.uniform(0.25, 1.0))
        ground = colour + (_noise(rng, 6, 6) * rng.uniform(2, 25) + _noise(rng, 40, 40) * rng.uniform(0, 15))[..., None]
        if rng.random() < 0.5:  # veins
            where = _noise(rng, *rng.integers(5, 30, 2).tolist())
            ground = (
                ground - (rng.uniform(10, 90) * np.exp(-(((where - rng.uniform(-0.5, 0.5)) / rng.uniform(0.02, 0.12)) ** 2)))[..., None]
            )
    else:
        ground = _automatic(rng)
    return _as_picture(ground)


def _automatic(rng: Generator) -> Picture:
    """An automatic table or a printed mat: cloth with lines, boxes, slits and a console."""
    colour = bgr(rng.uniform(0.25, 0.7), rng.uniform(0.2, 0.9), rng.uniform(0.1, 0.6))
    ground = _as_picture(colour + (_noise(rng, 160, 160) * rng.uniform(0, 10))[..., None])
    line = tuple(np.clip(colour * rng.uniform(1.3, 2.2), 0, 255).tolist())
    middle, scale = _GROUND_PX // 2, _GROUND_PX / _GROUND_MM
    for _ in range(int(rng.integers(0, 60))):
        width, height = (np.array((26, 36) if rng.random() < 0.7 else (150, 220)) * scale).astype(int)
        x, y = (middle + rng.normal(0, 120, 2)).astype(int).tolist()
        cv2.rectangle(ground, (x, y), (x + int(width), y + int(height)), line, 1)
    if rng.random() < 0.7:  # the slits of the lifts that raise the walls
        slit, away, wide = tuple(np.clip(colour * rng.uniform(0.2, 0.8), 0, 255).tolist()), rng.uniform(190, 300), rng.uniform(26, 48)
        half = int(rng.uniform(180, 290) * scale)
        for at in (middle + round(side * (away + off) * scale) for side in (-1, 1) for off in (0.0, wide)):
            cv2.line(ground, (middle - half, at), (middle + half, at), slit, int(rng.integers(1, 3)))
            cv2.line(ground, (at, middle - half), (at, middle + half), slit, int(rng.integers(1, 3)))
    side = int(rng.uniform(40, 90) * scale)
    cv2.rectangle(ground, (middle - side, middle - side), (middle + side, middle + side), tuple(_any_colour(rng).tolist()), -1)
    for _ in range(int(rng.integers(2, 14))):
        x, y = rng.integers(middle - side, middle + side, 2).tolist()
        text, size, ink = str(rng.integers(0, 100)), float(rng.uniform(0.3, 0.9)), tuple(_any_colour(rng).tolist())
        cv2.putText(ground, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, ink, 2)
    return ground


def _repeated(rng: Generator) -> Picture:
    """A sharp print that is repeated: flowers, leaves, rings, boxes, letters and lines; every second column may be half a cell lower."""
    side = int(np.exp(rng.uniform(np.log(28), np.log(260))))
    base = _any_colour(rng) if rng.random() < 0.5 else bgr(rng.random(), rng.uniform(0, 0.25), rng.uniform(0.7, 1))
    cell = _as_picture(np.tile(base, (side, side, 1)))
    for _ in range(int(rng.integers(1, 6))):
        _motif(cell, rng)
    if rng.random() < 0.4:
        cell = np.concatenate((cell, np.roll(cell, side // 2, axis=0)), axis=1)
    count = -(-_PRINT_PX // side)
    ground = np.tile(cell, (count, -(-_PRINT_PX // cell.shape[1]), 1))[:_PRINT_PX, :_PRINT_PX]
    return np.ascontiguousarray(ground)


def _motif(cell: Picture, rng: Generator) -> None:
    """One thing of a print, in place; what leaves the cell on one side comes in on the other."""
    side, ink, form = len(cell), tuple(_any_colour(rng, 0.05, 1.0).tolist()), rng.random()
    x, y, size, turn = *rng.uniform(0, side, 2), float(rng.uniform(0.06, 0.45) * side), rng.uniform(0, 360)
    thick = -1 if rng.random() < 0.6 else int(rng.integers(1, 4))
    shifts = [(a * side, b * side) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    long, petals, text = float(rng.uniform(0.3, 0.8)), int(rng.integers(3, 9)), chr(int(rng.integers(48, 123)))
    if form < 0.2:
        width = int(rng.integers(1, max(side // 12, 2) + 1))
        cv2.line(cell, (0, int(y)), (side, int(y)), ink, width)
        if form < 0.14:
            cv2.line(cell, (int(x), 0), (int(x), side), ink, width)
        return
    for over, down in shifts:
        at = round(x + over), round(y + down)
        if form < 0.45:  # a flower, or a leaf
            for petal in range(petals if form < 0.36 else 1):
                way = np.deg2rad(turn + 360 * petal / petals)
                middle = round(at[0] + 0.6 * size * np.cos(way)), round(at[1] + 0.6 * size * np.sin(way))
                axes = max(round(0.5 * size), 1), max(round(0.5 * size * long), 1)
                cv2.ellipse(cell, middle, axes, float(np.rad2deg(way)), 0, 360, ink, thick, cv2.LINE_AA)
        elif form < 0.6:
            cv2.circle(cell, at, max(round(size / 2), 1), ink, thick, cv2.LINE_AA)
        elif form < 0.85:  # a box, often of a tile's form
            box = cv2.boxPoints((at, (size * (0.72 if form < 0.75 else long), size), float(round(turn / 90) * 90 if form < 0.8 else turn)))
            if thick < 0 and form > 0.66:
                cv2.fillConvexPoly(cell, np.rint(box).astype(np.int32), ink, cv2.LINE_AA)
            else:
                cv2.polylines(cell, [np.rint(box).astype(np.int32)], True, ink, max(thick, 1), cv2.LINE_AA)
        else:
            cv2.putText(cell, text, at, cv2.FONT_HERSHEY_DUPLEX, size / 25, ink, max(thick, 1), cv2.LINE_AA)


def _as_picture(colours: NDArray[np.generic]) -> Picture:
    return np.asarray(np.clip(colours, 0, 255), np.uint8)


def lay_ground(rng: Generator, eye: Eye, width: int, height: int, body: NDArray[np.float64]) -> Picture:
    """The surface as the camera sees it (h × w × 3), with the room beyond the table's edge; ``body`` is the colour of tiles."""
    picture = surface(rng, body)
    turn = rng.uniform(0, 2 * np.pi)
    half = _GROUND_MM / 2
    corners = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    turned = corners @ turned_by(turn)
    seen = eye.project(np.column_stack((turned, np.zeros(4))))
    smaller = len(picture) / max(float(np.linalg.norm(seen[1] - seen[0])), 1.0)
    if smaller > 1.4:
        picture = np.asarray(cv2.blur(picture, (min(round(smaller), 9),) * 2), np.uint8)
    source = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * len(picture)
    matrix = cv2.getPerspectiveTransform(source, seen.astype(np.float32))
    image = cv2.warpPerspective(picture, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    if rng.random() < 0.5:  # the table's edge: a rim, then the floor
        reach = rng.uniform(330, 520)
        rim = eye.project(np.column_stack((corners / half * reach, np.zeros(4))))
        wide = eye.project(np.column_stack((corners / half * (reach + rng.uniform(15, 80)), np.zeros(4))))
        inside, border = np.zeros((height, width), np.uint8), np.zeros((height, width), np.uint8)
        cv2.fillConvexPoly(border, np.rint(wide).astype(np.int32), 255)
        cv2.fillConvexPoly(inside, np.rint(rim).astype(np.int32), 255)
        floor = cv2.resize(surface(rng), (width, height))
        image[border == 0] = floor[border == 0]
        wood = bgr(rng.uniform(0.03, 0.12), rng.uniform(0.1, 0.7), rng.uniform(0.2, 1.0))
        edge = (_any_colour(rng) if rng.random() < 0.5 else wood).astype(np.uint8)
        image[(border > 0) & (inside == 0)] = edge
    return np.asarray(image, np.uint8)


def prints(image: Picture, eye: Eye, rng: Generator) -> None:
    """Outlines of a tile's size as mats have them, in rows and blocks, and square markers, in place."""
    over = image.copy()
    ink = np.clip(image.reshape(-1, 3).mean(axis=0) * rng.uniform(0.4, 2.2) + rng.normal(0, 12, 3), 0, 255)
    wide, high = rng.uniform(24, 30), rng.uniform(33, 40)
    first_row = rng.uniform(80, 120)
    thick = 1 if rng.random() < 0.7 else 2
    for place in range(4):
        axes = turned_by(np.deg2rad(90 * place))
        blocks = ((6, 4, first_row, -3.0), (13, 1, first_row + 4.2 * high, -6.5), (12, 1, first_row + 6.2 * high, -6.0))
        for columns, rows, away, start in blocks:
            if rng.random() < 0.15:
                continue
            for row in range(rows):
                for column in range(columns):
                    left, top = (start + column) * wide * 1.05, away + row * high * 1.05
                    own = np.array([(left, top), (left + wide, top), (left + wide, top + high), (left, top + high)])
                    outline = eye.project(np.column_stack((own @ axes, np.zeros(4))))
                    cv2.polylines(over, [np.rint(outline * 16).astype(np.int32)], True, tuple(ink.tolist()), thick, cv2.LINE_AA, 4)
        if rng.random() < 0.5:
            corner, cell = np.array((rng.uniform(280, 340),) * 2), 44 / 6
            bits = np.pad(np.pad(rng.integers(0, 2, (4, 4)), 1), 1, constant_values=1)
            for (row, column), bit in np.ndenumerate(bits):
                own = corner + np.array([(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)]) * cell
                outline = eye.project(np.column_stack((own @ axes, np.zeros(4))))
                cv2.fillConvexPoly(over, np.rint(outline).astype(np.int32), (235,) * 3 if bit else (15,) * 3)
    image[:] = cv2.addWeighted(over, float(share := rng.uniform(0.25, 1.0)), image, 1 - float(share), 0)


def shadows(image: Picture, footprints: list[NDArray[np.float64]], rng: Generator, scale_px: float) -> None:
    """Soft shadows beside tiles, in place: ``footprints`` are their outlines on the table (px), ``scale_px`` a tile's width."""
    if not footprints:
        return
    mask = np.zeros(image.shape[:2], np.uint8)
    off = rng.normal(0, 0.22 * scale_px, 2)
    for outline in footprints:
        hull = cv2.convexHull(np.concatenate((outline, outline + off)).astype(np.float32))
        cv2.fillConvexPoly(mask, np.asarray(hull, np.int32).reshape(-1, 2), 255)
    soft = cv2.blur(mask, (max(int(scale_px * rng.uniform(0.1, 0.6)), 1),) * 2).astype(np.float32)[..., None] / 255
    image[:] = (image * (1 - soft * rng.uniform(0.15, 0.65))).astype(np.uint8)


def things(image: Picture, eye: Eye, rng: Generator, covering: NDArray[np.uint8] | None) -> None:
    """Score sticks, dice, cards, phones, cups and papers, in place; with ``covering`` they hide what is there and are marked in it."""
    for _ in range(int(rng.integers(0, 4))):
        x, y, turn = *rng.normal(0, 220, 2), rng.uniform(0, 2 * np.pi)
        form = rng.random()
        wide, high, colour = (
            (rng.uniform(60, 75), rng.uniform(5, 8), bgr(0.1, rng.uniform(0, 0.2), 0.92))
            if form < 0.3
            else (*(rng.uniform(10, 17),) * 2, bgr(0.1, 0.05, 0.95))
            if form < 0.45
            else (rng.uniform(55, 70), rng.uniform(85, 100), bgr(rng.random(), rng.uniform(0, 0.3), rng.uniform(0.6, 1)))
            if form < 0.6
            else (rng.uniform(65, 80), rng.uniform(135, 165), bgr(rng.random(), 0.2, rng.uniform(0.02, 0.3)))
            if form < 0.75
            else (rng.uniform(60, 95), 0.0, _any_colour(rng))
            if form < 0.9
            else (rng.uniform(100, 210), rng.uniform(100, 297), bgr(0.1, rng.uniform(0, 0.1), rng.uniform(0.8, 1)))
        )
        if high:
            own = np.array([(-wide, -high), (wide, -high), (wide, high), (-wide, high)]) / 2
        else:
            round_ = np.linspace(0, 2 * np.pi, 24, endpoint=False)
            own = np.stack((np.cos(round_), np.sin(round_)), axis=1) * wide / 2
        spots = own @ turned_by(turn) + (x, y)
        outline = np.rint(eye.project(np.column_stack((spots, np.full(len(spots), 10.0 if high else 60.0))))).astype(np.int32)
        cv2.fillConvexPoly(image, outline, tuple(colour.tolist()), cv2.LINE_AA)
        if not high:
            inner = np.rint(outline.mean(axis=0) + 0.8 * (outline - outline.mean(axis=0))).astype(np.int32)
            cv2.fillConvexPoly(image, inner, tuple((colour * rng.uniform(0.2, 0.9)).tolist()), cv2.LINE_AA)
        elif form < 0.45:
            for _ in range(int(rng.integers(1, 6))):
                spot = eye.project(np.array([x + rng.uniform(-5, 5), y + rng.uniform(-5, 5), 10.0]))
                cv2.circle(image, tuple(np.rint(spot).astype(int).tolist()), 1, tuple(_any_colour(rng, 0, 0.5).tolist()), -1)
        elif form < 0.75:
            inner = np.rint(outline.mean(axis=0) + 0.85 * (outline - outline.mean(axis=0))).astype(np.int32)
            cv2.fillConvexPoly(image, inner, tuple(_any_colour(rng, 0.0, 0.9).tolist()), cv2.LINE_AA)
        if covering is not None:
            cv2.fillConvexPoly(covering, outline, 255)


@frozen_identity
class DrawnArm:
    """An arm in a picture: its palm (px), the way to its shoulder (of length 1), how wide hand and arm are (px), and their colours."""

    goal: NDArray[np.float64]
    way: NDArray[np.float64]
    hand_px: float
    arm_px: float
    skin: NDArray[np.float64]
    sleeve: NDArray[np.float64]


def hands(image: Picture, rng: Generator, covering: NDArray[np.uint8], tile_px: float) -> None:
    """Arms with hands that reach in from the picture's edge, in place and in ``covering``; ``tile_px`` is a tile's width."""
    height, width = image.shape[:2]
    for _ in range(1 if rng.random() < 0.7 else 2):
        skin, sleeve = skin_and_sleeve(rng)
        goal = rng.uniform((0.1 * width, 0.1 * height), (0.9 * width, 0.9 * height))
        angle = rng.uniform(0, 2 * np.pi)
        hand, arm = rng.uniform(2.2, 4.2) * tile_px, rng.uniform(1.8, 4.0) * tile_px
        draw_arm(image, covering, DrawnArm(goal, np.array((np.cos(angle), np.sin(angle))), hand, arm, skin, sleeve), rng)


def skin_and_sleeve(rng: Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The colours of somebody's arm."""
    skin = bgr(rng.uniform(0.02, 0.09), rng.uniform(0.2, 0.65), rng.uniform(0.25, 0.98))
    return skin, _any_colour(rng) if rng.random() < 0.7 else skin


def draw_arm(image: Picture, covering: NDArray[np.uint8], arm: DrawnArm, rng: Generator) -> None:
    """One arm with its hand and shade, in place and in ``covering``; ``rng`` draws the fingers."""
    goal, way, hand, skin = arm.goal, arm.way, arm.hand_px, arm.skin
    side = np.array((-way[1], way[0]))
    layer, mask = image.copy(), np.zeros(image.shape[:2], np.uint8)
    light = rng.normal(0, 1, 2)
    light = light / np.linalg.norm(light)

    def capsule(start: NDArray[np.float64], end: NDArray[np.float64], thick: float, colour: NDArray[np.float64]) -> None:
        """A limb: darker at its edges, lighter towards the light."""
        a, b = (tuple(np.rint(point).astype(int).tolist()) for point in (start, end))
        cv2.line(mask, a, b, 255, max(int(thick), 2))
        for share, tone in ((1.0, 0.55), (0.86, 0.74), (0.68, 0.9), (0.45, 1.05), (0.22, 1.15)):
            off = light * thick * (1 - share) * 0.3
            a, b = (tuple(np.rint(point + off).astype(int).tolist()) for point in (start, end))
            cv2.line(layer, a, b, tuple(np.clip(colour * tone, 0, 255).tolist()), max(int(thick * share), 1), cv2.LINE_AA)

    wrist = goal + way * hand * 0.9
    capsule(wrist, wrist + way * 3000, arm.arm_px, arm.sleeve)
    capsule(goal + way * hand * 0.3, wrist + way * hand * rng.uniform(0, 1.5), arm.arm_px * 0.75, skin)
    capsule(goal - side * hand * 0.12, goal + side * hand * 0.12 + way * hand * 0.3, hand * 0.75, skin)
    fan, reach = rng.uniform(0.05, 0.3), rng.uniform(0.5, 1.0)
    for finger in range(5):
        lean = (finger - 2) * fan + rng.normal(0, 0.08)
        tip = goal + side * (finger - 2) * hand * 0.17 - (way * np.cos(lean) - side * np.sin(lean)) * hand * reach * rng.uniform(0.6, 1.0)
        capsule(goal + side * (finger - 2) * hand * 0.16, tip, hand * 0.17, skin * rng.uniform(0.88, 1.06))
    if rng.random() < 0.5:  # nails, or patches of another skin
        for finger in range(5):
            spot = tuple(np.rint(goal + side * (finger - 2) * hand * 0.17 - way * hand * reach * 0.8).astype(int).tolist())
            cv2.circle(layer, spot, max(int(hand * 0.06), 1), tuple(np.clip(skin * rng.uniform(0.9, 1.4), 0, 255).tolist()), -1)
    tones, grain, dark = rng.normal(1, 0.12, (6, 6)).astype(np.float32), rng.uniform(0, 0.06), np.float32(rng.uniform(0.1, 0.5))
    left, top, wide, high = cv2.boundingRect(mask)
    if not wide:
        return
    around = int(hand * 0.5) + 2
    part = slice(max(top - around, 0), top + high + around), slice(max(left - around, 0), left + wide + around)
    there, below = image[part], mask[part]
    over = cv2.blur(layer[part], (max(int(hand * 0.05), 1),) * 2)
    tone = cv2.resize(tones, there.shape[1::-1], interpolation=cv2.INTER_CUBIC)[..., None]
    lit = np.clip(over * tone * rng.normal(1, grain, (*there.shape[:2], 1)).astype(np.float32), 0, 255)
    x, y = (light * -hand * 0.15).tolist()
    moved = cv2.warpAffine(below, np.array([(1, 0, x), (0, 1, y)]), below.shape[::-1])
    shade = cv2.blur(moved, (max(int(hand * 0.3), 1),) * 2)[..., None].astype(np.float32) / 255
    there[:] = (there * (1 - shade * dark)).astype(np.uint8)
    soft = cv2.blur(below, (3, 3)).astype(np.float32)[..., None] / 255
    there[:] = (there + soft * (lit - there)).astype(np.uint8)
    covering[mask > 0] = 255


def seen(image: Picture, rng: Generator) -> Picture:
    """What a camera makes of it: lamps of two colours, a shadow, vignetting, glare, focus, noise, sharpening, compression."""
    height, width = image.shape[:2]
    lamps = []
    for _ in range(2):
        tint = np.array((1.0 + rng.normal(0, 0.14), 1.0, 1.0 + rng.normal(0, 0.14)))
        x, y = rng.uniform(-0.5, 1.5, 2)
        grid_y, grid_x = np.mgrid[0:8, 0:8] / 7
        fall = 1 / (1 + rng.uniform(0.2, 3) * ((grid_x - x) ** 2 + (grid_y - y) ** 2))
        lamps.append(fall[..., None] * tint)
    light = sum(lamps) / max(float(np.mean(sum(lamps))), 1e-3)
    if rng.random() < 0.2:
        slope = np.add.outer(np.linspace(-1, 1, 8) * rng.normal(), np.linspace(-1, 1, 8) * rng.normal())
        light = light * (1 - rng.uniform(0.2, 0.6) * (slope > rng.normal(0, 0.5)))[..., None]
    gain = cv2.resize(light.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR) * np.float32(rng.uniform(0.65, 1.4))
    out = image.astype(np.float32) * gain
    out = 255 * np.power(np.clip(out / 255, 0, 1), np.float32(rng.uniform(0.7, 1.4)))
    out = (out - 128) * np.float32(rng.uniform(0.7, 1.15)) + np.float32(128 + rng.uniform(-15, 15))
    focus = rng.random()
    if focus < 0.5:
        out = cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.4, 1.6)))
    elif focus < 0.6:
        kernel = np.zeros((7, 7), np.float32)
        cv2.line(kernel, tuple(rng.integers(0, 7, 2).tolist()), (3, 3), 1.0, 1)
        out = cv2.filter2D(out, -1, kernel / kernel.sum())
    elif focus < 0.75:
        out = out + (out - cv2.GaussianBlur(out, (0, 0), 1.2)) * np.float32(rng.uniform(0.3, 1.3))
    out = out + rng.normal(0, 1, (height, width, 1)).astype(np.float32) * np.float32(rng.uniform(0, 8))
    picture = np.clip(out, 0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        picture = cv2.imdecode(cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 95))))[1], cv2.IMREAD_COLOR)
    return np.asarray(picture, np.uint8)
