"""A broker at the centre that nobody should trust: it takes any bridge, and then sends down it what nobody asked for."""

import socket
import struct
import threading
from collections.abc import Sequence
from contextlib import suppress
from io import BufferedReader

CONNECT, SUBSCRIBE, PINGREQ = 1, 8, 12
"""Packet types of MQTT 3.1.1, table 2.1."""
CONNACK = b"\x20\x02\x00\x00"
PINGRESP = b"\xd0\x00"


class HostileBroker:
    """Speaks so much of MQTT 3.1.1 as a bridge needs, and publishes ``sent`` (topic, payload) at QoS 0 after the last subscription."""

    def __init__(self, sent: Sequence[tuple[str, bytes]], subscriptions: int) -> None:
        self._sent, self._subscriptions = sent, subscriptions
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._connection: socket.socket | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        if self._connection is not None:
            with suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def _serve(self) -> None:
        with suppress(OSError):
            self._connection, _ = self._listening.accept()
            with self._connection, self._connection.makefile("rb") as reading:
                seen = 0
                while first := reading.read(1):
                    kind, body = first[0] >> 4, reading.read(_length(reading))
                    if kind == CONNECT:
                        self._connection.sendall(CONNACK)
                    elif kind == PINGREQ:
                        self._connection.sendall(PINGRESP)
                    elif kind == SUBSCRIBE:
                        seen += 1
                        self._connection.sendall(b"\x90\x03" + body[:2] + b"\x01")
                        if seen == self._subscriptions:
                            self._connection.sendall(b"".join(_publish(*each) for each in self._sent))


def _length(reading: BufferedReader) -> int:
    """The length that follows a packet's first byte: seven bits a byte, the lowest first."""
    length, shift = 0, 0
    while True:
        byte = reading.read(1)[0]
        length |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return length
        shift += 7


def _publish(topic: str, payload: bytes) -> bytes:
    name = topic.encode()
    body = struct.pack(">H", len(name)) + name + payload
    assert len(body) < 128, "one byte of length is enough here"
    return bytes([0x30, len(body)]) + body
