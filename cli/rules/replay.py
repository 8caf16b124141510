"""``twinwall record replay``: replays hand records by the rules and says whether they hold, or steps through one.

Of several sources each hand is replayed once, and a hand on which they differ once for each version.
"""

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from cli.event.sign import SIGNER, signers
from cli.event.stores import is_store, store_address
from cli.record_files import IllegalEventError, is_list, legal_record
from cli.record_versions import RecordSource, RecordVersion, read_versions, say_contradictions
from cli.rules.replay_steps import StepView, screen, state_line, step_through
from cli.terminal_keys import pressed_keys
from cli.usage import EXIT_GOOD, EXIT_NO, JSON, UsageError, argument, say, takes, wrong_use
from twinwall.event.replay.moments import moments
from twinwall.event.replay.steps import NoWallsError, replay_document
from twinwall.event.store.databases.port import StoreAddress
from twinwall.game.deals.uncommitted import is_imported
from twinwall.game.record import HandRecord
from twinwall.game.replay import Replay, replay
from twinwall.game.rules import RuleSetError
from twinwall.game.session import hand_name
from twinwall.game.tiles import SEATS, Seat
from twinwall.given_files import given_text
from twinwall.values import frozen

_CLEAR = "\x1b[2J\x1b[H"
"""Empties the terminal."""


@takes(
    argument(
        "records",
        "hand records (twinwall-hand-1), one or a list as export writes it, or an event's store; several are compared",
        type=store_address,
        nargs="+",
        metavar="FILE",
    ),
    argument("--steps", "step through a hand with keys; with --json one state per line", action="store_true"),
    argument("--number", "the hand of the list to step through, from 1 (1)", type=int, default=1),
    argument("--seat", "show the hand of this seat alone", choices=[seat.value for seat in SEATS]),
    argument("--tiles", "tiles as notation, or as Unicode's pictures (text)", choices=("text", "unicode"), default="text"),
    argument("--lenient", "step through a hand with an illegal event up to there", action="store_true"),
    JSON,
    SIGNER,
)
def run(arguments: Namespace) -> int:
    """0 when every record holds, 1 when one does not or sources differ, 2 when one cannot be read."""
    hands = read_versions(arguments.records, signers(arguments))
    differ = say_contradictions(hands)
    versions = [version for versions in hands for version in versions]
    if arguments.steps:
        return max(_step(arguments, versions), EXIT_NO if differ else EXIT_GOOD)
    replayed = [_replayed(version) for version in versions]
    several = len(arguments.records) > 1
    if arguments.json:
        documents = [_document(each, several) for each in replayed]
        print(json.dumps(documents if several or _is_list(arguments.records[0]) else documents[0], ensure_ascii=False))
    else:
        print("\n\n".join(_words(each, several) for each in replayed))
    return EXIT_GOOD if not differ and all(each.holds for each in replayed) else EXIT_NO


@frozen
class _Replayed:
    source: RecordSource
    record: HandRecord
    played: Replay

    @property
    def holds(self) -> bool:
        """Whether the record says what the rules say, to the end of the hand."""
        return self.played.legal and self.played.state.ended is not None and dict(self.played.scores) == dict(self.record.scores)


def _replayed(version: RecordVersion) -> _Replayed:
    with wrong_use(version.source.address, RuleSetError):
        return _Replayed(version.source, version.record, replay(version.record))


def _is_list(address: StoreAddress) -> bool:
    """Whether a source is more than one record by its form."""
    return not isinstance(address, Path) or is_store(address) or is_list(given_text(address))


def _step(arguments: Namespace, versions: Sequence[RecordVersion]) -> int:
    """0 with the steps, 1 for a deal that is not released or an illegal event."""
    if not 1 <= arguments.number <= len(versions):
        named = ", ".join(map(str, arguments.records))
        raise UsageError(f"{named} has {len(versions)} hands: there is no hand {arguments.number}")
    chosen = versions[arguments.number - 1]
    record, where = chosen.record, chosen.source.address
    try:
        document = replay_document([record if record.walls is None else legal_record(record, lenient=arguments.lenient)])
    except (NoWallsError, IllegalEventError) as error:
        say(f"{where}: {error}")
        return EXIT_NO
    except RuleSetError as error:
        raise UsageError(f"{where}: {error}") from error
    view = StepView(None if arguments.seat is None else Seat(arguments.seat), arguments.tiles == "unicode")
    if arguments.json:
        for moment in moments(document):
            print(state_line(moment, view))
    elif sys.stdin.isatty() and sys.stdout.isatty():
        step_through(document, 0, view, pressed_keys(), lambda text: print(f"{_CLEAR}{text}", flush=True))
    else:
        print("\n\n".join(screen(moment, document, 0, view) for moment in moments(document)))
    return EXIT_GOOD


def _document(replayed: _Replayed, several: bool) -> dict[str, object]:
    """A hand as JSON; of several sources with the one that it comes from."""
    record, played = replayed.record, replayed.played
    scores = {seat.value: played.scores[seat] for seat in SEATS}
    source: dict[str, object] = {"source": str(replayed.source.address), "signer": replayed.source.signer} if several else {}
    return {
        **source,
        "table": record.table,
        "n": record.n,
        "hand": record.hand,
        "holds": replayed.holds,
        "imported": _imported(record),
        "scores": scores,
        "events": played.verdicts_json(),
    }


def _words(replayed: _Replayed, several: bool) -> str:
    record, played = replayed.record, replayed.played
    lines = [f"{replayed.source}:"] if several else []
    lines += [f"table {record.table}, deal {record.n} ({hand_name(record.hand)}), {record.rules}: {len(record.events)} events"]
    lines += played.illegal_sentences()
    if played.state.ended is None:
        lines.append("the hand is not over")
    lines.append("scores by the rules    " + "  ".join(f"{seat.value} {played.scores[seat]:+d}" for seat in SEATS))
    lines.append("scores in the record   " + "  ".join(f"{seat.value} {record.scores[seat]:+d}" for seat in SEATS))
    lines.append(f"the record {'holds' if replayed.holds else 'does not hold'}, {_walls_words(record)}")
    if _imported(record):
        lines.append("the deal is imported, not committed: it proves nothing of who made its walls, and when")
    return "\n".join(lines)


def _walls_words(record: HandRecord) -> str:
    if record.walls is not None:
        return "with its walls"
    return f"without walls ({'the hand was recorded without its deal' if record.without_deal else 'they are added at release'})"


def _imported(record: HandRecord) -> bool:
    return is_imported(record.n, record.check, record.digest)
