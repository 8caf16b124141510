"""Sheets of faces: every kind and some foreign faces of one invented set, as pictures of ink.

A sheet comes from fonts and drawn marks, from the project's own designs, or from fonts with whole faces; published
sets are in ``tools.train.faces.published``. The frame renderer takes its faces from a sheet.
"""

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tools.train.faces.birds import bird
from tools.train.faces.lettering import NUMERALS, Fonts, LetteringFont, first_written, reshape
from tools.train.faces.marks import FACE_H, FACE_W, Face, FaceStyle, blank, dots, random_style, stamp
from tools.train.faces.pictures import frame, plant
from tools.train.faces.sticks import bamboos
from tools.varied_designs import TRAINING_FLOWERS
from twinwall.art.designs import Design, Flower
from twinwall.art.faces import draw_face
from twinwall.art.raster import paint
from twinwall.game.tiles import ALL_TILES, Suit, Tile
from twinwall.values import frozen

_SIZE = 112
Stroke = tuple[tuple[float, float], ...]

_CROWN: tuple[Stroke, ...] = (
    ((0.18, 0.20), (0.28, 0.30)),
    ((0.30, 0.08), (0.40, 0.18)),
    ((0.24, 0.10), (0.46, 0.10), (0.36, 0.30), (0.06, 0.50)),
    ((0.62, 0.03), (0.58, 0.14)),
    ((0.82, 0.12), (0.66, 0.26)),
    ((0.54, 0.10), (0.68, 0.30), (0.97, 0.46)),
)
"""The two legs that stand apart above all forms of the character."""
_BOW: tuple[Stroke, ...] = (((0.20, 0.49), (0.42, 0.45), (0.38, 0.57), (0.20, 0.61), (0.42, 0.64), (0.37, 0.86), (0.25, 0.92)),)
_SPEAR: tuple[Stroke, ...] = (
    ((0.55, 0.47), (0.54, 0.60), (0.46, 0.67)),
    ((0.55, 0.48), (0.74, 0.46), (0.74, 0.58), (0.86, 0.60)),
    ((0.50, 0.69), (0.78, 0.66), (0.64, 0.85), (0.42, 0.99)),
    ((0.54, 0.72), (0.68, 0.85), (0.94, 0.98)),
)
_CROSSED: tuple[Stroke, ...] = (
    ((0.46, 0.56), (0.86, 0.52)),
    ((0.66, 0.40), (0.62, 0.66), (0.36, 0.98)),
    ((0.56, 0.60), (0.70, 0.80), (0.96, 0.97)),
)
"""The lower right as a fast hand joins it."""
_ARROW: tuple[Stroke, ...] = (
    ((0.36, 0.50), (0.26, 0.62)),
    ((0.28, 0.56), (0.74, 0.53)),
    ((0.14, 0.70), (0.88, 0.67)),
    ((0.52, 0.54), (0.48, 0.74), (0.16, 0.99)),
    ((0.52, 0.70), (0.66, 0.86), (0.92, 0.98)),
)
_TICKS: tuple[Stroke, ...] = (((0.36, 0.47), (0.22, 0.60)), ((0.42, 0.55), (0.20, 0.74)), ((0.40, 0.70), (0.36, 0.86), (0.22, 0.96)))
_FORMS: tuple[tuple[Stroke, ...], ...] = (_CROWN + _BOW + _SPEAR, _CROWN + _BOW + _CROSSED, _CROWN + _TICKS + _CROSSED, _CROWN + _ARROW)


_LID: tuple[Stroke, ...] = (((0.03, 0.13), (0.30, 0.12), (0.97, 0.07)),)
_BOX: tuple[Stroke, ...] = (
    ((0.20, 0.38), (0.24, 0.60), (0.27, 0.94)),
    ((0.20, 0.40), (0.55, 0.37), (0.82, 0.36), (0.76, 0.62), (0.72, 0.92)),
    ((0.26, 0.90), (0.73, 0.87)),
)
_LEGS: tuple[Stroke, ...] = (((0.44, 0.12), (0.42, 0.45), (0.30, 0.70)), ((0.60, 0.11), (0.59, 0.50), (0.62, 0.66), (0.76, 0.66)))
_BOWL: tuple[Stroke, ...] = (
    ((0.28, 0.46), (0.30, 0.70), (0.36, 0.92)),
    ((0.28, 0.48), (0.70, 0.44), (0.80, 0.48), (0.70, 0.74), (0.64, 0.92)),
    ((0.34, 0.93), (0.66, 0.91)),
)
_STEM: tuple[Stroke, ...] = (((0.52, 0.10), (0.46, 0.40), (0.40, 0.74)), ((0.54, 0.30), (0.58, 0.60), (0.66, 0.72)))
_WESTS: tuple[tuple[Stroke, ...], ...] = (_LID + _BOX + _LEGS, _LID + _BOWL + _STEM, _LID + _BOWL + _LEGS, _LID + _BOX + _STEM)


def written_green_dragon(rng: Generator) -> NDArray[np.uint8]:
    """One dragon's ink, cut tight: h × w uint8, 0 for none to 255 for full."""
    return _written(_FORMS[int(rng.integers(len(_FORMS)))], rng, weight=float(rng.uniform(0.045, 0.095)))


def written_west_wind(rng: Generator) -> NDArray[np.uint8]:
    """One west wind's ink, cut tight: h × w uint8, 0 for none to 255 for full; its lid wider or narrower than the rest."""
    lid, *rest = _WESTS[int(rng.integers(len(_WESTS)))]
    share = rng.uniform(0.7, 1.05)
    narrowed = [tuple((0.5 + (x - 0.5) * share, y) for x, y in stroke) for stroke in rest]
    return _written((lid, *narrowed), rng, weight=float(rng.uniform(0.035, 0.07)))


def _written(form: tuple[Stroke, ...], rng: Generator, *, weight: float) -> NDArray[np.uint8]:
    ink = np.zeros((_SIZE * 2, _SIZE * 2), np.uint8)
    wander, slant = rng.uniform(0.008, 0.035), rng.uniform(-0.15, 0.25)
    for stroke in form:
        points = np.array(stroke) + rng.normal(0, wander, (len(stroke), 2))
        points[:, 0] += slant * (0.5 - points[:, 1])
        _sweep(ink, points, weight * rng.uniform(0.75, 1.25), swells=bool(rng.random() < 0.6))
    ys, xs = np.nonzero(ink > 40)
    return np.ascontiguousarray(ink[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1])


def _sweep(ink: NDArray[np.uint8], points: NDArray[np.float64], weight: float, *, swells: bool) -> None:
    """One stroke through its points, heavy at the start and pointed at the end, or swelling on the way."""
    steps = 24 * (len(points) - 1) + 1
    at = np.linspace(0, len(points) - 1, steps)
    path = np.stack([np.interp(at, np.arange(len(points)), points[:, axis]) for axis in (0, 1)], axis=1)
    pressure = np.interp(np.linspace(0, 1, steps), (0, 0.25, 0.75, 1), (0.7, 0.8, 1.25, 0.35) if swells else (1.1, 0.9, 0.8, 0.4))
    for (x, y), radius in zip(path * _SIZE + _SIZE / 2, pressure * weight * _SIZE / 2 * 1.3, strict=True):
        cv2.ellipse(ink, ((float(x), float(y)), (float(2.4 * radius), float(1.6 * radius)), 35.0), 255, -1)


SHEET_W, SHEET_H = 96, 128
"""Size in px at which faces are kept."""

_SYMBOL_SHARE = 0.12
"""Share of the drawn sets whose bird comes from a font with whole mahjong faces: such fonts are two, so their birds are always the same."""
_WINDS_AND_DRAGONS = {Tile.EAST: "東", Tile.SOUTH: "南", Tile.WEST: "西", Tile.NORTH: "北", Tile.RED: "中", Tile.GREEN: "發"}
_HONOUR_FORMS = {"東": ("東", "東东"), "發": ("發", "発发發")}
_FLOWER_TEXTS = "春夏秋冬梅蘭菊竹福禄喜财猫鼠金百"
_MAHJONG_FACES = {
    **{Tile.EAST + i: 0x1F000 + i for i in range(6)},
    Tile.WHITE: 0x1F006,
    **{Tile.M1 + i: 0x1F007 + i for i in range(9)},
    **{Tile.S1 + i: 0x1F010 + i for i in range(9)},
    **{Tile.P1 + i: 0x1F019 + i for i in range(9)},
}


@frozen
class Sheet:
    """One set's faces, each SHEET_H × SHEET_W × 3 uint8 BGR, white where there is no ink."""

    name: str
    faces: dict[Tile, Face]
    foreign: tuple[Face, ...]
    with_margins: bool = False
    """Whether a face reaches to the tile's edge, so that its own margins are in the picture."""


@frozen
class _Lettering:
    """How one set writes: hands, proportions and corner indices."""

    numerals: LetteringFont
    suit: LetteringFont
    honours: tuple[LetteringFont, ...]
    latin: LetteringFont | None
    five: str
    ten_thousand: str
    numeral_ink: str
    numeral_share: float
    width: float
    weight: int
    honour_size: float
    honour_ink: str
    index_form: int
    index_everywhere: bool
    index_px: int

    def hand_of_honour(self, rng: Generator) -> LetteringFont:
        """The hand of one wind or dragon; some sets are lettered by several."""
        return self.honours[int(rng.integers(len(self.honours)))]


def drawn_sheet(fonts: Fonts, rng: Generator, name: str) -> Sheet:
    """A set from fonts and drawn marks; raises ValueError when there are no fonts with characters."""
    if not fonts.characters:
        raise ValueError("no font here can letter the characters and winds")
    style, lettering = random_style(rng), _random_lettering(fonts, rng)
    faces = {tile: sized(_with_index(bent(_face(tile, style, lettering, rng), tile, rng), tile, style, lettering)) for tile in ALL_TILES}
    if fonts.faces and rng.random() < _SYMBOL_SHARE:
        hand = fonts.faces[int(rng.integers(len(fonts.faces)))]
        faces[Tile.S1] = sized(_symbol(hand, 0x1F010, style.inks["gdb"[int(rng.integers(3))]], cut=True))
    foreign = tuple(sized(_flower(style, lettering, rng)) for _ in range(8))
    return Sheet(name, faces, foreign)


def art_sheet(design: Design) -> Sheet:
    """A set of the project's own designs, with the flowers that training may show."""
    paper = replace(design, palette=replace(design.palette, face="#ffffff"))

    def face(what: Tile | Flower) -> Face:
        pixels = paint(draw_face(paper, what), paper, Tile.WHITE, SHEET_H)
        return sized(np.ascontiguousarray(pixels[:, :, 2::-1]))

    return Sheet(
        f"art {design.name}",
        {tile: face(tile) for tile in ALL_TILES},
        tuple(face(flower) for flower in TRAINING_FLOWERS),
        with_margins=True,
    )


def symbol_sheets(fonts: Fonts, rng: Generator) -> Iterator[Sheet]:
    """One set of one ink from every font that holds whole mahjong faces."""
    for hand in fonts.faces:
        style = random_style(rng)
        ink = style.inks["dgb"[int(rng.integers(3))]]
        try:
            faces = {Tile(tile): sized(_symbol(hand, code, ink, cut=True)) for tile, code in _MAHJONG_FACES.items()}
            foreign = tuple(sized(_symbol(hand, code, ink, cut=True)) for code in range(0x1F022, 0x1F02A))
        except (ValueError, OSError):
            continue
        yield Sheet(f"symbols {hand.path.name}", faces, foreign)


def _random_lettering(fonts: Fonts, rng: Generator) -> _Lettering:
    brushed = [hand for hand in fonts.characters if hand.is_brush]

    def choose() -> LetteringFont:
        hands = brushed if brushed and rng.random() < 0.5 else fonts.characters
        return hands[int(rng.integers(len(hands)))]

    numerals = choose()
    one_hand = rng.random() < 0.7
    return _Lettering(
        numerals=numerals,
        suit=numerals if one_hand else choose(),
        honours=(numerals,) if one_hand else tuple(choose() for _ in range(4)),
        latin=fonts.latin[int(rng.integers(len(fonts.latin)))] if fonts.latin and rng.random() < 0.45 else None,
        five="五" if rng.random() < 0.45 else "伍五",
        ten_thousand="萬万" if rng.random() < 0.85 else "万",
        numeral_ink="dddbbgr"[int(rng.integers(7))],
        numeral_share=float(rng.uniform(0.34, 0.46)),
        width=float(rng.uniform(0.68, 0.98)),
        weight=int(rng.integers(-2, 10)),
        honour_size=float(rng.uniform(0.42, 1.0)),
        honour_ink="dddbbg"[int(rng.integers(6))],
        index_form=int(rng.integers(0, 4)),
        index_everywhere=bool(rng.random() < 0.75),
        index_px=int(rng.integers(34, 62)),
    )


def _face(tile: Tile, style: FaceStyle, lettering: _Lettering, rng: Generator) -> Face:
    match tile.suit:
        case Suit.CHARACTERS:
            return _characters(tile.rank, style, lettering)
        case Suit.DOTS:
            return dots(style, tile.rank, rng)
        case Suit.BAMBOOS:
            return bird(style, rng) if tile.rank == 1 else bamboos(style, tile.rank, rng)
        case Suit.HONOURS:
            if tile is Tile.WHITE:
                return frame(style, rng)
            return _honour(tile, style, lettering, rng)


def _characters(rank: int, style: FaceStyle, lettering: _Lettering) -> Face:
    face = blank()
    numeral = first_written(lettering.numerals, lettering.five if rank == 5 else NUMERALS[rank - 1])
    split = FACE_H * lettering.numeral_share
    width = FACE_W * lettering.width
    share = min(1.0, numeral.shape[0] / numeral.shape[1] * 1.25)
    stamp(
        face,
        reshape(numeral, int(width * 0.9), int(split * 0.92 * share), lettering.weight),
        (FACE_W / 2, split / 2 + 6),
        style.inks[lettering.numeral_ink],
    )
    suit = first_written(lettering.suit, lettering.ten_thousand)
    stamp(
        face, reshape(suit, int(width), int((FACE_H - split) * 0.9), lettering.weight), (FACE_W / 2, (FACE_H + split) / 2), style.inks["r"]
    )
    return face


def _honour(tile: Tile, style: FaceStyle, lettering: _Lettering, rng: Generator) -> Face:
    face = blank()
    usual = _WINDS_AND_DRAGONS[tile]
    written = {Tile.GREEN: written_green_dragon, Tile.WEST: written_west_wind}.get(tile)
    by_hand = written if rng.random() < 0.45 else None
    forms = _HONOUR_FORMS.get(usual, (usual, usual))[int(rng.random() < 0.2)]
    others = forms + usual + {"東": "东", "發": "发"}.get(usual, "")
    ink = by_hand(rng) if by_hand else first_written(lettering.hand_of_honour(rng), others)
    colour = {Tile.RED: "r", Tile.GREEN: "g"}.get(tile, lettering.honour_ink)
    height = FACE_H * lettering.honour_size * 0.95
    width = min(height * ink.shape[1] / ink.shape[0] * rng.uniform(0.8, 1.05), FACE_W * 0.97)
    stamp(face, reshape(ink, int(width), int(height), lettering.weight), (FACE_W / 2, FACE_H / 2), style.inks[colour])
    return face


def _flower(style: FaceStyle, lettering: _Lettering, rng: Generator) -> Face:
    """A flower, a season, or a character that no tile of the 34 bears."""
    face = plant(style, rng) if rng.random() < 0.95 else blank()
    text = _FLOWER_TEXTS[int(rng.integers(len(_FLOWER_TEXTS)))]
    hand = lettering.suit
    if hand.writes(text):
        size = rng.uniform(0.25, 0.5) if (face < 255).any() else rng.uniform(0.6, 0.9)
        place = (rng.choice((0.2, 0.8)) * FACE_W, rng.choice((0.15, 0.85)) * FACE_H) if size < 0.5 else (FACE_W / 2, FACE_H / 2)
        stamp(
            face,
            reshape(hand.draw(text), int(FACE_W * size), int(FACE_W * size), lettering.weight),
            place,
            style.inks["rgdb"[int(rng.integers(4))]],
        )
    if lettering.latin is not None and rng.random() < 0.8:
        numeral = lettering.latin.draw(str(int(rng.integers(1, 5))))
        stamp(face, reshape(numeral, 40, 60, 0), (FACE_W * rng.choice((0.15, 0.85)), FACE_H * 0.13), style.inks["rb"[int(rng.integers(2))]])
    return face


def bent(face: Face, tile: Tile, rng: Generator) -> Face:
    """The face as a hand would cut it: every line a little off, in slow waves; written faces are also leant, pulled and squeezed."""
    written = tile.suit in {Suit.CHARACTERS, Suit.HONOURS} and tile is not Tile.WHITE
    reach = rng.uniform(0, 12 if written else 5)
    waves = [cv2.resize(rng.normal(0, reach, (4, 3)).astype(np.float32), (FACE_W, FACE_H), interpolation=cv2.INTER_CUBIC) for _ in range(2)]
    x, y = np.meshgrid(np.arange(FACE_W, dtype=np.float32), np.arange(FACE_H, dtype=np.float32))
    waved = cv2.remap(face, x + waves[0], y + waves[1], cv2.INTER_LINEAR, borderValue=(255, 255, 255))
    corners = np.array([(0, 0), (FACE_W, 0), (FACE_W, FACE_H), (0, FACE_H)], np.float32)
    pulled = corners + rng.normal(0, (0.06 if written else 0.02) * FACE_W, (4, 2)).astype(np.float32)
    transform = cv2.getPerspectiveTransform(corners, pulled.astype(np.float32))
    size = (FACE_W, FACE_H)
    return np.asarray(cv2.warpPerspective(waved, transform, size, flags=cv2.INTER_LINEAR, borderValue=(255, 255, 255)), dtype=np.uint8)


def _symbol(hand: LetteringFont, code: int, ink: tuple[int, int, int], *, cut: bool) -> Face:
    """A font's whole tile face, its outline cut away."""
    glyph = hand.draw(chr(code))
    if cut:
        height, width = glyph.shape
        glyph = np.ascontiguousarray(glyph[int(height * 0.07) : int(height * 0.93), int(width * 0.1) : int(width * 0.9)])
    face = blank()
    stamp(face, reshape(glyph, FACE_W, FACE_H, 0), (FACE_W / 2, FACE_H / 2), ink)
    return face


def _with_index(face: Face, tile: Tile, style: FaceStyle, lettering: _Lettering) -> Face:
    """The face with small latin indices in one or two corners, where the set has them."""
    if lettering.latin is None or (tile.suit not in {Suit.CHARACTERS, Suit.HONOURS} and not lettering.index_everywhere):
        return face
    text = tile.text[0]
    ink = lettering.latin.draw(text)
    size = lettering.index_px
    small = reshape(ink, int(size * min(ink.shape[1] / ink.shape[0], 1.2)), size, 0)
    corner = (small.shape[1] / 2 + 4, size / 2 + 4)
    colour = style.inks["rdb"[lettering.index_form % 3]]
    if lettering.index_form != 2:
        stamp(face, small, corner, colour)
    if lettering.index_form >= 1:
        stamp(face, np.ascontiguousarray(small[::-1, ::-1]), (FACE_W - corner[0], FACE_H - corner[1]), colour)
    return face


def sized(face: Face) -> Face:
    """A face at the size that a sheet keeps."""
    return np.asarray(cv2.resize(face, (SHEET_W, SHEET_H), interpolation=cv2.INTER_AREA), dtype=np.uint8)
