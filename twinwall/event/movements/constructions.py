"""Constructions: for each session, fours of entrants in which pairs meet as rarely as a formula allows.

A draw is one session: groups of fours. A four is the people of a table, in the order of their places. Entrants are numbers from 0. There
are three families: lines of the affine space over the field of four elements for 16, 64 and 256 entrants; columns that a difference matrix
shifts against each other for other multiples of 4; and two small designs for 8 and 12, which cannot avoid repeats. The same fours serve as
tables of players and as groups of teams. Callers decide which table a four gets, and who has which number.

A (g, 4; 1) difference matrix has four rows over a group of g elements; the differences of any two rows are all different. Seat entrant x of
column c at table x − row[c][k] in session k: two entrants of different columns then share a table in at most one session (Colbourn and
Dinitz, Handbook of Combinatorial Designs, VI.17). Made here from finite fields and their products (MacNeish, "Das Problem der 36
Offiziere", 1909), from six stored tables where 2 or 3 divides g only once, and otherwise from rows 0, k, 2k and 3k of the cyclic group,
which give fewer sessions.
"""

import math
from collections.abc import Sequence
from functools import cache
from itertools import product

from twinwall.event.movements.seating import PLACES, MovementError, four
from twinwall.values import frozen

Rows = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]


@frozen
class DifferenceMatrix:
    """Four rows over a group with numbers in a mixed base as elements; the first modulus is that of the lowest digit. ``moduli``: of the
    digits; a digit of modulus 2 is added by exclusive or. ``rows``: one for each column of entrants; their length is the number of
    sessions."""

    moduli: tuple[int, ...]
    rows: Rows

    @property
    def order(self) -> int:
        """Elements of the group, which are the tables of a session."""
        return math.prod(self.moduli)

    def sessions(self) -> int:
        """Sessions before two entrants of different columns can meet again."""
        return len(self.rows[0])

    def moved(self, element: int, column: int, session: int) -> int:
        """The entrant of a column at the table ``element`` in a session."""
        return _encoded(self.moduli, [a + b for a, b in zip(self._digits(element), self._digits(self.rows[column][session]), strict=True)])

    def _digits(self, element: int) -> list[int]:
        digits = []
        for modulus in self.moduli:
            element, digit = divmod(element, modulus)
            digits.append(digit)
        return digits


@cache
def difference_matrix(order: int) -> DifferenceMatrix:
    """A difference matrix of ``order`` elements, 1 or more, with as many sessions as a formula or a stored table has.

    If 4 divides the order, the two lowest digits have modulus 2, so that elements that differ only in them form fours.
    """
    if order in _STORED:
        return _STORED[order]
    parts = _parts(order)
    if not parts:
        most = next((count for count in range(order, 0, -1) if _cyclic_works(order, count)), 1)
        return DifferenceMatrix((order,), _multiples(range(most), order))
    matrix = _STORED.get(parts[0]) or _of_field(parts[0])
    for part in parts[1:]:
        matrix = _product(matrix, _of_field(part))
    return matrix


def _parts(order: int) -> list[int]:
    """Orders with all their sessions, and with the product ``order``, the even one first; empty if there are none."""
    powers: dict[int, int] = {}
    left = order
    for prime in range(2, order + 1):
        while left % prime == 0:
            powers[prime] = powers.get(prime, 1) * prime
            left //= prime
    if powers.get(3) == 3 and powers.get(2, 0) >= 4:
        # 12 takes two of the factors 2, and 24 three; the rest must be a field of four elements or more.
        even = powers.pop(2) // 4
        del powers[3]
        taken = (12, even) if even not in {2, 8} else (24, even // 2)
        return [part for part in (*taken, *powers.values()) if part > 1]
    fields = all(power >= 4 and (prime in {2, power} or power == 9) for prime, power in powers.items())
    return list(powers.values()) if fields else []


def _of_field(order: int) -> DifferenceMatrix:
    """Row c is c·k in the field of ``order`` elements: 4, 8, … 64, 9, or a prime from 5; c takes four of its values."""
    if order % 2 == 0:
        degree = order.bit_length() - 1
        return DifferenceMatrix((2,) * degree, _rows([[multiply(c, k, order) for k in range(order)] for c in range(4)]))
    if order == 9:
        return DifferenceMatrix((3, 3), _rows([[_gaussian(c, k) for k in range(9)] for c in (0, 1, 3, 4)]))
    return DifferenceMatrix((order,), _multiples(range(order), order))


def multiply(a: int, b: int, order: int) -> int:
    """The product in the field of ``order`` = 2, 4, 8, … 256 elements, in which exclusive or is the sum."""
    result = 0
    while b:
        if b & 1:
            result ^= a
        a, b = a << 1, b >> 1
        if a & order:
            a ^= _POLYNOMIALS[order]
    return result


_POLYNOMIALS = {2: 0b11, 4: 0b111, 8: 0b1011, 16: 0b10011, 32: 0b100101, 64: 0b1000011, 128: 0b10000011, 256: 0b100011101}
"""Primitive polynomials (Lidl and Niederreiter, Finite Fields, table C): the powers of 2 are all nonzero elements."""


def _gaussian(a: int, b: int) -> int:
    """The product in the field of nine elements; x + 3y means x + y·i with i² = −1."""
    (y, x), (v, u) = divmod(a, 3), divmod(b, 3)
    return (x * u - y * v) % 3 + 3 * ((x * v + y * u) % 3)


def _product(one: DifferenceMatrix, other: DifferenceMatrix) -> DifferenceMatrix:
    rows = [[a + one.order * b for b, a in product(other.rows[column], one.rows[column])] for column in range(4)]
    return DifferenceMatrix((*one.moduli, *other.moduli), _rows(rows))


def _multiples(sessions: range, order: int) -> Rows:
    return _rows([[column * session % order for session in sessions] for column in range(4)])


def _cyclic_works(order: int, sessions: int) -> bool:
    return all(len({factor * session % order for session in range(sessions)}) == sessions for factor in (1, 2, 3))


def _encoded(moduli: Sequence[int], digits: Sequence[int]) -> int:
    value = 0
    for modulus, digit in zip(reversed(moduli), reversed(digits), strict=True):
        value = value * modulus + digit % modulus
    return value


def _rows(rows: Sequence[Sequence[int]]) -> Rows:
    first, second, third, fourth = map(tuple, rows)
    return first, second, third, fourth


_ROWS = """
6: 0 5 3 4 2 / 0 4 5 1 3 / 0 3 2 5 4;
10: 0 8 1 7 9 4 3 5 2 / 0 5 4 6 1 8 9 3 7 / 0 1 9 4 3 5 2 7 8;
2 2 3: 0 1 2 3 4 5 6 7 8 9 10 11 / 0 4 6 8 2 10 7 3 5 11 9 1 / 0 6 9 11 7 4 3 10 2 1 8 5;
14: 0 2 3 9 10 13 8 1 11 6 5 12 4 / 0 9 4 5 7 3 2 6 13 1 8 11 10 / 0 7 13 11 3 8 9 5 10 4 2 1 12;
3 5: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 / 0 14 5 2 12 11 7 1 10 13 9 8 4 3 6 / 0 2 11 10 9 6 3 5 4 12 1 13 14 8 7;
2 2 2 3: 0 2 15 20 6 10 4 19 9 8 11 12 22 5 21 18 14 13 3 17 / 0 7 3 4 20 22 17 6 15 19 18 5 8 11 14 16 13 2 12 9
/ 0 15 10 21 19 2 18 12 3 11 20 8 5 9 4 14 22 6 13 23
"""
"""The moduli, and the rows after the first, which is all zero. A solver found them once, with as many sessions as it could; a test checks
every difference."""


def _stored(line: str) -> DifferenceMatrix:
    moduli, rows = ([tuple(map(int, part.split())) for part in parts.split("/")] for parts in line.split(":"))
    return DifferenceMatrix(moduli[0], _rows([(0,) * len(rows[0]), *rows]))


_STORED = {matrix.order: matrix for matrix in map(_stored, _ROWS.strip().split(";"))}


Four = tuple[int, int, int, int]
Draw = tuple[tuple[Four, ...], ...]
"""The groups of a session, with their fours."""

_SPACES = {16, 64, 256}
_ROTATED = {8: ((7, 0, 1, 3), (2, 4, 5, 6)), 12: ((11, 0, 1, 3), (2, 6, 7, 9), (4, 5, 8, 10))}
"""Fours of the first session of a resolvable design in which each pair meets three times. In each later session all but the last entrant
count one more, modulo their number (Colbourn and Dinitz, II.7: 1-rotational designs)."""


def draws(entrants: int, sessions: int) -> tuple[Draw, ...]:
    """The draws of this many sessions; a construction that has no more starts again.

    If 16 divides the number of entrants, groups have four fours, and two entrants of a group have the same place at two tables as rarely as
    they meet. Otherwise there is one group. With one entrant less than a multiple of 4, those who would sit with the missing one are in no
    four; their group is the last one. Raises MovementError unless there are 4 to 256 entrants, a multiple of 4 or one less, and a session.
    """
    if entrants % 4 not in (0, 3) or not 4 <= entrants <= 256:
        raise MovementError(f"movements are for 4 to 256 entrants, a multiple of 4 or one less, not for {entrants}")
    if sessions < 1:
        raise MovementError(f"a movement needs at least one session, not {sessions}")
    missing = entrants % 4 == 3
    made = _all_draws(entrants + missing, sessions)
    if missing:
        made = [_without(entrants, draw) for draw in made]
    return tuple(made[session % len(made)] for session in range(sessions))


def left_out(draw: Draw, entrants: int) -> tuple[int, ...]:
    drawn = {who for group in draw for fours in group for who in fours}
    return tuple(who for who in range(entrants) if who not in drawn)


def _all_draws(entrants: int, most: int) -> list[Draw]:
    """The different draws of a construction, at most ``most``."""
    if entrants in _SPACES:
        return [_space_draw(entrants, session) for session in range(min(most, (entrants - 1) // 3))]
    if entrants in _ROTATED:
        return [_rotated_draw(_ROTATED[entrants], session) for session in range(min(most, entrants - 1))]
    matrix = difference_matrix(entrants // 4)
    made = [_matrix_draw(matrix, session) for session in range(min(most, matrix.sessions()))]
    if matrix.order % 4 == 0 and most > len(made):
        made.append(_columns_draw(matrix.order))
    return made


def _without(missing: int, draw: Draw) -> Draw:
    groups = [tuple(fours for fours in group if missing not in fours) for group in draw]
    return tuple(sorted(filter(None, groups), key=len, reverse=True))


def _space_draw(entrants: int, session: int) -> Draw:
    """Lines of one direction of the affine space, in planes with the next direction.

    Points are elements of a field; direction k is ω^k over the subfield of four elements {0, 1, β, β²}. The point a + x·ω^k + y·ω^(k+1)
    sits at place x of table y of the plane of a. Two points are on one line, so they meet in one of the (entrants − 1)/3 sessions, and have
    the same place in one.
    """
    unit = _power((entrants - 1) // 3, entrants)
    field_of_four = (0, 1, unit, multiply(unit, unit, entrants))
    along, across = ([multiply(scalar, _power(k, entrants), entrants) for scalar in field_of_four] for k in (session, session + 1))
    left = set(range(entrants))
    groups = []
    for point in range(entrants):
        if point in left:
            group = tuple(four(point ^ x ^ y for x in along) for y in across)
            left.difference_update(*group)
            groups.append(group)
    return tuple(groups)


def _power(exponent: int, order: int) -> int:
    value = 1
    for _ in range(exponent):
        value = multiply(value, 2, order)
    return value


def _matrix_draw(matrix: DifferenceMatrix, session: int) -> Draw:
    """Entrant x of column c, with number c·order + x, sits at the matrix's table, at place c ⊕ the table's two lowest digits.

    Tables that differ only in these digits are a group. Two entrants of it have the same place only if the difference of their tables is a
    fixed function of their columns, so in one session at most.
    """
    columns = [[column * matrix.order + matrix.moved(table, column, session) for column in PLACES] for table in range(matrix.order)]
    if matrix.order % 4:
        return (tuple(four(members[(place - table) % 4] for place in PLACES) for table, members in enumerate(columns)),)
    fours = [four(members[place ^ table % 4] for place in PLACES) for table, members in enumerate(columns)]
    return tuple(tuple(fours[start : start + 4]) for start in range(0, matrix.order, 4))


def _columns_draw(order: int) -> Draw:
    """The session in which the members of each column, who never meet otherwise, play each other."""
    return tuple(
        tuple(four(column * order + start + (place ^ column) for place in PLACES) for column in PLACES) for start in range(0, order, 4)
    )


def _rotated_draw(first: tuple[Four, ...], session: int) -> Draw:
    moving = 4 * len(first) - 1
    return (tuple(four(member if member == moving else (member + session) % moving for member in fours) for fours in first),)
