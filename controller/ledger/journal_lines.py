"""Form of a journal's lines: an event as JSON, in clear or encrypted, and the chain hash of it and every line before it.

No I/O; ``controller.ledger.journal`` has the file. The chain hash covers the line as on disk, so it reveals nothing that is encrypted and
can be checked without the key.
"""

import base64
import hashlib
import re
from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING

from twinwall.game.documents import DocumentError
from twinwall.values import frozen

if TYPE_CHECKING:
    from twinwall.wire.line_cipher import LineCipher

FORMAT = "twinwall-journal-2"
BLOCK = 256
"""An encrypted line is padded to a multiple of this many bytes: otherwise its length would distinguish an honour from a suit."""
BOM = b"\xef\xbb\xbf"

_CHAIN = b',"chain":"'
_DIGITS = 64
_TAIL = len(_CHAIN) + _DIGITS + len(b'"}\n')
_ENCRYPTED = re.compile(rb'\{"seq":(\d{1,15}),"sealed":"([A-Za-z0-9+/]+={0,2})"\}')
_EARLIER = re.compile(rb'.*,"crc":"[0-9a-f]{8}"\}\r?\n?', re.DOTALL)


@frozen
class JournalChain:
    """The lines of one journal in order: ``write`` makes the next one, ``read`` takes the next one.

    Without ``cipher`` the lines are in clear text. Lines of another ``form`` do not fit the chain.
    """

    cipher: "LineCipher | None"
    form: str = FORMAT
    digests: list[str] = field(default_factory=list)
    """The chain hash of each line so far, in hex."""

    def write(self, content: bytes) -> bytes:
        """The next line, with its line feed; ``content`` is one JSON object."""
        body = content if self.cipher is None else self._encrypted(content, self.cipher)
        chain = self._next(body)
        self.digests.append(chain)
        return body[:-1] + _CHAIN + chain.encode() + b'"}\n'

    def read(self, line: bytes) -> bytes:
        """The content of the next line; raises DocumentError and leaves the chain unchanged."""
        body, found = _parts(line)
        due = self._next(body)
        if found != due:
            raise DocumentError("it is not the line that was written here: its hash does not follow from the line before")
        content = self._content(body)
        self.digests.append(due)
        return content

    def back_to(self, length: int) -> None:
        """Forget the lines after this number, which are cut off the file."""
        del self.digests[length:]

    @property
    def _last(self) -> bytes:
        return bytes.fromhex(self.digests[-1]) if self.digests else hashlib.sha256(self.form.encode()).digest()

    def _next(self, body: bytes) -> str:
        return hashlib.sha256(self._last + body).hexdigest()

    def _encrypted(self, content: bytes, cipher: "LineCipher") -> bytes:
        filled = content.ljust(-(-len(content) // BLOCK) * BLOCK)
        sealed = base64.b64encode(cipher.encrypt(filled, self._last))
        return b'{"seq":%d,"sealed":"%s"}' % (len(self.digests) + 1, sealed)

    def _content(self, body: bytes) -> bytes:
        written = _ENCRYPTED.fullmatch(body)
        if self.cipher is None:
            if written is not None:
                raise DocumentError("it is encrypted, and no key is given")
            return body
        if written is None:
            raise DocumentError("it lies in clear in a journal that is encrypted")
        if int(written[1]) != len(self.digests) + 1:
            raise DocumentError(f"number {int(written[1])} stands where {len(self.digests) + 1} is due")
        return self.cipher.decrypt(base64.b64decode(written[2], validate=True), self._last)


def whole_lines(content: bytes) -> list[bytes]:
    """Return a file's lines, but for what follows the last line feed, which a power cut tore."""
    return [line + b"\n" for line in content.split(b"\n")[:-1]]


def is_encrypted(content: bytes) -> bool:
    """Whether a journal's first line is encrypted."""
    return content.startswith(b'{"seq":1,"sealed":"')


def unusable(content: bytes) -> str | None:
    """Why these bytes are no readable journal, in a sentence; None if its lines can be tried."""
    first = content[: content.find(b"\n") + 1]
    if content.startswith(BOM):
        return "begins with a byte order mark: an editor has rewritten it; put the original back"
    if _EARLIER.fullmatch(first):
        return (
            "was written by an earlier version of Twinwall, without a chain of hashes: it cannot be gone on with; finish that session with "
            "the earlier version, or keep the folder and start the table with an empty one"
        )
    if first.endswith(b"\r\n"):
        return "has lines that end with CR LF, from line 1 on: an editor or a file transfer has changed it; put the original back"
    return None


def readable_contents(content: bytes, cipher: "LineCipher | None") -> Iterator[bytes]:
    """Yield the content of a journal's lines, as JSON, up to the first unreadable one; for reports, also while the table runs."""
    chain = JournalChain(cipher)
    for line in content.splitlines(keepends=True):
        try:
            yield chain.read(line)
        except ValueError:
            return


def _parts(line: bytes) -> tuple[bytes, str]:
    """The part of a line that the chain covers, and the line's hash."""
    if line.endswith(b"\r\n"):
        raise DocumentError("it ends with CR LF: an editor or a file transfer has changed it")
    head, tail = line[:-_TAIL], line[-_TAIL:]
    if not tail.startswith(_CHAIN) or not tail.endswith(b'"}\n'):
        raise DocumentError("it has no chain hash as its last key")
    return head + b"}", tail[len(_CHAIN) : -3].decode("ascii", errors="replace")
