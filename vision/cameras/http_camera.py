"""HTTP camera: one GET is one exposure, over a connection that is kept open.

The answer must carry the times of exposure (``X-Exposure-Start-Ns``, ``X-Exposure-End-Ns``, CLOCK_MONOTONIC of this machine). A region is
requested as ``?region=left,top,width,height``; a camera that cuts it out says so in ``X-Region``, others send whole pictures. A gate camera
sees concealed tiles and must be on loopback.
"""

import http.client
from urllib.parse import SplitResult, urlsplit

from config.connections import is_loopback
from twinwall.game.documents import DocumentError, parse_object
from vision.cameras.port import CAMERA_MOST_PX, CameraFault, CameraFrame, CameraLostError, Region, decode_picture, without_user

_START, _END = "X-Exposure-Start-Ns", "X-Exposure-End-Ns"
_TRIES = 4
MOST_ANSWERS = 2 * _TRIES
"""Most answers that are waited for until a frame is there."""
_LARGEST_BYTES = 32 * 1024 * 1024
_LONGEST_REFUSAL = 1000


class HttpCamera:
    def __init__(self, url: str, *, timeout_s: float = 2.0, loopback_only: bool = True) -> None:
        """``loopback_only`` is for cameras that see concealed tiles; raises ValueError for an address that may not be used."""
        shown = without_user(url)
        try:
            parts = urlsplit(url)
            self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=timeout_s)
        except (ValueError, http.client.InvalidURL) as error:
            raise ValueError(f"{shown!r} is not a camera address: {error}") from None
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError(f"{shown!r} is not a camera address: write http://host:port/path")
        if loopback_only and not is_loopback(parts.hostname):
            raise ValueError(
                f"{shown!r} is refused: the gate camera sees concealed tiles and must be on this machine (127.0.0.1, ::1 or localhost)"
            )
        self._url = shown
        self._target = _target(parts)

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        """Return a frame exposed after ``moment_ns``; drops a stale one and asks again, a few times; raises CameraLostError."""
        target = self._target if region is None else _with_region(self._target, region)
        for _ in range(_TRIES):
            frame = self._exposure(target)
            if frame.exposure_start_ns > moment_ns:
                return frame
        raise self._lost(
            "keeps sending stale frames: it serves a buffer, or its clock is not this machine's",
            CameraFault.STALE,
        )

    def is_dated(self) -> bool:
        """Whether the camera says when it exposed, or has no picture yet (503); False also if it does not answer."""
        try:
            self._connection.request("GET", self._target)
            response = self._connection.getresponse()
            return _START in response.headers or response.status == http.client.SERVICE_UNAVAILABLE
        except (OSError, http.client.HTTPException):
            return False
        finally:
            self._connection.close()

    def close(self) -> None:
        self._connection.close()

    def _exposure(self, target: str) -> CameraFrame:
        body, headers = self._get(target)
        start, end = self._time(headers, _START), self._time(headers, _END)
        if end < start:
            raise self._lost("says that an exposure ended before it began", CameraFault.STALE)
        image, region = decode_picture(body, f"the camera at {self._url}", CAMERA_MOST_PX), self._region(headers)
        if region is not None and image.shape[:2] != (region.height, region.width):
            raise self._lost(f"names a region of {region.width} × {region.height} px and sends another size", CameraFault.SIZE)
        return CameraFrame(image, start, end, region)

    def _get(self, target: str) -> tuple[bytes, http.client.HTTPMessage]:
        """Send one request; if the other side has closed the kept connection, open it again once."""
        for first in (True, False):
            try:
                self._connection.request("GET", target)
                response = self._connection.getresponse()
                body = response.read(_LARGEST_BYTES + 1)
            except TimeoutError:
                self._connection.close()
                raise self._lost(f"did not answer in {self._connection.timeout} s", CameraFault.SILENT) from None
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                if first and isinstance(error, http.client.ImproperConnectionState | ConnectionError):
                    continue
                raise self._lost(f"cannot be reached: {error or type(error).__name__}", CameraFault.SILENT) from None
            if len(body) > _LARGEST_BYTES:
                self._connection.close()
                raise self._lost(f"sends more than {_LARGEST_BYTES} bytes for a picture", CameraFault.BROKEN)
            if response.status != 200:
                raise self._lost(_refusal(response, body), CameraFault.SILENT)
            return body, response.headers
        raise AssertionError("the second attempt returns or raises")

    def _lost(self, words: str, fault: CameraFault) -> CameraLostError:
        return CameraLostError(f"the camera at {self._url} {words}", fault)

    def _time(self, headers: http.client.HTTPMessage, name: str) -> int:
        text = headers.get(name)
        if text is None or not text.strip().isdecimal():
            raise self._lost(
                f"does not say when it exposed: its answer needs the header {name} with nanoseconds, not {text!r}",
                CameraFault.STALE,
            )
        return int(text)

    def _region(self, headers: http.client.HTTPMessage) -> Region | None:
        text = headers.get("X-Region")
        if text is None:
            return None
        numbers = text.replace(" ", "").split(",")
        if len(numbers) != 4 or not all(number.isdecimal() for number in numbers):
            raise self._lost(f"sends X-Region {text!r}: it must be left,top,width,height in pixels", CameraFault.BROKEN)
        return Region(*map(int, numbers))


def _refusal(response: http.client.HTTPResponse, body: bytes) -> str:
    """Return the reason of an answer without a picture: its status, and its text or a JSON object's ``error``."""
    said = body[:_LONGEST_REFUSAL].decode(errors="replace").strip()
    if response.headers.get_content_type() == "application/json":
        try:
            said = str(parse_object(said, "the refusal")["error"])
        except (DocumentError, KeyError):
            said = ""
    return f"answers {response.status} {response.reason}" + (f": {said}" if said else "")


def _target(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _with_region(target: str, region: Region) -> str:
    joint = "&" if "?" in target else "?"
    return f"{target}{joint}region={region.left},{region.top},{region.width},{region.height}"
