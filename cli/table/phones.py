"""``twinwall table phones``: phones as cameras, keys and builder's screens of tables."""

import logging
import sys
from argparse import ArgumentTypeError, Namespace

from msgspec import to_builtins

from cli import logs
from cli.run_settings import load_to_run, prepare_event
from cli.terminal import draw_qr
from cli.usage import EVENT, JSON, LOG, UsageError, answer, argument, say, settings_file, takes, until_stopped
from config import PhonesSettings
from dashboard.readiness.local_servers import TablePhones
from tableside.phones.local_server import PhoneServers, phone_parts
from tableside.phones.phone_book import CODE_S, PhoneBookError
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
