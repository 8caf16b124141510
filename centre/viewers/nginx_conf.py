"""nginx for viewers: serves the published pages as files, and carries each page's changes in a stream (module nchan).

No viewer reaches a process of Twinwall. The publisher reaches nginx over a socket in a folder of its own. A page may be kept for two
seconds by any cache; asked for by its revision (``?r=``) it never changes. What it loads beside has its digest in its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

NCHAN_MODULE = Path("/usr/lib/nginx/modules/ngx_nchan_module.so")
CHANNEL = "[a-z0-9][a-z0-9.-]{0,79}"
MOST_TOLD_BYTES = 64 << 10
"""The longest message that a channel takes."""
PING_S = 20
"""An idle stream says so often that it is there, so that no proxy on the way ends it."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)

_HEADERS = (
    "add_header X-Content-Type-Options nosniff always; add_header Referrer-Policy no-referrer always; "
    f'add_header Content-Security-Policy "{_POLICY}" always;'
)
"""Of every answer; nginx forgets those of the server in a location that adds one of its own."""


_FILES = """\
    types {
        text/html html;
        text/css css;
        text/javascript js;
        image/svg+xml svg;
        application/json json;
    }
    default_type application/octet-stream;
    charset utf-8;
    access_log off;
    server_tokens off;
    sendfile on;
    gzip on;
    gzip_vary on;
    gzip_types text/css text/javascript image/svg+xml application/json;
"""
_CHOICES = """\
    map $args $kept_for {
        default "public, max-age=2";
        "~^r=[0-9a-f]+$" "public, max-age=31536000, immutable";
    }

    map $http_accept_language $language {
        default en;
        "~*^ja" ja;
        "~*^zh" zh-hans;
    }

"""
"""How long a page may be kept, by its revision, and the language of a viewer who names no page."""


@dataclass(frozen=True, slots=True)
class ViewerTls:
    """Certificate chain and key of the viewers' address."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class ViewerServer:
    """Where viewers are served.

    Attributes:
        pages: the folder of published pages (``page_publisher``).
        run: a folder of the server's own: socket, log, temporary files. Whoever may open the socket may publish.
        host: the address to listen at.
        tls: None on loopback, or behind a proxy that ends TLS.
        streams_each: open streams of one address; a venue's phones often share one.
        connections: of each worker; a stream takes one.
        workers: processes; ``auto`` is one a core.
        user: of the workers where root starts nginx; without it they are of nginx's own choice, or of whoever starts it.
    """

    pages: Path
    run: Path
    host: str
    port: int
    tls: ViewerTls | None = None
    streams_each: int = 512
    connections: int = 16384
    workers: str = "auto"
    user: str = ""

    @property
    def socket(self) -> Path:
        """Where the publisher speaks to nginx."""
        return self.run / "publish.sock"


def nginx_conf(server: ViewerServer) -> str:
    """The configuration of nginx 1.22 with nchan 1.3."""
    user = f"user {server.user};\n" if server.user else ""
    return f"""load_module {NCHAN_MODULE};
{user}daemon off;
worker_processes {server.workers};
worker_rlimit_nofile {2 * server.connections};
pid {server.run}/nginx.pid;
error_log {server.run}/error.log warn;

events {{
    worker_connections {server.connections};
}}

http {{
{_FILES}    client_body_temp_path {server.run}/body;
    proxy_temp_path {server.run}/proxy;
    fastcgi_temp_path {server.run}/fastcgi;
    uwsgi_temp_path {server.run}/uwsgi;
    scgi_temp_path {server.run}/scgi;
    limit_conn_zone $binary_remote_addr zone=streams:16m;
    limit_conn_status 429;
{_CHOICES}{_viewers_server(server)}
{_publisher_server(server)}}}
"""


def _viewers_server(server: ViewerServer) -> str:
    """Pages as files, and their streams."""
    ssl, certificate = ("", "") if server.tls is None else (" ssl http2", _certificate(server.tls))
    return f"""\
    server {{
        listen {server.host}:{server.port}{ssl};
{certificate}        root {server.pages};
        client_max_body_size 1k;
        client_header_timeout 10s;
        {_HEADERS}

        location / {{
            limit_except GET {{ deny all; }}
            add_header Cache-Control $kept_for;
            {_HEADERS}
        }}
        location = / {{
            return 302 /world.$language.html;
        }}
        location /kept/ {{
            limit_except GET {{ deny all; }}
            add_header Cache-Control "public, max-age=31536000, immutable";
            {_HEADERS}
        }}
        location ~ "^/stream/({CHANNEL})$" {{
            limit_conn streams {server.streams_each};
            nchan_subscriber eventsource;
            nchan_channel_id $1;
            nchan_subscriber_first_message -1;
            nchan_eventsource_ping_interval {PING_S};
        }}
    }}
"""


def _publisher_server(server: ViewerServer) -> str:
    """Where the publisher tells a stream what has changed, and asks how many listen."""
    return f"""\
    server {{
        listen unix:{server.socket};
        location ~ "^/publish/({CHANNEL})$" {{
            client_max_body_size {MOST_TOLD_BYTES};
            client_body_buffer_size {MOST_TOLD_BYTES};
            nchan_publisher http;
            nchan_channel_id $1;
            nchan_message_buffer_length 1;
            nchan_message_timeout 1d;
        }}
        location = /status {{
            nchan_stub_status;
        }}
    }}
"""


def _certificate(tls: ViewerTls) -> str:
    return f"        ssl_certificate {tls.certificate};\n        ssl_certificate_key {tls.key};\n        ssl_protocols TLSv1.2 TLSv1.3;\n"
