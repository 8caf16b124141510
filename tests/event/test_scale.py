"""The IMP scale: exact half-open intervals, and the signature of an official one (forgeries: ``tests/attacks``)."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tiers import law
from twinwall.event.scale import ScaleStatus, parse_scale, provisional_scale
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.file_signature import sign_file
from twinwall.wire.messages.signing import Signer

DIFFERENCES = st.fractions(min_value=-400, max_value=400, max_denominator=16)
HOUSE = 'format = "twinwall-scale-1"\nname = "house"\nstatus = "provisional"\nsource = "the club"\nbounds = [1, "3/2", 8]\n'
OFFICIAL = HOUSE.replace('"provisional"', '"official"')


LI_NA = Signer("", b"\x11" * 32)
TRUSTED = {"李娜": LI_NA.public}


@pytest.mark.parametrize(
    ("difference", "imp"),
    [
        ("0", 0), ("1", 0), ("7/4", 0), ("2", 1), ("15/4", 1), ("4", 2), ("-73", -14), ("-33", -10), ("107", 16), ("257/4", 13),
        ("302", 23), ("1211/4", 23), ("303", 24), ("-303", -24), ("5000", 24),
    ],
)  # fmt: skip
def test_a_difference_earns_the_imp_of_the_highest_bound_that_it_reaches(difference: str, imp: int) -> None:
    assert provisional_scale().imp(Fraction(difference)) == imp


@law
@given(difference=DIFFERENCES)
def test_the_scale_is_odd(difference: Fraction) -> None:
    assert provisional_scale().imp(-difference) == -provisional_scale().imp(difference)


@law
@given(one=DIFFERENCES, other=DIFFERENCES)
def test_a_larger_difference_never_earns_less(one: Fraction, other: Fraction) -> None:
    low, high = sorted((one, other))
    assert provisional_scale().imp(low) <= provisional_scale().imp(high)


@law
@given(difference=DIFFERENCES)
def test_the_interval_of_a_difference_holds_it(difference: Fraction) -> None:
    scale = provisional_scale()
    lower, upper = scale.interval(difference)
    assert lower == (0, *scale.bounds)[abs(scale.imp(difference))]
    assert lower <= abs(difference)
    assert upper is None or abs(difference) < upper


def test_bounds_may_be_exact_fractions() -> None:
    scale = parse_scale(HOUSE.encode(), "house.toml")
    assert [scale.imp(Fraction(difference)) for difference in ("1", "149/100", "3/2", "8")] == [1, 1, 2, 3]
    assert scale.interval(Fraction(2)) == (Fraction(3, 2), Fraction(8))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('source = "the club"\n', "", "'source' is missing"),
        ('name = "house"', 'name = "house"\ncolour = 3', "'colour' is not known"),
        ("scale-1", "scale-2", "format"),
        ('"provisional"', '"final"', "provisional, official"),
        ('"3/2"', "1.5", "exact fraction"),
        ('"3/2"', '"3/0"', "exact fraction"),
        ('"3/2"', "true", "exact fraction"),
        ('"3/2"', "1", "1 does not lie above 1"),
        ("[1,", "[0,", "0 does not lie above 0"),
        ('[1, "3/2", 8]', "[]", "list"),
        ('"house"', '" "', "name"),
        ('"house"', '"The Official Scale"', "only a signed scale"),
        ("bounds = ", "bounds ", "not TOML"),
    ],
)
def test_a_scale_that_is_not_as_its_format_says_is_refused_by_file_and_reason(old: str, new: str, said: str) -> None:
    assert old in HOUSE
    with pytest.raises(DocumentError, match=said) as refused:
        parse_scale(HOUSE.replace(old, new, 1).encode(), "house.toml")
    assert str(refused.value).startswith("house.toml")


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(DocumentError, match="not TOML"):
        parse_scale(b"\xff\xfe", "house.toml")


def test_a_scale_that_a_trusted_person_signed_is_official_and_names_its_signer() -> None:
    scale = parse_scale(OFFICIAL.encode(), "house.toml", sign_file(OFFICIAL.encode(), LI_NA), TRUSTED)
    assert (scale.status, scale.signer, scale.doubt) == (ScaleStatus.OFFICIAL, "李娜", None)


def test_a_signed_scale_may_say_official_in_its_name() -> None:
    content = OFFICIAL.replace('"house"', '"The Official Scale"').encode()
    assert parse_scale(content, "house.toml", sign_file(content, LI_NA), TRUSTED).name == "The Official Scale"
    with pytest.raises(DocumentError, match=r"only a signed scale is.*it is not signed"):
        parse_scale(content, "house.toml", None, TRUSTED)


def test_a_scale_that_calls_itself_provisional_stays_so_whoever_signed_it() -> None:
    assert parse_scale(HOUSE.encode(), "house.toml", sign_file(HOUSE.encode(), LI_NA), TRUSTED).status is ScaleStatus.PROVISIONAL
