"""Streams of one picture after the other, as phones serve them: JPEG pictures over HTTP, and RTSP."""

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count

import cv2
import numpy as np

HEIGHT, WIDTH, PER_S = 96, 128, 25
_SCAN, _TABLE, _END = b"\xff\xda", b"\xff\xdb", b"\xff\xd9"
_SDP = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=table\r\nt=0 0\r\nm=video 0 RTP/AVP 26\r\na=control:track\r\n"


def level(number: int) -> int:
    """The grey level of a picture, which tells it from those before."""
    return 20 + number % 200


def picture(number: int) -> bytes:
    return cv2.imencode(".jpg", np.full((HEIGHT, WIDTH, 3), level(number), np.uint8))[1].tobytes()


class Stream:
    """A server of one stream: ``silent`` once it sends nothing more, and ``cut`` closes the connections of its clients."""

    def __init__(self, scheme: str) -> None:
        self.silent = threading.Event()
        self._scheme, self._listener = scheme, socket.create_server(("127.0.0.1", 0))
        self.url = f"{scheme}://127.0.0.1:{self._listener.getsockname()[1]}/table"
        self._clients: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        for client in self._clients:
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._clients.append(client)
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), client:
            begin, packet = {"http": (_ask, _part), "rtsp": (_play, _interleaved)}[self._scheme]
            begin(client)
            for number in count():
                if not self.silent.is_set():
                    client.sendall(packet(number))
                time.sleep(1 / PER_S)


@contextmanager
def streaming(scheme: str) -> Iterator[Stream]:
    stream = Stream(scheme)
    try:
        yield stream
    finally:
        stream.close()


def _ask(client: socket.socket) -> None:
    client.recv(4096)
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=next\r\n\r\n")


def _part(number: int) -> bytes:
    content = picture(number)
    return b"--next\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n" % (len(content), content)


def _play(client: socket.socket) -> None:
    """RFC 2326 as far as a client asks for it before it plays: the pictures come over the same connection."""
    with client.makefile("rb") as lines:
        while first := lines.readline().split():
            fields = dict(line.decode().rstrip().split(": ", 1) for line in iter(lines.readline, b"\r\n"))
            heads, body = {"CSeq": fields["CSeq"], "Session": "1"}, ""
            if first[0] == b"OPTIONS":
                heads["Public"] = "DESCRIBE, SETUP, PLAY"
            elif first[0] == b"DESCRIBE":
                heads, body = heads | {"Content-Type": "application/sdp", "Content-Length": str(len(_SDP))}, _SDP
            elif first[0] == b"SETUP":
                heads["Transport"] = "RTP/AVP/TCP;unicast;interleaved=0-1"
            client.sendall(
                ("RTSP/1.0 200 OK\r\n" + "".join(f"{name}: {value}\r\n" for name, value in heads.items()) + "\r\n" + body).encode()
            )
            if first[0] == b"PLAY":
                break


def _interleaved(number: int) -> bytes:
    """One picture in one packet (RFC 2435): its quantization tables, then its scan."""
    content = picture(number)
    tables = b"".join(part[3:67] for part in content.split(_TABLE)[1:])
    scan = content.index(_SCAN) + 2
    scan += int.from_bytes(content[scan : scan + 2])
    packet = b"".join(
        (
            struct.pack(">BBHII", 0x80, 0x80 | 26, number & 0xFFFF, number * 90_000 // PER_S, 7),
            struct.pack(">IBBBB", 0, 1, 255, WIDTH // 8, HEIGHT // 8),
            struct.pack(">HH", 0, len(tables)) + tables,
            content[scan : content.rindex(_END)],
        )
    )
    return b"$\0" + struct.pack(">H", len(packet)) + packet
