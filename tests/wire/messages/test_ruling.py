"""Rulings on the wire: commands to a table, and the table's answer in its ledger."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twinwall.game.documents import DocumentError, canonical_json
from twinwall.game.play_events import RULED_ENDS, HandEnded
from twinwall.game.rulings import HandRuledDead, Offence, PenaltyRuled, ResultExcluded
from twinwall.game.tiles import SEATS
from twinwall.wire.events.definitions import EVERYWHERE
from twinwall.wire.ledger import project
from twinwall.wire.messages.commands import CommandWriter, open_command, read_command, sign_command, write_command
from twinwall.wire.messages.ruling import Effect, Ruling, read_ruling, ruling_fields
from twinwall.wire.messages.signing import Counter, Signer

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
