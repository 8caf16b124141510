"""``twinwall demo``: puts the demo together (``run``): starts all processes, watches one session, and reports the result. With ``--event``
a whole event in the browser, which its own director sets up and which plays by itself, session after session: a club evening has four
tables, each with its machine. A championship has sixteen; beyond the first no tile moves: these tables keep journals, sign ledgers and take
deals and rulings as real ones do, and their hands are played in memory. The pages say so. The report says how long the stages of hands
lasted, from the tables' journals. The wall of the next hand is built while one is played, so the stages overlap; ``wait`` is the time that
a session loses to building: from the end of one hand until the next wall is ready."""

import argparse
import json
import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import fmean
from urllib.parse import urlsplit

from rich.console import Console, RenderableType
from rich.live import Live

from cli.demo.browser import DemoLogin, make_staff
from cli.demo.choices import ARGUMENTS, HOST, Choices, DemoEvent, choices_of, event_of, new_folder
from cli.demo.custody import DemoCustody, make_custody, make_imported, memory_folder
from cli.demo.director import DemoDirector, DemoReferee
from cli.demo.people import DemoGroup, seat_people
from cli.demo.progress import DemoTableProgress, picture
from cli.demo.report import (
    HandReport,
    discard_to_event_ms,
    hand_report,
    is_stored,
    is_whole,
    journal_counts,
    ranking,
    read_journal,
    truth_of,
    wrong_walls,
)
from cli.demo.setup import STORE, DemoTableSite, set_up_demo, start_tables
from cli.demo.supervisor import Supervisor, answers, end_in_order
from cli.hall.hall_folder import HallFolder, table_names
from cli.table.table_journal import JOURNAL
from cli.usage import takes, tell
from controller.adapters.memory_folder import MOUNTS
from twinwall.event.results import TEAMS
from twinwall.free_ports import free_ports
from twinwall.game.documents import read_time
from twinwall.game.rules import rule_set
from twinwall.game.tiles import ALL_TILES, format_tiles
from twinwall.web.http_request import ask

STEPS = (
    ("build", "deal-opened", "wall-ready"),
    ("clear", "clearing-began", "cleared"),
    ("hands", "wall-raised", "hand-started"),
    ("play", "hand-started", "payments-computed"),
    ("settle", "payments-computed", "hand-closed"),
)
"""A stage, the event that begins it, and the one that ends it; both of the same deal."""
WALL_EVENTS = frozenset({"deal-opened", "wall-ready", "clearing-began", "cleared", "wall-raised"})
PLAY_EVENTS = frozenset({"hand-started", "payments-computed", "hand-closed"})


def _lengths_s(journal: Iterable[Mapping[str, object]]) -> Iterator[tuple[str, float]]:
    """Each stage of each deal that has begun and ended at one table, with its length."""
    times: dict[tuple[str, int], datetime] = {}
    wall = play = 0
    for event in journal:
        kind = str(event["type"])
        if kind == "deal-opened":
            wall = int(str(event["n"]))
        elif kind == "hand-started":
            play = int(str(event["n"]))
        if kind in WALL_EVENTS or kind in PLAY_EVENTS:
            times.setdefault((kind, wall if kind in WALL_EVENTS else play), read_time(str(event["at"])))
    for n in {n for _, n in times}:
        for name, begin, end in STEPS:
            if (begin, n) in times and (end, n) in times:
                yield name, (times[end, n] - times[begin, n]).total_seconds()
        if ("hand-closed", n - 1) in times and ("wall-ready", n) in times:
            yield "wait", max((times["wall-ready", n] - times["hand-closed", n - 1]).total_seconds(), 0.0)


def mean_stages_s(journals: Iterable[Iterable[Mapping[str, object]]]) -> dict[str, float]:
    """The mean length of each stage over all hands of all tables, in seconds, from the lines of their journals."""
    lengths: defaultdict[str, list[float]] = defaultdict(list)
    for name, seconds in chain.from_iterable(map(_lengths_s, journals)):
        lengths[name].append(seconds)
    return {name: round(fmean(lengths[name]), 3) for name in ("build", "wait", *(name for name, _, _ in STEPS[1:])) if name in lengths}


PUBLIC = format_tiles(ALL_TILES[:32])
"""The tiles that a demo draws in public."""


def play_event(event: DemoEvent, choices: Choices, folder: Path | None, *, headless: bool) -> None:
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


_Sites = tuple[DemoTableSite, ...]
_View = Callable[[Sequence[DemoTableProgress], int], RenderableType]

TICK_S = 0.1
STILL_S = 300.0
"""A headless demo in which no table tells anything for so long stands still."""


@takes(*ARGUMENTS)
def run(arguments: argparse.Namespace) -> bool:
    choices = choices_of(arguments)
    if arguments.event is not None:
        play_event(event_of(arguments), choices, arguments.folder, headless=arguments.headless)
        return True
    groups, folder = seat_people(arguments.tables or TEAMS), new_folder(arguments.folder)
    end_in_order()
    tables = tuple(name for group in groups for name in group.tables)
    show = not arguments.headless
    with memory_folder(MOUNTS.read_text(encoding="utf-8")) as memory, Supervisor(folder / "logs") as supervisor:
        custody = _custody(folder, memory, choices, tables)
        director, referee = make_staff(folder)
        phases, sites = set_up_demo(folder, choices, custody, groups, director.staff_file)
        url = f"http://{HOST}:{choices.port}"
        where = f"{url}  name {director.name}  password {director.password}  (folder {folder})"
        for sentence in (where, *_sentences(custody)):
            say(sentence)
        began = time.monotonic()
        for phase in phases:
            supervisor.start(*phase)
        view = partial(picture, url, director) if show else None
        needed = _watch(supervisor, sites, custody, _referee(sites, choices, referee), view, staffed=choices.staff)
        if needed:
            say(needed)
        report, good = _report(supervisor, sites, custody, choices, groups, total_s=time.monotonic() - began)
        report |= {"stopped": needed} if needed else {}
        if show:
            tell(f"{_summary(report)}\nThe pages stay up; Ctrl-C stops everything.")
            supervisor.stay()
    print(json.dumps(report, ensure_ascii=False, indent=1) if arguments.json else _summary(report))
    return good and not needed


def _custody(folder: Path, memory: Path, choices: Choices, tables: tuple[str, ...]) -> DemoCustody:
    """The deals with all that keeps them: drawn ones in vaults, or imported ones in clear."""
    if choices.deals:
        return make_imported(folder, memory, choices.deals, tables)
    return make_custody(folder, memory, seed=choices.seed, rules=choices.rules, hands=choices.hands, tables=tables, holders=choices.holders)


def _sentences(custody: DemoCustody) -> Iterator[str]:
    if custody.imported:
        yield "a rehearsal: these walls have no commitment and are in clear; each hand's record has them once the hand is over"
        return
    yield "its tables' keys are allowed by the demo itself; at an event a person compares them"
    yield f"the start of the event is {custody.start.words}"


def _watch(
    supervisor: Supervisor, sites: _Sites, custody: DemoCustody, referee: DemoReferee | None, view: _View | None, *, staffed: bool
) -> str:
    """Look after the processes until all is played, released and stored; return why that cannot be: a person is needed who is not there,
    or nothing happens at any table any more. ``view`` is None without a screen to show."""
    read, read_s = 0, time.monotonic()
    hands, whole = [deal.hand for deal in custody.started.plan.deals], set[Path]()
    progress = [DemoTableProgress(table.name, table.ledger / "events.jsonl") for table in sites]
    console = Console(stderr=True)
    with Live(console=console, refresh_per_second=8, auto_refresh=False, transient=True) if view is not None else nullcontext() as live:
        while not _is_over(sites, custody, hands, whole):
            supervisor.look_after()
            needed = [table for table in progress if not _may_continue(table, referee)]
            if live is not None and view is not None:
                live.update(view(progress, len(hands)), refresh=True)
            if needed and view is None and not staffed:
                return f"table {needed[0].name}: {needed[0].fault}"
            read, before = sum(table.offset for table in progress), read
            read_s = read_s if read == before else time.monotonic()
            if view is None and time.monotonic() - read_s > STILL_S:
                return f"nothing has happened for {STILL_S:.0f} s: see the logs in the demo's folder"
            time.sleep(TICK_S)
    return ""


def _may_continue(table: DemoTableProgress, referee: DemoReferee | None) -> bool:
    """Take in a table's lines, and let a referee answer it; False where it needs a person who is not there."""
    grew = table.update()
    return not table.fault if referee is None else referee.look(table, time.monotonic(), grew=grew)


def _referee(sites: _Sites, choices: Choices, login: DemoLogin) -> DemoReferee | None:
    """Who answers tables' questions where people disturb; None where they do not."""
    if not (choices.disturb or choices.disturb_once):
        return None
    referee = DemoReferee(choices.port, login, {table.name: table.world_url for table in sites})
    referee.enter()
    return referee


def _is_over(sites: _Sites, custody: DemoCustody, hands: Sequence[int], whole: set[Path]) -> bool:
    """Whether all is played, released and stored; imported walls are public from the start, and no slip releases them. ``whole`` are the
    records that are; it grows."""
    slips = 0 if custody.imported else len(hands)
    for record in (table.record(1, hand) for table in sites for hand in hands):
        if record not in whole and not is_whole(record):
            return False
        whole.add(record)
    released = custody.imported or len(custody.released_numbers()) == slips
    return bool(released) and is_stored(custody.folder / STORE, len(sites), len(hands), slips=slips)


def _report(
    supervisor: Supervisor, sites: _Sites, custody: DemoCustody, choices: Choices, groups: tuple[DemoGroup, ...], *, total_s: float
) -> tuple[dict[str, object], bool]:
    """The document of the contracts over the deals that all tables have played, and whether all is well: nothing was read wrong and every
    record replays."""
    tables, wrong, journals = [], 0, []
    deals = [deal for deal in custody.released_deals() if all(is_whole(table.record(deal.session, deal.hand)) for table in sites)]
    by_table: dict[str, list[HandReport]] = {}
    for table in sites:
        answer = ask(urlsplit(table.world_url).netloc, "GET", "/truth", patience_s=5.0)[1]
        truth = truth_of(answer)
        journals.append(read_journal(table.ledger / JOURNAL, custody.journal_key(table.name)))
        digests = {line["n"]: str(line["digest"]) for line in journals[-1] if line["type"] == "wall-ready"}
        built = [hand_report(table, deal, digests[deal.n], truth) for deal in deals]
        wrong += sum(hand.wrong_discards for hand in built) + sum(wrong_walls(deal, truth) for deal in deals)
        tables.append({"table": table.name, "hands": [hand.to_json() for hand in built]})
        by_table[table.name] = built
    counts = journal_counts(chain.from_iterable(journals))
    document: dict[str, object] = {
        "seed": choices.seed,
        "rules": choices.rules,
        "root": custody.start.root.hex(),
        "deals": [{"n": d.n, "hand": d.hand, "check": d.check.hex(), "digest": d.digest.hex()} for d in deals],
        "tables": tables,
        "imp": ranking(groups, by_table, rule_set(choices.rules).zero_sum),
        "reads": {name: counts[name] for name in ("gate", "discard", "refused")} | {"wrong": wrong},
        "discard_to_event_ms": discard_to_event_ms((supervisor.log_of(table.controller) for table in sites), choices.speed),
        "faults": counts["faults"],
        "recoveries": sum(process.restarts for process in supervisor.processes),
        "stages_s": mean_stages_s(journals) | {"all": round(total_s, 3)},
        "peak_rss_mib": round(supervisor.memory.peak_mib),
    }
    planned = {deal.hand: deal.digest.hex() for deal in deals}
    as_planned = all(hand.replays and hand.digest == planned[hand.hand] for hands in by_table.values() for hand in hands)
    return document, wrong == 0 and as_planned


def _summary(report: dict[str, object]) -> str:
    lines = []
    tables = report["tables"]
    assert isinstance(tables, list)
    for table in tables:
        for hand in table["hands"]:
            scores = "  ".join(f"{seat} {score:+d}" if score else f"{seat} 0" for seat, score in hand["scores"].items())
            lines.append(
                f"Table {table['table']} hand {hand['hand']}: {'won' if hand['won'] else 'drawn'}  {scores}  record {hand['record']}"
            )
    lines.append(f"reads {report['reads']}  faults {report['faults']}  stages {report['stages_s']}  memory {report['peak_rss_mib']} MiB")
    return "\n".join(lines)
