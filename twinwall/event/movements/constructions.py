"""Constructions: fours of entrants for session after session in which pairs meet as rarely as a formula allows.

A draw is one session: groups of fours, a four being the people of a table in the order of their places. Entrants are numbers from 0. Three
families: lines of the affine space over the field of four elements for 16, 64 and 256 entrants, columns that move past each other by a
difference matrix for other multiples of 4, and two small designs for 8 and 12, which cannot avoid repeats. The same fours serve as tables
of players and as groups of teams. Which table a four gets, and who has which number, is left to others.
"""

from twinwall.event.movements.difference_matrices import DifferenceMatrix, difference_matrix, multiply
from twinwall.event.movements.seating import PLACES, MovementError, four

Four = tuple[int, int, int, int]
Draw = tuple[tuple[Four, ...], ...]
"""The groups of a session, each with its fours."""

_SPACES = {16, 64, 256}
_ROTATED = {8: ((7, 0, 1, 3), (2, 4, 5, 6)), 12: ((11, 0, 1, 3), (2, 6, 7, 9), (4, 5, 8, 10))}
"""Fours of the first session of a resolvable design in which each pair meets three times; the last entrant never moves, and in
each session the others count one more, modulo their number (Colbourn and Dinitz, II.7: 1-rotational designs)."""


def draws(entrants: int, sessions: int) -> tuple[Draw, ...]:
    """The draws of this many sessions; when a construction has no more, it starts again.

    Where 16 divides the number of entrants, groups have four fours, and places are such that two entrants of a group
    hold the same place at two of its tables as rarely as they meet. Otherwise there is one group. With one entrant less
    than a multiple of 4 those who would sit with the missing one are in no four; their group is the last one.

    Raises:
        MovementError: unless there are 4 to 256 entrants, a multiple of 4 or one less, and a session.
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
    """Those of this many entrants who are in no four."""
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

    Points are elements of a field; direction k is ω^k over the subfield of four elements {0, 1, β, β²}. The point
    a + x·ω^k + y·ω^(k+1) sits at place x of table y of the plane of a. Two points lie on one line, so they meet in one
    of the (entrants − 1)/3 sessions and hold the same place in one.
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
    """The primitive element 2, multiplied by itself."""
    value = 1
    for _ in range(exponent):
        value = multiply(value, 2, order)
    return value


def _matrix_draw(matrix: DifferenceMatrix, session: int) -> Draw:
    """Entrant x of column c, number c·order + x, sits at the table that the matrix says, at place c ⊕ the table's two lowest digits.

    Tables that differ in these digits alone are a group; two entrants of it hold the same place only where the
    difference of their tables is a fixed function of their columns, so in one session at most.
    """
    columns = [[column * matrix.order + matrix.moved(table, column, session) for column in PLACES] for table in range(matrix.order)]
    if matrix.order % 4:
        return (tuple(four(members[(place - table) % 4] for place in PLACES) for table, members in enumerate(columns)),)
    fours = [four(members[place ^ table % 4] for place in PLACES) for table, members in enumerate(columns)]
    return tuple(tuple(fours[start : start + 4]) for start in range(0, matrix.order, 4))


def _columns_draw(order: int) -> Draw:
    """The session in which each column, whose members never meet otherwise, plays among itself."""
    return tuple(
        tuple(four(column * order + start + (place ^ column) for place in PLACES) for column in PLACES) for start in range(0, order, 4)
    )


def _rotated_draw(first: tuple[Four, ...], session: int) -> Draw:
    moving = 4 * len(first) - 1
    return (tuple(four(member if member == moving else (member + session) % moving for member in fours) for fours in first),)
