"""The start of an event: its code, the words of the code, and what is refused when one is read; public sources, and sessions."""

import json
from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twinwall.game import deals
from twinwall.game.deals.encoding import Sha256
from twinwall.game.documents import DocumentError
from twinwall.game.tiles import ALL_TILES, SEATS, Seat, format_tiles, hand_name, place_of, round_wind, seat_at

VECTOR = deals.Start(
    Sha256.fromhex("9687a2c3ed7665781497e8c98077bc86f40254ab157f428a045d6cc31afe98dc"),
    Sha256.fromhex("c063007cf90ad3fac1363fd65f9b4e01ff66dccb7e9ae342b6504842b87ea148"),
    "2026-11-20 12:00 UTC",
)
CODE = "2da2c8d239de4aa92e57c9dfc7313cfe0069a92298a8ad8f8a90ad5988906f31"
WORDS = "5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA92"
DIGESTS = st.binary(min_size=32, max_size=32)
VALUES = st.text(min_size=1, max_size=30).filter(lambda text: text == text.strip() and text.isprintable())


def test_code_and_words_are_those_of_the_contract() -> None:
    assert (VECTOR.code.hex(), VECTOR.words) == (CODE, WORDS)


@given(DIGESTS, DIGESTS, VALUES)
def test_a_start_file_reads_back_byte_for_byte(plan: bytes, root: bytes, public: str) -> None:
    start = deals.Start(Sha256(plan), Sha256(root), public)
    assert deals.Start.from_bytes(start.canonical) == start


@given(DIGESTS)
def test_a_code_is_read_back_from_its_words_and_from_its_hex(code: bytes) -> None:
    assert deals.read_code(deals.words_of_code(code)) == code[:20]
    assert deals.read_code(code.hex()) == code


@given(DIGESTS, DIGESTS)
def test_two_codes_have_the_same_words_only_where_their_first_160_bits_are_equal(one: bytes, other: bytes) -> None:
    assert (deals.words_of_code(one) == deals.words_of_code(other)) == (one[:20] == other[:20])


@pytest.mark.parametrize(
    "given_as",
    [
        WORDS.lower(),
        WORDS.replace("-", ""),
        WORDS.replace("-", " "),
        f"  {WORDS}\n",
        WORDS.replace("0", "O"),
        WORDS.replace("-", " – "),
        "".join(chr(ord(symbol) + 0xFEE0) for symbol in WORDS),
        CODE,
        CODE.upper(),
    ],
)
def test_a_code_is_read_however_a_person_writes_it(given_as: str) -> None:
    assert deals.start_of_code(deals.read_code(given_as), [VECTOR]) == VECTOR


@given(st.binary(min_size=20, max_size=20))
def test_o_is_read_as_0_and_i_and_l_as_1(code: bytes) -> None:
    words = deals.words_of_code(code)
    for one in "IiLl":
        assert deals.read_code(words.replace("0", "o").replace("1", one)) == code


@pytest.mark.parametrize(
    ("given_as", "message"),
    [
        (WORDS[:-1], "32 symbols, 8 groups of 4, not 31"),
        (f"{WORDS}-0", "not 33"),
        ("", "not 0"),
        (WORDS.replace("9", "U"), "no 'U'"),
        (WORDS.replace("9", "ß"), "no 'ß'"),
        (WORDS.replace("9", "!"), "no '!'"),
        (CODE[:-1], "not 63"),
    ],
)
def test_a_code_of_another_length_or_alphabet_is_refused_in_a_sentence(given_as: str, message: str) -> None:
    with pytest.raises(deals.DealError, match=message):
        deals.read_code(given_as)


@pytest.mark.parametrize(
    ("public", "message"),
    [("", "is empty"), ("  ", "is empty"), (" noon", "blanks at its ends"), ("no\non", "line break"), ("a\u200b", "seen")],
)
def test_a_public_value_without_one_exact_spelling_is_refused(public: str, message: str) -> None:
    with pytest.raises(deals.DealError, match=message):
        deals.Start(Sha256(32), Sha256(32), public)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": "blue"}, "the start: the key 'colour' is not known"),
        ({"format": "twinwall-start-2"}, "twinwall-start-1"),
        ({"plan": "12"}, "64 lower-case hex digits"),
        ({"root": CODE.upper()}, "64 lower-case hex digits"),
        ({"public": 12}, "public 12: Expected 'str'"),
    ],
)
def test_a_start_file_that_says_too_much_or_too_little_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        deals.Start.from_bytes(json.dumps({**json.loads(VECTOR.canonical), **change}).encode())


@pytest.mark.parametrize("changed", [b"\xef\xbb\xbf" + VECTOR.canonical, VECTOR.canonical[:-1], VECTOR.canonical.replace(b"\n", b"\r\n")])
def test_a_start_file_in_other_bytes_is_refused(changed: bytes) -> None:
    with pytest.raises(DocumentError):
        deals.Start.from_bytes(changed)


def test_a_start_belongs_to_its_plan_alone() -> None:
    plan = deals.plan_sessions("Sanya", "mcr-duplicate", sessions=1, hands=2, holders=["server"], public="noon")
    with pytest.raises(deals.DealError, match="of another plan"):
        deals.StartedPlan(plan, VECTOR)


def test_a_slip_leads_to_the_start_that_it_was_made_under() -> None:
    plan = deals.plan_sessions("Sanya", "mcr-duplicate", sessions=1, hands=5, holders=["server"], public="noon")
    seeds = {"server": deals.Seed(bytes(range(80)))}
    start = deals.Start(plan.digest, deals.commit(plan, seeds).root, "noon it is")
    assert {deals.start_of_slip(plan, deals.make_slip(plan, seeds, n, "noon it is")) for n in range(1, 6)} == {start}
    assert deals.start_of_slip(plan, deals.make_slip(plan, seeds, 1, "another")) != start


DRAND = "beacon: drand quicknet, round 12345678"
TILES = "1m 5p 9s E S W N C"


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (DRAND, "0f" * 32),
        ("beacon: NIST 2.0, 2026-11-20T12:00Z", "0f" * 64),
        ("tiles: 8", TILES),
        ("tiles drawn in the room", "5p 3s E"),
        ("", "anything"),
        ("vector: given in the test", "2026-11-20 12:00 UTC"),
    ],
)
def test_a_value_of_the_form_that_the_plan_names_is_taken_and_a_sentence_fits_every_value(source: str, value: str) -> None:
    deals.check_drawn(source, value)


@pytest.mark.parametrize(
    ("source", "value", "said"),
    [
        (DRAND, "5p 3s E", "64 or 128 lower-case hex digits"),
        (DRAND, "0F" * 32, "in lower case"),
        (DRAND, "0f" * 31, "64 or 128"),
        ("tiles: 8", TILES.replace(" C", ""), "8 tiles are drawn, these are 7"),
        ("tiles: 8", TILES.replace("1m 5p", "1m5p"), "one blank between: '1m 5p 9s E"),
        ("tiles: 8", "0f" * 32, "8 tiles are drawn"),
    ],
)
def test_a_value_that_cannot_come_from_the_source_is_refused(source: str, value: str, said: str) -> None:
    with pytest.raises(deals.DealError, match=said):
        deals.check_drawn(source, value)


@pytest.mark.parametrize("source", ["beacon:", "beacon: drand", "beacon: drand, soon", "beacon: , round 5", "tiles: 7", "tiles: many"])
def test_a_source_without_its_pulse_or_its_number_of_tiles_is_refused(source: str) -> None:
    with pytest.raises(deals.DealError, match="must"):
        deals.check_source(source)


@pytest.mark.parametrize(("drawn", "kinds", "refused"), [(32, 1, True), (32, 10, True), (32, 11, False), (8, 2, True), (8, 3, False)])
def test_tiles_that_no_draw_shows_are_refused_before_they_are_fixed(drawn: int, kinds: int, refused: bool) -> None:
    value = format_tiles([ALL_TILES[number % kinds] for number in range(drawn)])
    deals.check_drawn(f"tiles: {drawn}", value)
    with pytest.raises(deals.DealError, match="no draw") if refused else nullcontext():
        deals.check_random(f"tiles: {drawn}", value)
    deals.check_random("drawn in the room", value)


def test_the_sixteen_hands_are_e1_to_n4() -> None:
    assert [hand_name(hand) for hand in range(1, 17)] == [f"{wind}{number}" for wind in "ESWN" for number in range(1, 5)]
    assert [round_wind(hand) for hand in (1, 4, 5, 16)] == [Seat.EAST, Seat.EAST, Seat.SOUTH, Seat.NORTH]


def test_the_dealer_moves_on_counter_clockwise_after_every_hand_and_starts_each_round_again() -> None:
    assert [place_of(Seat.EAST, hand) for hand in (1, 2, 3, 4, 5)] == [0, 1, 2, 3, 0]


@given(hand=st.integers(1, 16), seat=st.sampled_from(SEATS))
def test_place_and_seat_are_each_others_inverse(hand: int, seat: Seat) -> None:
    assert seat_at(place_of(seat, hand), hand) is seat


@pytest.mark.parametrize("hand", [0, 17])
def test_there_is_no_other_hand(hand: int) -> None:
    with pytest.raises(ValueError, match="1 to 16"):
        round_wind(hand)
