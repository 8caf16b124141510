"""A table's questions to the referee, with pictures: which tile is in a slot; what happened where a record is doubted (after the release,
``record-questioned``); and what a reported ``violation`` or the table's own ``referee-called`` is about, until he has ruled. Questions go
only to the server, signed under the table's boot signing key (unsigned in a rehearsal without signers). They are of class T: people at the
table can see what they contain. The kinds are ordered by the camera alone and the deal excludes none, so they reveal nothing of a hand."""

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
    """Which tile is in this slot of a place: in its river, its melds, its shown hand, or apart beside it?"""

    n: Count
    """The deal in play."""
    number: Count
    """Events of its hand so far; an answer repeats it, so that a late one is recognised."""
    place: Annotated[int, msgspec.Meta(ge=0, le=3)]
    area: AskedArea
    slot: Count
    """Index of the slot in the area."""
    kinds: Text
    """The possible kinds, the likeliest first: ``5m 6m``."""
    after: Picture
    """The slot and its neighbours, as JPEG in base64."""
    before: Picture = b""
    """The same before the tile was laid; empty without such a frame."""

    @property
    def where(self) -> str:
        """The slot in an answer: ``2 meld 5``."""
        return f"{self.place} {self.area} {self.slot}"

    @property
    def tiles(self) -> TileRow:
        return parse_tiles(self.kinds)


class _OfDeal(Shape):
    """About deal ``n``: in play, or released with a doubted record."""

    n: Count


class _Pictured(_OfDeal, kw_only=True):
    """A place of the mat with its neighbours, after and before a tile was laid: JPEG in base64."""

    after: Picture
    before: Picture = b""
    """Empty without such a frame."""


class AskedRecord(_Pictured, omit_defaults=True, tag_field="format", tag="twinwall-record-question-1"):
    """What happened where the record of a hand is doubted? Deal, event and seat are those of ``record-questioned``."""

    number: Count
    """The event of its hand, from 1."""
    seat: Literal["E", "S", "W", "N"] | None = None
    """The seat of a possible violation; None if an event is doubted."""


class ShownViolation(_Pictured, tag_field="format", tag="twinwall-violation-pictures-1"):
    """Where the table saw the ``violation`` that it reported."""

    seat: Literal["E", "S", "W", "N"]
    what: Text
    """The violation's stable word."""


class ShownCall(_OfDeal, tag_field="format", tag="twinwall-call-picture-1"):
    """The place about which the table itself calls the referee (``referee-called``)."""

    about: Text
    """The stable word of the call's subject."""
    picture: Picture
    """The place with its neighbours at the time of the call: JPEG in base64."""


Asked = AskedTile | AskedRecord | ShownViolation | ShownCall
_SHAPES: dict[object, type[Asked]] = {purpose_of(shape): shape for shape in get_args(Asked)}


def write_question(signer: Signer | None, event: str, table: str, asked: Asked) -> bytes:
    """Write a question; ``signer`` is None in an unsigned rehearsal."""
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
    if isinstance(asked, ShownCall):
        return (asked.picture,)
    return (asked.after, asked.before) if asked.before else (asked.after,)
