"""Results in a CSV file: either all are read, or the file is refused with every bad line by number.

Columns, in any order, are ``deal,table,seat,score`` and ``team`` or ``player``; optionally ``group``, ``session``, and for rulings
``basis`` and ``penalty``. Nothing is rounded. ``results`` has the laws between lines.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from operator import itemgetter

from twinwall.event.results import ONE_GROUP, Basis, DealResult, EntrantKind, ResultsFault, TableKey, faults
from twinwall.game.tiles import SEATS
from twinwall.wire.names import cleaned, name_key, name_problem, typed_number

_COMMON = ("deal", "table", "seat", "score")
_ENTRANT = {EntrantKind.TEAM: "team", EntrantKind.INDIVIDUAL: "player"}
_DEAL = re.compile(r"[1-9][0-9]{0,8}")
_SCORE = re.compile(r"[+-]?[0-9]{1,9}")
_SESSION = re.compile(r"[1-9][0-9]{0,2}")
_PENALTY = re.compile(r"[0-9]{1,3}")
_NUMBERS = ("deal", "score", "penalty", "session")
_USUAL = {"group": ONE_GROUP, "basis": Basis.PLAYED, "penalty": 0, "session": 1}
"""Values for missing columns."""
_BASES = {basis.value: basis for basis in Basis}
_FORMULA = re.compile(r"^'('*[=+\-@＝＋－＠])")
"""A cell that a spreadsheet would take for a formula without its leading apostrophe."""
_SEATS = {seat.value: seat for seat in SEATS}


RefusedRow = tuple[int, str]
"""A bad line of the file (the header is line 1), and the reason."""


class RefusedResultsError(ValueError):
    """A file with bad lines; ``refusals`` names every one, in order."""

    def __init__(self, refusals: Sequence[RefusedRow]) -> None:
        self.refusals = sorted(refusals, key=itemgetter(0))
        super().__init__("\n".join(f"line {line}: {reason}" for line, reason in self.refusals))


def read_results(content: bytes, kind: EntrantKind, zero_sum: bool) -> tuple[DealResult, ...]:
    """Read and check a file of results. ``content``: the file's bytes, UTF-8 with or without a byte order mark. ``kind``: decides whether
    the entrants' column is ``team`` or ``player``. ``zero_sum``: whether the rules make the four scores of a table sum to zero. Raises
    RefusedResultsError, which names every bad line."""
    rows = _rows(content)
    line, header = next(rows, (1, []))
    names = _columns(line, header, kind)
    results: list[DealResult] = []
    lines: list[int] = []
    refusals: list[RefusedRow] = []
    unsure: set[TableKey] = set()
    spelled: dict[str, str] = {}
    for line, cells in rows:
        if len(cells) != len(names):
            refusals.append((line, f"has {len(cells)} cells, the header has {len(names)}"))
            continue
        row = {name: typed_number(cell) if name in _NUMBERS else cell for name, cell in zip(names, cells, strict=True)}
        reasons = [*_reasons(row)]
        if reasons:
            refusals += [(line, reason) for reason in reasons]
            if _DEAL.fullmatch(row["deal"]) and row["table"] and row.get("group", ONE_GROUP):
                unsure.add((row.get("group", ONE_GROUP), int(row["deal"]), row["table"]))
        else:
            row[_ENTRANT[kind]] = spelled.setdefault(name_key(row[_ENTRANT[kind]]), row[_ENTRANT[kind]])
            results.append(_result(row, _ENTRANT[kind]))
            lines.append(line)
    if not results and not refusals:
        refusals.append((line, "there are no results below the header"))
    refusals += [_refusal(fault, lines) for fault in faults(results, kind, zero_sum, unsure)]
    if refusals:
        raise RefusedResultsError(refusals)
    return tuple(results)


def kind_of_results(content: bytes) -> EntrantKind | None:
    """What the file compares, by its column of entrants; None if it has neither or both."""
    _, header = next(_rows(content), (1, []))
    kinds = [kind for kind, column in _ENTRANT.items() if column in header]
    return kinds[0] if len(kinds) == 1 else None


def write_results(results: Sequence[DealResult], kind: EntrantKind) -> bytes:
    """The file for ``read_results``, in the given order, without optional columns that have only usual values."""
    named = [name for name, usual in _USUAL.items() if any(getattr(result, name) != usual for result in results)]
    columns = [*_COMMON, _ENTRANT[kind], *named]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for result in results:
        cells = {**asdict(result), "seat": result.seat.value, "basis": result.basis.value, _ENTRANT[kind]: result.entrant}
        writer.writerow([_safe(cells[column]) for column in columns])
    return text.getvalue().encode()


def _safe(cell: str | int) -> str | int:
    """A cell that no spreadsheet computes: a text that begins like a formula gets an apostrophe, which ``plain_cell`` removes."""
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(f"'{cell}") else cell


def plain_cell(cell: str) -> str:
    return _FORMULA.sub(r"\1", cleaned(cell))


def _rows(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield every line that is not empty, with its number and stripped cells; a cell with a line feed counts from its first line."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RefusedResultsError([(line, "is not UTF-8: save the file as CSV UTF-8")]) from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    above = 0
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield above + 1, [plain_cell(cell) for cell in cells]
            above = reader.line_num
    except csv.Error as error:
        raise RefusedResultsError([(above + 1, f"is not CSV: {error}")]) from None


def _columns(line: int, header: Sequence[str], kind: EntrantKind) -> tuple[str, ...]:
    """The names of the columns; raises RefusedResultsError with all that is wrong with them."""
    entrant = _ENTRANT[kind]
    wanted = (*_COMMON, entrant)
    reasons = [f"the column {name!r} is missing" for name in wanted if name not in header]
    for name in dict.fromkeys(header):
        if name in _ENTRANT.values() and name != entrant:
            reasons.append(f"the column {name!r} belongs to another comparison: this one is by {entrant}, and an event has one kind")
        elif name not in (known := (*wanted, *_USUAL)):
            reasons.append(f"the column {name!r} is not known; known are {', '.join(known)}, with a comma between them")
        if header.count(name) > 1:
            reasons.append(f"the column {name!r} is there {header.count(name)} times")
    if reasons:
        raise RefusedResultsError([(line, reason) for reason in reasons])
    return tuple(header)


def _reasons(row: Mapping[str, str]) -> Iterator[str]:
    if not _DEAL.fullmatch(row["deal"]):
        yield f"the deal {row['deal']!r} is not a number from 1 up"
    if row["seat"] not in _SEATS:
        yield f"the seat {row['seat']!r} is not one of {' '.join(_SEATS)}"
    if not _SCORE.fullmatch(row["score"]):
        yield f"the score {row['score']!r} is not a whole number such as 75 or -25"
    if _basis(row) not in _BASES:
        yield f"the basis {row['basis']!r} is not one of {' '.join(_BASES)}"
    if not _PENALTY.fullmatch(row.get("penalty") or "0"):
        yield f"the penalty {row['penalty']!r} is not a whole number of IMP such as 0 or 4"
    if not _SESSION.fullmatch(row.get("session") or "1"):
        yield f"the session {row['session']!r} is not a number from 1 up"
    for name in ("table", "team", "player", "group"):
        if name in row and not row[name]:
            yield f"the {name} is empty"
        elif name in row and name_problem(row[name]) == "unseen":
            yield f"the {name} {row[name]!r} holds characters that cannot be printed"


def _result(row: Mapping[str, str], entrant: str) -> DealResult:
    return DealResult(
        deal=int(row["deal"]),
        table=row["table"],
        seat=_SEATS[row["seat"]],
        score=int(row["score"]),
        entrant=row[entrant],
        group=row.get("group", ONE_GROUP),
        basis=_BASES[_basis(row)],
        penalty=int(row.get("penalty") or "0"),
        session=int(row.get("session") or "1"),
    )


def _basis(row: Mapping[str, str]) -> str:
    return row.get("basis") or Basis.PLAYED.value


def _refusal(fault: ResultsFault, lines: Sequence[int]) -> RefusedRow:
    concerned = sorted({lines[position] for position in fault.at})
    return lines[fault.at[0]], f"{fault.reason} ({_span(concerned)})" if len(concerned) > 1 else fault.reason


def _span(lines: Sequence[int]) -> str:
    """``lines 5 to 8`` or ``lines 5, 7, 9``."""
    if len(lines) > 2 and all(upper - lower == 1 for lower, upper in pairwise(lines)):
        return f"lines {lines[0]} to {lines[-1]}"
    return f"lines {', '.join(map(str, lines))}"
