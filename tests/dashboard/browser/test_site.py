"""The server of the browser tests: an answer that the browser drops leaves no file open."""

import gc
import re
import socket
import struct
import urllib.request

from tests.dashboard.browser.conftest import Site

RESET_AT_CLOSE = struct.pack("ii", 1, 0)
"""For ``SO_LINGER``: the connection ends with a reset."""


def test_an_answer_that_the_browser_drops_leaves_no_file_open(site: Site) -> None:
    with urllib.request.urlopen(f"{site.address}/login") as answer:
        icon = re.search(r'rel="icon" href="([^"]+)"', answer.read().decode())
    assert icon is not None
    for _ in range(40):
        with socket.create_connection(("127.0.0.1", site.port)) as line:
            line.sendall(f"GET {icon[1]} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            assert line.recv(1) == b"H"
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_AT_CLOSE)
    gc.collect()
