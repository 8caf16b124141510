"""The page ``/decisions``: the decisions in released deals that gained and lost most by the tables' results, of all or of one player."""

from collections.abc import Iterator, Sequence

from flask import Flask, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import missing, reader_words, viewer
from dashboard.access.shown_results import ReleasedDeal
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Values, Words, brief
from dashboard.pages.deals.deal_pieces import partings_of, played_groups
from twinwall.event.hands import HandSummary
from twinwall.event.replay.parting import DecisionGain, Parting, decision_gains
from twinwall.event.results import Basis, result_after_rulings
from twinwall.game.tiles import parse_tiles

MOST_SHOWN = 12
"""Most decisions in each of the two lists."""


PartingBook = dict[tuple[int, tuple[str, ...]], Sequence[Parting]]
"""The partings of released deals, found once for each group's closed hands, which do not change."""


def _rows(scope: ViewerScope, book: PartingBook, words: Words, number: str) -> Iterator[tuple[DecisionGain, Values]]:
    """The decisions in all released deals that the viewer sees, or only those of the player with this ``number``."""
    card = scope.players.card(number) if number else None
    own = set() if card is None else {(hand.deal, hand.table, hand.seat) for hand in card.hands}
    for found in scope.results.deals():
        if number and not any(deal == found.n for deal, _, _ in own):
            continue
        for group, (_, tables) in enumerate(played_groups(found), 1):
            for gained, row in _rows_of(found, group, [hand for hand in found.hands if hand.table in tables], book, words):
                if not number or any((found.n, table, gained.seat) in own for table in gained.way.tables):
                    yield gained, row


def _rows_of(
    found: ReleasedDeal, group: int, hands: list[HandSummary], book: PartingBook, words: Words
) -> Iterator[tuple[DecisionGain, Values]]:
    """The decisions of one group, counted from 1: ``tables`` made it, each with the step of its replay, the player and the score. Entered
    results have no record of play, and results by a ruling no score."""
    counted = {hand.table: made for hand in hands if (made := result_after_rulings(hand)) is not None and made.basis is Basis.PLAYED}
    scores = {table: made.scores for table, made in counted.items()}
    names = {hand.table: hand.names for hand in hands}
    closed = [hand for hand in hands if hand.closed]
    key = found.n, tuple(hand.table for hand in closed)
    if key not in book:
        book[key] = partings_of(found, closed)
    for gained in decision_gains(book[key], scores):
        way, seat = gained.way, gained.seat
        steps = [(table, step) for table, step in zip(way.tables, way.steps, strict=True) if table in scores]
        tables = tuple((table, step, names[table][seat], scores[table][seat]) for table, step in steps)
        row: Values = {"n": found.n, "session": found.session, "hand": words.hand(found.hand), "group": group}
        yield gained, row | {"gained": gained, "tables": tables, "gain": brief(gained.gain, plus=True)}


def add_decisions(app: Flask, policy: AccessPolicy) -> None:
    """Add ``/decisions``; ``?player=`` is a player's number."""
    book: PartingBook = {}

    @app.get("/decisions")
    def decisions() -> ResponseReturnValue:
        scope, number = policy.results(viewer()), request.args.get("player", "")
        if number and scope.players.card(number) is None:
            return missing("refusal.unknown-player", name=number)
        rows = sorted(_rows(scope, book, reader_words(), number), key=lambda each: -each[0].gain)
        return render_template(
            "decisions.html",
            number=number,
            player=scope.players.name(number) if number else "",
            won=[row for gained, row in rows if gained.gain > 0][:MOST_SHOWN],
            cost=[row for gained, row in reversed(rows) if gained.gain < 0][:MOST_SHOWN],
            several_sessions=len(scope.results.sessions()) > 1,
            parse_tiles=parse_tiles,
        )
