"""The IMP scale: exact half-open intervals, and the signature of an official one."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twinwall.event.scale import Interval, ScaleError, ScaleStatus, parse_scale, provisional_scale

DIFFERENCES = st.fractions(min_value=-400, max_value=400, max_denominator=16)
HOUSE = 'format = "twinwall-scale-1"\nname = "house"\nstatus = "provisional"\nsource = "the club"\nbounds = [1, "3/2", 8]\n'
OFFICIAL = HOUSE.replace('"provisional"', '"official"')


def signature(digest: str) -> str:
    return f'[signature]\nreferee = "李娜"\non = 2026-11-20\ndigest = "{digest}"\n'


def digest_of(text: str) -> str:
    """The digest that a referee would sign, as the program itself computes it for an unsigned scale."""
    with pytest.raises(ScaleError) as refused:
        parse_scale(text.encode(), "scale.toml")
    return str(refused.value).split("as it stands: ")[1][:64]


@pytest.mark.parametrize(
    ("difference", "imp"),
    [
        ("0", 0), ("1", 0), ("7/4", 0), ("2", 1), ("15/4", 1), ("4", 2), ("-73", -14), ("-33", -10), ("107", 16), ("257/4", 13),
        ("302", 23), ("1211/4", 23), ("303", 24), ("-303", -24), ("5000", 24),
    ],
)  # fmt: skip
def test_a_difference_earns_the_imp_of_the_highest_bound_that_it_reaches(difference: str, imp: int) -> None:
    assert provisional_scale().imp(Fraction(difference)) == imp


@given(difference=DIFFERENCES)
def test_the_scale_is_odd(difference: Fraction) -> None:
    assert provisional_scale().imp(-difference) == -provisional_scale().imp(difference)


@given(one=DIFFERENCES, other=DIFFERENCES)
def test_a_larger_difference_never_earns_less(one: Fraction, other: Fraction) -> None:
    low, high = sorted((one, other))
    assert provisional_scale().imp(low) <= provisional_scale().imp(high)


@given(difference=DIFFERENCES)
def test_the_interval_of_a_difference_holds_it_and_names_its_imp(difference: Fraction) -> None:
    interval = provisional_scale().interval(difference)
    assert interval.lower <= abs(difference)
    assert interval.upper is None or abs(difference) < interval.upper
    assert interval.imp == abs(provisional_scale().imp(difference))


def test_the_scale_that_ships_is_called_provisional_and_has_24_steps() -> None:
    scale = provisional_scale()
    assert (scale.name, scale.status, scale.signature, len(scale.bounds)) == ("provisional", ScaleStatus.PROVISIONAL, None, 24)


def test_bounds_may_be_exact_fractions() -> None:
    scale = parse_scale(HOUSE.encode(), "house.toml")
    assert [scale.imp(Fraction(difference)) for difference in ("1", "149/100", "3/2", "8")] == [1, 1, 2, 3]
    assert scale.interval(Fraction(2)) == Interval(2, Fraction(3, 2), Fraction(8))


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
    with pytest.raises(ScaleError, match=said) as refused:
        parse_scale(HOUSE.replace(old, new, 1).encode(), "house.toml")
    assert str(refused.value).startswith("house.toml")


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ScaleError, match="not TOML"):
        parse_scale(b"\xff\xfe", "house.toml")


def test_an_official_scale_carries_who_signed_it_and_when() -> None:
    scale = parse_scale((OFFICIAL + signature(digest_of(OFFICIAL))).encode(), "house.toml")
    assert scale.status is ScaleStatus.OFFICIAL
    assert scale.signature is not None
    assert (scale.signature.referee, scale.signature.on) == ("李娜", date(2026, 11, 20))


def test_nobody_makes_a_scale_official_by_its_status_alone() -> None:
    with pytest.raises(ScaleError, match="needs the signature"):
        parse_scale(OFFICIAL.encode(), "house.toml")


def test_a_provisional_scale_cannot_borrow_a_signature() -> None:
    with pytest.raises(ScaleError, match="no signature"):
        parse_scale((HOUSE + signature("00")).encode(), "house.toml")


@pytest.mark.parametrize(("old", "new"), [("8]", "9]"), ('"house"', '"hause"'), ('"the club"', '"the federation"')])
def test_a_scale_that_was_changed_after_it_was_signed_is_refused(old: str, new: str) -> None:
    signed = OFFICIAL + signature(digest_of(OFFICIAL))
    with pytest.raises(ScaleError, match="changed after it was signed"):
        parse_scale(signed.replace(old, new, 1).encode(), "house.toml")


@pytest.mark.parametrize(
    ("old", "new"), [("on = 2026-11-20", 'on = "yesterday"'), ("on = 2026-11-20\n", ""), ('referee = "李娜"', 'referee = ""')]
)
def test_a_signature_needs_a_referee_and_a_date(old: str, new: str) -> None:
    signed = OFFICIAL + signature(digest_of(OFFICIAL))
    with pytest.raises(ScaleError, match="signature"):
        parse_scale(signed.replace(old, new, 1).encode(), "house.toml")
