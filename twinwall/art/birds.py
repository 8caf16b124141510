"""Draws the bird of 1s in several traditions; each is about 44 wide and 66 high around the origin.

Makers' sets differ most in their birds. The birds here share no part but the eye, so that a reader trained on five of
them can be tested on the sixth.
"""

from __future__ import annotations

from twinwall.art.designs import BirdStyle, Design
from twinwall.art.shapes import Box, Circle, Drawing, Path, Point, Style, curve, grow, move, petal, placed, polygon, stroke, turn


def draw_bird(design: Design) -> Drawing:
    """The bird of 1s around the origin, in face units."""
    half_width, half_height = 30 - design.margin_x, design.face_height / 2 - design.margin_y
    size = min(half_width / 23.5, half_height / 33.5) * design.bird_size
    return placed(_BIRDS[design.bird](design), grow(-size if design.bird_mirrored else size, size))


def _eye(design: Design, at: Point, size: float) -> Drawing:
    return (Circle(at, size, Style(fill=design.palette.face)), Circle(at, size * 0.5, Style(fill=design.palette.ink)))


def _arc(points: tuple[Point, Point, Point, Point], colour: str, width: float) -> Path:
    """An open cubic curve with round ends: start, two controls, end."""
    start, *rest = points
    return curve(start, (rest[0], rest[1], rest[2]), style=Style(stroke=colour, width=width), closed=False)


def _sparrow(design: Design) -> Drawing:
    """Upright on a perch, crest raised, looking right."""
    paints = design.palette
    body = curve(
        (1.0, -25.0),
        ((8.0, -26.5), (13.5, -22.0), (13.5, -15.5)),
        ((13.5, -11.0), (16.5, -6.0), (14.5, 3.0)),
        ((12.5, 12.0), (6.0, 18.5), (-1.5, 19.5)),
        ((-6.0, 21.0), (-9.5, 26.0), (-12.5, 32.0)),
        ((-15.0, 31.5), (-18.0, 30.5), (-20.5, 29.0)),
        ((-15.5, 20.0), (-13.0, 9.0), (-12.0, -3.0)),
        ((-11.5, -14.0), (-8.0, -23.5), (1.0, -25.0)),
        style=Style(fill=paints.green),
    )
    breast = curve(
        (-7.5, 0.0), ((-3.0, 6.5), (6.5, 6.5), (12.0, -3.5)), ((10.5, 8.5), (-2.0, 16.0), (-7.5, 0.0)), style=Style(fill=paints.face)
    )
    wing = curve(
        (-7.0, -5.0), ((-3.0, 2.5), (5.5, 3.0), (10.5, -4.5)), ((8.0, 6.5), (-3.5, 8.0), (-7.0, -5.0)), style=Style(fill=paints.red)
    )
    crest = tuple(
        stroke((foot, tip), paints.red, 2.3)
        for foot, tip in (((-3.0, -25.5), (-8.5, -30.0)), ((0.5, -26.0), (-2.0, -33.0)), ((4.0, -26.0), (5.0, -33.5)))
    )
    legs = tuple(stroke(points, paints.red, 2.2) for points in (((0.5, 19.0), (2.0, 30.0)), ((7.0, 15.5), (9.0, 30.0))))
    beak = polygon([(12.5, -18.6), (20.5, -15.2), (12.8, -13.2)], Style(fill=paints.ink))
    perch = Box(-8.5, 29.5, 26.0, 4.0, 2.0, Style(fill=paints.blue))
    return (*crest, *legs, perch, body, breast, wing, beak, *_eye(design, (6.6, -17.2), 3.3))


def _peacock(design: Design) -> Drawing:
    """From the front under its open fan, as on most engraved sets."""
    paints = design.palette
    fan: list[Path | Circle | Box] = []
    for radius, count, spread, size in ((26.0, 9, 62.0, 3.3), (18.5, 7, 62.0, 3.0), (11.5, 5, 58.0, 2.7)):
        for index in range(count):
            angle = spread * (2 * index / (count - 1) - 1)
            plume = (
                stroke(((0, -3), (0, -radius + size)), paints.green, 1.0),
                Circle((0, -radius), size, Style(fill=paints.green)),
                Circle((0, -radius), size * 0.52, Style(fill=paints.face)),
                Circle((0, -radius), size * 0.28, Style(fill=paints.blue)),
            )
            fan.extend(placed(plume, turn(angle)))
    body = curve(
        (0.0, -8.5),
        ((4.5, -8.5), (4.0, -2.0), (5.0, 2.0)),
        ((10.0, 7.0), (9.0, 18.0), (0.0, 21.5)),
        ((-9.0, 18.0), (-10.0, 7.0), (-5.0, 2.0)),
        ((-4.0, -2.0), (-4.5, -8.5), (0.0, -8.5)),
        style=Style(fill=paints.blue),
    )
    wings = tuple(shape for side in (-1, 1) for shape in placed(_peacock_wing(design), grow(side, 1)))
    feathers = tuple(
        stroke(((x - 1.6, y), (x, y + 1.8), (x + 1.6, y)), paints.face, 0.9) for x, y in ((0, 5.0), (-3.2, 9.5), (3.2, 9.5), (0, 14.0))
    )
    legs = tuple(stroke(((side * 3.0, 20.0), (side * 3.5, 27.0), (side * 7.5, 29.5)), paints.red, 1.9) for side in (-1, 1))
    toes = tuple(stroke(((side * 3.5, 27.0), (side * 1.0, 29.5)), paints.red, 1.7) for side in (-1, 1))
    beak = polygon([(-1.7, -5.4), (1.7, -5.4), (0, -1.6)], Style(fill=paints.red))
    eyes = tuple(Circle((x, -6.4), 0.85, Style(fill=paints.face)) for x in (-2.0, 2.0))
    return placed((*fan, *legs, *toes, *wings, body, *feathers, beak, *eyes), move(0, -0.5))


def _peacock_wing(design: Design) -> Drawing:
    paints = design.palette
    shoulder = curve(
        (5.0, 4.0), ((12.0, 3.0), (21.5, 8.0), (21.0, 19.0)), ((15.0, 19.5), (8.5, 17.0), (5.0, 11.0)), style=Style(fill=paints.green)
    )
    quills = tuple(
        stroke((a, b), paints.face, 1.0) for a, b in (((9.0, 8.0), (17.5, 17.0)), ((13.0, 7.5), (19.5, 14.5)), ((6.5, 10.0), (13.0, 17.0)))
    )
    return (shoulder, *quills)


def _crane(design: Design) -> Drawing:
    """On one leg, neck in a bow, a red crown."""
    paints = design.palette
    neck = _arc(((-3.0, 1.0), (13.0, -6.0), (-3.0, -18.0), (7.0, -25.0)), paints.blue, 4.0)
    head = Circle((8.0, -25.5), 4.2, Style(fill=paints.blue))
    crown = curve(
        (4.6, -28.0), ((5.5, -33.0), (11.5, -33.0), (12.0, -27.5)), ((9.5, -29.0), (7.0, -29.2), (4.6, -28.0)), style=Style(fill=paints.red)
    )
    beak = polygon([(11.2, -27.4), (22.5, -23.0), (11.0, -23.0)], Style(fill=paints.ink))
    body = curve(
        (6.0, -4.0),
        ((11.0, 3.0), (8.0, 12.0), (-2.0, 13.0)),
        ((-10.0, 14.0), (-17.0, 11.0), (-22.0, 16.0)),
        ((-21.0, 6.0), (-12.0, -8.0), (6.0, -4.0)),
        style=Style(fill=paints.green),
    )
    tail = tuple(
        stroke((a, b), paints.ink, 2.6)
        for a, b in (((-14.0, 9.5), (-22.0, 22.0)), ((-10.0, 11.0), (-16.5, 23.0)), ((-6.0, 12.0), (-11.0, 22.5)))
    )
    plumes = tuple(_arc(((4.0, y), (-2.0, y + 4.0), (-8.0, y + 4.5), (-14.0, y + 5.5)), paints.face, 1.5) for y in (-1.0, 3.0, 7.0))
    legs = (stroke(((0.0, 12.5), (1.5, 33.0)), paints.red, 2.2), stroke(((4.0, 11.0), (12.0, 17.0), (5.5, 24.0)), paints.red, 2.2))
    foot = stroke(((-5.0, 33.0), (8.0, 33.0)), paints.red, 2.2)
    return (*tail, *legs, foot, body, *plumes, neck, head, crown, beak, *_eye(design, (8.6, -25.6), 1.6))


def _phoenix(design: Design) -> Drawing:
    """Rising to the left with three long tail plumes."""
    paints = design.palette
    plumes: list[Path | Circle | Box] = []
    for bend, tip, colour in ((10.0, (20.0, 30.0), paints.red), (2.0, (9.0, 33.0), paints.blue), (-8.0, (-5.0, 32.0), paints.green)):
        plumes.append(_arc(((0.0, 4.0), (bend + 6.0, 10.0), (bend - 4.0, 22.0), tip), colour, 2.8))
        plumes += [Circle(tip, 3.3, Style(fill=colour)), Circle(tip, 1.4, Style(fill=paints.face))]
    body = curve(
        (-12.0, -21.0),
        ((-7.0, -24.0), (-2.0, -20.0), (-3.0, -14.0)),
        ((5.0, -12.0), (9.0, -3.0), (4.0, 8.0)),
        ((-6.0, 11.0), (-15.0, 3.0), (-12.0, -9.0)),
        ((-15.0, -13.0), (-15.5, -18.0), (-12.0, -21.0)),
        style=Style(fill=paints.red),
    )
    wing: list[Path | Circle | Box] = []
    for angle, length in ((38.0, 27.0), (56.0, 26.0), (74.0, 23.0), (92.0, 18.0)):
        wing += placed(
            (petal(length, 7.4, Style(fill=paints.green)), stroke(((0, -4), (0, -length * 0.8)), paints.face, 0.9)),
            move(-1.5, -3.0) @ turn(angle),
        )
    crest = tuple(
        _arc(((-9.0, -22.0), (-8.0, -27.0), (x, -30.0), (x + 4.0, y)), paints.blue, 1.9)
        for x, y in ((-10.0, -33.0), (-5.0, -32.5), (-1.5, -29.0))
    )
    beak = polygon([(-13.0, -20.0), (-21.5, -15.5), (-13.6, -14.6)], Style(fill=paints.ink))
    legs = tuple(stroke(((x, 6.0), (x - 3.0, 14.0), (x - 7.0, 15.0)), paints.ink, 1.8) for x in (-8.0, -3.0))
    return (*plumes, *legs, *crest, body, *wing, beak, *_eye(design, (-9.2, -17.6), 2.4))


def _rooster(design: Design) -> Drawing:
    """Crowing to the left, tail in arcs."""
    paints = design.palette
    tail = tuple(
        _arc(((6.0, 6.0), (11.0, -8.0 - lift), (19.0, -12.0 - lift), (21.5, y)), colour, 3.4)
        for lift, y, colour in ((12.0, -6.0, paints.blue), (5.0, 2.0, paints.green), (-3.0, 9.0, paints.blue))
    )
    body = curve(
        (-9.0, -22.0),
        ((-3.0, -22.0), (-2.0, -12.0), (2.0, -6.0)),
        ((6.0, -2.0), (9.0, 2.0), (10.0, 6.0)),
        ((10.0, 15.0), (2.0, 20.0), (-5.0, 18.0)),
        ((-14.0, 15.0), (-16.0, 4.0), (-14.0, -6.0)),
        ((-13.0, -12.0), (-16.0, -21.0), (-9.0, -22.0)),
        style=Style(fill=paints.green),
    )
    comb = curve(
        (-14.0, -20.5),
        ((-17.0, -27.0), (-12.5, -28.0), (-12.0, -25.0)),
        ((-11.5, -31.0), (-7.0, -30.5), (-7.0, -26.0)),
        ((-5.0, -30.0), (-1.5, -27.5), (-4.0, -20.5)),
        style=Style(fill=paints.red),
    )
    wattle = Circle((-13.2, -11.8), 2.9, Style(fill=paints.red))
    beak = polygon([(-13.5, -19.5), (-21.5, -16.0), (-13.5, -14.0)], Style(fill=paints.ink))
    wing = curve((-7.0, 0.0), ((0.0, -3.0), (6.0, 2.0), (7.0, 9.0)), ((0.0, 12.0), (-7.0, 9.0), (-7.0, 0.0)), style=Style(fill=paints.face))
    quills = tuple(stroke((a, b), paints.red, 1.5) for a, b in (((-4.0, 2.0), (4.0, 7.5)), ((-4.5, 5.0), (1.5, 8.5))))
    legs = tuple(stroke(((x, 17.5), (x, 30.5), (x - 5.0, 32.0)), paints.red, 2.1) for x in (-6.0, 1.0))
    spurs = tuple(stroke(((x, 30.5), (x + 3.0, 32.0)), paints.red, 2.0) for x in (-6.0, 1.0))
    return (*tail, *legs, *spurs, comb, body, wattle, wing, *quills, beak, *_eye(design, (-9.0, -17.4), 2.6))


def _magpie(design: Design) -> Drawing:
    """On a leaning bamboo twig, long tail down to the right, head turned left: the simulator's bird alone."""
    paints = design.palette
    twig = _arc(((-22.0, 27.0), (-8.0, 23.0), (6.0, 22.0), (22.0, 15.0)), paints.green, 2.7)
    leaves = tuple(
        petal(length, 5.2, Style(fill=paints.green)).transformed(move(*at) @ turn(angle))
        for at, angle, length in (
            ((-17.0, 25.5), 205.0, 9.0),
            ((15.0, 18.0), 40.0, 11.0),
        )
    )
    tail = polygon([(5.0, 6.0), (11.5, 2.5), (21.5, 29.0), (18.5, 33.0), (14.0, 31.5)], Style(fill=paints.blue))
    tail_line = stroke(((9.5, 8.0), (17.3, 28.5)), paints.face, 1.2)
    body = curve(
        (-9.5, -26.5),
        ((-2.5, -28.0), (3.0, -23.0), (3.0, -16.5)),
        ((9.0, -11.0), (13.0, -3.0), (11.5, 7.5)),
        ((9.0, 17.0), (-2.0, 21.0), (-9.0, 14.0)),
        ((-16.0, 7.0), (-13.0, -5.0), (-13.5, -11.0)),
        ((-17.5, -17.0), (-16.5, -25.0), (-9.5, -26.5)),
        style=Style(fill=paints.blue),
    )
    belly = curve(
        (-12.0, -4.0),
        ((-6.0, -9.0), (-1.0, -2.0), (0.5, 16.5)),
        ((-6.0, 18.0), (-13.0, 11.0), (-12.0, -4.0)),
        style=Style(fill=paints.face),
    )
    spots = ((-7.4, 0.0), (-8.2, 6.0), (-4.2, 4.0), (-4.4, 10.5))
    feathers = tuple(stroke(((x - 1.3, y), (x, y + 1.6), (x + 1.3, y)), paints.blue, 0.9) for x, y in spots)
    wing = curve(
        (0.0, -9.0), ((7.0, -9.0), (11.5, 1.0), (12.0, 12.5)), ((5.0, 9.0), (-1.0, 1.0), (0.0, -9.0)), style=Style(fill=paints.red)
    )
    quills = tuple(stroke((a, b), paints.face, 1.1) for a, b in (((3.0, -4.5), (9.5, 7.5)), ((6.0, -4.5), (10.6, 4.0))))
    beak = polygon([(-14.2, -22.5), (-22.5, -17.5), (-14.6, -15.6)], Style(fill=paints.ink))
    legs = tuple(stroke((a, b), paints.red, 1.9) for a, b in (((-3.5, 16.0), (-4.5, 22.8)), ((2.0, 16.0), (2.0, 21.8))))
    return (tail, tail_line, twig, *leaves, *legs, body, belly, *feathers, wing, *quills, beak, *_eye(design, (-8.2, -19.6), 2.7))


_BIRDS = {
    BirdStyle.SPARROW: _sparrow,
    BirdStyle.PEACOCK: _peacock,
    BirdStyle.CRANE: _crane,
    BirdStyle.PHOENIX: _phoenix,
    BirdStyle.ROOSTER: _rooster,
    BirdStyle.MAGPIE: _magpie,
}
