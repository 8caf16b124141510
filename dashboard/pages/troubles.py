"""What a fault is called in one language: its sentence by its code, its place by its name.

The event carries code, place and tiles as fields, and an English sentence. The page words a code that
it knows in its own language; for other codes it shows the sentence as it came.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.i18n.words import Words
from dashboard.projections.table_view import FaultView
from twinwall.game.tiles import SEATS, Tile

_NAMES_TILES = frozenset({"extra-tile", "missing-tiles"})
"""Codes whose text is read with the tiles beside it. An event without them keeps the table's sentence, which names them."""
_PARTS: Mapping[int, str] = {0x10: "gate", 0x11: "diverter", 0x12: "drum", 0x13: "well", 0x14: "table"}
_NUMBERED_PARTS: Mapping[int, str] = {
    0x00: "shuttle",
    0x20: "tray",
    0x30: "magazine",
    0x40: "cell",
    0x50: "other-gate",
    0x60: "other-diverter",
    0x70: "exchanger",
}
"""The parts of the feeder as it numbers them (firmware_bridge/PROTOCOL.md, FAULT); the low four bits count."""
_REACHED_INTO = frozenset(f"feeder-{fault}" for fault in ("jam", "double-feed", "shuttle", "sensors-disagree", "well", "lock"))
"""Codes at which somebody has to reach into the part that is named."""
_REJECT_CELL = "reject cell"
TILES_A_GROUP = 4
"""How the mat counts its places for melds (``twinwall.art.mat.Slot``)."""
_GATE = re.compile(r"gate ([0-7])")
"""A draw gate by its place, or a rear gate by its place and four (PROTOCOL.md, Gates)."""
_CAMERA_SLOT = re.compile(r"place (\d+) (\w+) (\d+)")


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault as it is shown: the part, what to do there, the tiles that it is about, and where to put a hand."""

    where: str
    sentence: str
    tiles: tuple[Tile, ...] = ()
    hand: str = ""


def trouble(fault: FaultView, words: Words) -> Trouble:
    """The fault in the language; what is not known here is shown as the table wrote it."""
    where = place_name(fault.where, words)
    key = f"fault.{fault.code}"
    if key not in words:
        return Trouble(where, fault.sentence)
    hand = _where_to_reach(fault, words)
    named = fault.code not in _NAMES_TILES or fault.tiles
    return Trouble(where, words(key) if named else fault.sentence, fault.tiles, hand)


def place_name(where: str, words: Words) -> str:
    """A part of the table by its name in the language; one that is not known by its own."""
    if (key := f"where.{where}") in words:
        return words(key)
    if re.fullmatch(r"0x[0-9a-f]{2}", where):
        return _feeder_part(int(where, 16), words) or where
    if (gate := _GATE.fullmatch(where)) is not None:
        rear, place = divmod(int(gate[1]), len(SEATS))
        key = "part.rear-gate" if rear else "part.draw-gate"
        return words(key, number=place)
    slot = _CAMERA_SLOT.fullmatch(where)
    if slot is not None and (key := f"slot.{slot[2]}") in words:
        number = int(slot[3])
        return words(key, place=slot[1], number=number + 1, group=number // TILES_A_GROUP + 1)
    return where


def _where_to_reach(fault: FaultView, words: Words) -> str:
    """Where to put a hand: by fault and part, else by the part where that is what staff have to look at, else nothing."""
    part, number = _part(fault.where)
    for key in (f"hand.{fault.code}.{part}", f"hand.{part}"):
        if key in words and (fault.code in _REACHED_INTO or part == _REJECT_CELL or fault.code in key):
            return words(key, number=number, place=number % len(SEATS))
    return ""


def _part(where: str) -> tuple[str, int]:
    """A part of the table by its own name, and which of its sort."""
    if not re.fullmatch(r"0x[0-9a-f]{2}", where):
        return where, 0
    code = int(where, 16)
    return _PARTS.get(code) or _NUMBERED_PARTS.get(code & 0xF0) or where, code & 0x0F


def _feeder_part(code: int, words: Words) -> str | None:
    part, number = _part(f"{code:#04x}")
    key = f"where.{part}" if code in _PARTS else f"part.{part}"
    return words(key, number=number) if key in words else None
