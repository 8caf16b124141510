"""``twinwall table phones``: phones as cameras, keys and builder's screens of tables."""

import logging
import sys
import time
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec import to_builtins

from cli import logs
from cli.run_settings import load_to_run, prepare_event
from cli.signals import until_stopped
from cli.terminal import draw_qr
from cli.usage import EVENT, JSON, LOG, UsageError, answer, argument, say, settings_file, takes
from config import PhonesSettings
from config.reading import EVENT_MODE
from dashboard.readiness.local_servers import TablePhones
from tableside.phones.local_server import ServedPhones
from tableside.phones.phone_book import CODE_S, PhoneBookError
from tableside.phones.server_parts import PhoneServers, phone_parts
from twinwall.web.http_request import ask
from twinwall.wire.certificates import CertificateError, server_tls


def _role(text: str) -> tuple[str, str]:
    table, slash, name = text.rpartition("/")
    if not slash or not table or not name:
        raise ArgumentTypeError(f"{text!r} is no role: write the table and what the phone is to be, for example 1/gate")
    return table, name


_PHONES = settings_file("the phones'")
_ROLE = argument("role", "for example 1/gate, 1/table, 1/keys-0, 1/keys or 1/builder", type=_role, metavar="TABLE/ROLE")


@takes(_PHONES, EVENT, LOG)
def serve(arguments: Namespace) -> None:
    whole = load_to_run(arguments.settings, PhonesSettings)
    prepare_event(whole, arguments)
    settings = whole.phones
    logs.begin(arguments)
    stop = until_stopped()
    try:
        certificate, key = settings.certificate, settings.certificate_key
        tls = None if certificate is None or key is None else server_tls(certificate, key)
        parts = phone_parts(dict.fromkeys(settings.tables, settings.gates), settings.memory, settings.station_ports)
        at, address = (settings.host, settings.port), settings.phone_address
        servers = PhoneServers(parts, at, settings.local_port, tls, address=address, mode=settings.mode)
    except (CertificateError, PhoneBookError) as problem:
        raise UsageError(f"{arguments.settings}: {problem}") from problem
    except OSError as problem:
        ports = f"ports {settings.port} and {settings.local_port}"
        raise UsageError(f"{arguments.settings}: {ports} of {settings.host} cannot be listened on ({problem.strerror})") from problem
    servers.start()
    logging.info(
        "phones come to %s/ with a code: twinwall table phones code --settings %s TABLE/ROLE", settings.phone_address, arguments.settings
    )
    stop.wait()
    servers.stop()


@takes(_ROLE, _PHONES)
def code(arguments: Namespace) -> None:
    link = _server(arguments).offer(*arguments.role)
    print(link)
    say(f"good once, within {CODE_S / 60:.0f} minutes; the phone and `twinwall table phones list` show the same words")
    if sys.stderr.isatty():
        draw_qr(link, sys.stderr)


@takes(_ROLE, _PHONES)
def dismiss(arguments: Namespace) -> None:
    _server(arguments).dismiss(*arguments.role)


@takes(JSON, _PHONES)
def list_phones(arguments: Namespace) -> None:
    phones = _server(arguments).phones()
    states = ("connected" if phone.connected else "away" if phone.given else "free" for phone in phones)
    rows = (f"{phone.table}/{phone.name}\t{state}\t{phone.words or ''}" for phone, state in zip(phones, states, strict=True))
    answer(to_builtins(phones), "\n".join(rows), as_json=arguments.json)


def _server(arguments: Namespace) -> TablePhones:
    return TablePhones(f"http://127.0.0.1:{load_to_run(arguments.settings, PhonesSettings).phones.local_port}")


_ANSWERS_S = 2.0
_STARTS_S = 60.0
"""So long the server may take to start beside this program; a service that ends for a wrong setting is not started again."""
_PAUSE_S = 0.5


def not_of_event(phones: str, asked: Callable[[str], bytes | None] | None = None) -> str | None:
    """Why the phones' server with a table's name (``http://127.0.0.1:PORT/TABLE``) is none of an event; None for a good one.

    ``asked`` is given the server's host and port, and answers with the body of ``GET /server``, or None where nothing answers.
    """
    address = urlsplit(phones)
    body = (asked or _asked)(address.netloc)
    if body is None:
        return f"no server of phones answers at {phones}: start twinwall table phones serve, then this program"
    try:
        served = msgspec.json.decode(body, type=ServedPhones)
    except msgspec.MsgspecError:
        return f"{phones} is no server of phones, and may be simulated cameras: write the address of twinwall table phones serve"
    table = unquote(address.path.strip("/"))
    if table not in served.phones_of:
        return f"the server of phones at {address.netloc} has no table {table!r}, but {', '.join(served.phones_of)}: write one of them"
    if served.mode != EVENT_MODE:
        return f'the server of phones at {address.netloc} runs as a rehearsal: write mode = "{EVENT_MODE}" into its settings'
    return None


def _asked(netloc: str) -> bytes | None:
    """The body of the answer; a server that does not answer yet is waited for."""
    ends = time.monotonic() + _STARTS_S
    while True:
        try:
            status, body = ask(netloc, "GET", "/server", patience_s=_ANSWERS_S)
            return body if status == HTTPStatus.OK else b""
        except OSError:
            if time.monotonic() > ends:
                return None
            time.sleep(_PAUSE_S)
