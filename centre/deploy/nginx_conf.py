"""nginx for viewers: serves the published pages as files, and streams each page's changes (module nchan).

No viewer reaches a process of Twinwall. The publisher reaches nginx over a socket in a folder of its own. Any cache may keep a page for two
seconds; a page requested by its revision (``?r=``) never changes. The files that it loads have their digest in the name.
"""

from pathlib import Path

from centre.deploy.deploy_files import ServerTls, filled
from twinwall.values import frozen

NCHAN_MODULE = Path("/usr/lib/nginx/modules/ngx_nchan_module.so")
CHANNEL = "[a-z0-9][a-z0-9.-]{0,79}"
MOST_CHANGE_BYTES = 64 << 10
"""The longest message that a channel takes."""
_PROTOCOLS = "ssl_protocols TLSv1.2 TLSv1.3;"


@frozen
class ViewerServer:
    """Where viewers are served.

    Attributes:
        pages: the folder of published pages (``page_publisher``).
        run: a folder of the server's own: socket, log, temporary files. A program that may open the socket may publish.
        host: the address to listen at.
        tls: None on loopback, or behind a proxy that ends TLS.
        streams_each: the most open streams of one address; a venue's phones often share one.
        connections: of each worker; a stream takes one.
        workers: number of processes; ``auto`` is one a core.
        user: of the workers if root starts nginx; if empty, nginx's own choice, or the user who starts it.
    """

    pages: Path
    run: Path
    host: str
    port: int
    tls: ServerTls | None = None
    streams_each: int = 512
    connections: int = 16384
    workers: str = "auto"
    user: str = ""

    @property
    def socket(self) -> Path:
        """The socket on which the publisher reaches nginx."""
        return self.run / "publish.sock"


def nginx_conf(server: ViewerServer) -> str:
    """The configuration of nginx."""
    tls = server.tls
    certificate = [] if tls is None else [f"ssl_certificate {tls.certificate};", f"ssl_certificate_key {tls.key};", _PROTOCOLS]
    return filled(
        "nginx.conf",
        nchan=NCHAN_MODULE,
        user=f"user {server.user};" if server.user else "",
        workers=server.workers,
        files=2 * server.connections,
        connections=server.connections,
        run=server.run,
        pages=server.pages,
        listen=f"{server.host}:{server.port}{'' if tls is None else ' ssl http2'}",
        certificate="\n        ".join(certificate),
        streams_each=server.streams_each,
        channel=CHANNEL,
        most_bytes=MOST_CHANGE_BYTES,
    )
