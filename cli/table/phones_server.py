"""Whether what answers at the address of the phones' server is one, and at an event one of an event. The simulated cameras have the same
paths as phones. A settings file cannot tell them apart, so the server is asked what it is."""

import time
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import unquote, urlsplit

import msgspec

from config.reading import EVENT_MODE
from tableside.phones.local_server import ServedPhones
from twinwall.web.http_request import ask

_ANSWERS_S = 2.0
_STARTS_S = 60.0
"""So long the server may take to start beside this program; a service that ends for a wrong setting is not started again."""
_PAUSE_S = 0.5


def not_of_event(phones: str, asked: Callable[[str], bytes | None] | None = None) -> str | None:
    """Why the phones' server with a table's name (``http://127.0.0.1:PORT/TABLE``) is none of an event; None for a good one. ``asked`` is
    given the server's host and port, and answers with the body of ``GET /server``, or None where nothing answers."""
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
