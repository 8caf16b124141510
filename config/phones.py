"""Settings of the phones' server: one port for phones, one for this machine's programs."""

from pathlib import Path
from typing import Annotated

from config.connections import AllowClearText, NetworkSection, is_loopback
from config.reading import HTTP_ADDRESS, MAKE_CERTIFICATE, REHEARSAL_MODE, Host, Mode, Port, SettingKey, given_together
from twinwall.values import frozen


@frozen
class PhonesSection(NetworkSection):
    """Phones as cameras, keys and builder's screens. A browser gives a page the camera only over TLS, or on this machine itself."""

    tables: Annotated[
        tuple[str, ...], SettingKey("The tables' names.", pattern=r"[^\s/+#]+", shape="a list of names without space, /, + or #")
    ]
    memory: Annotated[Path, SettingKey("File of the phones that were let in; keep it on a disk that lasts.")]
    gates: Annotated[int, SettingKey("Reading gates of each table.", 1, 4)] = 1
    stations: Annotated[
        tuple[int, ...],
        SettingKey(
            "Ports of the screens of the tables' stations on this computer ([station] port), in the order of the tables, 0 for a table "
            "without one: a phone can be the builder's screen there. Left out, no table has one.",
            0,
            65535,
        ),
    ] = ()
    host: Host = "127.0.0.1"
    port: Port = 8443
    local_port: Annotated[
        int,
        SettingKey(
            "Port on loopback for the table's programs: name http://127.0.0.1:PORT/TABLE/gate.jpg and /TABLE/table.jpg as cameras, and "
            "http://127.0.0.1:PORT/TABLE as [panel] phones.",
            1,
            65535,
        ),
    ] = 8120
    address: Annotated[
        str | None,
        SettingKey(
            "How phones reach the page, for the codes; left out: host and port.",
            pattern=HTTP_ADDRESS,
            shape='an address such as "https://hall.example:8443"',
        ),
    ] = None
    certificate: Annotated[Path | None, SettingKey("Certificate with its chain (PEM), for TLS.", made_by=MAKE_CERTIFICATE)] = None
    certificate_key: Annotated[Path | None, SettingKey("The certificate's key (PEM).", made_by=MAKE_CERTIFICATE)] = None
    allow_clear_text: AllowClearText = False
    mode: Mode = REHEARSAL_MODE

    def __post_init__(self) -> None:
        given_together("certificate and certificate_key", self.certificate, self.certificate_key)
        if not self.tables or len(set(self.tables)) != len(self.tables):
            raise ValueError("tables names no table, or one of them twice")
        if self.stations and len(self.stations) != len(self.tables):
            raise ValueError("stations has another length than tables: give one port for each table, 0 where it has no station")
        if self.port == self.local_port:
            raise ValueError("port and local_port are one: phones must not reach what is for this machine's programs")
        self.refuse_clear_text("set certificate and certificate_key")

    @property
    def in_clear(self) -> str | None:
        """The address, if it is beyond this machine and not encrypted."""
        return f"host {self.host}" if self.certificate is None and not is_loopback(self.host) else None

    @property
    def station_ports(self) -> dict[str, int]:
        """The port of each table's station, for tables with one."""
        return {table: port for table, port in zip(self.tables, self.stations, strict=False) if port}

    @property
    def phone_address(self) -> str:
        """The address at which codes begin."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.address or f"http{'' if self.certificate is None else 's'}://{host}:{self.port}"


@frozen
class PhonesSettings:
    """Settings of the phones of some tables: twinwall table phones serve --settings FILE"""

    phones: PhonesSection
