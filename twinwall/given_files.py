"""Reads files that a person names, up to a limit, so that no file or device fills the memory."""

import errno
from pathlib import Path

LARGEST = 64 * 2**20
"""Bytes of a document. The records of a championship need a quarter of it."""
LARGEST_PACKAGE = 2**30
"""Bytes of a package, or of any other file that is signed or attached as it is."""


def limited_bytes(path: Path, most: int = LARGEST) -> bytes:
    """Read a file; raises OSError, which names the file, also when it has more than ``most`` bytes."""
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:  # an error of read() does not name the file
        raise OSError(error.errno, error.strerror, str(path)) from error
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most // 2**20} MiB and is not read: name another file", str(path))
    return content


def limited_text(path: Path) -> str:
    """Read a text file; raises OSError as ``limited_bytes`` does, also when it is not UTF-8."""
    try:
        return limited_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise OSError(errno.EILSEQ, f"byte {error.start + 1} is no UTF-8 text", str(path)) from None
