"""Rulings on the wire: commands to a table, and the table's answer in its ledger; and readings of drawn tiles."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from twinwall.game.documents import DocumentError, canonical_json
from twinwall.game.play_events import RULED_ENDS, HandEnded, HandRuledDead, Offence, PenaltyRuled, ResultExcluded
from twinwall.game.tiles import ALL_TILES, SEATS, Tile, format_tiles
from twinwall.wire.events.definitions import EVERYWHERE
from twinwall.wire.ledger import project
from twinwall.wire.messages.commands import CommandWriter, open_command, read_command, sign_command, write_command
from twinwall.wire.messages.ruling import Effect, Ruling, read_ruling, ruling_fields
from twinwall.wire.messages.signing import Counter, Signer, sign_document
from twinwall.wire.messages.tile_question import MOST_PICTURE_BYTES, Asked, AskedTile, ShownCall, read_question, write_question
from twinwall.wire.messages.tile_reading import (
    LONGEST_REFUSAL,
    TileOrder,
    TileReading,
    UnreadRiverSlot,
    open_tile_reading,
    write_tile_reading,
)

SERVER = Signer("server", b"\x01" * 32)
SEAT = st.sampled_from(SEATS)
EFFECT: st.SearchStrategy[Effect] = st.one_of(
    st.builds(HandRuledDead, SEAT),
    st.builds(PenaltyRuled, SEAT, st.sampled_from(Offence), st.integers(0, 99), st.integers(0, 99)),
    st.just(ResultExcluded()),
)
END = st.builds(HandEnded, st.sampled_from(RULED_ENDS), st.fixed_dictionaries({seat: st.integers(-400, 400) for seat in SEATS}))
RULINGS = st.builds(
    Ruling,
    st.text("0123456789abcdef", min_size=1, max_size=16),
    st.integers(1, 99),
    st.sampled_from(["Aono", "李娜", "Müller"]),
    st.dictionaries(st.sampled_from(["en", "ja", "zh-Hans"]), st.sampled_from(["Play on.", "そのまま続けてください。"]), min_size=1),
    st.tuples(st.lists(EFFECT, max_size=4).map(tuple), st.lists(END, max_size=1).map(tuple)).map(lambda both: (*both[0], *both[1])),
)
RULING = Ruling("r1", 3, "Aono", {"en": "The hand is dead.", "ja": "ノーハンドです。"}, (HandRuledDead(SEATS[1]),))


@given(RULINGS)
def test_a_ruling_reads_back_signed_bare_and_from_the_ledger(ruling: Ruling) -> None:
    assert read_command(write_command(ruling)) == ruling
    signed = sign_command(SERVER, "Autumn", "1", ruling, identity="a", counter=7)
    assert open_command(signed, "Autumn", "1", {"server": SERVER.public}).command == ruling
    fields = ruling_fields(ruling)
    assert project("ruling", fields) == fields
    assert read_ruling(json.loads(json.dumps(fields))) == ruling


def test_a_ruling_is_written_so() -> None:
    assert json.loads(write_command(RULING)) == {
        "type": "ruling",
        "ruling": "r1",
        "n": 3,
        "referee": "Aono",
        "texts": {"en": "The hand is dead.", "ja": "ノーハンドです。"},
        "effects": [{"type": "hand-ruled-dead", "seat": "S"}],
    }


def test_one_writer_writes_all_commands() -> None:
    writer = CommandWriter("Autumn", SERVER, Counter(lambda: 5), lambda: "a7")
    read = open_command(writer.write("1", RULING), "Autumn", "1", {"server": SERVER.public})
    assert (read.by, read.identity, read.counter, read.command) == ("server", "a7", 5, RULING)


def test_that_a_referee_ruled_on_a_deal_is_for_all_and_what_he_ruled_is_not() -> None:
    assert project("ruling", ruling_fields(RULING), EVERYWHERE) == {"n": 3}
    assert project("hand-ruled-dead", {"seat": "S"}, EVERYWHERE) is None
    assert project("play-halted", {"reason": "referee"}, EVERYWHERE) is None


WON: Mapping[str, object] = {"type": "hand-ended", "reason": "won", "scores": dict.fromkeys("ESWN", 0)}
ANNULLED: Mapping[str, object] = {**WON, "reason": "annulled"}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"ruling": ""}, "has an id"),
        ({"referee": ""}, "referee"),
        ({"referee": " "}, "names the referee"),
        ({"by": "server"}, "'by'"),
        ({"n": 0}, "n 0"),
        ({"n": True}, "n True"),
        ({"colour": "red"}, "colour"),
        ({"texts": {}}, "object of texts"),
        ({"texts": {"English": "x"}}, "'English' is not a language"),
        ({"texts": {"en": " "}}, "'en' must have 1 to"),
        ({"texts": {"en": "x" * 1001}}, "'en' must have 1 to"),
        ({"effects": {}}, "a list"),
        ({"effects": [{"type": "hand-ruled-dead", "seat": "S"}] * 9}, "at most 8"),
        ({"effects": ["dead"]}, "effect 1"),
        ({"effects": [{"type": "tile-drawn", "seat": "S"}]}, "'tile-drawn' cannot be ruled"),
        ({"effects": [WON]}, "'hand-ended' cannot be ruled"),
        ({"effects": [{"type": "penalty-ruled", "seat": "S", "offence": "conduct", "imp": -4, "points": 0}]}, "effect 1.*imp"),
        ({"effects": [ANNULLED, {"type": "result-excluded"}]}, "effect 2 .* after the end"),
    ],
)
def test_a_ruling_that_is_not_written_right_is_refused_by_name(change: dict[str, object], named: str) -> None:
    document = {**json.loads(write_command(RULING)), **change}
    with pytest.raises(DocumentError, match=named):
        read_command(canonical_json(document))


@pytest.mark.parametrize("key", ["ruling", "n", "referee", "texts", "effects"])
def test_a_ruling_that_lacks_something_is_refused_by_name(key: str) -> None:
    document = {name: value for name, value in json.loads(write_command(RULING)).items() if name != key}
    with pytest.raises(DocumentError, match=key):
        read_command(canonical_json(document))


IDENTITY = Signer("1", bytes(range(32)))
READING = TileReading(TileOrder("Autumn", "ab" * 32, 7), " ".join(["1m"] * 96), tuple(UnreadRiverSlot(1, 24, "light") for _ in range(96)))


def test_tiles_in_all_slots_and_as_many_unread_ones_are_read() -> None:
    assert open_tile_reading(write_tile_reading(IDENTITY, READING), "1", IDENTITY.public) == READING


@pytest.mark.parametrize(
    "changes",
    [
        {"tiles": "1m " * 97},
        {"unread": (*READING.unread, UnreadRiverSlot(1, 1, "light"))},
        {"unread": (UnreadRiverSlot(1, 25, "light"),)},
        {"refused": "x" * (LONGEST_REFUSAL + 1)},
        {"order": replace(READING.order, number=2**53)},
    ],
)
def test_a_reading_that_says_more_than_a_table_can_is_refused(changes: dict[str, object]) -> None:
    payload = sign_document(IDENTITY, replace(READING, **changes), table="1")
    with pytest.raises(DocumentError, match="table 1 is refused"):
        open_tile_reading(payload, "1", IDENTITY.public)


def test_a_refusal_that_is_too_long_is_cut() -> None:
    payload = write_tile_reading(IDENTITY, TileReading(READING.order, refused="x" * (LONGEST_REFUSAL + 1)))
    assert open_tile_reading(payload, "1", IDENTITY.public).refused == "x" * LONGEST_REFUSAL


TABLE, OTHER = Signer("4", bytes(32)), Signer("4", bytes([1] * 32))
BEFORE, AFTER = b"\xff\xd8\xff bare", b"\xff\xd8\xff laid"
KINDS = (Tile.M6, Tile.M5, *(tile for tile in ALL_TILES if tile not in (Tile.M5, Tile.M6)))
ASKED = AskedTile(3, 41, 2, "meld", 7, format_tiles(KINDS), AFTER, BEFORE)


@pytest.mark.parametrize("signer", [TABLE, None], ids=["signed", "in a rehearsal"])
def test_a_question_comes_back_as_it_was_asked_with_the_kinds_in_their_order(signer: Signer | None) -> None:
    read = read_question(write_question(signer, "cup", "4", ASKED), "cup", "4", None if signer is None else signer.public)
    assert read == ASKED
    assert read.tiles == KINDS
    assert (read.before, read.after) == (BEFORE, AFTER)


@pytest.mark.parametrize(
    ("signer", "event", "table"), [(OTHER, "cup", "4"), (TABLE, "another cup", "4"), (TABLE, "cup", "5"), (None, "cup", "4")], ids=str
)
def test_a_question_of_another_key_event_or_table_is_refused(signer: Signer | None, event: str, table: str) -> None:
    with pytest.raises(DocumentError, match="refused"):
        read_question(write_question(signer, event, table, ASKED), "cup", "4", TABLE.public)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (AskedTile(3, 41, 2, "river", 7, "5m 5m", AFTER), "names a kind twice"),
        (AskedTile(3, 41, 2, "river", 7, "5m six", AFTER), "not tile notation"),
        (AskedTile(3, 41, 2, "river", 7, "5m", b"<svg>"), "no JPEG"),
        (AskedTile(3, 41, 2, "river", 7, "5m", AFTER, b"GIF89a"), "no JPEG"),
        (ShownCall(3, "mat-differs", b"GIF89a"), "no JPEG"),
        (AskedTile(3, 41, 4, "river", 7, "5m", AFTER), "place"),
        (AskedTile(3, 41, 2, "river", 7, "5m", AFTER + bytes(MOST_PICTURE_BYTES)), "after"),
    ],
    ids=["twice", "no tile", "no picture", "another picture", "no picture of a call", "no place", "too large"],
)
def test_a_question_that_says_nothing_of_use_is_refused_with_what_is_wrong(asked: Asked, says: str) -> None:
    with pytest.raises(DocumentError, match=says):
        read_question(write_question(None, "cup", "4", asked), "cup", "4", None)
