"""A table that waits for its journal's key: it shows a request as a QR code, and reads the answers from a phone with its camera. The code
is in the log, and in a file beside the ledger from which the screen of a station shows it. It tells nothing: what it holds opens at the
vaults alone."""

import io
import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
import segno

from cli.tiles.cameras import open_table_camera
from controller.adapters.journal_keys import JournalKeyRequest
from controller.adapters.key_slips import KeySlipReader
from controller.ledger.assignment_folder import playing_folder
from controller.settings import TableSettings
from twinwall.game import typed_json
from twinwall.values import Shape
from twinwall.wire.messages.vaults.key_codes import request_text

SHOWN = "key-request.json"

log = logging.getLogger(__name__)


class ShownRequest(Shape):
    """What the file ``key-request.json`` holds: the text of the request's code, and the sixteen digits of the table's boot keys."""

    text: str
    digits: str


@contextmanager
def slips_are_read(settings: TableSettings, request: JournalKeyRequest) -> Iterator[None]:
    """The request is shown, and the camera above the table looks for answers; raises as that camera does."""
    path = settings.ledger.folder / SHOWN
    shown = ShownRequest(request_text(request.without_network, settings.custody.pages), request.digits)
    path.write_bytes(msgspec.json.encode(shown))
    log.warning("without network: scan this code with a phone, and hold what it shows under the table's camera\n%s", _drawn(shown.text))
    interval_s = settings.camera.table.frame_interval_s
    try:
        with closing(open_table_camera(settings.camera)) as camera:
            reader = KeySlipReader(camera, interval_s, request.slip_parts(), request.take_slip)
            reader.start()
            try:
                yield
            finally:
                reader.stop()
    finally:
        path.unlink(missing_ok=True)


def forget_shown(folder: Path) -> None:
    """Remove what a table that was killed while it waited has left."""
    (folder / SHOWN).unlink(missing_ok=True)


def shown_request(folder: Path | None) -> dict[str, str] | None:
    """What a station's screen shows of the request: the code as a picture, and the digits; None while the table asks for nothing, or
    the ledger's folder of its settings is not known."""
    if folder is None:
        return None
    try:
        shown = typed_json.decode((playing_folder(folder) / SHOWN).read_bytes(), ShownRequest)
    except (OSError, msgspec.DecodeError):
        return None
    return {"digits": shown.digits, "picture": segno.make(shown.text, error="l").svg_data_uri(scale=6, border=4, light="#fff")}


def _drawn(text: str) -> str:
    """The code in characters, for a log on a dark ground."""
    drawn = io.StringIO()
    segno.make(text, error="l").terminal(out=drawn, compact=True)
    return drawn.getvalue()
