"""Recognises the encoding of an uploaded list: UTF-8, UTF-16, Shift-JIS, GB18030 or Windows-1252.

A byte-order mark and valid UTF-8 are certain. Otherwise each possible encoding gets a score: how common its characters are. If two scores
are close, the answer is doubtful and a person chooses.
"""

import codecs
from enum import Enum

CLEAR_LEAD = 0.3
"""Least lead over the next encoding's score, where text of only common characters scores 1."""
FEW_BYTES = 4
"""With fewer bytes beyond ASCII the score is unreliable."""
_FORMAT_OF_LISTS = "\t\n\r"
_IDEOGRAPHIC_SPACE = "\u3000"


class ListEncoding(Enum):
    """Encodings of lists; the value is Python's name of the codec."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    SHIFT_JIS = "cp932"
    GB18030 = "gb18030"
    WINDOWS_1252 = "cp1252"


class ListEncodingError(ValueError):
    """Bytes that are no text in any of the encodings."""


def decode_list(content: bytes, chosen: ListEncoding | None = None) -> tuple[str, ListEncoding, bool]:
    """A list as text, its encoding, and whether another might be right; ``chosen`` is the encoding that a person has named, None to find
    it. Raises ListEncodingError when the bytes are no text in the chosen encoding, or in any."""
    if chosen is not None:
        text = _decoded(content, chosen)
        if text is None:
            raise ListEncodingError(f"the list is not written in {chosen.value}")
        return text, chosen, False
    text, certain = _certain(content)
    if text is not None:
        return text, certain, False
    guesses = (ListEncoding.SHIFT_JIS, ListEncoding.GB18030, ListEncoding.WINDOWS_1252)
    readings = [(each, text) for each in guesses if (text := _decoded(content, each)) is not None]
    if not readings:
        raise ListEncodingError("the list is no text in any known encoding")
    scored = sorted(((_score(content, text, each), each, text) for each, text in readings), key=lambda found: -found[0])
    score, encoding, text = scored[0]
    second = scored[1][0] if len(scored) > 1 else 0.0
    return text, encoding, score - max(second, 0.0) < CLEAR_LEAD or _beyond_ascii(content) < FEW_BYTES


def _beyond_ascii(content: bytes) -> int:
    return sum(byte > 0x7F for byte in content)


def _certain(content: bytes) -> tuple[str | None, ListEncoding]:
    """The text in the only encoding that its bytes allow; None if there are several."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decoded(content, ListEncoding.UTF_16), ListEncoding.UTF_16
    text = _decoded(content, ListEncoding.UTF_8)
    even, odd = content[::2].count(0), content[1::2].count(0)
    if text is not None or not even + odd:
        return text, ListEncoding.UTF_8
    return _decoded_as(content, "utf-16-le" if odd > even else "utf-16-be"), ListEncoding.UTF_16


def _decoded(content: bytes, encoding: ListEncoding) -> str | None:
    return _decoded_as(content, "utf-8-sig" if encoding is ListEncoding.UTF_8 else encoding.value)


def _decoded_as(content: bytes, codec: str) -> str | None:
    """The text; None if the codec cannot read it, or if it has control characters that no list has."""
    try:
        text = content.decode(codec)
    except UnicodeDecodeError:
        return None
    return text if all(char >= " " or char in _FORMAT_OF_LISTS for char in text) else None


def _score(content: bytes, text: str, encoding: ListEncoding) -> float:
    """How common the characters are, per two bytes beyond ASCII."""
    pairs = max(_beyond_ascii(content) / 2, 0.5)
    if encoding is ListEncoding.WINDOWS_1252:
        return _western(text) / pairs
    commonness = _common_in_japan if encoding is ListEncoding.SHIFT_JIS else _common_in_china
    return sum(commonness(char) for char in text if char > "\x7f") / pairs


def _western(text: str) -> float:
    """An accented letter beside a plain letter scores for the encoding, elsewhere against it."""
    score, padded = 0.0, f" {text} "
    for before, char, after in zip(padded, padded[1:], padded[2:], strict=False):
        if char > "\x7f":
            beside = (before.isascii() and before.isalpha()) or (after.isascii() and after.isalpha())
            score += 0.5 if char.isalpha() and beside and before <= "\x7f" else -1.0
    return score


def _common_in_japan(char: str) -> float:
    """JIS X 0208: kana and kanji of level 1 are common, level 2 is rare; other text looks like half-width katakana."""
    code = char.encode("cp932")
    if len(code) == 1:
        return -0.5
    if "\u3041" <= char <= "\u30fe" or 0x88 <= code[0] <= 0x97:
        return 1.0
    if char == _IDEOGRAPHIC_SPACE or code[0] in (0x81, 0x82):
        return 0.5
    return 0.3 if code[0] >= 0xFA else 0.1


def _common_in_china(char: str) -> float:
    """GB 2312: characters of level 1 are common, of level 2 rare; those added by GBK and GB 18030 are rarer."""
    code = char.encode("gb18030")
    if len(code) != 2:
        return -0.5
    if code[1] < 0xA1 or code[0] < 0xA1:
        return 0.1
    if 0xB0 <= code[0] <= 0xD7:
        return 1.0
    return 0.5 if code[0] in (0xA1, 0xA3) else 0.3
