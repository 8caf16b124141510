"""The little of waitress that ``twinwall.http_server`` uses."""

import socket
from collections.abc import Callable, Sequence

from _typeshed.wsgi import WSGIApplication
from waitress.channel import HTTPChannel
from waitress.wasyncore import SocketMap

class _Trigger:
    def pull_trigger(self, thunk: Callable[[], object] | None = None) -> None: ...

class _Dispatcher:
    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool: ...

class _Server:
    trigger: _Trigger
    task_dispatcher: _Dispatcher
    channel_class: type[HTTPChannel]
    def run(self) -> None: ...
    def close(self) -> None: ...

def create_server(
    application: WSGIApplication,
    map: SocketMap,
    *,
    sockets: Sequence[socket.socket],
    threads: int,
    ident: str | None,
    connection_limit: int,
) -> _Server: ...
