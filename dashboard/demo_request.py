"""The demo championship of a hall: a director asks for it on a page, and the program that serves the hall starts it beside the hall.

The two share a file in the folder of the events. There is none where no program starts demos, and then no page offers one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec
from msgspec import Struct

from twinwall.event.store.databases.port import StoreError
from twinwall.game.documents import DocumentError, canonical_json, parse_object
from twinwall.game.typed_json import read_as
from twinwall.wire.durable_file import write_durably

REQUEST = "demo.json"


class DemoState(StrEnum):
    """How far the demo is."""

    OFFERED = "offered"
    WANTED = "wanted"
    RUNNING = "running"


class DemoStanding(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag="twinwall-demo-request-1"):
    """Where the demo stands; while it runs, its address and the account of its director."""

    state: DemoState
    address: str = ""
    name: str = ""
    password: str = ""


@dataclass(frozen=True, slots=True)
class DemoRequest:
    """The file of a hall's demo, in the folder of its events."""

    events: Path

    def standing(self) -> DemoStanding | None:
        """Where the demo stands; None where no program starts one."""
        try:
            return read_as(parse_object((self.events / REQUEST).read_bytes()), DemoStanding)
        except (OSError, DocumentError):
            return None

    def ask(self) -> None:
        """Ask for the demo, once; raises StoreError."""
        found = self.standing()
        if found is not None and found.state is DemoState.OFFERED:
            self.write(DemoStanding(DemoState.WANTED))

    def write(self, standing: DemoStanding) -> None:
        """Say where the demo stands; raises StoreError."""
        try:
            self.events.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_durably(self.events / REQUEST, canonical_json(msgspec.to_builtins(standing)), 0o600)
        except OSError as error:
            raise StoreError(
                f"{self.events / REQUEST} cannot be written ({error.strerror}): make room, or look after the folder"
            ) from error

    def withdraw(self) -> None:
        """No program starts demos any more."""
        (self.events / REQUEST).unlink(missing_ok=True)
