"""Files of the vault: a person's orders, and the slips that are released. None of them is secret.

The vault's ledger is in ``twinwall.event.custody.vault_ledger``.
"""

from __future__ import annotations

import os
from pathlib import Path

from twinwall.event.custody.release import AllowKey, WithdrawTable

ALLOW, WITHDRAW = "allow", "withdraw"
_SLIP, _STATUS = "slip-", "status.json"


class VaultFilesError(ValueError):
    """A line of the vault's files that is not understood; the message names file and line."""


class Orders:
    """What a person has ordered while the vault runs: ``allow TABLE FINGERPRINT`` or ``withdraw TABLE`` a line."""

    def __init__(self, folder: Path) -> None:
        """``folder`` is the vault's own, made if it is not there."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = folder / "orders"
        self._read = 0

    def new(self) -> list[AllowKey | WithdrawTable]:
        """What has been ordered since the last call; the first call gives all. Raises VaultFilesError."""
        lines = whole_lines(self._path, mend=False)
        fresh, self._read = lines[self._read :], len(lines)
        return [self._order(line) for line in fresh]

    def give(self, order: AllowKey | WithdrawTable) -> None:
        """Order something."""
        words = (ALLOW, order.table, order.fingerprint) if isinstance(order, AllowKey) else (WITHDRAW, order.table)
        append_line(self._path, " ".join(words) + "\n")

    def _order(self, line: str) -> AllowKey | WithdrawTable:
        match line.split(" "):
            case [word, table, *digits] if word == ALLOW and digits:
                return AllowKey(table, " ".join(digits))
            case [word, table] if word == WITHDRAW:
                return WithdrawTable(table)
            case _:
                raise VaultFilesError(f"{self._path}: {line!r} is no order: use twinwall custody allow or withdraw")


def put_status(folder: Path, content: bytes) -> None:
    """Put what ``twinwall custody status`` reads into the vault's folder, as a whole; it need not outlast a power cut."""
    beside = folder / f"{_STATUS}.new"
    beside.write_bytes(content)
    beside.replace(folder / _STATUS)


def get_status(folder: Path) -> bytes:
    """What the vault put last; raises FileNotFoundError when it has never run on this folder."""
    return (folder / _STATUS).read_bytes()


def released_slips(folder: Path) -> dict[int, Path]:
    """The slips that ``put_out`` has put into a folder, by the number of their deal."""
    return {int(path.stem.removeprefix(_SLIP)): path for path in sorted(folder.glob(f"{_SLIP}[0-9]*.json"))}


def put_out(folder: Path, n: int, slip: bytes) -> Path:
    """Put a released slip into its folder, as a whole; one that lies there already stays as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_SLIP}{n:04d}.json"
    if not path.exists():
        beside = path.with_suffix(".new")
        beside.write_bytes(slip)
        beside.replace(path)
    return path


def whole_lines(path: Path, *, mend: bool) -> list[str]:
    """The lines of a file; what follows the last line feed is left out, and with ``mend`` cut off."""
    if not path.exists():
        return []
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if mend and whole < len(content):
        os.truncate(path, whole)
    return content[:whole].decode("utf-8", errors="replace").splitlines()


def append_line(path: Path, line: str) -> None:
    """Add a line, its line feed included; on disk when this returns."""
    with path.open("a", encoding="utf-8") as file:
        file.write(line)
        file.flush()
        os.fsync(file.fileno())
