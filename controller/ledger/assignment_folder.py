"""Assignments that a table has taken, on its disk: the one it plays, and the first one of each event; and its last order to read tiles.

They lie in the ledger's folder as they came, signed, and are checked again when they are read. Each event has a folder of its own
below it, with the journal and the ledgers, so that a table goes from event to event and back without losing either.
"""

import hashlib
from pathlib import Path

from twinwall.game.documents import DocumentError, parse_object
from twinwall.wire.durable_file import write_durably
from twinwall.wire.messages.assignment import Assignment, open_assignment
from twinwall.wire.messages.tile_reading import open_tile_order

CURRENT, FIRST = "assignment.json", "first-assignment.json"


class AssignmentFolder:
    """The assignments of one table."""

    def __init__(self, folder: Path, table: str, server_key: bytes) -> None:
        """``folder`` is the ledger's folder of the settings; ``server_key`` checks the server's signature."""
        self.folder, self._table, self._server_key = folder, table, server_key
        self._tile_order = folder / f"tile-order-{server_key.hex()[:16]}.json"

    def current(self) -> Assignment | None:
        """The assignment that the table took last; raises DocumentError for a file that is not what it took."""
        return self._read(self.folder / CURRENT)

    def first(self) -> dict[str, Assignment]:
        """The first assignment of each event, by the event's name; raises DocumentError."""
        kept = (self._read(path) for path in sorted(self.folder.glob(f"*/{FIRST}")))
        return {assignment.event: assignment for assignment in kept if assignment is not None}

    def take(self, payload: bytes, assignment: Assignment) -> None:
        """Keep an assignment as the current one; it is on the disk when this returns."""
        of_event = self.folder / event_folder(assignment.event)
        of_event.mkdir(parents=True, exist_ok=True)
        if not (of_event / FIRST).exists():
            write_durably(of_event / FIRST, payload, 0o600)
        write_durably(self.folder / CURRENT, payload, 0o600)

    def last_tile_order(self) -> int:
        """The number of this server's last order to read tiles, 0 before its first: an earlier hall's orders lie in files of their own.

        Raises DocumentError for a file that is not what was taken.
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
        """Keep an order to read tiles as the last one; it is on the disk when this returns. Raises OSError."""
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
    """The name of an event's folder: free text makes no name of a file, so its digest does."""
    return f"event-{hashlib.sha256(event.encode()).hexdigest()[:16]}"


def playing_folder(folder: Path) -> Path:
    """Where journal and ledgers lie under a ledger's folder of the settings: there, or in the folder of the event that is assigned.

    For readers: the server's signature is not checked.
    """
    try:
        event = parse_object((folder / CURRENT).read_bytes()).get("event")
    except (FileNotFoundError, DocumentError):
        return folder
    return folder / event_folder(event) if isinstance(event, str) else folder
