"""Files that somebody gives: never more of one is read than its reader takes, so that no file or device fills the memory."""

import errno
from pathlib import Path

LARGEST = 64 * 2**20
"""Bytes of a document; the records of a whole championship are a quarter of it."""
LARGEST_PACKAGE = 2**30
"""Bytes of a package, or of any file that is signed or attached as it is."""


def given_bytes(path: Path, most: int = LARGEST) -> bytes:
    """The bytes of a file; raises OSError, which names the file, also for one with more than ``most`` of them."""
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:  # of reading, it names no file
        raise OSError(error.errno, error.strerror, str(path)) from error
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most // 2**20} MiB and is not read: name another file", str(path))
    return content


def given_text(path: Path) -> str:
    """The text of a file; raises OSError as above, also for bytes that are no UTF-8 text."""
    try:
        return given_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise OSError(errno.EILSEQ, f"byte {error.start + 1} is no UTF-8 text", str(path)) from None
