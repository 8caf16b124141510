"""The brokers of one venue: the hall's Mosquitto, and the gateway that passes on to the centre."""

import secrets
from collections.abc import Sequence
from pathlib import Path

from centre.deploy.gateway_conf import BrokerEndpoint, CentreEnd, HallEnd, gateway_conf
from centre.deploy.venue_account import VenueAccount
from tools.rehearsal.programs import LOOPBACK, ExternalProgram, find_program, listens
from twinwall.wire.mqtt.access import (
    SALT_BYTES,
    SERVER_USER,
    Access,
    AccessFiles,
    Right,
    format_rights,
    hash_password,
    loopback_conf,
    rights,
)
from twinwall.wire.mqtt.centre_topics import GATEWAY_USER, gateway_rights
from twinwall.wire.mqtt.topics import Channel, all_tables, keys_topic

_AS_ROOT = "user root\n"
"""Mosquitto that root starts turns into another user, who may not read the files; it has no effect for anybody else."""

_NICE = ("nice", "-n", "10")
"""As a gateway's unit has it: Mosquitto 2.0.11 loops within a TLS handshake until the centre has answered."""


class VenueBrokers:
    """A hall's broker on loopback and its gateway, in a folder of their own."""

    def __init__(self, account: VenueAccount, folder: Path, port: int, tables: Sequence[str], *, as_one_connection: bool = False) -> None:
        """``port`` is the hall's broker's; accounts are the server, the vault, the tables and the gateway. ``as_one_connection`` lets the
        server's account speak for tables and vault too, so that one process can be many venues."""
        folder.mkdir(parents=True)
        self.account, self.folder, self.port = account, folder, port
        self.password = secrets.token_urlsafe(16)
        """Of every account: the hall's broker listens on loopback alone."""
        self._mosquitto = find_program("mosquitto", "mosquitto")
        granted = (*rights(None, tables), *gateway_rights())
        files = _write_access(folder, self.password, (*granted, *_as_one_connection()) if as_one_connection else granted)
        conf = folder / "hall.conf"
        conf.write_text(loopback_conf(files, LOOPBACK, port) + _AS_ROOT)
        self.hall = ExternalProgram("hall", [self._mosquitto, "-c", str(conf)], folder, lambda: listens(port))
        self.gateway: ExternalProgram | None = None

    def add_gateway(self, centre: CentreEnd) -> ExternalProgram:
        """The gateway to a centre, not started yet."""
        state = self.folder / "gateway"
        state.mkdir(exist_ok=True)
        hall = HallEnd(BrokerEndpoint(LOOPBACK, self.port), password=self.password)
        conf = self.folder / "gateway.conf"
        conf.write_text(gateway_conf(self.account, hall, centre, state) + _AS_ROOT)
        self.gateway = ExternalProgram("gateway", [*_NICE, self._mosquitto, "-c", str(conf)], self.folder, (state / "nobody.sock").exists)
        return self.gateway


def _as_one_connection() -> tuple[Right, ...]:
    """What tables and vault say to the centre, said by the server's account."""
    said = (all_tables(None, channel) for channel in (Channel.EVENTS, Channel.HEAD, Channel.HEALTH))
    return tuple(Right(SERVER_USER, Access.WRITE, each) for each in (*said, keys_topic(None)))


def _write_access(folder: Path, password: str, granted: Sequence[Right]) -> AccessFiles:
    """Passwords and rights of the hall's broker; one password stands for all."""
    files = AccessFiles(folder / "passwords", folder / "rights")
    users = dict.fromkeys([SERVER_USER, GATEWAY_USER, *(right.user for right in granted)])
    hashed = hash_password(password, secrets.token_bytes(SALT_BYTES))
    files.passwords.write_text("".join(f"{user}:{hashed}\n" for user in users))
    files.rights.write_text(format_rights(granted))
    return files
