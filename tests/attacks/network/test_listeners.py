"""Our other listeners (phones, enrolment, the small HTTP servers): one address keeps nobody out, and threads are bounded."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from flask import Flask
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from cli.hall.enrol import EnrolmentServer
from tableside.phones.local_server import PhoneServers, phone_parts
from tableside.phones.phone_book import PhoneRole
from tests.attacks.network.test_connections import ATTACKER, HALF, OTHERS, first_bytes, open_many
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import eventually
from tests.support.wire.tls import certificate_in
from twinwall.web.loopback_server import LIMITS
from twinwall.web.web_server import WebServer
from twinwall.wire.enrolment import EnrolmentAnswer

HERE = "127.0.0.1"
PAGE = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
HALF_HELLO = b"\x16\x03\x01\x02\x00\x01"
HALF_OPEN = 300
MOST_THREADS = 250
WITHOUT_CODE = 170


@contextmanager
def phones(folder: Path) -> Iterator[int]:
    servers = PhoneServers(phone_parts({"1": 1}, folder / "phones.json"), (HERE, 0), 0)
    servers.start()
    yield servers.phones.port
    servers.stop()


def never_asked(_table: str, _request: bytes) -> EnrolmentAnswer:
    raise AssertionError("nobody has a code")


@contextmanager
def enrolment(folder: Path) -> Iterator[int]:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*certificate_in(folder)[:2])
    server = EnrolmentServer((HERE, 0), tls, b"PEM", invitations=(), issue=never_asked, clock=lambda: 0.0)
    server.start()
    yield server.port
    server.close()


@contextmanager
def small_http(_folder: Path, request_s: float = LIMITS.request_s) -> Iterator[int]:
    app = Flask("small")
    app.add_url_rule("/", "page", lambda: "page")
    server = WebServer(socket.create_server((HERE, 0)), replace(LIMITS, request_s=request_s), keeps=True)
    server.start(app)
    yield server.port
    server.stop()
    server.close()


def answers(port: int, source: str, context: ssl.SSLContext | None) -> bool:
    connection = socket.create_connection((HERE, port), timeout=PATIENCE_S, source_address=(source, 0))
    with connection if context is None else context.wrap_socket(connection) as asking:
        asking.sendall(PAGE)
        return asking.recv(4) == b"HTTP"


@pytest.mark.parametrize(
    ("serving", "sent"), [(phones, b""), (phones, HALF), (enrolment, b""), (enrolment, HALF_HELLO), (small_http, b""), (small_http, HALF)]
)
def test_300_half_open_connections_of_one_address_keep_nobody_out_and_threads_are_bounded(
    serving: Callable[[Path], AbstractContextManager[int]], sent: bytes, tmp_path: Path
) -> None:
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    before = threading.active_count()
    with serving(tmp_path) as port, ExitStack() as held:
        half = open_many(held, port, ATTACKER, HALF_OPEN, sent)
        for visitor in (*OTHERS, ATTACKER):
            assert answers(port, visitor, trusting if serving is enrolment else None)
        assert first_bytes(half[0]) == b"", "the oldest gave way"
        eventually(lambda: threading.active_count() - before < MOST_THREADS, "each connection that gave way takes its thread with it")


def test_control_a_server_without_limits_gives_each_of_them_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ThreadingHTTPServer, "request_queue_size", MOST_THREADS)  # with five places the kernel lets them wait for seconds
    before = threading.active_count()
    with ThreadingHTTPServer((HERE, 0), BaseHTTPRequestHandler) as server, ExitStack() as held:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        open_many(held, server.server_port, ATTACKER, MOST_THREADS, HALF)
        eventually(lambda: threading.active_count() - before > MOST_THREADS, "so many threads wait")
        held.close()
        server.shutdown()
        serving.join()


def test_a_connection_on_which_no_whole_request_comes_is_closed_however_slowly_it_goes_on(tmp_path: Path) -> None:
    with small_http(tmp_path, 0.5) as port, socket.create_connection((HERE, port), timeout=0.2) as slow:

        def is_closed() -> bool:
            try:
                slow.sendall(b"G")
                return slow.recv(1) == b""
            except TimeoutError:
                return False
            except ConnectionError:
                return True

        eventually(is_closed, "it is closed")


def phone(held: ExitStack, port: int, source: str) -> Connection:
    return held.enter_context(connect(f"ws://{HERE}:{port}/phone", source_address=(source, 0), open_timeout=PATIENCE_S))


def test_170_web_sockets_without_a_code_keep_no_phone_out(tmp_path: Path) -> None:
    parts = phone_parts({"1": 1}, tmp_path / "phones.json")
    servers = PhoneServers(parts, (HERE, 0), 0)
    servers.start()
    with ExitStack() as held:
        held.callback(servers.stop)
        for _ in range(WITHOUT_CODE):
            phone(held, servers.phones.port, ATTACKER)
        for source in (OTHERS[0], ATTACKER):
            code = parts.book.offer(PhoneRole("1", "keys"))
            joining = phone(held, servers.phones.port, source)
            joining.send(f'{{"type": "hello", "code": "{code}", "token": ""}}')
            assert '"joined"' in str(joining.recv(PATIENCE_S))
