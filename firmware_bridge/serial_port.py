"""A serial device, opened for one program alone: the only place that knows pyserial.

It carries bytes and decides nothing. A device that is gone, or that somebody else has open, is an OSError that says so.
"""

import contextlib
import os
import select
import termios
import time
from collections.abc import Iterable
from pathlib import Path

import serial

DEFAULT_BAUD = 115_200
_CHUNK = 4096
_WRITE_TIMEOUT_S = 1.0
_REOPEN_EVERY_S = 0.1


class SerialPort:
    """An open serial device (UART, USB-CDC or pseudo-terminal).

    Raises OSError, with the device's path as its file name, when it cannot be opened.
    """

    def __init__(self, path: str, baud: int = DEFAULT_BAUD) -> None:
        try:
            self._serial = serial.Serial(path, baud, timeout=0, write_timeout=_WRITE_TIMEOUT_S, exclusive=True)
        except (OSError, ValueError, termios.error) as error:  # pyserial lets termios' own error through when a device vanishes
            raise OSError(getattr(error, "errno", None) or 0, _reason(error), path) from error

    def fileno(self) -> int:
        """To wait for bytes with ``select``."""
        return int(self._serial.fileno())

    def now_s(self) -> float:
        """The clock by which ``read`` waits."""
        return time.monotonic()

    def write(self, sent: bytes) -> None:
        """Send bytes; raises OSError when the device has gone or takes nothing for a second."""
        try:
            self._serial.write(sent)
        except termios.error as error:
            raise OSError(str(error)) from error

    def take(self) -> bytes:
        """The bytes that have come; raises OSError when the device has gone. Call it when ``select`` says that there is something."""
        try:
            received = bytes(self._serial.read(_CHUNK))
        except termios.error as error:
            raise OSError(str(error)) from error
        if not received:
            raise OSError("it was closed at the other end")
        return received

    def read(self, wait_s: float) -> bytes:
        """Bytes that have come, after waiting for the first one at most ``wait_s`` seconds; empty when none came."""
        ready, _, _ = select.select([self.fileno()], [], [], wait_s)
        return self.take() if ready else b""

    def close(self) -> None:
        with contextlib.suppress(OSError, termios.error):
            self._serial.close()


class LastingPort:
    """A serial device that may go and come back: opened again by itself under the same path, as a ``Wire``.

    A board that is a USB device itself goes away with every restart. What is sent meanwhile is lost; OSError is raised only
    when the device has been gone for longer than ``patience_s``.
    """

    def __init__(self, path: str, baud: int = DEFAULT_BAUD, patience_s: float = 15.0) -> None:
        self._path, self._baud, self._patience_s = path, baud, patience_s
        self._port: SerialPort | None = SerialPort(path, baud)
        self._gone_s = 0.0

    def now_s(self) -> float:
        return time.monotonic()

    def write(self, sent: bytes) -> None:
        try:
            if self._port is not None:
                self._port.write(sent)
        except OSError:
            self._lose()

    def read(self, wait_s: float) -> bytes:
        """Bytes that have come; empty when none came in time, or the device is gone for the moment."""
        if self._port is None:
            time.sleep(min(wait_s, _REOPEN_EVERY_S))
            try:
                self._port = SerialPort(self._path, self._baud)
            except OSError:
                if time.monotonic() > self._gone_s + self._patience_s:
                    raise
            return b""
        try:
            return self._port.read(wait_s)
        except OSError:
            self._lose()
            return b""

    def close(self) -> None:
        if self._port is not None:
            self._port.close()

    def _lose(self) -> None:
        self.close()
        self._port, self._gone_s = None, time.monotonic()


def devices(patterns: Iterable[str]) -> tuple[str, ...]:
    """The devices that fit these patterns (full paths with * for any letters) now, each once though it may have several names."""
    fitting = (path for pattern in patterns for path in sorted(Path("/").glob(pattern.lstrip("/"))))
    found: dict[Path, str] = {}
    for path in fitting:
        found.setdefault(path.resolve(), str(path))
    return tuple(found.values())


def _reason(error: Exception) -> str:
    text, number = str(error), getattr(error, "errno", None)
    if "exclusively lock" in text:
        return "another program has it open"
    if "configure port" in text:
        return "it is no serial device"
    return os.strerror(number) if isinstance(number, int) else text
