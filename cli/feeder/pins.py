"""``twinwall feeder pins``: every input of a feeder's board as it is read now, and its outputs one at a time. At a terminal a table fills
the screen until q; ``--page`` has the same in a browser; elsewhere, and with ``--once`` or ``--json``, one reading is printed. What is on
the screen is ``PinsScreen``'s to decide; curses only shows it. The page of ``feeder pins`` is for this computer only. One thread reads; any
other may look, and ask for an output."""

import argparse
import curses
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

from cli.feeder import feeder_ports
from cli.feeder.wires import BoardWires, wires_at
from cli.usage import JSON, UsageError, answer, argument, takes, tell, until_stopped
from firmware_bridge.conformance.bench_line import Broken
from firmware_bridge.conformance.preparing import NoMachineError
from firmware_bridge.electrics.wiring import Input, Signal, is_on
from tableside.station_screen.screen_files import page_file
from twinwall.values import Shape
from twinwall.web.http_server import check_json_object, json_body, known_version, page_app, refuse_other_hosts
from twinwall.web.loopback_server import HttpServer

_LAST = 5


class SeenInputs:
    """The last reading of the inputs, and the number of changes of each since ``forget``."""

    def __init__(self, inputs: Sequence[Signal], image: bytes) -> None:
        self.all, self._image = inputs, image
        self.changes: Counter[int] = Counter()
        self.last: list[str] = []
        """The last changes, the newest first."""

    def take(self, image: bytes) -> list[Signal]:
        """Take a new reading; return the inputs that changed."""
        changed = [each for each in self.all if is_on(image, each.number) is not self.is_on(each)]
        self._image = image
        self.changes.update(each.number for each in changed)
        self.last = [*(f"{each.name} {self.is_on(each):d}" for each in reversed(changed)), *self.last][:_LAST]
        return changed

    def is_on(self, each: Signal) -> bool:
        return is_on(self._image, each.number)

    def forget(self) -> None:
        """Count changes from now on."""
        self.changes.clear()
        self.last = []

    def rows(self) -> list[dict[str, object]]:
        """Each input with its level and where its wire ends."""
        return [{"number": each.number, "name": each.name, "on": self.is_on(each), "at": each.at} for each in self.all]


class LivePins:
    """The pins of a board that is in bring-up."""

    def __init__(self, wires: BoardWires) -> None:
        self.uid, self.outputs = wires.uid.hex(), wires.outputs
        self.seen = SeenInputs(wires.inputs, wires.read())
        self._wires = wires
        self._wanted: tuple[Signal, int] | None = None
        self._version, self._driven, self._ended = 1, self.driven, ""
        self._turn = threading.Condition()

    @property
    def driven(self) -> str:
        """How the last driven output ended; empty while one is driven."""
        return "" if self._wanted else self._wires.driven

    def read(self) -> list[Signal]:
        """Read once and start a drive that was asked for; return the inputs that changed. Raises what ``BoardWires.read`` raises."""
        try:
            image = self._wires.read()
        except (NoMachineError, Broken, OSError) as problem:
            self.end(str(problem))
            raise
        with self._turn:
            if self._wanted:
                output, amount = self._wanted
                self._wires.drive(output.number, amount)
                self._wanted = None
            changed = self.seen.take(image)
            if changed or self.driven != self._driven:
                self._notify()
            return changed

    def drive(self, number: int, amount: int) -> str:
        """Ask to drive an output for an amount (ms or steps); return the refusal, or an empty string."""
        output = next((each for each in self.outputs if each.number == number), None)
        if output is None:
            return f"this table has no output {number}"
        if amount not in output.amounts:
            return f"{output.name} takes {output.amounts[0]} to {output.amounts[-1]} {output.unit}, in steps of {output.amounts.step}"
        with self._turn:
            if self._ended or not self.driven:
                return self._ended or f"{output.name} is refused: one output at a time, wait until the other has ended"
            self._wanted = output, amount
            self._notify()
        return ""

    def forget(self) -> None:
        """Count changes from now on."""
        with self._turn:
            self.seen.forget()
            self._notify()

    def end(self, why: str) -> None:
        """Stop: refuse every later drive with this sentence."""
        with self._turn:
            self._ended = self._ended or why
            self._notify()

    def now(self, after: int, wait_s: float) -> dict[str, object]:
        """Return the present state as soon as its version is above ``after``, or after ``wait_s`` at the latest."""
        with self._turn:
            self._turn.wait_for(lambda: self._version > after, wait_s)
            return {
                "version": self._version,
                "inputs": [
                    {**row, "changes": self.seen.changes[each.number]} for each, row in zip(self.seen.all, self.seen.rows(), strict=True)
                ],
                "last": self.seen.last,
                "driven": self.driven,
                "ended": self._ended,
            }

    def _notify(self) -> None:
        self._version, self._driven = self._version + 1, self.driven
        self._turn.notify_all()


_MOST_BYTES = 256
_WAIT_S = 10.0


class _WantedDrive(Shape):
    """``/drive``: an output, and its time in ms or its steps."""

    number: int
    amount: int


def pins_page(pins: LivePins) -> HttpServer:
    """The page's server, at a free port."""
    app = page_app("pins", _MOST_BYTES)
    refuse_other_hosts(app, "this page drives motors: it is for this computer alone")
    html = page_file("cli.feeder", "pins.html")
    outputs = [
        {"number": each.number, "name": each.name, "at": each.at, "unit": each.unit}
        | {"least": each.amounts[0], "most": each.amounts[-1], "step": each.amounts.step}
        for each in pins.outputs
    ]

    @app.get("/")
    def page() -> str:
        return html

    @app.get("/outputs")
    def board() -> dict[str, object]:
        return {"uid": pins.uid, "outputs": outputs}

    @app.get("/now")
    def now() -> dict[str, object]:
        return pins.now(known_version(), _WAIT_S)

    @app.post("/drive")
    def drive() -> tuple[dict[str, str], int]:
        check_json_object()
        wanted = json_body(_WantedDrive)
        refused = pins.drive(wanted.number, wanted.amount)
        return ({"error": refused}, 409) if refused else ({}, 200)

    @app.post("/forget")
    def forget() -> dict[str, str]:
        check_json_object()
        pins.forget()
        return {}

    return HttpServer(app, 0)


def serve(pins: LivePins, stop: threading.Event) -> None:
    """Serve the page until ``stop`` is set; raises what ``LivePins.read`` raises, after the page has shown it."""
    page = pins_page(pins)
    page.start()
    tell(f"pins: {page.url}\nCtrl-C ends it")
    try:
        while not stop.is_set():
            pins.read()
    finally:
        pins.end("twinwall feeder pins has ended")
        page.stop()


STANDS = "The machine stands now, also after a restart of its board. feeder check --only hello-identity, or CONFIRM, lets it home."
WAITS = "Waiting for the machine. It comes home first, unless the emergency stop is pressed."
_KEYS = ("Tab outputs   up, down choose   r forget changes   q quit", "Tab inputs   up, down choose   + - amount   Enter drive   q quit")
_NAMES = {curses.KEY_UP: "up", curses.KEY_DOWN: "down", curses.KEY_PPAGE: "page up", curses.KEY_NPAGE: "page down", curses.KEY_ENTER: "\n"}
_FRAME = 4
"""Lines of the screen around the list."""


@takes(
    *feeder_ports.arguments(),
    argument(
        "--once", action="store_true", help="print one reading, in any state of the machine; a board that the port restarts comes home"
    ),
    argument("--page", action="store_true", help="show and drive them on a page for this computer alone, until Ctrl-C"),
    JSON,
    about="Show every input of the feeder's board with its chip or pin, and drive one output at a time: for a machine at rest, "
    "before it can home. Emergency stop and lid cut what is driven. Exit 1 when the machine does not answer or is not at rest.",
)
def show_pins(arguments: argparse.Namespace) -> bool:
    """Show the pins; exit 1 with a sentence when they cannot be read."""
    printed = arguments.once or arguments.json
    if arguments.page and printed:
        raise UsageError("feeder pins: --page shows the pins live: leave --once and --json out")
    screen = sys.stdout.isatty() and sys.stdin.isatty() and not arguments.page and not printed
    if screen:
        _refuse_plain_terminal()
    if live := screen or arguments.page:
        tell(WAITS)
    with feeder_ports.feeder_at(arguments, "feeder pins") as (path, _):
        try:
            with wires_at(path, arguments.baud, driving=live) as wires:
                if screen:
                    curses.wrapper(_show, LivePins(wires))
                elif live:
                    serve(LivePins(wires), until_stopped())
                else:
                    seen, uid = SeenInputs(wires.inputs, wires.read()), wires.uid.hex()
        except (NoMachineError, OSError) as problem:
            tell(f"{arguments.port}: {problem}")
            return False
    if live:
        tell(STANDS)
    else:
        _print(arguments, uid, seen.rows())
    return True


def _refuse_plain_terminal() -> None:
    """Raise UsageError where a cursor cannot be placed."""
    with suppress(curses.error):
        curses.setupterm()
        if curses.tigetstr("cup"):
            return
    raise UsageError("feeder pins: this terminal cannot show a table; use --once")


def _print(arguments: argparse.Namespace, uid: str, rows: list[dict[str, object]]) -> None:
    lines = (f"{row['number']:3}  {row['name']:22} {row['on']:d}  {row['at']}" for row in rows)
    answer({"port": arguments.port, "uid": uid, "inputs": rows}, "\n".join(lines), as_json=arguments.json)


class PinsScreen:
    """What the screen shows: a list of inputs or outputs, with the line that was chosen, or of the input that has changed last."""

    def __init__(self, seen: SeenInputs, outputs: tuple[Signal, ...]) -> None:
        self._seen, self._outputs = seen, outputs
        self._amounts = {each.number: each.amounts.start for each in outputs}
        self._shows_outputs = False
        self._chosen = {False: 0, True: 0}

    def choose_changed(self, changed: list[Signal]) -> None:
        """Go to the input that has changed."""
        for each in changed:
            if not self._shows_outputs or each.number != Input.DRIVER_FAULT:  # which changes with every motor
                self._chosen[False] = self._seen.all.index(each)

    def press(self, key: str, page: int = 10) -> tuple[int, int] | None:
        """Do what a key means; return the output to drive and how long or far, if that is it."""
        listed = self._listed
        if key in (ways := {"up": -1, "down": 1, "page up": -page, "page down": page}):
            self._chosen[self._shows_outputs] = min(max(self._chosen[self._shows_outputs] + ways[key], 0), len(listed) - 1)
        elif key == "\t":
            self._shows_outputs = not self._shows_outputs
        elif key == "r":
            self._seen.forget()
        elif self._shows_outputs:
            output = listed[self._chosen[True]]
            amount = self._amounts[output.number]
            if key in ("\n", "\r"):
                return output.number, amount
            if key in ("+", "-"):
                step = output.amounts.step if key == "+" else -output.amounts.step
                self._amounts[output.number] = min(max(amount + step, output.amounts[0]), output.amounts[-1])
        return None

    def lines(self, height: int, driven: str) -> list[tuple[str, bool]]:
        """The screen's lines, and whether each stands out; ``driven`` says how the last output ended."""
        chosen = self._chosen[self._shows_outputs]
        room = max(height - _FRAME, 1)
        first = min(max(chosen - room // 2, 0), max(len(self._listed) - room, 0))
        what = "outputs" if self._shows_outputs else "inputs"
        body = [self._line(index, each) for index, each in islice(enumerate(self._listed), first, first + room)]
        head = f"{what} {first + 1}-{first + len(body)} of {len(self._listed)}; changed: {len(self._seen.changes)}"
        last = (f"output: {driven or 'is driven'}; " if self._shows_outputs else "") + f"changed last: {', '.join(self._seen.last) or '-'}"
        heading = (
            "  no.  signal                  drive    where" if self._shows_outputs else "  no.  signal                 now changed where"
        )
        return [(head, False), (heading, False), *body, (last, False), (_KEYS[self._shows_outputs], False)][:height]

    @property
    def _listed(self) -> Sequence[Signal]:
        return self._outputs if self._shows_outputs else self._seen.all

    def _line(self, index: int, each: Signal) -> tuple[str, bool]:
        mark = ">" if index == self._chosen[self._shows_outputs] else " "
        if self._shows_outputs:
            return f"{mark} {each.number:3}  {each.name:22} {self._amounts[each.number]:4} {each.unit:5} {each.at}", mark == ">"
        changes = self._seen.changes[each.number]
        return f"{mark} {each.number:3}  {each.name:22}  {self._seen.is_on(each):d}  {changes or '':>5}  {each.at}", changes > 0


def _show(window: curses.window, pins: LivePins) -> None:
    with suppress(curses.error):  # a terminal whose cursor cannot be hidden
        curses.curs_set(0)
    window.nodelay(True)
    screen = PinsScreen(pins.seen, pins.outputs)
    while True:
        screen.choose_changed(pins.read())
        height, width = window.getmaxyx()
        window.erase()
        for row, (text, stands_out) in enumerate(screen.lines(height, pins.driven)):
            window.addnstr(row, 0, text.ljust(width - 1), width - 1, curses.A_REVERSE if stands_out else curses.A_NORMAL)
        window.refresh()
        while (pressed := window.getch()) != curses.ERR:
            key = _NAMES.get(pressed, chr(pressed) if pressed < 0x110000 else "")
            if key == "q":
                return
            if (drive := screen.press(key, height - _FRAME)) is not None:
                pins.drive(*drive)
