"""PDF pages of true size from drawings in millimetres: rectangles, lines and short texts. What a camera measures must be printed at its
size, which a page in millimetres printed at 100 % has. Files contain no fonts; texts use the viewer's Helvetica."""

from collections.abc import Iterable, Sequence

from twinwall.values import frozen

_POINTS_PER_MM = 72 / 25.4
_LATIN = "cp1252"
"""PDF's WinAnsiEncoding."""
Colour = tuple[float, float, float]
BLACK: Colour = (0.0, 0.0, 0.0)
WHITE: Colour = (1.0, 1.0, 1.0)


@frozen
class Rectangle:
    """A filled rectangle: upper left corner and size (mm), colour (red, green, blue, 0 to 1)."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    colour: Colour = BLACK


@frozen
class PdfLine:
    """A straight line between two points (mm); ``dash_mm`` is the length of dashes and gaps, 0 for none."""

    start_mm: tuple[float, float]
    end_mm: tuple[float, float]
    width_mm: float = 0.2
    colour: Colour = BLACK
    dash_mm: float = 0.0


@frozen
class Text:
    """A line of text that begins at a point (mm) on its base line; height in millimetres."""

    at_mm: tuple[float, float]
    words: str
    height_mm: float = 4.0
    colour: Colour = BLACK


Mark = Rectangle | PdfLine | Text


@frozen
class Page:
    """One page (mm); marks count from its upper left corner, y down; later ones cover earlier ones."""

    width_mm: float
    height_mm: float
    marks: tuple[Mark, ...]


def pdf(pages: Sequence[Page]) -> bytes:
    """A PDF file of these pages (ISO 32000-1); equal pages give equal bytes. Raises ValueError without a page, or for characters that the
    viewer's font lacks."""
    if not pages:
        raise ValueError("a PDF file needs a page")
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, page in enumerate(pages):
        content = b"\n".join(_drawn(page))
        box = f"[0 0 {_number(page.width_mm * _POINTS_PER_MM)} {_number(page.height_mm * _POINTS_PER_MM)}]"
        resources = "<< /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Resources {resources} /Contents {5 + 2 * number} 0 R >>".encode())
        objects.append(f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream")
    return _file(objects)


def _file(objects: Iterable[bytes]) -> bytes:
    """Objects numbered from 1, and the table of their offsets."""
    written = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    begins = []
    for number, body in enumerate(objects, start=1):
        begins.append(len(written))
        written += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table_at = len(written)
    written += f"xref\n0 {len(begins) + 1}\n0000000000 65535 f \n".encode()
    written += b"".join(f"{begin:010d} 00000 n \n".encode() for begin in begins)
    written += f"trailer\n<< /Size {len(begins) + 1} /Root 1 0 R >>\nstartxref\n{table_at}\n%%EOF\n".encode()
    return bytes(written)


def _drawn(page: Page) -> Iterable[bytes]:
    """The page's content in millimetres with y up, as in PDF."""
    yield f"{_number(_POINTS_PER_MM)} 0 0 {_number(_POINTS_PER_MM)} 0 0 cm".encode()
    for mark in page.marks:
        match mark:
            case Rectangle(x, y, width, height, colour):
                corner = f"{_number(x)} {_number(page.height_mm - y - height)} {_number(width)} {_number(height)}"
                yield f"{_paint(colour)} rg {corner} re f".encode()
            case PdfLine(start, end, width, colour, dash):
                pattern = f"[{_number(dash)}] 0 d" if dash else "[] 0 d"
                path = " ".join(f"{_number(x)} {_number(page.height_mm - y)} {step}" for (x, y), step in ((start, "m"), (end, "l")))
                yield f"{_paint(colour)} RG {_number(width)} w {pattern} {path} S".encode()
            case Text((x, y), words, height, colour):
                place = f"/F1 {_number(height)} Tf {_number(x)} {_number(page.height_mm - y)} Td"
                yield f"BT {_paint(colour)} rg {place} (".encode() + _escaped(words) + b") Tj ET"


def _escaped(words: str) -> bytes:
    try:
        plain = words.encode(_LATIN)
    except UnicodeEncodeError as error:
        raise ValueError(f"{words!r} cannot be printed with the reader's own fonts: {error}") from None
    return plain.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _paint(colour: Colour) -> str:
    return " ".join(_number(part) for part in colour)


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")
