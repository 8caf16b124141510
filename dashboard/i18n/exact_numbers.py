"""Writes exact numbers: a mean of 43/4 is 10.75, a third stays a third."""

from __future__ import annotations

from fractions import Fraction

MINUS = "−"


def exact(value: Fraction | int, *, plus: bool = False) -> str:
    """A number without any rounding: as a decimal where that ends, as a fraction otherwise.

    Args:
        value: the number.
        plus: whether a positive one has its sign.
    """
    fraction = Fraction(value)
    sign = MINUS if fraction < 0 else "+" if plus and fraction > 0 else ""
    size = abs(fraction)
    rest, places = size.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    if rest != 1:
        return f"{sign}{size.numerator}/{size.denominator}"
    digits = f"{size.numerator * 10**places // size.denominator:0{places + 1}d}"
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"


def brief(value: int | Fraction, plus: bool = False) -> str:
    """The number as in ``exact`` where two places behind the point are enough; otherwise rounded to two, half to even."""
    return exact(Fraction(round(Fraction(value) * 100), 100), plus=plus)
