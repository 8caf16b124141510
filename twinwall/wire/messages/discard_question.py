"""Question of a table to the referee: which tile lies at a place of a river, with pictures of it from before and after.

It goes to the server alone, signed under the table's boot signing key as heads are; in a rehearsal without signers it travels bare. It is
of class T: what is in it can be seen by those who sit at the table. Kinds are in the order of what the camera alone thinks, and the deal
leaves none of them out, so that they tell nothing of a hand.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Struct

from twinwall.game.tiles import NotationError, Tile, format_tiles, parse_tiles
from twinwall.wire.canonical_json import Count, FormError, Text, canonical, read_as, read_object
from twinwall.wire.messages.signing import SignatureError, Signer, open_document, sign_document

FORMAT = "twinwall-discard-question-1"
MOST_PICTURE_BYTES = 64 << 10
_JPEG = b"\xff\xd8\xff"

Picture = Annotated[bytes, msgspec.Meta(max_length=MOST_PICTURE_BYTES)]


class DiscardQuestionError(ValueError):
    """A question that is not the table's, or not written as here; the message says which."""


class AskedDiscard(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag=FORMAT):
    """Which tile lies in the river of a place?"""

    n: Count
    """Number of the deal in play."""
    number: Count
    """Events of its hand so far; the answer names it, so that one that comes late is recognised."""
    place: Annotated[int, msgspec.Meta(ge=0, le=3)]
    river: Count
    """Which place of the river, from 0."""
    kinds: Text
    """The kinds that can be answered, ``5m 6m``, the likeliest first."""
    after: Picture
    """The place and its neighbours in the river, as a JPEG file, in base64."""
    before: Picture = b""
    """The same before the tile was laid; empty where no frame is known from then."""

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The kinds that can be answered, the likeliest first."""
        return parse_tiles(self.kinds)


def asked_discard(n: int, number: int, place: int, river: int, kinds: tuple[Tile, ...], *, before: bytes, after: bytes) -> AskedDiscard:
    """The question about a place of a river."""
    return AskedDiscard(n, number, place, river, format_tiles(kinds), after, before)


def write_discard_question(signer: Signer | None, event: str, table: str, asked: AskedDiscard) -> bytes:
    """The question as it travels; ``signer`` is None in a rehearsal where nobody signs."""
    if signer is not None:
        return sign_document(signer, FORMAT, event, table, asked)
    return canonical(msgspec.to_builtins(asked))


def read_discard_question(payload: bytes, event: str, table: str, key: bytes | None) -> AskedDiscard:
    """Read a table's question; ``key`` is its boot signing key, None in a rehearsal. Raises DiscardQuestionError."""
    try:
        if key is None:
            asked = read_as(read_object(payload), AskedDiscard)
        else:
            asked = open_document(FORMAT, event, table, payload, {table: key}, shape=AskedDiscard)
        tiles = asked.tiles
    except (FormError, SignatureError, NotationError) as error:
        raise DiscardQuestionError(f"a question of table {table!r} is refused: {error}") from None
    if len(set(tiles)) != len(tiles):
        raise DiscardQuestionError(f"a question of table {table!r} is refused: it names a kind twice")
    if not asked.after.startswith(_JPEG) or not (asked.before.startswith(_JPEG) or not asked.before):
        raise DiscardQuestionError(f"a question of table {table!r} is refused: its pictures are no JPEG files")
    return asked
