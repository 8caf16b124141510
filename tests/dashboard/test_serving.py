"""The served dashboard over a real broker: catches up by itself, and stops when asked.

A disk or a database that takes nothing while the pages are used: they stay readable, say so, and every line is stored afterwards.
"""

import html
import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from http.client import HTTPSConnection
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from cli import main
from dashboard.access.staff_file import IDLE_S, SEEN_EVERY_S, TOTAL_S, StaffFile
from dashboard.app import create_app
from dashboard.hall_intake import HallIntake, ListenerClock
from dashboard.i18n.words import Words
from dashboard.projections.hall_views import COMPLAINT_S, HallViews
from dashboard.request_sorting import DEFAULT_LIMITS
from dashboard.serving import ListenError, StoredEvent, serve
from tests.support.dashboard.example import building
from tests.support.dashboard.hall import OPEN, SETTINGS
from tests.support.dashboard.served import Served
from tests.support.dashboard.staff import NAME, log_in, new_staff, submit
from tests.support.event.databases import make_read_only
from tests.support.event.managed import PREPARED
from tests.support.narrowed import present
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import EVENT, PASSWORDS, LedgerPublisher, RunningBroker, eventually, free_port, new_broker
from tests.support.wire.streams import START, ledger_lines
from tests.support.wire.tls import certificate_in
from twinwall.event.field import EventField, field_of
from twinwall.event.management.changes import Announced
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import StoreAddress
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import ManagementStep
from twinwall.event.store.store_rows import read_store
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.messages.commands import Health, write_health
from twinwall.wire.mqtt.access import SERVER_USER
from twinwall.wire.mqtt.broker_address import Credentials
from twinwall.wire.mqtt.topics import Channel, Topic

PROGRAMME = Programme(EVENT, field_of(EntrantKind.INDIVIDUAL, ["1"]))


def test_a_port_that_is_taken_is_said_in_one_sentence_before_anything_is_started(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret, password_file, file = tmp_path / "secret", tmp_path / "password", tmp_path / "dashboard.toml"
    staff = tmp_path / "staff.sqlite"
    new_staff(staff).close()
    password_file.write_text("x")
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        file.write_text(
            f"""
[event]
name = "e"
tables = ["1"]
store = "{tmp_path}/event.sqlite"
[mqtt]
url = "mqtt://127.0.0.1:1"
user = "server"
password_file = "{password_file}"
[dashboard]
host = "127.0.0.1"
port = {port}
language = "en"
staff = "{staff}"
secret_file = "{secret}"
"""
        )
        with pytest.raises(ListenError, match=f"port {port} of 127.0.0.1"):
            serve(replace(SETTINGS, port=port), StoredEvent(tmp_path / "event.sqlite", PROGRAMME))
        assert main(["dashboard", "--settings", str(file)]) == 2
    said = capsys.readouterr().err.strip()
    assert f"port {port} of 127.0.0.1 cannot be listened on" in said
    assert "\n" not in said


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningBroker]:
    running = new_broker("amqtt", tmp_path)
    yield running
    if running.process is not None:
        running.stop()


@pytest.fixture
def served(broker: RunningBroker, tmp_path: Path) -> Iterator[Served]:
    credentials = Credentials(SERVER_USER, PASSWORDS[SERVER_USER], "dashboard")
    settings = replace(
        SETTINGS, event=EVENT, broker=broker.address, credentials=credentials, port=free_port(), staff=tmp_path / "staff.sqlite"
    )
    new_staff(settings.staff).close()
    dashboard = Served(settings, StoredEvent(tmp_path / "event.sqlite", PROGRAMME))
    dashboard.start()
    yield dashboard
    if dashboard.process is not None:
        dashboard.stop()


def shows(served: Served, table: LedgerPublisher, text: str) -> bool:
    """Whether the table's page says so, after one more heartbeat of the table (the first may come before anybody listens)."""
    health = Health("1", "j1", len(table.lines), datetime.now(UTC))
    table.link.publish(str(Topic(EVENT, "1", Channel.HEALTH)), write_health(health))
    return text in served.page("/table/1")


@pytest.mark.nightly
def test_an_open_stream_tells_a_change_and_keeps_no_dashboard_from_ending_with_a_store_that_is_one_file(
    broker: RunningBroker, served: Served, tmp_path: Path
) -> None:
    table = LedgerPublisher(broker, "1")
    lines = ledger_lines([*building()])
    served.log_in()
    for line in lines[:3]:
        table.append(line)
    eventually(lambda: shows(served, table, "17 of 136 tiles"), "the table is heard")
    since = present(re.search(r'data-boot="([^"]+)" data-since="(\d+)"', served.page("/table/1")))
    connection = served.connection()
    connection.request("GET", f"/events?table=1&boot={since[1]}&since={since[2]}", headers={"Cookie": served.cookie})
    stream = connection.getresponse()
    assert stream.headers["Content-Type"].startswith("text/event-stream")
    assert stream.readline().startswith(b"retry:")
    table.append(lines[3])
    while not stream.readline().startswith(b"id:"):
        pass
    served.stop()
    stream.close()
    connection.close()
    table.link.close()
    copied = tmp_path / "copy" / "event.sqlite"
    copied.parent.mkdir()
    shutil.copyfile(tmp_path / "event.sqlite", copied)
    assert [len(journal.lines) for journal in read_store(copied).journals] == [4]


def test_nginx_in_front_passes_pages_and_streams_on_and_names_each_visitor(tmp_path: Path) -> None:
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if nginx is None:
        pytest.skip("nginx is not here: apt-get install nginx brings it")
    front, limits = free_port(), replace(DEFAULT_LIMITS, visits=replace(DEFAULT_LIMITS.visits, holding_each=1))
    settings = replace(OPEN, port=free_port(), staff=tmp_path / "staff.sqlite", limits=limits)
    settings = replace(settings, address=f"https://{settings.host}", proxies=(settings.host,))
    new_staff(settings.staff).close()
    certificate, key, authority = certificate_in(tmp_path)
    text = (Path(__file__).parents[2] / "config" / "nginx" / "hall.conf").read_text(encoding="utf-8")
    for standing, here in (
        ("listen 443", f"listen 127.0.0.1:{front}"),
        ("hall.example", settings.host),
        ("127.0.0.1:8080", f"127.0.0.1:{settings.port}"),
        ("/etc/twinwall/hall.pem", str(certificate)),
        ("/etc/twinwall/hall.key", str(key)),
    ):
        assert standing in text
        text = text.replace(standing, here)
    paths = "".join(f"{each}_temp_path {tmp_path}/{each};" for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    whole = f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/log; events {{}} http {{ access_log off; {paths} {text} }}"
    (tmp_path / "nginx.conf").write_text(whole, encoding="utf-8")
    trusting = ssl.create_default_context(cafile=str(authority))
    dashboard = Served(settings, StoredEvent(tmp_path / "event.sqlite", PROGRAMME))
    dashboard.start()
    process = subprocess.Popen([nginx, "-e", str(tmp_path / "log"), "-c", str(tmp_path / "nginx.conf")])

    def first_line(source: str) -> bytes:
        connection = HTTPSConnection(settings.host, front, timeout=PATIENCE_S, context=trusting, source_address=(source, 0))
        held.append(connection)
        try:
            connection.request("GET", "/events")
            answer = connection.getresponse()
            return answer.readline() if answer.status == HTTPStatus.OK else str(answer.status).encode()
        except OSError:
            return b""

    held = list[HTTPSConnection]()
    try:
        eventually(lambda: first_line("127.0.0.2").startswith(b"retry:"), "a stream comes through")
        assert first_line("127.0.0.2") == b"429", "the one stream that this visitor may have is open"
        assert first_line("127.0.0.3").startswith(b"retry:"), "another visitor has one too"
    finally:
        for connection in held:
            connection.close()
        process.terminate()
        process.wait(PATIENCE_S)
        dashboard.stop()


PAGES = ("/", "/event", "/event/sessions", "/event/tables", "/event/entrants/5", "/seats", "/standings", "/calls", "/machines", "/staff")
ANNOUNCED = {"do": "announce", "text-en": "Tea is served", "text-ja": "", "text-zh-Hans": ""}


class Evening:
    """A prepared event in a real store, with its pages; the clock stands still unless a test turns it."""

    def __init__(self, address: StoreAddress, staff: StaffFile) -> None:
        self.address, self.staff, self.seconds = address, staff, 0
        self.desk = StoreWriter(address, Programme("Autumn", EventField(EntrantKind.INDIVIDUAL, ())), START)
        for change in PREPARED:
            self.desk.manage(ManagementStep(change, NAME, START), None)
        self.app: Flask = create_app(OPEN, HallViews("boot-1"), self.desk, staff, now=lambda: START + timedelta(seconds=self.seconds))
        self.client: FlaskClient = self.app.test_client()
        log_in(self.client)

    def read_only(self, *, on: bool) -> None:
        make_read_only(self.desk, on=on)
        with self.staff.reading() as execute:
            execute(f"PRAGMA query_only = {on}")

    def send(self, path: str, **form: str) -> tuple[int, str]:
        answer = submit(self.client, path, {"seen": str(self.desk.event.version), **form})
        return answer.status_code, html.unescape(answer.text)


@pytest.fixture
def staff() -> Iterator[StaffFile]:
    opened = new_staff()
    yield opened
    opened.close()


@pytest.fixture
def evening(store_address: StoreAddress, staff: StaffFile) -> Iterator[Evening]:
    opened = Evening(store_address, staff)
    yield opened
    opened.desk.close()


def test_pages_stay_readable_and_orders_say_why_they_were_not_done(evening: Evening) -> None:
    before = {path: evening.client.get(path).status_code for path in PAGES}
    assert set(before.values()) == {200}
    evening.read_only(on=True)
    evening.seconds += 2 * SEEN_EVERY_S
    assert {path: evening.client.get(path).status_code for path in PAGES} == before
    version, sentence = evening.desk.event.version, Words("en")("error.store")
    for path, form in (
        ("/event/sessions", ANNOUNCED),
        ("/event/sessions", {"do": "start", "session": "1"}),
        ("/event/tables", {"table": "1"}),
        ("/event/entrants/5", {"do": "absent", "reason": "a wedding"}),
    ):
        status, page = evening.send(path, **form)
        assert status in (409, 503), (path, form)
        assert sentence in page, (path, form)
        assert evening.desk.event.version == version
    assert "Tea is served" in evening.send("/event/sessions", **ANNOUNCED)[1], "what was typed stays"
    evening.read_only(on=False)
    assert evening.send("/event/sessions", **ANNOUNCED)[0] == 303
    evening.desk.close()
    again = StoreWriter(evening.address, read_store(evening.address).programme, START)
    *before_it, announced = [step.change for step in again.steps]
    again.close()
    assert (before_it, announced) == (list(PREPARED), Announced({"en": "Tea is served"}))


def test_while_the_accounts_file_is_read_only_a_session_lasts_while_it_is_used_and_no_longer(staff: StaffFile) -> None:
    account = present(staff.account(NAME))
    used, unused = (staff.begin_session(account, 0) for _ in range(2))
    with staff.reading() as execute:
        execute("PRAGMA query_only = on")
    for now in range(0, TOTAL_S, IDLE_S - 1):
        assert staff.session(used, now) is not None, f"{now} s after the login, used all the time"
    assert staff.session(used, TOTAL_S + 1) is None
    assert staff.session(unused, 10) is not None
    assert staff.session(unused, 11 + IDLE_S) is None


LINES = ledger_lines([*building()])


def test_while_a_database_is_read_only_the_page_says_so_again_and_again_and_nothing_is_lost(store_address: StoreAddress) -> None:
    desk = StoreWriter(store_address, Programme("e", field_of(EntrantKind.INDIVIDUAL, ["1"])), START)
    seconds = 0.0
    pages = HallViews("boot")
    clock = ListenerClock(lambda: START + timedelta(seconds=seconds), lambda: seconds)
    intake = HallIntake(pages, desk, clock, lambda _table, _command: True)

    def complaint() -> str:
        status = pages.table("1")
        return "" if status is None else status.complaint or ""

    make_read_only(desk, on=True)
    for line in LINES[:4]:
        intake.take(str(Topic("e", "1", Channel.EVENTS)), line)
    intake.keep_accepted()
    assert len(present(pages.table("1")).view.log) > 0, "the page goes on"
    for _ in range(int(3 * COMPLAINT_S)):
        seconds += 1.0
        intake.tick()
        assert "table 1: not stored yet" in complaint()
    make_read_only(desk, on=False)
    intake.tick()
    assert desk.waiting_tables == ()
    for _ in range(int(COMPLAINT_S) + 2):
        seconds += 1.0
        intake.tick()
    assert complaint() == ""
    desk.close()
    assert [line for line, _ in read_store(store_address).journals[0].lines] == LINES[:4]
