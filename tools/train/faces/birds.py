"""Birds of the first bamboo in many styles: the mark that differs most between sets.

They copy no maker's bird. They have a body with wings, tail and legs; some are cut as lines, as most makers cut them.
"""

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tools.train.faces.marks import FACE_H, FACE_W, WHITE, Colour, Face, FaceStyle, blank, pixel

_PAPER = 250
_EDGE = 40


def as_lines(face: Face, rng: Generator) -> Face:
    """The drawing's outlines in its own inks, its inside left open or filled with a pattern; the face's size stays."""
    thick = int(rng.integers(3, 7))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (thick, thick))
    inked = (face < _PAPER).any(axis=2)
    outline = (cv2.morphologyEx(face, cv2.MORPH_GRADIENT, kernel) > _EDGE).any(axis=2)
    kept = outline | (inked & _pattern(face.shape[0], face.shape[1], rng))
    return np.where(kept[..., None], cv2.erode(face, kernel), 255).astype(np.uint8)


def _pattern(height: int, width: int, rng: Generator) -> NDArray[np.bool_]:
    """Where a pattern leaves paint, h × w: nowhere, in strokes, in rows of scales, or around open rings."""
    form = int(rng.integers(0, 4))
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    angle, pitch = float(rng.uniform(0, np.pi)), float(rng.uniform(10, 34))
    u, v = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    match form:
        case 0:
            return np.zeros((height, width), np.bool_)
        case 1:
            bend = float(rng.uniform(0, 12)) * np.sin(v / float(rng.uniform(20, 60)))
            return np.asarray((u + bend) % pitch < pitch * rng.uniform(0.25, 0.6))
        case 2:
            row = np.floor(v / (pitch * 0.6))
            off = np.hypot((u + row % 2 * pitch / 2) % pitch - pitch / 2, v % (pitch * 0.6))
            return np.asarray(np.abs(off - pitch * 0.5) < pitch * 0.14)
        case _:
            off = np.hypot(u % pitch - pitch / 2, v % pitch - pitch / 2)
            return np.asarray(off > pitch * rng.uniform(0.25, 0.42))


def bird(style: FaceStyle, rng: Generator) -> Face:
    """A bird for the first bamboo: body, head, beak, wing, a tail as a fan or as a train, legs, sometimes a stick."""
    face = blank()
    ink = [style.inks[letter] for letter in "dgbr"]
    lean = float(rng.uniform(-0.5, 0.5))
    body_x, body_y = rng.uniform(0.4, 0.6) * FACE_W, rng.uniform(0.42, 0.66) * FACE_H
    long, short = rng.uniform(45, 100), rng.uniform(28, 60)
    turn = float(rng.uniform(10, 95))
    if rng.random() < 0.2:
        _plumes(face, rng, ink, (body_x, body_y))
    else:
        _tail(face, rng, ink, (body_x, body_y), turn)
    if rng.random() < 0.3:
        _ribbons(face, rng, ink, (body_x, body_y))
    body_ink = ink[int(rng.integers(0, 3))]
    cv2.ellipse(face, ((body_x, body_y), (2 * long, 2 * short), turn), body_ink, -1)
    _plumage(face, rng, ink, (body_x, body_y), (long, short, turn))
    heading = np.deg2rad(turn + 180)
    head = (body_x + np.cos(heading) * long * 1.15 + lean * 20, body_y + np.sin(heading) * long * 1.15)
    cv2.line(face, pixel(body_x, body_y), pixel(*head), body_ink, int(short * 0.8))
    cv2.circle(face, pixel(*head), int(rng.uniform(16, 27)), ink[int(rng.integers(0, 4))], -1)
    cv2.circle(face, pixel(head[0] - 4, head[1] - 3), 4, WHITE, -1)
    beak = np.array([[head[0] - 15, head[1] - 7], [head[0] - 46, head[1] + 6], [head[0] - 15, head[1] + 9]], dtype=np.int32)
    cv2.fillPoly(face, [beak], ink[3])
    for side in (-1, 1):
        foot = (body_x + side * rng.uniform(8, 26), min(body_y + short + rng.uniform(40, 80), FACE_H - 12))
        hip, leg = pixel(body_x + side * 10, body_y + short * 0.5), ink[3 if rng.random() < 0.6 else 0]
        cv2.line(face, hip, pixel(*foot), leg, int(rng.integers(5, 10)))
        cv2.line(face, pixel(*foot), pixel(foot[0] - 18, foot[1] + 5), ink[3], 5)
    if rng.random() < 0.45:
        face = as_lines(face, rng)
    if rng.random() < 0.45:
        _perch(face, rng, style)
    if rng.random() < 0.2:
        cv2.rectangle(face, pixel(40, FACE_H - 40), pixel(FACE_W - 40, FACE_H - 16), style.inks["g"], -1)
    filled = _filling_the_face(face, rng)
    return np.ascontiguousarray(filled[:, ::-1]) if rng.random() < 0.5 else filled


def _filling_the_face(face: Face, rng: Generator) -> Face:
    """The drawing as large as most makers cut it: from two thirds of the face to all of it, in width and height apart."""
    rows, columns = np.flatnonzero((face < 250).any(axis=(1, 2))), np.flatnonzero((face < 250).any(axis=(0, 2)))
    drawing = np.ascontiguousarray(face[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
    width, height = round(float(rng.uniform(0.66, 1.0)) * FACE_W), round(float(rng.uniform(0.66, 1.0)) * FACE_H)
    left, top = int(rng.integers(FACE_W - width + 1)), int(rng.integers(FACE_H - height + 1))
    out = blank()
    out[top : top + height, left : left + width] = cv2.resize(drawing, (width, height), interpolation=cv2.INTER_LINEAR)
    return out


def _plumage(face: Face, rng: Generator, inks: list[Colour], body: tuple[float, float], shape: tuple[float, float, float]) -> None:
    """What a body bears besides its colour: a pale belly, a wing of another colour, scales."""
    long, short, turn = shape
    along = np.array((np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))))
    across = np.array((-along[1], along[0]))
    if rng.random() < 0.35:
        centre = np.array(body) + across * short * rng.uniform(0.1, 0.35) - along * long * rng.uniform(-0.1, 0.3)
        size = (2 * long * rng.uniform(0.45, 0.75), 2 * short * rng.uniform(0.45, 0.75))
        cv2.ellipse(face, ((float(centre[0]), float(centre[1])), size, turn), WHITE, -1)
    if rng.random() < 0.35:
        centre = np.array(body) - across * short * rng.uniform(0.1, 0.5) + along * long * rng.uniform(0.0, 0.4)
        size = (2 * long * rng.uniform(0.4, 0.8), 2 * short * rng.uniform(0.3, 0.6))
        wing = inks[int(rng.integers(0, 4))]
        cv2.ellipse(face, ((float(centre[0]), float(centre[1])), size, turn + rng.uniform(-15, 15)), wing, -1)
    _scales(face, rng, body, (long, short), turn)


def _perch(face: Face, rng: Generator, style: FaceStyle) -> None:
    """A branch or stick below the bird, bare or with leaves and a bud."""
    ink = style.inks["gdb"[int(rng.integers(0, 3))]]
    start = np.array((rng.uniform(10, 80), rng.uniform(0.68, 0.95) * FACE_H))
    end = np.array((FACE_W - rng.uniform(10, 80), rng.uniform(0.68, 0.95) * FACE_H))
    cv2.line(face, pixel(*start), pixel(*end), ink, int(rng.integers(7, 22)))
    size = rng.uniform(0.7, 1.5)
    for _ in range(int(rng.integers(0, 7))):
        at = start + (end - start) * rng.uniform(0, 1) + (0, rng.uniform(-22, 22))
        leaf = ink if rng.random() < 0.6 else style.inks["gdbr"[int(rng.integers(0, 4))]]
        shape = (size * rng.uniform(20, 48), size * rng.uniform(10, 26))
        cv2.ellipse(face, ((float(at[0]), float(at[1])), shape, rng.uniform(0, 180)), leaf, -1)


def on_a_twig(face: Face, rng: Generator) -> Face:
    """A face of any size with a twig over it, bare or with leaves: many makers' birds sit on one, so a twig must not mean a flower."""
    height, width = face.shape[:2]
    twig = np.full_like(face, 255)
    hsv = np.array([[[rng.integers(0, 180), rng.integers(60, 256), rng.integers(30, 170)]]], np.uint8)
    ink = tuple(int(part) for part in cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0])
    start = np.array((rng.uniform(0.0, 0.3) * width, rng.uniform(0.6, 0.95) * height))
    end = np.array((rng.uniform(0.7, 1.0) * width, rng.uniform(0.6, 0.95) * height))
    cv2.line(twig, pixel(*start), pixel(*end), ink, max(2, int(rng.uniform(0.02, 0.06) * width)))
    for _ in range(int(rng.integers(0, 8))):
        at = start + (end - start) * rng.uniform(0, 1) + (0, rng.uniform(-0.08, 0.08) * height)
        shape = (rng.uniform(0.08, 0.18) * width, rng.uniform(0.04, 0.09) * width)
        cv2.ellipse(twig, ((float(at[0]), float(at[1])), shape, rng.uniform(0, 180)), ink, -1)
    return np.minimum(face, twig)


def _tail(face: Face, rng: Generator, inks: list[Colour], body: tuple[float, float], turn: float) -> None:
    """A peacock's fan above the body, a train behind it, or both wings spread."""
    form = rng.choice((0, 0, 1, 2))
    count = int(rng.integers(4, 12))
    reach = rng.uniform(110, 190)
    middle = {0: 270.0, 1: turn, 2: 300.0}[int(form)]
    width = rng.uniform(60, 170) if form != 1 else rng.uniform(15, 60)
    for step in range(count):
        angle = np.deg2rad(middle + (step / max(count - 1, 1) - 0.5) * width)
        length = reach * rng.uniform(0.75, 1.1)
        tip = (np.clip(body[0] + np.cos(angle) * length, 14, FACE_W - 14), np.clip(body[1] + np.sin(angle) * length, 14, FACE_H - 14))
        ink = inks[int(rng.integers(0, 4))]
        cv2.line(face, pixel(*body), pixel(*tip), ink, int(rng.integers(5, 16)))
        if rng.random() < 0.6:
            cv2.circle(face, pixel(*tip), int(rng.uniform(9, 20)), ink, -1)
            cv2.circle(face, pixel(*tip), 5, inks[3] if rng.random() < 0.5 else WHITE, -1)
    if form == 0 and rng.random() < 0.5:
        _peacock_fan(face, rng, inks, body, reach)


def _plumes(face: Face, rng: Generator, inks: list[Colour], body: tuple[float, float]) -> None:
    """Wings and a train as long bent feathers all around the body."""
    heading = rng.uniform(0, 360)
    for _ in range(int(rng.integers(3, 8))):
        heading += rng.uniform(35, 120)
        form = (heading, rng.uniform(-70, 70), rng.uniform(70, 175), rng.uniform(12, 30))
        _bent_feather(face, body, form, inks[int(rng.integers(0, 4))])


def _ribbons(face: Face, rng: Generator, inks: list[Colour], body: tuple[float, float]) -> None:
    """Thin curled feathers and tendrils that float about a bird."""
    for _ in range(int(rng.integers(1, 5))):
        form = (rng.uniform(0, 360), rng.uniform(-170, 170), rng.uniform(90, 190), rng.uniform(8, 18))
        _bent_feather(face, body, form, inks[int(rng.integers(0, 4))])


def _bent_feather(face: Face, start: tuple[float, float], form: tuple[float, float, float, float], ink: Colour) -> None:
    """A feather from a point that thins to a point; its form is heading and how far it bends, in degrees, length and thickness, in px."""
    heading, bend, length, thick = form
    x, y = start
    for step in range(12):
        angle = np.deg2rad(heading + bend * step / 11)
        ahead = (
            float(np.clip(x + np.cos(angle) * length / 12, 8, FACE_W - 8)),
            float(np.clip(y + np.sin(angle) * length / 12, 8, FACE_H - 8)),
        )
        cv2.line(face, pixel(x, y), pixel(*ahead), ink, max(2, int(thick * (1 - step / 12))))
        x, y = ahead


def _peacock_fan(face: Face, rng: Generator, inks: list[Colour], body: tuple[float, float], reach: float) -> None:
    """A closed fan full of eyes."""
    centre = (body[0], body[1] - reach * 0.55)
    axes = (rng.uniform(120, 230), rng.uniform(150, 260))
    ink = inks[int(rng.integers(0, 3))]
    if rng.random() < 0.5:
        for angle in np.arange(0, 2 * np.pi, rng.uniform(0.12, 0.3)):
            rim = (centre[0] + np.cos(angle) * axes[0] * 0.58, centre[1] + np.sin(angle) * axes[1] * 0.58)
            cv2.line(face, pixel(*centre), pixel(*rim), ink, int(rng.integers(3, 7)))
    cv2.ellipse(face, (centre, axes, 0.0), ink, -1)
    radius = rng.uniform(9, 24)
    for y in np.arange(-axes[1] / 2, axes[1] / 2, radius * 2.3):
        for x in np.arange(-axes[0] / 2, axes[0] / 2, radius * 2.3):
            if (x / axes[0]) ** 2 + (y / axes[1]) ** 2 < 0.2:
                cv2.circle(face, pixel(centre[0] + x, centre[1] + y), int(radius), WHITE, 3)


def _scales(face: Face, rng: Generator, body: tuple[float, float], axes: tuple[float, float], turn: float) -> None:
    """Light marks on the body."""
    for _ in range(int(rng.integers(0, 12))):
        along, across = rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0.6)
        angle = np.deg2rad(turn)
        x = body[0] + np.cos(angle) * along * axes[0] - np.sin(angle) * across * axes[1]
        y = body[1] + np.sin(angle) * along * axes[0] + np.cos(angle) * across * axes[1]
        cv2.circle(face, pixel(x, y), int(rng.integers(4, 9)), WHITE, 3)
