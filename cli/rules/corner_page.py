"""Page on which the corners of a table that was not found are clicked: it shows the words to add to the command."""

from base64 import b64encode
from pathlib import Path

_PAGE = Path(__file__).with_suffix(".html")


def corner_page(picture: bytes) -> bytes:
    """The page with a JPEG picture in it."""
    return _PAGE.read_bytes().replace(b"$PICTURE", b64encode(picture))
