"""The options of ``twinwall demo``, read and checked. The events that a demo can play: who enters, how many sessions and tables, and which
of these have machines."""

import json
import os
import secrets
import socket
import tempfile
from argparse import Namespace
from collections import Counter
from dataclasses import replace
from pathlib import Path

from cli.demo.custody import HOLDERS
from cli.demo.people import MOST_TABLES, person_name, team_name
from cli.usage import JSON, UsageError, argument, port_number, wrong_use
from simulator.firmware_choice import CORE, FIRMWARE_NAMES, programs_of
from simulator.mechanics import REFERENCE_FAULTS, FaultPlan
from twinwall.event.management.changes import (
    MOST_SESSIONS,
    EnteredPlayer,
    EnteredTeam,
    EntrantsEntered,
    EventDescribed,
    change_document,
    usual_minutes,
    usual_points,
)
from twinwall.event.results import TEAMS
from twinwall.game.deals import Deal
from twinwall.game.documents import DocumentError
from twinwall.game.rules import DEFAULT_RULES, rule_set_names
from twinwall.game.tiles import COPIES, HANDS, NotationError, parse_tiles
from twinwall.values import frozen

_NO_PHYSICS = {
    "en": (
        "At all tables",
        "Table 1 alone has its simulated machine. At the others",
        "Tables 1 to {} have their simulated machines. At the others",
    ),
    "ja": ("すべての卓で", "機械まで再現するのは1卓だけです。ほかの卓では", "機械まで再現するのは1～{}卓です。ほかの卓では"),
    "zh-Hans": ("所有桌都", "只有第1桌模拟了机器。其他桌", "第1至{}桌模拟了机器。其他桌"),
}
"""Which tables have no machine, where none, one or several have one."""
_IN_MEMORY = {
    "en": "Demo. {} no tile moves: their ledgers are real, their hands are played in memory.",
    "ja": "デモ：{}牌は動きません。台帳は本物で、対局はメモリー上で進みます。",
    "zh-Hans": "演示：{}没有实物牌：台账是真实的，牌局在内存中进行。",
}


@frozen
class DemoEvent:
    """An event that a demo plays: its tables, the first ``machines`` of which have machines."""

    name: str
    kind: str
    tables: int
    machines: int
    sessions: int
    hands: int
    seat_check: bool = False
    """Whether hands wait until somebody has said for each player where he sits; a demo that plays by itself does not."""

    def file(self, rules: str) -> bytes:
        """The event as a director could read it in: description, entrants and names."""
        numbers = range(1, 4 * self.tables + 1)
        players = tuple(EnteredPlayer(str(number)) for number in numbers)
        teams = tuple(
            EnteredTeam(team_name(team), tuple(str(4 * team + place + 1) for place in range(4)))
            for team in (range(self.tables) if self.kind == "team" else ())
        )
        described = EventDescribed(
            "team" if self.kind == "team" else "individual",
            rules,
            sessions=self.sessions,
            hands=self.hands,
            minutes=usual_minutes(self.hands),
            points=usual_points("team" if self.kind == "team" else "individual"),
            groups="by-standing" if self.kind == "team" else "fixed",
            seat_check=self.seat_check,
        )
        entered = change_document(EntrantsEntered(players, teams))
        del entered["type"]
        names = {str(number): person_name(number - 1) for number in numbers}
        document = {"format": "twinwall-event-1", "event": change_document(described), "names": names, **entered}
        return json.dumps(document, ensure_ascii=False).encode()

    def deals(self, session: int) -> range:
        return range((session - 1) * self.hands + 1, session * self.hands + 1)

    def announcement(self) -> dict[str, str]:
        """What the pages say of the tables that have no machine, by language; nothing where every table has one."""
        if self.machines == self.tables:
            return {}
        return {tag: _IN_MEMORY[tag].format(forms[min(self.machines, 2)].format(self.machines)) for tag, forms in _NO_PHYSICS.items()}


EVENTS = {
    "club": DemoEvent("Club evening", "individual", tables=4, machines=4, sessions=2, hands=4),
    "championship": DemoEvent("Championship", "team", tables=16, machines=1, sessions=3, hands=4),
}


HOST = "127.0.0.1"
FAST = 24.0
"""How many times faster mechanics and human pauses are with ``--fast``: a tile at the gate every 25 ms."""
BOARD_FAST = 8.0
"""The same with a board: its pulses, debouncing and serial line cannot be scaled."""
MOST_SEED = 2**31 - 1
MOST_FOREIGN = 8
MOST_DISTURB = 5.0
MOST_GATES = 4
MOST_MACHINES = 8
"""Tables with machines that a computer of two cores simulates."""


@frozen
class Choices:
    """What the command line asked for."""

    seed: int
    rules: str
    hands: int
    fast: bool
    port: int
    faults: FaultPlan
    firmware: str = CORE
    staff: bool = False
    disturb: float = 0.0
    disturb_once: bool = False
    """Whether they disturb in each way once instead."""
    recorder: str = "off"
    """The mode of the tables' decoders."""
    by_hand: bool = False
    """Whether people build the walls, each table at a station of its own."""
    gates: int = 1
    """Of each feeder."""
    deals: tuple[Deal, ...] = ()
    """Walls to be dealt again, instead of drawn ones."""
    holders: int = len(HOLDERS)
    """How many hold seeds, each with a vault of his own."""

    @property
    def first_hand(self) -> int:
        return min((deal.hand for deal in self.deals), default=1)

    @property
    def speed(self) -> float:
        """What mechanics and human pauses are divided by."""
        if not self.fast:
            return 1.0
        return FAST if self.firmware == CORE else BOARD_FAST


ARGUMENTS = (
    argument("--event", "a whole event in the browser, which plays by itself session after session", choices=tuple(EVENTS)),
    argument("--tables", f"how many tables, 1 to {MOST_TABLES} ({TEAMS}); four make a group that is compared", type=int),
    argument("--hands", f"how many hands of a session, 1 to {HANDS} ({HANDS}; 4 with --event)", type=int),
    argument("--sessions", f"with --event: how many sessions, 1 to {MOST_SESSIONS}", type=int),
    argument("--machines", "with --event: how many tables are simulated with their machines", type=int),
    argument("--rules", "the rule set", default=DEFAULT_RULES, choices=rule_set_names()),
    argument(
        "--deal", "deal the walls of this file (twinwall results import --deals); once for each", type=Path, action="append", default=[]
    ),
    argument("--seed", "the same seed gives the same deals and the same play", type=int, metavar="SEED"),
    argument("--fast", "machine and people move 24 times as fast (8 on a board); safety times stay", action="store_true"),
    argument("--headless", "no picture in the terminal; end with the session", action="store_true"),
    argument("--port", "port of the dashboard on this machine", type=port_number, default=8080, metavar="PORT"),
    JSON,
    argument("--folder", "where ledgers, records and logs are kept (default: a new temporary folder)", type=Path, metavar="FOLDER"),
    argument(
        "--firmware",
        "what drives the feeders (default core, the firmware as a library); others need make firmware",
        choices=FIRMWARE_NAMES,
        default="core",
    ),
    argument("--feeder", "manual: people build the walls as a station's screen says", choices=("machine", "manual"), default="machine"),
    argument("--gates", "gates of each feeder (default 1)", type=int, default=1, choices=range(1, MOST_GATES + 1)),
    argument(
        "--holders",
        "seed holders, each with a vault of his own (default 2); another number gives other deals",
        type=int,
        default=len(HOLDERS),
        choices=range(1, len(HOLDERS) + 1),
    ),
    argument("--missing", "tiles that the set lacks", nargs="*", default=[], metavar="TILE"),
    argument("--extra", "tiles that the set has too many", nargs="*", default=[], metavar="TILE"),
    argument("--foreign", "tiles of no kind among the set's", type=int, default=0),
    argument("--faults", "jams, double feeds and stalls as on the reference table, and --staff", action="store_true"),
    argument(
        "--disturb", f"people disturb X times as much as usual, 0 (default) to {MOST_DISTURB:g}", type=float, default=0.0, metavar="X"
    ),
    argument("--disturb-once", "people disturb in each way once", action="store_true"),
    argument("--recorder", "whether each table decodes its hands (default: record where people disturb)", choices=("off", "record")),
    argument("--staff", "somebody looks after each table when its fault lamp is lit", action="store_true"),
)


def choices_of(arguments: Namespace) -> Choices:
    """What was asked for; raises UsageError where that cannot be."""
    seed = secrets.randbelow(MOST_SEED) if arguments.seed is None else arguments.seed
    for option, number, least, most in (
        ("seed", seed, 0, MOST_SEED),
        ("tables", arguments.tables or TEAMS, 1, MOST_TABLES),
        ("hands", arguments.hands or HANDS, 1, HANDS),
        ("foreign", arguments.foreign, 0, MOST_FOREIGN),
        ("disturb", arguments.disturb, 0, MOST_DISTURB),
    ):
        if not least <= number <= most:
            raise UsageError(f"--{option} {number}: a number from {least} to {most}")
    for option in ("sessions", "machines"):
        if arguments.event is None and getattr(arguments, option) is not None:
            raise UsageError(f"--{option} is of a demo with --event: leave it out, or name an event")
    if arguments.gates > 1 and (arguments.feeder == "manual" or arguments.firmware != CORE):
        raise UsageError(f"--gates {arguments.gates}: the boards of make firmware have one gate; leave --firmware and --feeder out")
    deals = tuple(map(_deal, arguments.deal))
    choices = Choices(
        seed=seed,
        rules=deals[0].rules if deals else arguments.rules,
        hands=max((deal.hand for deal in deals), default=arguments.hands or HANDS),
        fast=arguments.fast,
        port=arguments.port,
        faults=_faults(arguments),
        firmware=arguments.firmware,
        staff=arguments.staff or arguments.faults,
        disturb=arguments.disturb,
        disturb_once=arguments.disturb_once,
        recorder=arguments.recorder or ("record" if arguments.disturb or arguments.disturb_once else "off"),
        by_hand=arguments.feeder == "manual",
        gates=arguments.gates,
        holders=arguments.holders,
        deals=deals,
    )
    _check_firmware(choices.firmware)
    _check_port(choices.port)
    return choices


def _deal(path: Path) -> Deal:
    with wrong_use(f"--deal {path}", DocumentError, UnicodeDecodeError):
        return Deal.from_json(path.read_text(encoding="utf-8"))


def event_of(arguments: Namespace) -> DemoEvent:
    """The event of ``--event`` with what was asked for; raises UsageError where that cannot be."""
    for option, foreign in (
        ("feeder", arguments.feeder == "manual"),
        ("json", arguments.json),
        ("deal", bool(arguments.deal)),
        ("holders", arguments.holders != len(HOLDERS)),
    ):
        if foreign:
            raise UsageError(f"--{option} is of a demo without --event: leave one of them out")
    event = EVENTS[arguments.event]
    asked = {name: getattr(arguments, name) for name in ("tables", "machines", "sessions", "hands")}
    event = replace(event, **{name: number for name, number in asked.items() if number is not None})
    event = replace(event, machines=min(event.machines, event.tables) if arguments.machines is None else event.machines)
    for option, number, least, most in (
        ("sessions", event.sessions, 1, MOST_SESSIONS),
        ("machines", event.machines, 0, min(event.tables, MOST_MACHINES)),
    ):
        if not least <= number <= most:
            raise UsageError(f"--{option} {number}: a number from {least} to {most}")
    if event.tables % TEAMS:
        raise UsageError(f"--tables {event.tables}: an event of a demo has four tables, or a multiple of four")
    return event


def new_folder(named: Path | None) -> Path:
    """The folder of a demo, a new one where none is named; raises UsageError for one that is in use."""
    folder = (named or Path(tempfile.mkdtemp(prefix="twinwall-demo-"))).resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"--folder {folder}: name a folder that is empty or does not exist yet")
    return folder


def _faults(arguments: Namespace) -> FaultPlan:
    """The fault plan of the options; raises UsageError for tiles that no set has."""
    with wrong_use("--missing and --extra name tiles", NotationError):
        missing, extra = (parse_tiles(" ".join(words)) for words in (arguments.missing, arguments.extra))
    tile, count = max(Counter(missing).items(), key=lambda item: item[1], default=(None, 0))
    if tile is not None and count > COPIES:
        raise UsageError(f"--missing {tile.text} {count} times: a set has {COPIES} of each kind")
    lacks, more = (tuple(each.text for each in tiles) for tiles in (missing, extra))
    return replace(REFERENCE_FAULTS if arguments.faults else FaultPlan(), missing=lacks, extra=more, foreign=arguments.foreign)


def _check_firmware(name: str) -> None:
    """Raise UsageError when the program of a board has not been built."""
    missing = [str(file) for file in programs_of(name) if not file.exists()]
    if missing:
        raise UsageError(f"--firmware {name}: {missing[0]} has not been built; run `make{'' if name == CORE else ' firmware'}`")


def _check_port(port: int) -> None:
    try:
        with socket.create_server((HOST, port)):
            pass
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        raise UsageError(f"port {port} cannot be used for the dashboard ({reason}): name another with --port") from error
