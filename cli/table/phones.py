"""``twinwall table phones``: phones as cameras, keys and builder's screens of tables."""

import json
import logging
import sys
from argparse import ArgumentTypeError, Namespace
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import segno

from cli import logs
from cli.event_mode import prepare_event
from cli.run_settings import load_to_run
from cli.signals import until_stopped
from cli.usage import EVENT, JSON, LOG, UsageError, argument, say, settings_file, takes
from config import PhonesSettings
from config.phones import PhonesSection
from tableside.phones.joining import CODE_S
from tableside.phones.phone_book import PhoneBookError
from tableside.phones.server_parts import PhoneServers, phone_parts
from twinwall.wire.certificates import CertificateError, server_tls

_PATIENCE_S = 5.0


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
    settings = load_to_run(arguments.settings, PhonesSettings).phones
    link = _asked(settings, "/codes", arguments.role)["link"]
    print(link)
    say(f"good once, within {CODE_S / 60:.0f} minutes; the phone and `twinwall table phones list` show the same words")
    if sys.stderr.isatty():
        segno.make(link, error="l").terminal(out=sys.stderr, compact=True)


@takes(_ROLE, _PHONES)
def dismiss(arguments: Namespace) -> None:
    _asked(load_to_run(arguments.settings, PhonesSettings).phones, "/dismissed", arguments.role)


@takes(JSON, _PHONES)
def list_phones(arguments: Namespace) -> None:
    phones = _ask(load_to_run(arguments.settings, PhonesSettings).phones, "/phones", None)
    if arguments.json:
        print(json.dumps(phones, ensure_ascii=False))
        return
    assert isinstance(phones, list)
    for phone in phones:
        state = "connected" if phone["connected"] else "away" if phone["given"] else "free"
        print(f"{phone['table']}/{phone['name']}\t{state}\t{phone['words'] or ''}")


def _asked(settings: PhonesSection, path: str, role: tuple[str, str]) -> dict[str, str]:
    answer = _ask(settings, path, {"table": role[0], "name": role[1]})
    assert isinstance(answer, dict)
    return answer


def _ask(settings: PhonesSection, path: str, document: object) -> object:
    """Ask the running server; raises UsageError with its sentence."""
    body = None if document is None else json.dumps(document).encode()
    request = Request(f"http://127.0.0.1:{settings.local_port}{path}", body, {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=_PATIENCE_S) as answer:  # noqa: S310 - on this machine's loopback
            return json.load(answer)
    except HTTPError as refused:
        with refused:
            raise UsageError(json.load(refused)["error"]) from None
    except (OSError, HTTPException, ValueError) as problem:
        raise UsageError(
            f"no server of phones answers on port {settings.local_port} ({problem}): start twinwall table phones serve with these settings"
        ) from problem
