"""``twinwall demo --event``: a whole event in the browser, which its own director sets up and which plays by itself, session after session.

A club evening has four tables, each with its machine. A championship has sixteen; beyond the first no tile moves: these tables keep
journals, sign ledgers and take deals and rulings as real ones do, and their hands are played in memory. The pages say so.
"""

import secrets
from pathlib import Path

from cli.demo.browser import DemoLogin, make_staff
from cli.demo.choices import Choices, new_folder
from cli.demo.custody import memory_folder
from cli.demo.demo_events import DemoEvent
from cli.demo.director import DemoDirector
from cli.demo.hall_tables import start_tables
from cli.demo.supervisor import Supervisor, answers, end_in_order
from cli.hall.hall_folder import HallFolder, table_names
from cli.usage import EXIT_GOOD, tell
from controller.adapters.memory_folder import MOUNTS
from twinwall.free_ports import free_ports
from twinwall.game.tiles import ALL_TILES, format_tiles

PUBLIC = format_tiles(ALL_TILES[:32])
"""The tiles that a demo draws in public."""


def play_event(event: DemoEvent, choices: Choices, folder: Path | None, *, headless: bool) -> int:
    """Run the demo: with ``headless`` until the last session is over, else until Ctrl-C."""
    folder = new_folder(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    end_in_order()
    with memory_folder(MOUNTS.read_text(encoding="utf-8")) as memory, Supervisor(folder / "logs") as supervisor:
        hall = HallFolder(folder, memory, tuple(table_names(event.tables)), free_ports(1)[0], choices.port, trusting=True)
        director, referee = make_staff(folder)
        supervisor.start((hall.broker(), answers(hall.broker_port)))
        supervisor.start((hall.vault(), lambda: True), (hall.dashboard(), answers(hall.page_port)))
        start_tables(supervisor, hall, choices, event.machines)
        _tell(hall.page_url, director, referee, folder)
        play_sessions(event, DemoDirector(choices.port, director, supervisor.look_after), choices.rules)
        if not headless:
            say("the last session is over; the pages stay up, Ctrl-C stops everything")
            supervisor.stay()
    return EXIT_GOOD


def set_up_event(event: DemoEvent, director: DemoDirector, rules: str) -> None:
    """Make the event on the pages, up to its start."""
    director.enter()
    director.begin(event.name, event.file(rules))
    director.choose_tables(event.tables)
    director.seat(1)
    director.make_deals(secrets.token_urlsafe(24), PUBLIC)
    if texts := event.announcement():
        director.announce(texts)


def play_sessions(event: DemoEvent, director: DemoDirector, rules: str) -> None:
    """Make the event on the pages, and let it be played to its end."""
    set_up_event(event, director, rules)
    say("the event is made: its sessions follow each other by themselves")
    for session in range(1, event.sessions + 1):
        if session > 1:
            director.seat(session)
        director.start(session)
        say(f"session {session} of {event.sessions} is played")
        for deal in event.deals(session):
            director.wait_for_release(deal)
            say(f"deal {deal} is released")
        director.end(session)


def _tell(url: str, director: DemoLogin, referee: DemoLogin, folder: Path) -> None:
    """Where everybody looks."""
    for who, path, account in (
        ("director", "/login", f"  name {director.name}  password {director.password}"),
        ("referee", "/login?next=/calls", f"  name {referee.name}  password {referee.password}"),
        ("spectator", "/standings", ""),
        ("player", "/seats", ""),
        ("projector", "/projector", ""),
    ):
        say(f"{who:<10}{url}{path}{account}")
    say(f"everything lies in {folder}; Ctrl-C ends the demo")


def say(sentence: str) -> None:
    """A sentence of the demo for the person who started it."""
    tell(f"twinwall demo: {sentence}")
