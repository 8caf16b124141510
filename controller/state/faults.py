"""Faults that call staff: each function returns the event that announces one fault.

The module that finds a fault decides which one it is. Code, place and English sentence are made here alone. Codes are stable words of the
public events; each fault of the feeder has a code.
"""

from collections.abc import Mapping

from controller.state.waits import WAITS, Party, Wait, Waiting
from firmware_bridge.messages import FaultCode, Where
from twinwall.game.tiles import SEATS, Tile, TileRow, format_tiles
from twinwall.wire.events.trouble_events import TableFault, TablePart
from vision.mat import Slot

FOREIGN, EXTRA, UNREADABLE, MISSING = "foreign-tile", "extra-tile", "unreadable-tile", "missing-tiles"
OTHER_SET = "other-set"
WALL_DOUBTED = "wall-doubted"
WELL_COUNT = "well-count"
DEAL_REFUSED = "deal-refused"
UNREAD = "unread-tile"
ESTOP, LID = "estop", "lid"
NO_GATE = "no-rear-gate"
NOT_RAISED = "tile-not-raised"
WRONG_PORT, WRONG_FEEDER = "not-a-feeder", "wrong-feeder"

SET_FAULTS = frozenset({FOREIGN, EXTRA, UNREADABLE, MISSING, OTHER_SET, WALL_DOUBTED})
"""Faults of the set being built from: no wall is ready until staff have dealt with them and pressed CONFIRM."""

WAIT_FAULTS: frozenset[str] = frozenset(Wait)
"""Waits that have lasted too long; they clear when the awaited thing comes."""

_OF_MACHINE = frozenset(str(wait) for wait, row in WAITS.items() if row.on in (Party.MACHINE, Party.CAMERA))
"""Those that a person checks and then confirms; while the table waits for players, their CONFIRM means something else."""

STAFF_FAULTS = SET_FAULTS | _OF_MACHINE | {WELL_COUNT, NO_GATE, NOT_RAISED}
"""All faults that a person at the table answers with CONFIRM, except the machine's own."""


def _word(name: FaultCode | Where) -> str:
    return name.name.lower().replace("_", "-")


FEEDER_FAULTS: Mapping[str, FaultCode] = {f"feeder-{_word(code)}": code for code in FaultCode}
"""Codes of the faults that the feeder reports."""
_CODE_OF: Mapping[FaultCode, str] = {code: name for name, code in FEEDER_FAULTS.items()}

STOPPING = frozenset(
    {
        FaultCode.JAM,
        FaultCode.SHUTTLE,
        FaultCode.ESTOP,
        FaultCode.STOP,
        FaultCode.LID,
        FaultCode.NO_TILE,
        FaultCode.HOME_OPEN,
        FaultCode.HOME_SHUT,
        FaultCode.DRIVER,
        FaultCode.SENSORS_DISAGREE,
    }
)
"""Faults after which the feeder moves nothing until CLEAR."""

BARRING = frozenset({NO_GATE, ESTOP, "feeder-estop", "feeder-stop"})
"""Faults during which no gate opens."""

WELL = "well"

_SINGLE_PARTS = (Where.GATE, Where.DIVERTER, Where.DRUM, Where.WELL, Where.TABLE)
_NUMBERED_PARTS = 16
"""Most parts of one sort that a feeder has (firmware_bridge/PROTOCOL.md, ``where``): it adds their number to the code."""
_FEEDER_PARTS: Mapping[int, tuple[TablePart, int | None]] = {
    where + number: (TablePart(_word(where)), None if where in _SINGLE_PARTS else number)
    for where in Where
    for number in range(1 if where in _SINGLE_PARTS else _NUMBERED_PARTS)
}


def forbids_motion(code: str) -> bool:
    """Whether the feeder moves nothing during this fault: repeated commands would only fill the journal."""
    return code in FEEDER_FAULTS or code in (ESTOP, LID, NOT_RAISED)


def stopped(faults: tuple[TableFault, ...]) -> bool:
    """Whether one of these faults forbids motion."""
    return any(forbids_motion(fault.code) for fault in faults)


def foreign_tile() -> TableFault:
    """A tile of no known kind, or of neither set, was rejected."""
    sentence = "A tile that is none of the 34 kinds, or of neither set, lies in the reject cell: take it out, then press CONFIRM"
    return _at(FOREIGN, TablePart.REJECT_CELL, sentence)


def unreadable_tile() -> TableFault:
    """A tile that no showing could read was rejected."""
    sentence = "A tile cannot be read however it is shown; it lies in the reject cell: clean or replace it, then press CONFIRM"
    return _at(UNREADABLE, TablePart.REJECT_CELL, sentence)


def other_set_tile(tile: Tile, name: str) -> TableFault:
    """A tile of the set in play was rejected; ``name`` is that set's name."""
    sentence = f"A {tile.text} of the {name} set lies in the reject cell: put it with the {name} tiles, then press CONFIRM"
    return _at(OTHER_SET, TablePart.REJECT_CELL, sentence)


def tile_not_in_rules(tile: Tile, rules: str) -> TableFault:
    """A tile that the rules do not use was rejected."""
    sentence = f"A {tile.text}, which {rules} is played without, lies in the reject cell: take it out, then press CONFIRM"
    return _at(EXTRA, TablePart.REJECT_CELL, sentence)


def fifth_copy(tile: Tile) -> TableFault:
    return _at(EXTRA, TablePart.REJECT_CELL, f"A fifth {tile.text} lies in the reject cell: take it out, then press CONFIRM", (tile,))


def missing_tiles(tiles: TileRow, *, well: bool) -> TableFault:
    """The set lacks tiles: they go into the open well, or through the lid into the drum."""
    named = f"The set lacks {format_tiles(tiles)}"
    if well:
        return _at(MISSING, TablePart.WELL, f"{named}: put it into the well, then press CONFIRM", tiles)
    return _at(MISSING, TablePart.DRUM, f"{named}: put it into the drum through the lid, shut the lid, then press CONFIRM", tiles)


def contradicting_looks() -> TableFault:
    """The looks at the tiles of a full wall contradict each other, even after re-reads."""
    sentence = (
        "The looks at the tiles of this wall contradict each other, also when read again: wipe the gate's window, look at its "
        "lamp, then press CONFIRM, and they are read once more"
    )
    return _at(WALL_DOUBTED, TablePart.GATE, sentence)


def well_count_differs(by: int) -> TableFault:
    """The count at the well differs from the set by this many tiles; negative: fewer."""
    count = f"{abs(by)} tile{'' if abs(by) == 1 else 's'}"
    if by < 0:
        sentence = f"The well lacks {count} of the set: look around the table and push in what is found, or press CONFIRM to go on"
    else:
        sentence = f"{count} too many fell into the well; which they are shows when the set is read: press CONFIRM to go on"
    return _at(WELL_COUNT, TablePart.WELL, sentence)


def tiles_not_raised(named: str, place: int, index: int) -> TableFault:
    """The lift has left tiles behind: ``named`` by seat and number in its wall, but by no kind; the first at ``place`` and ``index``."""
    sentence = (
        f"Not in the wall after the lift: {named}. If the tile lies in its tray or below the lift, set it into its place in the wall, "
        "its face unseen; if its player holds it, leave the place empty; then press CONFIRM"
    )
    return TableFault(NOT_RAISED, f"place {place} wall {index}", sentence, None, TablePart.WALL, place, index)


def refused_deal(n: int, sentence: str) -> TableFault:
    return TableFault(DEAL_REFUSED, f"deal {n}", sentence)


def unread_tile(slot: Slot) -> TableFault:
    """A tile on the mat cannot be read."""
    where = f"place {slot.place} {slot.area} {slot.index}"
    sentence = "A tile on the table cannot be read: lay it face up and straight, with nothing over it"
    return TableFault(UNREAD, where, sentence, None, TablePart(slot.area), slot.place, slot.index)


def emergency_stop() -> TableFault:
    return _at(ESTOP, TablePart.TABLE, "The emergency stop is pressed: release it when the table is safe")


def open_drum_lid() -> TableFault:
    return _at(LID, TablePart.DRUM, "The lid is open: close it")


def no_rear_gate(gate: int, rules: str) -> TableFault:
    """The feeder lacks a rear gate that the rules need."""
    sentence = f"This feeder has no rear gates, and {rules} has tiles to be turned up behind them: play other rules at this table"
    rear, place = divmod(gate, len(SEATS))
    return TableFault(NO_GATE, f"gate {gate}", sentence, None, TablePart.REAR_GATE if rear else TablePart.DRAW_GATE, place)


def feeder_fault(code: FaultCode, where: int) -> TableFault:
    """The feeder reports a fault; ``where`` is the protocol's number of the part."""
    reports = _SENTENCES.get(code, f"The feeder reports {code.name.lower().replace('_', ' ')} at part {where:#04x}: look there")
    part, number = _FEEDER_PARTS.get(where, (None, None))
    return TableFault(_CODE_OF[code], f"{where:#04x}", f"{reports}, then press CONFIRM", None, part, None, number)


_SENTENCES: Mapping[FaultCode, str] = {
    FaultCode.ESTOP: "The emergency stop was pressed, and the feeder stands: make sure that no hand is in it",
    FaultCode.LID: "The lid was open, and the feeder stands: take hands and tools out and shut it",
    FaultCode.HOME_OPEN: "The end switch of a shuttle does not close: push the carriage there by hand, look at the switch and its plug",
    FaultCode.HOME_SHUT: "The end switch of a shuttle does not open: look what holds it, and at its wire",
    FaultCode.DRIVER: "A motor driver is hot or its motor held, its supply is wrong, or the drum turns by itself: look at both",
    FaultCode.SENSORS_DISAGREE: "A sensor tells what nothing has moved: look there for dirt, a hand, its plug and its wire",
    FaultCode.NO_TILE: "No tile came from the drum: if it turns, look at its monitor's plug; if it stands, take out what blocks it",
}
"""What a person should check, if the name of the fault does not say it."""


def unknown_backs() -> TableFault:
    """Tile after tile has an unknown back; the feeder stops as after its own fault."""
    sentence = (
        "Tile after tile shows no back of this table's sets: is it another set? If not, look at the gate's colour sensor and its plug"
    )
    return _at(_CODE_OF[FaultCode.SENSORS_DISAGREE], TablePart.GATE, sentence)


def wrong_port(reason: str, *, another: bool) -> TableFault:
    """The device at the serial port is no feeder, or ``another`` table's."""
    return _at(WRONG_FEEDER if another else WRONG_PORT, TablePart.SERIAL_PORT, f"{reason}: check [feeder] port in the settings")


def overdue(late: Waiting) -> TableFault:
    return TableFault(late.wait, late.mark, WAITS[late.wait].sentence, None, late.part, late.place, late.number)


def _at(code: str, part: TablePart, sentence: str, tiles: TileRow | None = None) -> TableFault:
    return TableFault(code, part.value.replace("-", " "), sentence, tiles, part)
