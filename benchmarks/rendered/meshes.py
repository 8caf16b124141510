"""Meshes of the things on a path-traced table and over it, in mm: a tile with rounded edges, a sleeve, capsules of a hand."""

import numpy as np
from numpy.typing import NDArray

from twinwall.values import frozen, frozen_identity

Points = NDArray[np.float64]
_BEVEL_STEPS = 3
_AROUND = 28


@frozen_identity
class Mesh:
    """Points (n × 3 mm: x, y, up) with their normals, and polygons of three or four points with the number of their paint."""

    points: Points
    normals: Points
    polygons: list[tuple[int, ...]]
    paints: list[int]


@frozen
class RoundedTile:
    """A tile's size in mm, the radius of its edges, and the share of its thickness with the back's colour."""

    width_mm: float
    height_mm: float
    thickness_mm: float
    edge_mm: float
    back_share: float


FACE, IVORY, BACK_PAINT = 0, 1, 2
"""Numbers of a tile's paints: its face, its sides next to it, and its back."""


def tile_mesh(shape: RoundedTile) -> Mesh:
    """Return a face-up tile with its middle at the origin."""
    halves = np.array((shape.width_mm, shape.height_mm, shape.thickness_mm)) / 2
    inner = halves - shape.edge_mm
    split = -halves[2] + shape.back_share * shape.thickness_mm
    levels = [_levels(half, core) for half, core in zip(halves, inner, strict=True)]
    levels[2] = np.unique(np.append(levels[2], split))
    points, normals = list[Points](), list[Points]()
    polygons, paints = list[tuple[int, ...]](), list[int]()
    for axis in range(3):
        for sign in (-1.0, 1.0):
            first = sum(len(side) for side in points)
            across, along = levels[(axis + 1) % 3], levels[(axis + 2) % 3]
            surface = np.empty((len(across), len(along), 3))
            surface[..., axis] = sign * halves[axis]
            surface[..., (axis + 1) % 3] = across[:, None]
            surface[..., (axis + 2) % 3] = along[None, :]
            rounded, outward = _rounded(surface.reshape(-1, 3), inner, shape.edge_mm)
            points.append(rounded)
            normals.append(outward)
            for square in _squares(len(across), len(along), first, forward=sign > 0):
                polygons.append(square)
                is_top = axis == 2 and sign > 0
                height_mm = rounded[[one - first for one in square], 2].mean()
                paints.append(FACE if is_top else BACK_PAINT if height_mm < split else IVORY)
    return Mesh(np.vstack(points), np.vstack(normals), polygons, paints)


def _levels(half: float, core: float) -> Points:
    """Return the lines of a side's grid, close together over its rounded edges."""
    edge = core + (half - core) * np.linspace(0, 1, _BEVEL_STEPS + 1)
    return np.concatenate((-edge[::-1], edge))


def _rounded(surface: Points, inner: Points, edge_mm: float) -> tuple[Points, Points]:
    """Move points of a box's surface onto the box with rounded edges around its core; return them and their normals."""
    core = np.clip(surface, -inner, inner)
    outward = surface - core
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    return core + edge_mm * outward, outward


def _squares(rows: int, columns: int, first: int, *, forward: bool) -> list[tuple[int, ...]]:
    found = list[tuple[int, ...]]()
    for row in range(rows - 1):
        for column in range(columns - 1):
            at = first + row * columns + column
            square = (at, at + columns, at + columns + 1, at + 1)
            found.append(square if forward else square[::-1])
    return found


@frozen
class Capsule:
    """A part of a hand or an arm: from one point (mm: x, y, above the mat) to another, with a radius at each."""

    start: tuple[float, float, float]
    end: tuple[float, float, float]
    start_radius_mm: float
    end_radius_mm: float


def capsules_mesh(capsules: list[Capsule]) -> tuple[Points, list[tuple[int, ...]]]:
    """Return the capsules' surfaces, each closed: points (n × 3 mm) and polygons."""
    points, polygons, first = [], list[tuple[int, ...]](), 0
    for one in capsules:
        start, end = np.array(one.start), np.array(one.end)
        axis = (end - start) / max(float(np.linalg.norm(end - start)), 1e-6)
        angles = np.linspace(0.05, np.pi - 0.05, 12)
        middles = np.array([start if angle < np.pi / 2 else end for angle in angles])
        radii = np.array([one.start_radius_mm if angle < np.pi / 2 else one.end_radius_mm for angle in angles])
        middles = middles - np.cos(angles)[:, None] * radii[:, None] * axis
        rings, rest = tube_mesh(middles, np.sin(angles) * radii, axis)
        points.append(rings)
        polygons += [tuple(first + one for one in polygon) for polygon in rest]
        last = len(rings) - _AROUND
        polygons += [tuple(range(first, first + _AROUND))[::-1], tuple(range(first + last, first + last + _AROUND))]
        first += len(rings)
    return np.vstack(points), polygons


def tube_mesh(middles: Points, radii: Points, axis: Points) -> tuple[Points, list[tuple[int, ...]]]:
    """Return rings around an axis (n middles; radii of n, or n × ``_AROUND``), joined, open at both ends."""
    side = np.cross(axis, (0.0, 0.0, 1.0) if abs(axis[2]) < 0.9 else (1.0, 0.0, 0.0))
    side /= np.linalg.norm(side)
    other = np.cross(axis, side)
    turns = np.arange(_AROUND) / _AROUND * 2 * np.pi
    ring = np.cos(turns)[:, None] * side + np.sin(turns)[:, None] * other
    reach = np.broadcast_to(np.asarray(radii, np.float64).reshape(len(middles), -1), (len(middles), _AROUND))
    points = (middles[:, None, :] + reach[:, :, None] * ring[None]).reshape(-1, 3)
    polygons = list[tuple[int, ...]]()
    for row in range(len(middles) - 1):
        for column in range(_AROUND):
            after = (column + 1) % _AROUND
            low, high = row * _AROUND, (row + 1) * _AROUND
            polygons.append((low + column, low + after, high + after, high + column))
    return points, polygons
