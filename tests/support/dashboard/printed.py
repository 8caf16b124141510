"""What a PDF file says: its text, and its pages as pictures."""

from collections.abc import Iterator
from contextlib import contextmanager

import cv2
import numpy as np
import pypdfium2
from numpy.typing import NDArray


@contextmanager
def _opened(content: bytes) -> Iterator[pypdfium2.PdfDocument]:
    document = pypdfium2.PdfDocument(content)
    try:
        yield document
    finally:
        document.close()


def text_of(content: bytes) -> str:
    """The text of all pages."""
    with _opened(content) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document)


def right_edges_of(content: bytes, character: str) -> list[list[float]]:
    """Where each of these characters of each page ends, in mm from the left edge of the paper."""
    with _opened(content) as document:
        pages = [page.get_textpage() for page in document]
        letters = [[place for place in range(page.count_chars()) if page.get_text_range(place, 1) == character] for page in pages]
        return [[page.get_charbox(place)[2] * 25.4 / 72 for place in places] for page, places in zip(pages, letters, strict=True)]


def pictures_of(content: bytes, scale: float = 2.0) -> list[NDArray[np.uint8]]:
    """Each page as a picture (height, width, 3), BGR, at ``scale`` × 72 points an inch."""
    with _opened(content) as document:
        return [np.ascontiguousarray(page.render(scale=scale).to_numpy()[:, :, :3]) for page in document]


def grey_pages(content: bytes, px_per_mm: float) -> list[NDArray[np.uint8]]:
    """Each page as a grey picture (height, width) with so many pixels a millimetre of paper."""
    with _opened(content) as document:
        scale = px_per_mm * 25.4 / 72
        return [np.array(page.render(scale=scale, grayscale=True).to_numpy(), np.uint8).squeeze() for page in document]


def codes_in(picture: NDArray[np.uint8]) -> set[str]:
    """The texts of all QR codes that OpenCV reads in a picture, as a phone would."""
    found, texts, _points, _codes = cv2.QRCodeDetector().detectAndDecodeMulti(picture)
    return {text for text in texts if text} if found else set()
