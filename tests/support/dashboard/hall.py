"""The dashboard's application over views that a test fills by hand, with a clock that a test turns; applications share templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partialmethod
from pathlib import Path
from types import CodeType, MappingProxyType, MethodType

from flask import Flask
from flask.testing import FlaskClient
from jinja2 import Environment, FileSystemBytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from dashboard.access.staff_file import StaffFile
from dashboard.access.staff_schema import Role
from dashboard.actions.rulings import Send
from dashboard.app import HallLinks, create_app
from dashboard.assignments import HallTables
from dashboard.custody.deal_making import DealMaking
from dashboard.custody.key_slips import KeySlips
from dashboard.pages.events.event_choice import EventChoice
from dashboard.prints.pdf_writer import write_pdf
from dashboard.projections.hall_views import HallViews
from dashboard.web_settings import WebSettings
from tests.support.custody.hall import PLAN
from tests.support.dashboard.desks import MemoryDesk, released
from tests.support.dashboard.example import SELF_DRAWN, building, play
from tests.support.dashboard.staff import NAME, PASSWORD, enrol, log_in, new_staff, submit
from tests.support.narrowed import present
from tests.support.wire.streams import START, Line, public_events
from twinwall.event.management.changes import EventChange
from twinwall.event.store.store_contents import ManagementStep
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.commands import Command, FeederLinkQuality, Health, MachineCondition
from twinwall.wire.messages.signing import Signer
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials

FOLDER = Path(__file__).parents[3] / ".build" / "templates"
"""Of compiled templates, for the next run and for the other workers."""


class CompiledTemplates(FileSystemBytecodeCache):
    """Keeps compiled templates in memory and in files, each with the digest of its source."""

    def __init__(self) -> None:
        FOLDER.mkdir(parents=True, exist_ok=True)
        super().__init__(str(FOLDER))
        self._compiled: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._compiled.get((bucket.key, bucket.checksum))
        if bucket.code is None:
            super().load_bytecode(bucket)
            self._keep(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._keep(bucket)
        super().dump_bytecode(bucket)

    def _keep(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._compiled[bucket.key, bucket.checksum] = bucket.code


class CompiledRule(Rule):
    """A route that is compiled once: its parts and its address builders depend on its text and its defaults alone."""

    kept: dict[tuple[object, ...], CompiledRule] = {}  # noqa: RUF012 - shared on purpose

    def compile(self) -> None:
        """Take what was compiled for the same text, or compile it."""
        key = (self.rule, self.subdomain, self.merge_slashes, repr(self.defaults))
        if key not in self.kept:
            super().compile()
            self.kept[key] = self
            return
        kept = self.kept[key]
        self._parts, self._trace, self._converters, self.arguments = kept._parts, kept._trace, kept._converters, kept.arguments
        self._build = MethodType(kept._build.__func__, self)  # type: ignore[attr-defined]  # werkzeug has made it a method
        self._build_unknown = MethodType(kept._build_unknown.__func__, self)  # type: ignore[attr-defined]  # and this one


def share_compiled() -> None:
    """Let all that is made from now on share what is compiled."""
    Environment.__init__ = partialmethod(Environment.__init__, bytecode_cache=CompiledTemplates())  # type: ignore[assignment]
    Flask.url_rule_class = CompiledRule


share_compiled()
SETTINGS = WebSettings(
    event="Autumn & <friends>",
    staff=Path("staff.sqlite"),
    spectators=False,
    secret=b"s" * 32,
    broker=BrokerAddress("127.0.0.1", 1),
    credentials=Credentials("server", "x"),
)
OPEN = replace(SETTINGS, spectators=True)
"""The same hall with its login open to spectators."""


@dataclass
class Hall:
    """The application with its views, a clock that a test turns, and a client."""

    views: HallViews = field(default_factory=lambda: HallViews("boot-1"))
    desk: MemoryDesk = field(default_factory=MemoryDesk)
    staff: StaffFile = field(default_factory=new_staff)
    settings: WebSettings = SETTINGS
    seconds: float = 0.0
    listening: bool = True
    reached: bool = False
    """Whether the link to the tables takes what is sent."""
    sent: list[tuple[str, Command]] = field(default_factory=list)
    """What it took."""
    send: Send | None = None
    deals: DealMaking | None = None
    key_slips: KeySlips | None = None
    event_choice: EventChoice | None = None
    hall_tables: HallTables | None = None
    write_pdf: Callable[[str], bytes] = write_pdf

    def __post_init__(self) -> None:
        self.app = create_app(
            self.settings,
            self.views,
            self.desk,
            self.staff,
            HallLinks(
                alive=self._alive,
                listening=lambda: self.listening,
                send=self.send or self._send,
                deals=self.deals,
                key_slips=self.key_slips,
                events=self.event_choice,
                hall_tables=self.hall_tables,
                write_pdf=self.write_pdf,
            ),
            now=self.now,
            monotonic_s=lambda: self.seconds,
        )
        self.client = self.new_client()
        self.turns_left = 0

    def _send(self, table: str, command: Command) -> bool:
        if self.reached:
            self.sent.append((table, command))
        return self.reached

    def _alive(self) -> bool:
        self.turns_left -= 1
        return self.turns_left >= 0

    def manage(self, *changes: EventChange) -> None:
        for change in changes:
            self.desk.manage(ManagementStep(change, NAME, START), None)

    def new_client(self) -> FlaskClient:
        return self.app.test_client()

    def feed(self, script: Sequence[Line], table: str = "1") -> None:
        self.views.connection(True)
        self.views.begin(table)
        self.add(public_events(list(script), table))

    def add(self, events: Iterable[PublicEvent]) -> None:
        """Lines that were accepted: to the event's store first, then to the pages."""
        for event in events:
            self.desk.hall.take(event)
            self.views.add(event, event.at)

    def release(self, n: int = 1, session: int = 1, hand: int | None = None) -> None:
        """The vault's slip has come; deal ``n`` is hand ``n`` of session 1 unless it is said otherwise."""
        self.desk.hall.release(released(n, START + timedelta(seconds=self.seconds), session, hand))
        self.views.release(n)

    def now(self) -> datetime:
        return START + timedelta(seconds=self.seconds)

    def heartbeat(self, table: str = "1", line: FeederLinkQuality | None = None, machine: MachineCondition | None = None) -> None:
        self.views.hear(Health(table, "j1", 1, self.now(), feeder_line=line, machine=machine), self.now())

    def log_in(self, name: str = NAME, password: str = PASSWORD, client: FlaskClient | None = None) -> TestResponse:
        return log_in(client or self.client, name, password)

    def submit(self, path: str, form: Mapping[str, object] = MappingProxyType({}), *, follow: bool = False) -> TestResponse:
        return submit(self.client, path, form, follow=follow)

    def ask(self, path: str) -> TestResponse:
        """An answer whose file, if it has one, is closed again."""
        answer = self.client.get(path)
        answer.close()
        return answer

    def stream(self, path: str, turns: int = 1, last: str | None = None) -> str:
        """The text of a stream that is asked to go on for so many turns."""
        self.turns_left = turns
        headers = {} if last is None else {"Last-Event-ID": last}
        response = self.client.get(path, headers=headers)
        assert response.status_code == 200
        text = response.text
        response.close()
        return text

    def stream_after(self, stream: str, page: str) -> str:
        """The address under which a stream goes on from a page as it is now; ``stream`` ends where its next parameter begins."""
        found = present(re.search(r'data-boot="([^"]+)" data-since="(\d+)"', self.client.get(page).text))
        return f"{stream}boot={found[1]}&since={found[2]}"


SERVER = Signer("server", b"\x0a" * 32)
OTHER = "Abe"


def staffed_hall(*roles: Role) -> Hall:
    """A table that plays deal 1; ``OTHER`` has an account with these roles, where any are given."""
    hall = Hall(settings=replace(OPEN, event=PLAN.event, signer=SERVER))
    if roles:
        enrol(hall.staff, OTHER, roles=roles)
    hall.feed([*building(), *[*play(SELF_DRAWN)][:30]])
    hall.log_in()
    return hall


def as_other(hall: Hall) -> None:
    """The second account has logged in with a browser of its own."""
    hall.client = hall.new_client()
    hall.log_in(OTHER)


def must_say(page: str, *said: str) -> None:
    missing = [each for each in said if each not in page]
    assert not missing, f"{missing} not in {page}"


def addresses(app: Flask, values: Mapping[str, str]) -> dict[str, str]:
    """An address for each endpoint that answers GET.

    ``values`` stand for the parts of an address, by the part's name, or by endpoint and name with a point between, which goes first;
    a part that it does not have is 1.
    """
    found: dict[str, str] = {}
    adapter = app.url_map.bind("localhost")
    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()) and rule.endpoint != "static":
            parts = {part: values.get(f"{rule.endpoint}.{part}", values.get(part, "1")) for part in rule.arguments}
            found[rule.endpoint] = adapter.build(rule.endpoint, parts)
    return found
