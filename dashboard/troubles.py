"""What a fault is called in the words of one language: its sentence by its code, its place by its name.

The table writes an English sentence into the event. Where the code is known the pages say it in
their own language, and show the tiles that it names as tiles; otherwise the table's sentence stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.catalogue import CATALOGUE
from dashboard.view import Fault
from dashboard.words import Words
from twinwall.game.tiles import NotationError, Tile, parse_tiles

_TILES_IN: Mapping[str, re.Pattern[str]] = {
    "extra-tile": re.compile(r"\bfifth (\S+) lies\b"),
    "missing-tiles": re.compile(r"\blacks ([^:]+):"),
}
"""Codes whose sentence names tiles, and where it does."""
_PARTS: Mapping[int, str] = {0x10: "gate", 0x11: "diverter", 0x12: "drum", 0x13: "well", 0x14: "table"}
_NUMBERED_PARTS: Mapping[int, str] = {0x00: "shuttle", 0x20: "tray", 0x30: "magazine", 0x40: "cell"}
"""The parts of the feeder as it numbers them (firmware_bridge/PROTOCOL.md, FAULT); the low four bits count."""
TILES_A_GROUP = 4
"""How the mat counts its places for melds (``twinwall.art.mat.Slot``)."""
_CAMERA_SLOT = re.compile(r"place (\d+) (\w+) (\d+)")


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault as it is shown: the part, what to do there, and the tiles that it is about."""

    where: str
    sentence: str
    tiles: tuple[Tile, ...] = ()


def trouble(fault: Fault, words: Words) -> Trouble:
    """The fault in the language; what is not known here is shown as the table wrote it."""
    where = place_name(fault.where, words)
    key = f"fault.{fault.code}"
    if key not in CATALOGUE:
        return Trouble(where, fault.sentence)
    if fault.code not in _TILES_IN:
        return Trouble(where, words(key))
    tiles = _tiles_named(fault)
    return Trouble(where, words(key), tiles) if tiles else Trouble(where, fault.sentence)


def place_name(where: str, words: Words) -> str:
    """A part of the table by its name in the language; one that is not known by its own."""
    if (key := f"where.{where}") in CATALOGUE:
        return words(key)
    if re.fullmatch(r"0x[0-9a-f]{2}", where):
        return _feeder_part(int(where, 16), words) or where
    slot = _CAMERA_SLOT.fullmatch(where)
    if slot is not None and (key := f"slot.{slot[2]}") in CATALOGUE:
        number = int(slot[3])
        return words(key, place=slot[1], number=number + 1, group=number // TILES_A_GROUP + 1)
    return where


def _feeder_part(code: int, words: Words) -> str | None:
    if code in _PARTS:
        return words(f"where.{_PARTS[code]}")
    name = _NUMBERED_PARTS.get(code & 0xF0)
    return None if name is None else words(f"part.{name}", number=code & 0x0F)


def _tiles_named(fault: Fault) -> tuple[Tile, ...]:
    found = _TILES_IN[fault.code].search(fault.sentence)
    try:
        return () if found is None else parse_tiles(found[1])
    except NotationError:
        return ()
