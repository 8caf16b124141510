"""What viewers of a rehearsal meet: nginx with the published pages, and the publisher that writes them."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from centre.deploy.nginx_conf import NCHAN_MODULE, ViewerServer, nginx_conf
from tools.rehearsal.programs import LOOPBACK, ExternalProgram, ProgramError, find_program, listens
from twinwall.free_ports import free_ports

PublisherCommand = Callable[[ViewerServer], Sequence[str]]
"""The command that publishes into a server's folder and tells its nginx."""


def viewer_server(folder: Path, streams_each: int = 512) -> ViewerServer:
    """A server on loopback with its pages and files below this folder, which is made."""
    run = folder / "nginx"
    run.mkdir(parents=True)
    (port,) = free_ports(1)
    user = "root" if os.geteuid() == 0 else ""
    return ViewerServer(folder / "pages", run, LOOPBACK, port, user=user, streams_each=streams_each)


def nginx_program(server: ViewerServer, name: str = "nginx") -> ExternalProgram:
    """nginx with this server's configuration, not started; a socket that a killed one has left is removed at its start."""
    if not NCHAN_MODULE.exists():
        raise ProgramError(f"{NCHAN_MODULE} is not there: apt-get install libnginx-mod-nchan")
    conf = server.run / "nginx.conf"
    conf.write_text(nginx_conf(server))
    command = [find_program("nginx", "nginx"), "-c", str(conf), "-e", str(server.run / "begin.log")]
    return ExternalProgram(
        name, ["sh", "-c", 'rm -f "$0"; exec "$@"', str(server.socket), *command], server.run, lambda: listens(server.port)
    )


class ViewerPrograms:
    """One nginx and one publisher."""

    def __init__(self, folder: Path, publisher: PublisherCommand) -> None:
        """Write the files; nothing is started."""
        self.server = viewer_server(folder)
        self.nginx = nginx_program(self.server, "nginx-1")
        self.publisher = ExternalProgram("publisher-1", publisher(self.server), folder, (self.server.pages / "world.en.html").exists)

    @property
    def programs(self) -> tuple[ExternalProgram, ...]:
        """Both of them."""
        return self.nginx, self.publisher

    def start(self, timeout_s: float) -> None:
        """Start them, and wait until the first page is there; the store has to be there before."""
        for program in self.programs:
            program.start()
            program.wait(timeout_s)

    def stop(self) -> None:
        """End them."""
        for program in self.programs:
            program.stop()
