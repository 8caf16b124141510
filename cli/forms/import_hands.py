"""``twinwall results import``: hands of other programs become hand records, and the deals that they were played from. Each hand is replayed
by the rules; an illegal move is refused by its number."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from cli.record_files import records_json
from cli.rules.score import chosen_options
from cli.usage import FORCE, PRIVATE, PUBLISHED, DoesNotHoldError, UsageError, argument, new_file, refuse_existing, say, takes, write_file
from twinwall.event.forms.following import IllegalMoveError, record_of
from twinwall.event.forms.registry import READABLE, HandForm
from twinwall.event.forms.sheet import HandSheet, deal_of
from twinwall.game.deals import Deal
from twinwall.game.documents import DocumentError, pretty_json
from twinwall.game.record import HandRecord
from twinwall.game.rules import DEFAULT_RULES, rule_set_names
from twinwall.given_files import limited_text
from twinwall.wire.names import cleaned

_DESCRIPTION = """Read hands of other programs (docs/reference/forms.md) and write them as a list of hand records (twinwall-hand-1).
Each hand is replayed by the rules: a move that is not legal is refused by its number, with exit 1. The deals can be dealt again at a
rehearsal; undrawn tiles are not in most forms, and their order is then made up, which is said."""


@takes(
    argument("file", "hands in a form of another program", type=Path),
    argument("--format", "the form (by the end of the file's name)", choices=tuple(READABLE)),
    argument("--rules", f"the rule set, where the file does not name it ({DEFAULT_RULES})", choices=rule_set_names()),
    argument("--options", "TOML file with options of the rule set; the file's own go before it", type=Path),
    argument("--lenient", "read a hand with an illegal move up to there", action="store_true"),
    argument("--out", "where to write the records (standard output)", type=new_file, metavar="FILE"),
    argument("--deals", "write each deal too, as a deal file", type=Path, metavar="FOLDER"),
    argument("--tags", "write what records have no place for, for `twinwall results export --tags`", type=new_file, metavar="FILE"),
    FORCE,
    about=_DESCRIPTION,
)
def import_hands(arguments: Namespace) -> None:
    """0 with the records, 1 for an illegal move, 2 for what cannot be read."""
    form = _form(arguments.file, arguments.format)
    sheets, records = [], []
    try:
        for number, sheet in enumerate(_sheets(form, arguments), 1):
            sheets.append(sheet)
            record, notes = record_of(sheet, lenient=arguments.lenient)
            records.append(record)
            for note in notes:
                say(f"{arguments.file}: hand {number}: {note}")
    except IllegalMoveError as error:
        raise DoesNotHoldError(f"{arguments.file}: hand {len(sheets)}: {error}; --lenient reads the hand up to there") from None
    except DocumentError as error:
        raise UsageError(f"{arguments.file}: hand {len(sheets) + 1}: {error}") from error
    _write(arguments, sheets, records)


def _form(path: Path, name: str | None) -> HandForm:
    if name is not None:
        return READABLE[name]
    fitting = [form for form in READABLE.values() if form.suffix == path.suffix.lower()]
    if len(fitting) != 1:
        raise UsageError(f"{path} may be in several forms, or in none: say --format {' or '.join(READABLE)}")
    return fitting[0]


def _sheets(form: HandForm, arguments: Namespace) -> Iterator[HandSheet]:
    """The hands of the file, with the rules and options of the command line where they name none."""
    for sheet in form.sheets(limited_text(arguments.file)):
        rules = sheet.rules or arguments.rules or DEFAULT_RULES
        own = form.options if rules in form.rules else {}
        players = {seat: cleaned(name) for seat, name in sheet.players.items()}
        yield replace(sheet, players=players, rules=rules, options={**own, **chosen_options(rules, arguments.options), **sheet.options})


def _write(arguments: Namespace, sheets: Sequence[HandSheet], records: Sequence[HandRecord]) -> None:
    deals: dict[int, Deal] = {}
    for record in records:
        first = deals.setdefault(record.n, deal_of(record))
        if first.digest != record.digest:
            say(f"the walls of deal {record.n} are not the same at every table: the first one's are written")
    files = {}
    if arguments.deals is not None:
        arguments.deals.mkdir(exist_ok=True)
        files = {arguments.deals / f"deal-{n:04d}.json": pretty_json(deal.to_json()) for n, deal in deals.items()}
    if not arguments.force:
        refuse_existing([*files, *(path for path in (arguments.out, arguments.tags) if path is not None)])
    for path, content in files.items():
        write_file(path, content, PRIVATE, arguments.force)
    if arguments.tags is not None:
        write_file(arguments.tags, pretty_json([dict(sheet.tags) for sheet in sheets]), PUBLISHED, arguments.force)
    if arguments.out is None:
        sys.stdout.buffer.write(records_json(records))
        sys.stdout.buffer.flush()
    else:
        write_file(arguments.out, records_json(records), PUBLISHED, arguments.force)
