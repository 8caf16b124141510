"""A second copy of the records in a file outside the store, to notice a store that was put back to an earlier state.

Tables send their lines again, and the vault its slips. Staff actions are nowhere else, so their loss would go unnoticed. The copy is
written after the store: it may lack the last records after a power cut, but never has one that the store does not.
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.store_records import BEGUN, LINES, RESTORED, Record, read_records
from twinwall.game.documents import digest
from twinwall.wire.durable_file import write_durably

_LOG = logging.getLogger(__name__)


class RecordsCopy:
    """The copy beside one store."""

    def __init__(self, path: Path) -> None:
        """``path`` need not exist yet."""
        self._path = path
        self._follows = False
        """Whether the file ends where the store's records did, so that new ones may be added."""

    def lost(self, stored: Sequence[bytes], at: datetime) -> tuple[Record, ...]:
        """The staff actions that the copy has and the store lacks; if there are none, the copy continues. Raises StoreError."""
        copied = self._read()
        common = next((seq for seq, (one, other) in enumerate(zip(copied, stored, strict=False)) if one != other), None)
        if common is None:
            common = min(len(copied), len(stored))
        if common == len(copied):
            self._follow(stored[common:])
            return ()
        numbered = {record.seq: record for record in read_records(copied)}
        lost = tuple(record for seq, record in numbered.items() if seq > common and record.kind not in (BEGUN, LINES))
        if not lost or _accepted(stored, copied[-1]):
            self.begin_again(stored, at)
            return ()
        return lost

    def add(self, records: Sequence[bytes]) -> None:
        """Add records that the store has; if the disk refuses them, log it, and add them at the next start."""
        if self._follows:
            try:
                self._follow(records)
            except StoreError as error:
                self._follows = False
                _LOG.error("%s", error)

    def begin_again(self, stored: Sequence[bytes], at: datetime) -> None:
        """Rename the copy, with this time in its name, and copy the store's records again; raises StoreError."""
        try:
            if self._path.exists():
                self._path.replace(self._path.with_name(f"{self._path.name}.{at:%Y%m%dT%H%M%SZ}"))
            write_durably(self._path, b"".join(stored), 0o600)
        except OSError as error:
            raise self._unwritten(error) from error
        self._follows = True

    def last(self) -> str:
        """The hash of its last record."""
        copied = self._read()
        return digest(copied[-1]) if copied else ""

    def _read(self) -> tuple[bytes, ...]:
        """The records; one without its end was not written completely, and is left out."""
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise StoreError(f"{self._path} cannot be read ({error.strerror}): is the folder this user's?") from error
        return tuple(content[: content.rfind(b"\n") + 1].splitlines(keepends=True))

    def _follow(self, records: Sequence[bytes]) -> None:
        try:
            if not self._follows:
                write_durably(self._path, b"".join((*self._read(), *records)), 0o600)
            elif records:
                with self._path.open("ab") as file:
                    file.write(b"".join(records))
        except OSError as error:
            raise self._unwritten(error) from error
        self._follows = True

    def _unwritten(self, error: OSError) -> StoreError:
        return StoreError(f"{self._path} cannot be written ({error.strerror}): make room, or look after the folder")


def _accepted(stored: Sequence[bytes], last: bytes) -> bool:
    """Whether a director has accepted the loss of the records up to this one, and a power cut kept the copy from being renamed."""
    return any(record.kind == RESTORED and record.text("last") == digest(last) for record in read_records(stored))
