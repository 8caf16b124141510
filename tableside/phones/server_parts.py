"""Builds the phones' two servers: one for the phones, one for this machine's programs."""

import ssl
from collections.abc import Mapping
from pathlib import Path

from tableside.phones.local_server import local_app
from tableside.phones.phone_book import PhoneBook, PhoneRole, RoleKind, roles_of
from tableside.phones.phone_keys import TableKeys
from tableside.phones.phone_server import PhoneParts, PhoneServer
from tableside.phones.table_stations import TableStation
from tableside.phones.wanted_frames import PhoneCamera
from twinwall.catalogues import page_texts
from twinwall.web.loopback_server import HttpServer


def phone_parts(tables: Mapping[str, int], book: Path, stations: Mapping[str, int] | None = None) -> PhoneParts:
    """The cameras and keys of tables, given with their numbers of reading gates. ``book`` is the file of the admitted phones, ``stations``
    has the ports of the tables' stations on this computer. Raises PhoneBookError."""
    ports = stations or {}
    roles = [role for table, gates in tables.items() for role in roles_of(table, gates, station=table in ports)]
    cameras = {role: PhoneCamera(_called(role)) for role in roles if role.kind in (RoleKind.GATE_CAMERA, RoleKind.TABLE_CAMERA)}
    keys = {table: TableKeys() for table in tables}
    return PhoneParts(cameras, keys, {table: TableStation(port) for table, port in ports.items()}, PhoneBook(book, roles))


class PhoneServers:
    """Both servers, from ``start`` to ``stop``."""

    def __init__(
        self,
        parts: PhoneParts,
        at: tuple[str, int],
        local_port: int,
        tls: ssl.SSLContext | None = None,
        *,
        address: str = "",
        mode: str = "rehearsal",
    ) -> None:
        """Port 0 takes a free one; ``address`` is the page's address for phones, by default from host and port; ``mode`` is that of the
        settings. Raises OSError if an address is not available."""
        self.phones = PhoneServer(parts, at, page_texts(Path(__file__).parent / "translations"), tls)
        try:
            self.local = HttpServer(local_app(parts, address or f"http://{at[0]}:{self.phones.port}", mode), local_port)
        except OSError:
            self.phones.close()
            raise

    def start(self) -> None:
        self.phones.start()
        self.local.start()

    def stop(self) -> None:
        self.local.stop(0.0)
        self.phones.stop()


def _called(role: PhoneRole) -> str:
    if role.kind is RoleKind.TABLE_CAMERA:
        return f"the camera above table {role.table}"
    number = role.name.partition("-")[2]
    return f"the camera of {'gate ' + number if number else 'the gate'} of table {role.table}"
