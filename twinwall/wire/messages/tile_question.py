"""Question of a table to the referee: which tile lies in a slot of the mat, with pictures of it from before and after. And the pictures of
an event whose record is doubted, about which the table asks once its deal is released (``record-questioned``), and of the place of a
violation that the table has reported (``violation``), or about which it calls the referee itself (``referee-called``), until he has ruled.

It goes to the server alone, signed under the table's boot signing key as heads are; in a rehearsal without signers it travels bare. It is
of class T: what is in it can be seen by those who sit at the table. Kinds are in the order of what the camera alone thinks, and the deal
leaves none of them out, so that they tell nothing of a hand.
"""

from typing import Annotated, Literal, get_args

import msgspec

from twinwall.game.documents import DocumentError, canonical_json, parse_object
from twinwall.game.tiles import NotationError, TileRow, parse_tiles
from twinwall.game.typed_json import Count, Text, read_as
from twinwall.values import Shape
from twinwall.wire.messages.signing import Signer, open_document, purpose_of, sign_document

MOST_PICTURE_BYTES = 64 << 10
_JPEG = b"\xff\xd8\xff"

AskedArea = Literal["river", "meld", "hand", "win"]
Picture = Annotated[bytes, msgspec.Meta(max_length=MOST_PICTURE_BYTES)]


class AskedTile(Shape, tag_field="format", tag="twinwall-tile-question-1"):
    """Which tile lies in a slot of a place: in its river, its melds, its shown hand, or apart beside it?"""

    n: Count
    """Number of the deal in play."""
    number: Count
    """Events of its hand so far; the answer names it, so that one that comes late is recognised."""
    place: Annotated[int, msgspec.Meta(ge=0, le=3)]
    area: AskedArea
    slot: Count
    """Which slot of the area, from 0."""
    kinds: Text
    """The kinds that can be answered, ``5m 6m``, the likeliest first."""
    after: Picture
    """The slot and its neighbours in the area, as a JPEG file, in base64."""
    before: Picture = b""
    """The same before the tile was laid; empty where no frame is known from then."""

    @property
    def where(self) -> str:
        """The slot as an answer names it: ``2 meld 5``."""
        return f"{self.place} {self.area} {self.slot}"

    @property
    def tiles(self) -> TileRow:
        """The kinds that can be answered, the likeliest first."""
        return parse_tiles(self.kinds)


class _OfDeal(Shape):
    """About the deal with the number ``n``, which is in play, or of a doubted record released."""

    n: Count


class _Pictured(_OfDeal, kw_only=True):
    """A place of the mat with its neighbours, after and before a tile was laid there: JPEG files, in base64."""

    after: Picture
    before: Picture = b""
    """Empty where no frame is known from then."""


class AskedRecord(_Pictured, omit_defaults=True, tag_field="format", tag="twinwall-record-question-1"):
    """What happened where the record of a hand is doubted? Deal, event and seat are those of ``record-questioned``."""

    number: Count
    """The event of its hand, from 1."""
    seat: Literal["E", "S", "W", "N"] | None = None
    """The seat that may have done what the rules do not allow; None where it is about an event of the record."""


class ShownViolation(_Pictured, tag_field="format", tag="twinwall-violation-pictures-1"):
    """Where a violation was seen on the mat that the table has reported. Seat and word are those of the event ``violation``."""

    seat: Literal["E", "S", "W", "N"]
    what: Text
    """The stable word of the violation."""


class ShownCall(_OfDeal, tag_field="format", tag="twinwall-call-picture-1"):
    """The place about which the table itself calls the referee. Its subject is that of the event ``referee-called``."""

    about: Text
    """The stable word of what the table calls about."""
    picture: Picture
    """The place with its neighbours, as it was when the table called: a JPEG file, in base64."""


Asked = AskedTile | AskedRecord | ShownViolation | ShownCall
"""What travels on the channel."""
_SHAPES: dict[object, type[Asked]] = {purpose_of(shape): shape for shape in get_args(Asked)}


def write_question(signer: Signer | None, event: str, table: str, asked: Asked) -> bytes:
    """The question as it travels; ``signer`` is None in an unsigned rehearsal."""
    if signer is not None:
        return sign_document(signer, asked, event, table)
    return canonical_json(msgspec.to_builtins(asked))


def read_question(payload: bytes, event: str, table: str, key: bytes | None) -> Asked:
    """Read a table's question; ``key`` is its boot signing key, None in a rehearsal. Raises DocumentError."""
    try:
        read = parse_object(payload)
        shape = _SHAPES.get(str(read.get("format")), AskedTile)
        asked = read_as(read, shape) if key is None else open_document(payload, shape, {table: key}, event, table)
        tiles = asked.tiles if isinstance(asked, AskedTile) else ()
    except (DocumentError, NotationError) as error:
        raise DocumentError(f"a question of table {table!r} is refused: {error}") from None
    if len(set(tiles)) != len(tiles):
        raise DocumentError(f"a question of table {table!r} is refused: it names a kind twice")
    if not all(picture.startswith(_JPEG) for picture in _pictures(asked)):
        raise DocumentError(f"a question of table {table!r} is refused: its pictures are no JPEG files")
    return asked


def _pictures(asked: Asked) -> tuple[bytes, ...]:
    """The pictures that there are."""
    if isinstance(asked, ShownCall):
        return (asked.picture,)
    return (asked.after, asked.before) if asked.before else (asked.after,)
