"""The centre's database of a rehearsal: etcd, and PostgreSQL nodes under Patroni, all on loopback.

PostgreSQL refuses to run as root; a rehearsal that root starts runs it as nobody.
"""

import os
import secrets
import shutil
import stat
import time
from pathlib import Path

from centre.deploy.patroni_conf import ADMIN, REPLICATOR, REWINDER, ROLE, PostgresNode, make_database_script, patroni_conf, store_url
from tools.rehearsal.programs import LOOK_AGAIN_S, LOOPBACK, ExternalProgram, ProgramError, find_program, listens
from twinwall.event.store.databases.opening import postgres_adapter
from twinwall.event.store.databases.port import PostgresAddress, StoreError
from twinwall.free_ports import free_ports

_AS_NOBODY = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")


class PostgresNodes:
    """So many nodes, and one etcd."""

    def __init__(self, folder: Path, count: int) -> None:
        """Write the files; nothing is started."""
        self._as_user = _AS_NOBODY if os.geteuid() == 0 else ()
        if self._as_user and (closed := closed_to_others(folder)) is not None:
            raise ProgramError(
                f"nobody but its owner may enter {closed}, and PostgreSQL runs as nobody where root starts a rehearsal: name another "
                "folder with --keep, or leave it out"
            )
        folder.mkdir(parents=True)
        client, peer, *ports = free_ports(2 + 2 * count)
        passwords = {user: secrets.token_urlsafe(16) for user in (ROLE, ADMIN, REPLICATOR, REWINDER)}
        self.etcd = _etcd(folder / "etcd", client, peer)
        patroni, binaries = find_program("patroni", "patroni"), _binaries()
        self._disks = [folder / "etcd" / "data", *(folder / f"node-{number}" / "data" for number in range(1, count + 1))]
        self.nodes: list[ExternalProgram] = []
        described: list[PostgresNode] = []
        for number in range(1, count + 1):
            port, rest_port = ports[2 * number - 2 : 2 * number]
            own = folder / f"node-{number}"
            node = PostgresNode(f"node{number}", LOOPBACK, port, rest_port, (f"{LOOPBACK}:{client}",), own, binaries, passwords)
            self.nodes.append(self._program(number, node, patroni))
            described.append(node)
        self.address = PostgresAddress(store_url(described), password=passwords[ROLE])

    def begin(self) -> None:
        """Start etcd and the nodes; returns at once."""
        for program in (self.etcd, *self.nodes):
            program.start()

    def start(self, timeout_s: float) -> None:
        """Start etcd and the nodes, and wait until the database is there."""
        self.begin()
        for program in (self.etcd, *self.nodes):
            program.wait(timeout_s)
        until_s = time.monotonic() + timeout_s
        while not self._is_there():
            if time.monotonic() > until_s:
                raise ProgramError(f"the database did not come up: look into {self.nodes[0].log}")
            time.sleep(LOOK_AGAIN_S)

    def stop(self) -> None:
        """End them."""
        for program in (*self.nodes, self.etcd):
            program.kill()

    def lose(self) -> None:
        """Kill them all with their disks: what is started then is a new database without a backup."""
        self.stop()
        for disk in self._disks:
            shutil.rmtree(disk, ignore_errors=True)

    def _program(self, number: int, node: PostgresNode, patroni: str) -> ExternalProgram:
        node.folder.mkdir()
        conf, script = node.folder / "patroni.yml", node.folder / "make-database"
        conf.write_text(patroni_conf(node))
        script.write_text(make_database_script(node))
        for path, mode in ((conf, 0o600), (script, 0o700), (node.folder, 0o700)):
            path.chmod(mode)
            if self._as_user:
                shutil.chown(path, "nobody", "nogroup")
        log = node.folder.parent / f"postgresql-{number}"
        log.mkdir()
        command, home = [*self._as_user, patroni, str(conf)], {"HOME": str(node.folder)}
        return ExternalProgram(f"postgresql-{number}", command, log, lambda: listens(node.port), home, lambda: _postmaster(node.folder))

    def _is_there(self) -> bool:
        try:
            postgres_adapter().for_writing(PostgresAddress(self.address.url, "rehearsed", self.address.password)).close()
        except StoreError:
            return False
        return True


def closed_to_others(folder: Path) -> Path | None:
    """The first folder on the way to this one that only its owner or group may enter; None where others may."""
    there = (each for each in reversed((folder, *folder.parents)) if each.exists())
    return next((each for each in there if not each.stat().st_mode & stat.S_IXOTH), None)


def _etcd(folder: Path, client: int, peer: int) -> ExternalProgram:
    folder.mkdir()
    mine, theirs = f"http://{LOOPBACK}:{client}", f"http://{LOOPBACK}:{peer}"
    command = [find_program("etcd", "etcd-server"), "--name", "etcd", "--data-dir", str(folder / "data"), "--listen-client-urls", mine]
    command += ["--advertise-client-urls", mine, "--listen-peer-urls", theirs, "--initial-advertise-peer-urls", theirs]
    return ExternalProgram("etcd", [*command, "--initial-cluster", f"etcd={theirs}"], folder, lambda: listens(client))


def _postmaster(folder: Path) -> int | None:
    """The process group of a node's PostgreSQL; None where none runs. Its first line is the process id (PostgreSQL, 66.1)."""
    try:
        pid = int((folder / "data" / "postmaster.pid").read_text().split()[0])
        return os.getpgid(pid)
    except (OSError, ValueError, IndexError):
        return None


def _binaries() -> Path:
    """The folder of the newest PostgreSQL; Debian keeps one for each version."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not found:
        raise ProgramError("postgresql is not installed: apt-get install postgresql")
    return found[-1].parent
