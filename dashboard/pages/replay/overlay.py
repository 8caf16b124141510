"""The overlay for broadcasters: a table's play of its newest released deal, as a document and as values of the page.

A deal is shown once it is released, so no table that has still to play it can learn anything from a broadcast.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import msgspec

from dashboard.access.shown_results import ReleasedDeal
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words
from dashboard.pages.replay.replay_pieces import document_of, fans_named, in_page
from dashboard.pages.replay.replay_words import script_words
from twinwall.event.hands import HandSummary
from twinwall.event.replay.replay_form import ReplayDocument
from twinwall.event.result_rulings import verdict
from twinwall.game.play_events import EndReason
from twinwall.game.tiles import SEATS, Seat

FORMAT = "twinwall-overlay-1"


class OverlayPlayer(msgspec.Struct, frozen=True):
    """Who held a seat: ``before`` sums the scores of its place in the session's earlier released hands, ``after`` with this hand.

    A place, not a name: names that are shown as initials may be alike, and a substitute plays for the same place.
    """

    seat: Seat
    name: str
    before: int
    after: int


class OverlayDocument(msgspec.Struct, frozen=True):
    """One table's play of a released deal, with the form of the replay."""

    event: str
    table: str
    n: int
    session: int
    hand: int
    rules: str
    players: list[OverlayPlayer]
    replay: ReplayDocument
    format: str = FORMAT


@dataclass(frozen=True, slots=True)
class _Played:
    deal: ReleasedDeal
    hand: HandSummary


def overlay_of(scope: ViewerScope, table: str, until: datetime | None) -> OverlayDocument | None:
    """The newest deal that was released by ``until``, where it is given, and that the table has played; None where there is none.

    Without ``until`` no clock is asked, so a deal stays shown where the server's clock was set back after its release.
    """
    played = [found for found in map(scope.deal, scope.released()) if isinstance(found, ReleasedDeal)]
    hands = [_Played(found, hand) for found in played for hand in found.hands if hand.table == table and _is_play(hand)]
    hands = [each for each in hands if until is None or each.deal.opening.at <= until]
    if not hands:
        return None
    newest = max(hands, key=lambda each: (each.deal.session, each.deal.hand))
    deal, hand = newest.deal, newest.hand
    earlier = [each.hand for each in hands if each.deal.session == deal.session and each.deal.hand < deal.hand]
    players = [_player(seat, hand, earlier) for seat in SEATS]
    replay = document_of(deal, [hand])
    return OverlayDocument(scope.event_name, table, deal.n, deal.session, deal.hand, deal.rules, players, replay)


def overlay_values(document: OverlayDocument, words: Words) -> dict[str, object]:
    """What the page shows of a document."""
    texts = script_words(words, document.hand) | {"fans": fans_named(document.replay, words)}
    return {"overlay": document, "hand": words.hand(document.hand), "document": in_page(document), "texts": in_page(texts)}


def _is_play(hand: HandSummary) -> bool:
    """Whether a hand has a record of play."""
    return hand.closed and hand.scores is not None and hand.reason is not EndReason.ENTERED


def _player(seat: Seat, hand: HandSummary, earlier: Iterable[HandSummary]) -> OverlayPlayer:
    before = sum(_score(each, held) for each in earlier for held, place in each.places.items() if place == hand.places[seat])
    return OverlayPlayer(seat, hand.names[seat], before, before + _score(hand, seat))


def _score(hand: HandSummary, seat: Seat) -> int:
    counted = verdict(hand)
    return 0 if counted is None else counted.scores[seat]
