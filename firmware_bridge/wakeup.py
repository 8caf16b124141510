"""Wakeup: a pipe with which one thread ends another one's sleep in ``select``."""

import contextlib
import os

_CHUNK = 65536
"""All that a pipe holds: who wakes without a pause keeps no thread in ``drain``."""


class Wakeup:
    """A pipe that ends another thread's sleep in ``select``."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)

    def fileno(self) -> int:
        return self._read

    def wake(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self._write, b"\x01")

    def drain(self) -> None:
        """Forget all wakes so far."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._read, _CHUNK)

    def close(self) -> None:
        """Close both ends. A later wake writes nowhere: the pipe's number may be another file's then."""
        read, write, self._read, self._write = self._read, self._write, -1, -1
        os.close(read)
        os.close(write)
