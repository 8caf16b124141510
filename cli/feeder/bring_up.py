"""``twinwall feeder bring-up``: takes a person through every wire of a new board, and records what has passed. A line passes by itself when
its inputs, and no others, have changed as they should. For an output without a switch the person says whether it moved. The record has each
tried line: whether it passed, when, by whom, and notes. It is on disk after each line. The last attempt decides."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from cli.feeder import feeder_ports
from cli.feeder.bring_up_lines import Line, lines_of
from cli.feeder.pins import STANDS, WAITS
from cli.feeder.wires import DRIVEN, BoardWires, wires_at
from cli.terminal import letters_pressed
from cli.usage import PUBLISHED, UsageError, argument, read_file, refuse_no_file, takes, tell, write_file
from firmware_bridge.board.table_record import NAMELESS
from firmware_bridge.conformance.preparing import NoMachineError
from firmware_bridge.electrics.wiring import Signal, is_on
from twinwall.game.documents import parse_object, pretty_json, write_time
from twinwall.game.typed_json import Text, plain, read_as
from twinwall.values import Shape


class Attempt(Shape):
    """One attempt at a line."""

    line: Text
    passed: bool
    at: Text
    by: Text
    notes: tuple[str, ...] = ()


class BringUpRecord(Shape):
    """All attempts at the board ``uid``."""

    uid: Text
    tried: tuple[Attempt, ...] = ()
    form: Literal["twinwall-bring-up-1"] = "twinwall-bring-up-1"

    @property
    def passed(self) -> frozenset[str]:
        return frozenset(line for line, passed in {each.line: each.passed for each in self.tried}.items() if passed)

    def with_attempt(self, line: str, passed: bool, at: datetime, by: str, notes: tuple[str, ...]) -> "BringUpRecord":
        return replace(self, tried=(*self.tried, Attempt(line, passed, write_time(at), by, notes)))


def record_at(path: Path, uid: str = "") -> BringUpRecord:
    """The record in a file, or a new one without a file. Without a ``uid`` any board's is accepted. Raises UsageError for another board's
    record, for another kind of file, and for a board without a number of its own."""
    refuse_no_file(path)
    if uid == NAMELESS.hex():
        raise UsageError(
            "the board at this port has no record of its table, and so no number of its own: write one with twinwall feeder record and "
            "make flash (docs/how-to/table/bring-up.md, step 0)"
        )
    if not path.exists():
        return BringUpRecord(uid)
    record = read_file(path, lambda content: read_as(parse_object(content, "the record of a bring-up"), BringUpRecord))
    if uid not in ("", record.uid):
        raise UsageError(f"{path} is the record of board {record.uid}, and board {uid} is at this port: name another file")
    return record


def write_record(path: Path, record: BringUpRecord) -> None:
    """Write the record to disk; raises UsageError if that fails, or if another board's record is there, which stays."""
    record_at(path, record.uid)
    write_file(path, pretty_json(plain(record)), PUBLISHED, force=True)


_KEYS = """Enter drives an output, y and n answer, s leaves a line open, x: the table has not got
it, q stops. The record is on disk after each line. Hands out before Enter!"""
_SETTLES_READINGS = 80
"""Readings within which a switch must follow its output, 2.5 s: the motors' supply falls slowly."""
_QUIT, _SKIP, _NONE, _ENTER = "q", "s", "x", "\n"
_EVERY_TABLE = ("ESTOP", "LID_OPEN", "MOTOR_POWER", "HOME", "AT_PLACE", "GRIPPER_UP", "PICKER", "STEP")
"""Lines that no table lacks."""


@takes(
    *feeder_ports.arguments(),
    argument("--record", type=Path, required=True, metavar="FILE", help="the record; one that is there is gone on with"),
    argument("--by", required=True, metavar="NAME", help="who does it"),
    about="Go through every switch, barrier and output of a new board, line by line, before the machine can home. It says what to do, "
    "sees by itself whether the right wire has changed, and names another that has. Exit 1 while lines are open.",
)
def bring_up(arguments: argparse.Namespace) -> bool:
    """Run the open lines; exit 1 while some are open, or when the machine does not answer."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("feeder bring-up asks a person: run it at a terminal")
    if not arguments.by.strip() or not arguments.by.isprintable():
        raise UsageError("feeder bring-up: say with --by who does it")
    record_at(arguments.record)
    print(WAITS)
    allow = partial(record_at, arguments.record)
    with feeder_ports.feeder_at(arguments, "feeder bring-up") as (path, _):
        try:
            with wires_at(path, arguments.baud, driving=True, allow=allow) as wires, letters_pressed(_QUIT) as key:
                wizard = _Wizard(wires, key, arguments.record, allow(wires.uid.hex()), arguments.by.strip())
                wizard.run()
        except (NoMachineError, OSError) as problem:
            tell(f"{arguments.port}: {problem}")
            return False
    return _conclude(wizard, arguments)


def _conclude(wizard: "_Wizard", arguments: argparse.Namespace) -> bool:
    missing = wizard.missing()
    few = ", ".join(line.name for line in missing[:8])
    print(f"\n{len(wizard.lines) - len(missing)} of {len(wizard.lines)} lines have passed: {arguments.record}")
    print(f"open: {few}{' …' if len(missing) > 8 else ''}" if missing else f"Next: twinwall feeder check {arguments.port} --assisted")
    tell(STANDS)
    return not missing


@dataclass
class _LineWatch:
    """The changes of the inputs since a line began."""

    line: Line
    image: bytes
    went: dict[int, list[bool]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def again(self) -> None:
        """Forget the changes so far."""
        self.went.clear()

    @property
    def passed(self) -> bool:
        """Whether every input of the line has gone through its levels, and is now at the last one."""
        return all(_went(self.went.get(number, []), levels) for number, levels in self.line.goes.items())

    @property
    def rests(self) -> bool:
        """Whether the line's cam was at rest at the last reading."""
        return all(is_on(self.image, number) for number in self.line.rests)


def _went(seen: list[bool], levels: tuple[bool | None, ...]) -> bool:
    """Whether ``levels`` occur in this order in ``seen``, which must end with the last of them."""
    left = list(levels)
    for level in seen:
        if left and left[0] in (level, None):
            left.pop(0)
    return not left and levels[-1] in (seen[-1], None)


class _Wizard:
    def __init__(self, wires: BoardWires, key: Callable[[], str], path: Path, record: BringUpRecord, by: str) -> None:
        self.lines = lines_of(wires.capabilities)
        self._wires, self._key, self._path, self._record, self._by = wires, key, path, record, by

    def missing(self) -> list[Line]:
        return [line for line in self.lines if line.name not in self._record.passed]

    def run(self) -> None:
        """Go through the open lines, until the last one or q."""
        missing = self.missing()
        print(f"board {self._wires.uid.hex()}: {len(missing)} of {len(self.lines)} lines are open\n{_KEYS}\n")
        for number, line in enumerate(self.lines, 1):
            if line not in missing:
                continue
            if self._left_before():
                return
            watch = _LineWatch(line, self._wires.read())
            print(f"[{number}/{len(self.lines)}] {line.name} ({line.at})")
            _say(f"Enter: {line.does}" if line.drives else line.does)
            end = self._driven(watch) if line.drives else self._by_hand(watch)
            if end == _NONE:
                watch.notes.append("the table has not got it")
            passed = end in ("passed", _NONE)
            if passed or end == _SKIP or watch.notes:
                self._record = self._record.with_attempt(line.name, passed, datetime.now(UTC), self._by, tuple(watch.notes))
                write_record(self._path, self._record)
            if end == _QUIT:
                return
            _say("passed" if passed else "left open")

    def _by_hand(self, watch: _LineWatch) -> str:
        """Wait for the person's action; return ``passed``, or the key that leaves the line open."""
        for number, levels in watch.line.goes.items():
            if levels[-1] not in (None, is_on(watch.image, number)):
                _say(f"it reads {not levels[-1]:d} already: let go of it first. Stuck, inverted or not connected, if nothing touches it")
        while True:
            self._look(watch)
            if watch.passed:
                return "passed"
            if (key := self._key()) in _keys_that_leave(watch.line):
                return key

    def _left_before(self) -> bool:
        """Whether q was pressed, or the input has ended; other keys pressed before a question are ignored."""
        while key := self._key():
            if key == _QUIT:
                return True
        return False

    def _driven(self, watch: _LineWatch) -> str:
        """Drive the output at each Enter, until its switches have moved, or the person says that it has."""
        while True:
            if (key := self._wait(_ENTER, *_keys_that_leave(watch.line), watch=watch)) != _ENTER:
                if key == _QUIT or not watch.notes or watch.rests:
                    return key
                _say("not yet: its switch does not rest, and the cam goes on with whatever is driven next. Repair the switch, q stops")
                continue
            watch.again()
            problem = self._drive(watch)
            if problem == _QUIT:
                return _QUIT
            if not problem and not watch.line.goes:
                if self._left_before():
                    return _QUIT
                _say("did it? y, n")
                key = self._wait("y", "n", _QUIT, _SKIP, watch=watch)
                if key == _QUIT or (key != "n" and watch.rests):
                    return "passed" if key == "y" else key
                problem = "it did not move." if key == "n" else "its switch does not rest."
            elif not problem and watch.passed:
                return "passed"
            went_otherwise = "its switches changed, but not as they should: are wires swapped?"
            problem = problem or (went_otherwise if watch.went else "its switch did not change: look at the motor and both wires.")
            watch.notes.append(problem)
            _say(f"{problem} Enter drives it again")

    def _drive(self, watch: _LineWatch) -> str:
        """Drive the line's outputs in order until its inputs have changed; return what went wrong. After a key nothing more is driven;
        returns q if that was pressed."""
        pressed = ""
        for output, amount in watch.line.drives:
            self._wires.drive(output, amount)
            while not self._wires.driven and pressed != _QUIT:
                self._look(watch)
                pressed = self._key() or pressed
            if pressed == _QUIT:
                return _QUIT
            if self._wires.driven != DRIVEN:
                return f"{self._wires.driven}."
            if watch.line.goes and watch.passed:
                break
            if pressed:
                return "stopped by a key."
        for _ in range(_SETTLES_READINGS if watch.line.goes else 0):
            if watch.passed:
                break
            self._look(watch)
        return ""

    def _wait(self, *keys: str, watch: _LineWatch) -> str:
        """Wait for one of these keys, ignoring changes of the inputs."""
        while (key := self._key()) not in keys:
            watch.image = self._wires.read()
        return key

    def _look(self, watch: _LineWatch) -> None:
        """Read the inputs once, and name those that have changed besides the line's."""
        image, before = self._wires.read(), watch.image
        watch.image = image
        for each in self._wires.inputs:
            level = is_on(image, each.number)
            if level is is_on(before, each.number) or each.number in watch.line.beside - watch.line.goes.keys():
                continue
            if each.number in watch.line.goes:
                watch.went.setdefault(each.number, []).append(level)
            else:
                watch.again()
                self._name(watch, each)

    def _name(self, watch: _LineWatch, stranger: Signal) -> None:
        """Name an unexpected input that has changed, once for each line."""
        note = f"{stranger.name} changed instead"
        if note not in watch.notes:
            watch.notes.append(note)
            _say(f"{note} ({stranger.at}): are wires swapped?")


def _keys_that_leave(line: Line) -> tuple[str, ...]:
    """Quit, skip, and, for a line that a table may lack, "not present"."""
    return (_QUIT, _SKIP) if line.name.startswith(_EVERY_TABLE) else (_QUIT, _SKIP, _NONE)


def _say(what: str) -> None:
    print(f"    {what}", flush=True)
