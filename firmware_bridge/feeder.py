"""The feeder's serial port in a thread of its own.

This module decides nothing about the protocol: it carries bytes between pyserial and ``link``,
opens the port again when it goes away, and hands every event to the caller's function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firmware_bridge.events import FeederEvent, OperationRequest


@dataclass(frozen=True, slots=True)
class Known:
    """What the user remembers of the feeder from before (its journal): the boot and the last event taken over."""

    boot_id: int
    last_event: int


class FeederPort:
    """A feeder on a serial port.

    ``post`` is called from the port's thread, once per event, in order. With
    ``auto_acknowledge`` an event counts as taken over once ``post`` has returned; without it the
    firmware keeps each event until ``acknowledge`` is called with its number, which is what a
    user wants who writes events to a disk first.
    """

    def __init__(
        self,
        path: str,
        baud: int,
        post: Callable[[FeederEvent], None],
        *,
        known: Known | None = None,
        auto_acknowledge: bool = True,
    ) -> None:
        raise NotImplementedError

    def start(self) -> None:
        """Open the port and begin the handshake; returns at once, the outcome comes as an event."""

    def submit(self, request: OperationRequest) -> None:
        """Send an operation, now or as soon as the link is up; the same number again is safe."""

    def request_status(self) -> None:
        """Ask for a ``Status``; it comes as an event."""

    def acknowledge(self, number: int) -> None:
        """Every device event up to and including this number need not be kept any longer."""

    def stop(self) -> None:
        """Close the port and wait for the thread to end."""
