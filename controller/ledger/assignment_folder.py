"""Assignments of a table on disk (the present one, and the first of each event), and its last order to read tiles.

They are in the ledger's folder as received, signed, and checked again when read. Each event has a folder below it, with the journal and the
ledgers, so that a table can change events and return without losing either.
"""

import hashlib
from pathlib import Path

from twinwall.game.documents import DocumentError, parse_object
from twinwall.wire.durable_file import write_durably
from twinwall.wire.messages.assignment import Assignment, open_assignment
from twinwall.wire.messages.tile_reading import open_tile_order

CURRENT, FIRST = "assignment.json", "first-assignment.json"


class AssignmentFolder:
    def __init__(self, folder: Path, table: str, server_key: bytes) -> None:
        """``folder`` is the ledger's folder in the settings; ``server_key`` checks the server's signature."""
        self.folder, self._table, self._server_key = folder, table, server_key
        self._tile_order = folder / f"tile-order-{server_key.hex()[:16]}.json"

    def current(self) -> Assignment | None:
        """The last accepted assignment; raises DocumentError for a damaged file."""
        return self._read(self.folder / CURRENT)

    def first(self) -> dict[str, Assignment]:
        """The first assignment of each event, by the event's name; raises DocumentError."""
        kept = (self._read(path) for path in sorted(self.folder.glob(f"*/{FIRST}")))
        return {assignment.event: assignment for assignment in kept if assignment is not None}

    def take(self, payload: bytes, assignment: Assignment) -> None:
        """Store an assignment as the present one; on disk on return. Raises OSError."""
        of_event = self.folder / event_folder(assignment.event)
        of_event.mkdir(parents=True, exist_ok=True)
        if not (of_event / FIRST).exists():
            write_durably(of_event / FIRST, payload, 0o600)
        write_durably(self.folder / CURRENT, payload, 0o600)

    def last_tile_order(self) -> int:
        """The number of this server's last order to read tiles, 0 before its first: another hall's orders have their own files.

        Raises DocumentError for a damaged file.
        """
        path = self._tile_order
        try:
            return open_tile_order(path.read_bytes(), self._table, self._server_key).number
        except FileNotFoundError:
            return 0
        except (OSError, DocumentError) as error:
            raise DocumentError(
                f"{path} cannot be used ({error}): put a good copy back, or remove it; until then the table reads no tiles"
            ) from None

    def take_tile_order(self, payload: bytes) -> None:
        """Store an order to read tiles as the last one; on disk on return. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_durably(self._tile_order, payload, 0o600)

    def _read(self, path: Path) -> Assignment | None:
        try:
            payload = path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            return open_assignment(payload, self._table, self._server_key)
        except DocumentError as error:
            raise DocumentError(
                f"{path} is not the assignment that this table took ({error}): put a good copy back and compare [custody] server_key, "
                "or remove the file, and the hall assigns the table again"
            ) from None


def event_folder(event: str) -> str:
    """The name of an event's folder: a digest, because free text cannot be a file name."""
    return f"event-{hashlib.sha256(event.encode()).hexdigest()[:16]}"


def playing_folder(folder: Path) -> Path:
    """The folder of journal and ledgers under a ledger's folder of the settings: that folder, or the assigned event's. For readers: the
    server's signature is not checked."""
    try:
        event = parse_object((folder / CURRENT).read_bytes()).get("event")
    except (FileNotFoundError, DocumentError):
        return folder
    return folder / event_folder(event) if isinstance(event, str) else folder
