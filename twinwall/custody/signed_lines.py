"""A file of signed lines, each with the hash of the line before, which only the vault's key can continue. A signed head beside the file has
the number of lines. So an edited, inserted, moved or missing line is refused by its number, also at the end. A power cut may leave half a
last line, or one that the head does not count: both were being written."""

import fcntl
import os
from collections.abc import Mapping
from pathlib import Path

from twinwall.game.documents import DocumentError, digest
from twinwall.game.typed_json import Count, Digest, plain, read_as
from twinwall.values import Shape
from twinwall.wire.durable_file import write_durably
from twinwall.wire.ledger import FIRST_PREV
from twinwall.wire.messages.signing import Signer, open_signed


class LinesHead(Shape):
    """The number of lines in the file, and the last line's hash."""

    lines: Count
    digest: Digest


class SignedLines:
    """One file of signed lines and its head; one process at a time appends."""

    def __init__(self, path: Path, purpose: str, event: str, signer: Signer) -> None:
        """``purpose`` is the signatures' purpose; makes the folder if necessary."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = path
        self._head_path = path.with_name(f"{path.name}.head")
        self._purpose, self._event, self._signer = purpose, event, signer
        self._trusted = {signer.by: signer.public}
        self._at = LinesHead(0, FIRST_PREV)

    def new(self) -> list[dict[str, object]]:
        """The lines since the last call (first: all), without signature and chain; raises DocumentError."""
        before = self._at
        head = self._head_path.read_bytes() if self._head_path.exists() else None  # before lines that another process appends
        lines = self._whole()
        if len(lines) < before.lines:
            raise self._refuse(len(lines) + 1, "it was there before and is gone")
        read = [self._line(number, line) for number, line in enumerate(lines[before.lines :], before.lines + 1)]
        if len(lines) > before.lines or not before.lines:
            self._check_head(head, lines)
        return read

    def append(self, document: Mapping[str, object]) -> None:
        """Append a line after those of other processes; it is on disk when this returns. Raises DocumentError."""
        with self.path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.new()
            os.ftruncate(file.fileno(), sum(map(len, self._whole())))
            number, prev = self._at.lines + 1, self._at.digest
            line = self._signer.sign(self._purpose, self._event, "", {**document, "line": number, "prev": prev})
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
            self._at = LinesHead(number, digest(line))
            write_durably(self._head_path, self._signer.sign(self._purpose, self._event, "", plain(self._at)))

    def _whole(self) -> list[bytes]:
        """The complete lines; what follows the last line feed was being written."""
        content = self.path.read_bytes() if self.path.exists() else b""
        return content[: content.rfind(b"\n") + 1].splitlines(keepends=True)

    def _line(self, number: int, line: bytes) -> dict[str, object]:
        try:
            read = open_signed(self._purpose, self._event, "", line, self._trusted)
        except DocumentError as error:
            raise self._refuse(number, str(error)) from None
        if (read.pop("line", None), read.pop("prev", None)) != (number, self._at.digest):
            raise self._refuse(number, "it does not follow the line before it")
        del read["by"]
        self._at = LinesHead(number, digest(line))
        return read

    def _check_head(self, content: bytes | None, lines: list[bytes]) -> None:
        if content is None:
            if len(lines) > 1:
                raise DocumentError(f"{self._head_path} is missing: lines may have been cut off {self.path.name}; put a good copy back")
            return
        try:
            read = open_signed(self._purpose, self._event, "", content, self._trusted)
            del read["by"]
            head = read_as(read, LinesHead)
        except DocumentError as error:
            raise DocumentError(f"{self._head_path}: {error}; put a good copy of it and of {self.path.name} back") from None
        if head.lines > len(lines):
            raise self._refuse(len(lines) + 1, f"it is missing: {self._head_path.name} says that there are {head.lines} lines")
        if head.lines and digest(lines[head.lines - 1]) != head.digest:
            raise self._refuse(head.lines, f"it is not the one that {self._head_path.name} names")

    def _refuse(self, number: int, reason: str) -> DocumentError:
        return DocumentError(
            f"{self.path}, line {number}: {reason}; put a good copy back, or give the vault a new folder and let it ask the tables"
        )
