"""Where tiles are on a table: a hand in play, a shuffled heap, rows, a rack; in millimetres from the middle of the table."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tools.train.finder.tabletop import DrawnSet, Form, Picture, Tile3D, turned_by

Faces = Sequence[Picture]
_SIDES = 4


def random_layout(tile_set: DrawnSet, faces: Faces, rng: Generator) -> list[Tile3D]:
    """One of all layouts."""
    layouts: tuple[tuple[float, Callable[[DrawnSet, Faces, Generator], list[Tile3D]]], ...] = (
        (0.45, _in_play),
        (0.2, _heap),
        (0.2, _rows),
        (0.12, _rack),
        (0.03, _nothing),
    )
    draw = rng.random()
    for share, layout in layouts:
        if draw < share:
            return layout(tile_set, faces, rng)
        draw -= share
    return _heap(tile_set, faces, rng)


def _nothing(_: DrawnSet, __: Faces, ___: Generator) -> list[Tile3D]:
    return []


def _one(faces: Faces, rng: Generator) -> Picture:
    return faces[int(rng.integers(len(faces)))]


def _at_side(place: int, along: float, away: float) -> tuple[float, float]:
    """A spot of a side, in the table's axes, as ``twinwall.art.mat.Mat.spot`` has it."""
    return ((along, away), (away, -along), (-along, -away), (-away, along))[place]


def _in_play(tile_set: DrawnSet, faces: Faces, rng: Generator) -> list[Tile3D]:
    """Rivers, what is left of the walls, standing or shown hands, and melds."""
    tiles: list[Tile3D] = []
    wide, high = tile_set.width_mm + rng.uniform(0.3, 3), tile_set.height_mm + rng.uniform(0.3, 3)
    first_row, columns = rng.uniform(70, 130), int(rng.integers(5, 9))
    wall_away, hand_away = first_row + rng.uniform(3.4, 5.2) * high, 0.0
    hand_away = wall_away + rng.uniform(50, 110)
    messy, askew = rng.uniform(0.2, 4), 0.15 if rng.random() < 0.5 else 0.0
    set_back = rng.random() < 0.8
    for place in range(_SIDES):

        def add(
            along: float,
            away: float,
            form: Form,
            turn: float = 0.0,
            z_mm: float = 0.0,
            *,
            on_wall: bool = False,
            loose: float = 1.0,
            place: int = place,
        ) -> None:
            x, y = _at_side(place, along + rng.normal(0, messy * 0.5 * loose), away + rng.normal(0, messy * 0.6 * loose))
            angle = 90 * place + turn + rng.normal(0, messy * 0.8 * loose if rng.random() >= askew or loose < 1 else 18)
            tiles.append(Tile3D(x, y, angle, form, _one(faces, rng), z_mm, on_wall))

        along, row = -columns * wide / 2, 0
        for number in range(int(rng.integers(0, 22))):
            if number and number % columns == 0:
                along, row = -columns * wide / 2, row + 1
            sideways = rng.random() < 0.04
            add(along + (high if sideways else wide) / 2, first_row + row * high, Form.FACE, 90 if sideways else 0)
            along += high if sideways else wide
        if set_back:
            begin, end = sorted(rng.uniform(-8.5, 8.5, 2)) if rng.random() < 0.7 else (-8.5, 8.5)
            for stack in range(18):
                at = stack - 8.5
                if begin <= at <= end:
                    add(at * (tile_set.width_mm + 0.4), wall_away, Form.BACK, loose=0.15)
                    if rng.random() < 0.96:
                        add(at * (tile_set.width_mm + 0.4), wall_away, Form.BACK, 0, tile_set.thickness_mm, on_wall=True, loose=0.15)
        melds = int(rng.integers(0, 4))
        count, shown = 13 - 3 * melds, rng.random()
        start = -count * tile_set.width_mm / 2 - rng.uniform(0, 40)
        form = Form.STANDING if shown < 0.6 else Form.FACE if shown < 0.9 else Form.BACK
        for number in range(count + int(rng.random() < 0.5)):
            gap = rng.uniform(10, 30) if number == count else 0
            add(start + number * (tile_set.width_mm + 0.3) + gap, hand_away, form, loose=0.2)
        along = 260 - rng.uniform(0, 40)
        for _ in range(melds):
            kong = rng.random() < 0.25
            hidden = kong and rng.random() < 0.4
            turned = int(rng.integers(-1, 3))
            for number in range(4 if kong else 3):
                side = number == turned
                along -= (high if side else wide) / 2
                add(
                    along,
                    hand_away + (0 if side else 2),
                    Form.BACK if hidden and number in (0, 3) else Form.FACE,
                    90 if side else 0,
                    loose=0.3,
                )
                along -= (high if side else wide) / 2
            along -= rng.uniform(2, 14)
    return _without_overlap(tiles, tile_set)


def _heap(tile_set: DrawnSet, faces: Faces, rng: Generator) -> list[Tile3D]:
    """Tiles anyhow, as while shuffling or around a shared middle."""
    spread, faced = rng.uniform(80, 300), rng.uniform(0.2, 1.0)
    tiles = []
    for _ in range(int(rng.integers(4, 90))):
        form = Form.FACE if rng.random() < faced else Form.BACK if rng.random() < 0.8 else Form.STANDING
        tiles.append(Tile3D(rng.normal(0, spread), rng.normal(0, spread), rng.uniform(0, 360), form, _one(faces, rng)))
    return _without_overlap(tiles, tile_set)


def _rows(tile_set: DrawnSet, faces: Faces, rng: Generator) -> list[Tile3D]:
    """Rows and blocks of tiles at a few turns, touching or nearly."""
    tiles: list[Tile3D] = []
    for _ in range(int(rng.integers(1, 7))):
        middle, turn, gap = rng.normal(0, 170, 2), rng.uniform(0, 360), rng.uniform(0, 2) if rng.random() < 0.7 else rng.uniform(2, 12)
        columns, rows = int(rng.integers(2, 15)), int(rng.integers(1, 5)) if rng.random() < 0.4 else 1
        form = Form.FACE if rng.random() < 0.8 else Form.BACK
        turned = np.deg2rad(turn)
        right, down = np.array((np.cos(turned), -np.sin(turned))), np.array((np.sin(turned), np.cos(turned)))
        for row in range(rows):
            for column in range(columns):
                at = middle + (column - columns / 2) * (tile_set.width_mm + gap) * right + row * (tile_set.height_mm + gap) * down
                around = 180 * (rng.random() < 0.5) + rng.normal(0, 0.7)
                tiles.append(Tile3D(float(at[0]), float(at[1]), turn + around, form, _one(faces, rng)))
    return _without_overlap(tiles, tile_set)


def _rack(tile_set: DrawnSet, faces: Faces, rng: Generator) -> list[Tile3D]:
    """A standing hand that the camera sees from the front or the back, with some tiles on the table."""
    tiles, turn = _heap(tile_set, faces, rng)[: int(rng.integers(0, 30))], rng.normal(0, 8) + (180 if rng.random() < 0.25 else 0)
    count, away = int(rng.integers(3, 18)), rng.uniform(-60, 220)
    for number in range(count):
        tiles.insert(
            0,
            Tile3D(
                (number - count / 2) * (tile_set.width_mm + rng.uniform(0, 0.8)),
                away + rng.normal(0, 1),
                turn,
                Form.STANDING,
                _one(faces, rng),
            ),
        )
    return _without_overlap(tiles, tile_set)


def _without_overlap(tiles: list[Tile3D], tile_set: DrawnSet) -> list[Tile3D]:
    """The tiles, the first ones first, that do not stand in one another."""
    kept: list[Tile3D] = []
    inner = np.array([(x, y) for x in (-0.46, 0, 0.46) for y in (-0.46, -0.15, 0.15, 0.46)])
    middles = np.zeros((len(tiles), 3))
    for tile in tiles:
        size = np.array((tile_set.width_mm, tile_set.thickness_mm if tile.form is Form.STANDING else tile_set.height_mm))
        spots = inner * size @ turned_by(np.deg2rad(tile.turn_deg)) + np.array((tile.x_mm, tile.y_mm))
        near = [
            kept[index]
            for index in np.flatnonzero((np.abs(middles[: len(kept)] - (tile.x_mm, tile.y_mm, tile.z_mm)) < (52, 52, 5)).all(axis=1))
        ]
        if any(_inside(spots, other, tile_set) for other in near):
            continue
        middles[len(kept)] = tile.x_mm, tile.y_mm, tile.z_mm
        kept.append(tile)
    return kept


def _inside(spots: NDArray[np.float64], other: Tile3D, tile_set: DrawnSet) -> bool:
    off, turned = spots - (other.x_mm, other.y_mm), np.deg2rad(other.turn_deg)
    along = np.abs(off @ (np.sin(turned), np.cos(turned)))
    across = np.abs(off @ (np.cos(turned), -np.sin(turned)))
    deep = tile_set.thickness_mm if other.form is Form.STANDING else tile_set.height_mm
    return bool(((across < tile_set.width_mm / 2) & (along < deep / 2)).any())
