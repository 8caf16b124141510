"""Key slips: while a table waits for its journal's key, its camera reads the vaults' answers from a phone held under it.

A thread looks for QR codes in whole frames. The codes of a slip together are a vault's message, handled like one over MQTT. Nothing else
uses the camera meanwhile.
"""

import logging
import threading
import time
from collections.abc import Callable

from twinwall.game.documents import DocumentError
from twinwall.wire.messages.vaults.key_codes import SlipParts
from vision.cameras.port import Camera, CameraLostError
from vision.cameras.qr_codes import QrCodes

RETRY_S = 1.0

log = logging.getLogger(__name__)


class KeySlipReader(threading.Thread):
    def __init__(self, camera: Camera, frame_interval_s: float, parts: SlipParts, take: Callable[[bytes], None]) -> None:
        """``take`` gets each vault's answer once, in the reader's thread."""
        super().__init__(name="key slips", daemon=True)
        self._camera, self._frame_interval_s = camera, frame_interval_s
        self._parts, self._take = parts, take
        self._codes = QrCodes()
        self._stopped = threading.Event()
        self._lost = ""

    def stop(self) -> None:
        self._stopped.set()
        self.join()

    def run(self) -> None:
        while not self._stopped.is_set():
            try:
                frame = self._camera.frame_after(time.monotonic_ns())
            except CameraLostError as error:
                if str(error) != self._lost:
                    self._lost = str(error)
                    log.warning("no key slip can be read: %s", error)
                self._stopped.wait(RETRY_S)
                continue
            for text in self._codes.read(frame.image):
                self._read(text)
            self._stopped.wait(self._frame_interval_s)

    def _read(self, text: str) -> None:
        try:
            given = self._parts.take(text)
        except DocumentError as error:
            log.warning("%s", error)
            return
        if given is not None:
            log.info("a key slip was read")
            self._take(given)
