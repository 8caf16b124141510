"""Flowers, seasons and frames of white dragons in many styles; they copy no maker's drawing."""

from itertools import pairwise

import cv2
import numpy as np
from numpy.random import Generator

from tools.train.faces.birds import as_lines
from tools.train.faces.marks import FACE_H, FACE_W, WHITE, Colour, Face, FaceStyle, blank, pixel


def plant(style: FaceStyle, rng: Generator) -> Face:
    """A plant or another picture, for flowers and seasons: stems with blossoms, one large bloom, bamboo, or a figure; some cut as lines."""
    face = blank()
    form = rng.random()
    if form < 0.5:
        _stems(face, style, rng)
    elif form < 0.7:
        _large_bloom(face, style, rng)
    elif form < 0.9:
        _stalks(face, style, rng)
    else:
        _figure(face, style, rng)
    if rng.random() < 0.15:
        cv2.rectangle(face, pixel(80, FACE_H - 70), pixel(FACE_W - 80, FACE_H - 20), style.inks["gdbr"[int(rng.integers(4))]], 8)
    return as_lines(face, rng) if rng.random() < 0.35 else face


def _stems(face: Face, style: FaceStyle, rng: Generator) -> None:
    root = (rng.uniform(0.3, 0.7) * FACE_W, rng.uniform(0.75, 0.95) * FACE_H)
    for _ in range(int(rng.integers(2, 6))):
        x, y = root
        heading = rng.uniform(-2.6, -0.6)
        ink = style.inks["gdb"[int(rng.integers(0, 3))]]
        for _ in range(int(rng.integers(3, 7))):
            x2, y2 = x + np.cos(heading) * 45, y + np.sin(heading) * 45
            cv2.line(face, pixel(x, y), pixel(x2, y2), ink, int(rng.integers(4, 10)))
            heading = float(np.clip(heading + rng.uniform(-0.7, 0.7), -3.0, -0.2))
            x, y = np.clip(x2, 15, FACE_W - 15), np.clip(y2, 15, FACE_H - 15)
            if rng.random() < 0.6:
                cv2.ellipse(face, ((x, y), (rng.uniform(15, 55), rng.uniform(8, 20)), rng.uniform(0, 180)), ink, -1)
        if rng.random() < 0.8:
            _blossom(face, rng, (x, y), style.inks["rrrb"[int(rng.integers(0, 4))]])


def _large_bloom(face: Face, style: FaceStyle, rng: Generator) -> None:
    """One bloom of many petals on a stem with leaves."""
    x, y = rng.uniform(0.35, 0.65) * FACE_W, rng.uniform(0.3, 0.5) * FACE_H
    green, ink = style.inks["gdb"[int(rng.integers(3))]], style.inks["rrbd"[int(rng.integers(4))]]
    foot = (rng.uniform(0.3, 0.7) * FACE_W, 0.96 * FACE_H)
    cv2.line(face, pixel(x, y), pixel(*foot), green, int(rng.integers(6, 14)))
    for _ in range(int(rng.integers(2, 7))):
        share = rng.uniform(0.4, 0.95)
        at = (float(x + (foot[0] - x) * share + rng.uniform(-60, 60)), float(y + (foot[1] - y) * share))
        cv2.ellipse(face, (at, (float(rng.uniform(40, 110)), float(rng.uniform(14, 36))), float(rng.uniform(0, 180))), green, -1)
    petals, reach = int(rng.integers(5, 17)), rng.uniform(60, 120)
    for ring in range(int(rng.integers(1, 4))):
        size = reach * (1 - 0.3 * ring)
        for step in range(petals):
            angle = 2 * np.pi * (step + 0.5 * ring) / petals
            at = (float(x + np.cos(angle) * size * 0.6), float(y + np.sin(angle) * size * 0.6))
            cv2.ellipse(face, (at, (float(size * 0.8), float(size * 4 / petals)), float(np.rad2deg(angle))), ink, -1 if ring == 0 else 3)
    cv2.circle(face, pixel(x, y), int(reach * 0.25), WHITE if rng.random() < 0.5 else green, -1)


def _stalks(face: Face, style: FaceStyle, rng: Generator) -> None:
    """Bamboo as it grows: leaning stalks of several lengths, with leaves."""
    ink = style.inks["ggd"[int(rng.integers(3))]]
    for _ in range(int(rng.integers(1, 4))):
        x, lean, thick = rng.uniform(0.25, 0.75) * FACE_W, rng.uniform(-50, 50), int(rng.integers(12, 30))
        joints = np.linspace(FACE_H * 0.95, FACE_H * rng.uniform(0.1, 0.4), int(rng.integers(3, 6)))
        for low, high in pairwise(joints.tolist()):
            ends = [(x + lean * (FACE_H - at) / FACE_H, at) for at in (low - 5, high + 5)]
            cv2.line(face, pixel(*ends[0]), pixel(*ends[1]), ink, thick)
            for _ in range(int(rng.integers(0, 5))):
                tip = (float(ends[1][0] + rng.uniform(-70, 70)), float(ends[1][1] + rng.uniform(-20, 60)))
                cv2.ellipse(face, (tip, (float(rng.uniform(50, 100)), float(rng.uniform(10, 22))), float(rng.uniform(0, 180))), ink, -1)


def _figure(face: Face, style: FaceStyle, rng: Generator) -> None:
    """A person, a beast or a thing: blobs of many inks joined by lines."""
    at = np.array((rng.uniform(0.35, 0.65) * FACE_W, rng.uniform(0.2, 0.4) * FACE_H))
    for _ in range(int(rng.integers(4, 10))):
        ink = style.inks["dgbr"[int(rng.integers(4))]]
        to = np.clip(at + rng.normal(0, 75, 2) + (0, 25), (25, 25), (FACE_W - 25, FACE_H - 25))
        cv2.line(face, pixel(*at), pixel(*to), ink, int(rng.integers(4, 14)))
        shape = (float(rng.uniform(25, 120)), float(rng.uniform(20, 80)))
        cv2.ellipse(face, ((float(to[0]), float(to[1])), shape, float(rng.uniform(0, 180))), ink, -1 if rng.random() < 0.6 else 5)
        at = to


def _blossom(face: Face, rng: Generator, centre: tuple[float, float], ink: Colour) -> None:
    count, size, thick = int(rng.integers(4, 9)), rng.uniform(12, 34), int(rng.choice((-1, 4, 6)))
    for step in range(count):
        angle = 2 * np.pi * step / count
        cv2.circle(face, pixel(centre[0] + np.cos(angle) * size, centre[1] + np.sin(angle) * size), int(size * 0.6), ink, thick)
    cv2.circle(face, pixel(*centre), int(size * 0.4), WHITE if thick < 0 else ink, -1)


def frame(style: FaceStyle, rng: Generator) -> Face:
    """A white dragon: blank, a plain border, two of them, or a border with a pattern and corners of its own."""
    face = blank()
    form = rng.random()
    if form < 0.3:
        return face
    ink = style.inks["bbdgr"[int(rng.integers(0, 5))]]
    inset, thick = int(rng.uniform(0.02, 0.2) * FACE_W), int(rng.uniform(4, 22))
    if form < 0.5:
        _border(face, inset, thick, ink)
        if rng.random() < 0.4:
            _gaps(face, rng, inset, thick)
        return face
    inner = inset + thick + int(rng.uniform(8, 42))
    _border(face, inset, max(3, thick // 2), ink)
    _border(face, inner, max(3, int(thick * rng.uniform(0.3, 0.8))), ink)
    if form > 0.65:
        _filling(face, rng, (inset, inner), ink)
    if rng.random() < 0.5:
        _corner_marks(face, rng, (inset, inner), style)
    return face


def _border(face: Face, inset: int, thick: int, ink: Colour) -> None:
    cv2.rectangle(face, (inset, inset), (FACE_W - inset, FACE_H - inset), ink, thick)


def _gaps(face: Face, rng: Generator, inset: int, thick: int) -> None:
    """Cut a border into dashes."""
    gap = int(rng.uniform(10, 40))
    for y in range(inset, FACE_H - inset, gap * 2):
        cv2.line(face, (0, y), (inset + thick, y), WHITE, max(gap // 2, 3))
        cv2.line(face, (FACE_W - inset - thick, y), (FACE_W, y), WHITE, max(gap // 2, 3))
    for x in range(inset, FACE_W - inset, gap * 2):
        cv2.line(face, (x, 0), (x, inset + thick), WHITE, max(gap // 2, 3))
        cv2.line(face, (x, FACE_H - inset - thick), (x, FACE_H), WHITE, max(gap // 2, 3))


def _filling(face: Face, rng: Generator, band: tuple[int, int], ink: Colour) -> None:
    """A pattern all along the band between two borders: strokes, beads, zigzag or hooks."""
    outer, inner = band
    middle, reach = (outer + inner) // 2, max((inner - outer) // 2, 3)
    step = int(rng.uniform(1.2, 3.0) * reach) + 4
    form = int(rng.integers(0, 4))
    thick = max(2, reach // 3)

    def mark(x: int, y: int, *, across: bool) -> None:
        out, along = ((reach, 0), (0, reach)) if across else ((0, reach), (reach, 0))
        if form == 0:
            cv2.line(face, (x - out[0], y - out[1]), (x + out[0], y + out[1]), ink, thick)
        elif form == 1:
            cv2.circle(face, (x, y), max(reach // 2, 2), ink, thick if reach > 8 else -1)
        elif form == 2:
            cv2.line(face, (x - out[0] - along[0], y - out[1] - along[1]), (x + out[0] + along[0], y + out[1] + along[1]), ink, thick)
        else:
            cv2.line(face, (x - out[0], y - out[1]), (x + out[0] // 2, y + out[1] // 2), ink, thick)
            cv2.line(face, (x + out[0] // 2, y + out[1] // 2), (x + out[0] // 2 + along[0], y + out[1] // 2 + along[1]), ink, thick)

    for y in range(outer, FACE_H - outer, step):
        mark(middle, y, across=True)
        mark(FACE_W - middle, y, across=True)
    for x in range(outer, FACE_W - outer, step):
        mark(x, middle, across=False)
        mark(x, FACE_H - middle, across=False)


def _corner_marks(face: Face, rng: Generator, band: tuple[int, int], style: FaceStyle) -> None:
    """Something in each corner: a diagonal, a disc, a square or a flower."""
    outer, inner = band
    ink = style.inks["brgd"[int(rng.integers(0, 4))]]
    form, size = int(rng.integers(0, 4)), int(rng.uniform(10, 34))
    for right in (False, True):
        for low in (False, True):
            x, y = (FACE_W - outer if right else outer), (FACE_H - outer if low else outer)
            inward = (-1 if right else 1, -1 if low else 1)
            if form == 0:
                cv2.line(face, (x, y), (x + inward[0] * (inner - outer), y + inward[1] * (inner - outer)), ink, 5)
            elif form == 1:
                cv2.circle(face, (x + inward[0] * size, y + inward[1] * size), size // 2, ink, -1 if size < 20 else 4)
            elif form == 2:
                cv2.rectangle(face, (x, y), (x + inward[0] * size, y + inward[1] * size), ink, -1 if size < 16 else 5)
            else:
                _blossom(face, rng, (x + inward[0] * size, y + inward[1] * size), ink)
