"""What a referee may rule at a table (``give_ruling``): the possible choices, their texts in all languages, and the command. A choice is
offered if the rules allow it; the table decides when the command arrives, and the ruling takes effect with the table's events. The texts
are in every language of the pages, for all readers of the ledger."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import assert_never

from dashboard.access.access_policy import AccessPolicy, Viewer
from dashboard.access.viewer_scope import TableScope
from dashboard.i18n.words import Values, Words, signed
from dashboard.projections.table_view import HandView, TableView
from twinwall.art.names import LANGUAGES
from twinwall.event.hands import HandSummary
from twinwall.event.results import GivenRuling, revocable
from twinwall.event.store.store_contents import RulingGiven
from twinwall.game.documents import canonical_json
from twinwall.game.play_events import EndReason, HandEnded, HandRuledDead, Offence, PenaltyRuled, ResultExcluded, SeatsExchanged
from twinwall.game.rule_set import RuleSet
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat
from twinwall.game.typed_scores import MOST_IMP, MOST_SCORE, Odd, Oddity, odd_penalty, odd_scores
from twinwall.values import frozen
from twinwall.wire.events.hand_events import ResultEntered
from twinwall.wire.messages.commands import Command
from twinwall.wire.messages.ruling import Effect, Ruling, effects_json, ruling_fields
from twinwall.wire.names import plain_number, whole_number

Send = Callable[[str, Command], bool]
"""Sends a command to a table; False if the broker cannot take it."""
Form = Mapping[str, str]
"""The fields of a sent form."""
LONGEST_REASON = 200
"""Characters of the reason that a referee types."""
_COSTS = ((4, 0), (8, 0), (0, 8))
"""Penalties for a false win, offered if the event's rules allow them: IMP, and points to each of the others."""

_PROBLEMS = ("moved", "choice", "seat", "penalty", "number", "scores", "other", "odd", "reason", "name", "offline")
PROBLEMS = frozenset(f"rule.problem.{word}" for word in _PROBLEMS)
"""The sentences for forms without effect."""


class RulingChoice(StrEnum):
    """The choices; the values are in the form and the catalogue (``rule.…``)."""

    ENTRY = "entry"
    PLAY_ON = "play-on"
    WARNING = "warning"
    DEAD_HAND = "dead-hand"
    FALSE_WIN = "false-win"
    PENALTY = "penalty"
    AVERAGE = "average"
    ANNULLED = "annulled"
    ADJUSTED = "adjusted"
    EXCHANGED = "exchanged"
    REVOKE = "revoke"

    @property
    def needs_reason(self) -> bool:
        """Whether it changes what a hand counts for, so that it needs a reason."""
        return self not in (RulingChoice.ENTRY, RulingChoice.PLAY_ON, RulingChoice.WARNING, RulingChoice.DEAD_HAND, RulingChoice.FALSE_WIN)


@frozen
class RulingOffer:
    """One line of the form; ``imp`` and ``points`` are a false win's price, ``revoked`` is the ruling to revoke, ``entry`` the result that
    a player has entered."""

    choice: RulingChoice
    imp: int = 0
    points: int = 0
    revoked: GivenRuling | None = None
    entry: ResultEntered | None = None

    @property
    def value(self) -> str:
        """The form's value for it."""
        if self.entry is not None:
            return ":".join((self.choice, self.entry.seat.value, *(str(self.entry.payments[seat]) for seat in SEATS)))
        if self.revoked is not None:
            return f"{self.choice}:{self.revoked.ruling.identity}"
        return f"{self.choice}:{self.imp}:{self.points}" if self.choice is RulingChoice.FALSE_WIN else self.choice.value


_AFTERWARDS = tuple(
    map(RulingOffer, (RulingChoice.WARNING, RulingChoice.PENALTY, RulingChoice.AVERAGE, RulingChoice.ADJUSTED, RulingChoice.EXCHANGED))
)
"""What can be ruled after a hand."""


_BEFOREHAND = (RulingOffer(RulingChoice.PLAY_ON), RulingOffer(RulingChoice.WARNING))
"""What can be ruled while players take their tiles: nothing has been played that a ruling could change."""


@frozen
class RulingSituation:
    """What can be ruled on: deal ``n``, dead hands, and the choices. ``seat`` is that of the last call or violation without a ruling; None
    if there is none."""

    n: int
    number: int
    seat: Seat | None
    dead: frozenset[Seat]
    offers: tuple[RulingOffer, ...]
    rules: RuleSet | None = None

    def offer(self, value: str) -> RulingOffer | None:
        """The offer that the form sent; None if it is not offered (any longer)."""
        return next((offer for offer in self.offers if offer.value == value), None)


@frozen
class RulingForm:
    """A form as sent and read: who rules what about whom, and whether that hand is dead already. ``scores`` are those of an adjusted score,
    ``other`` is the seat that changes places with the first."""

    offer: RulingOffer
    seat: Seat
    by: str
    dead: bool = False
    imp: int = 0
    points: int = 0
    scores: Mapping[Seat, int] | None = None
    other: Seat | None = None
    reason: str = ""


class NotRuledError(ValueError):
    """A form that makes no ruling; ``key`` is the catalogue's sentence that says why."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class OddRulingError(NotRuledError):
    """A ruling with unusual numbers (``odd``) that is not confirmed."""

    def __init__(self, asked: RulingForm, odd: Sequence[Odd]) -> None:
        super().__init__("rule.problem.odd")
        self.asked, self.odd = asked, tuple(odd)


def situation(view: TableView) -> RulingSituation | None:
    """What can be ruled at a table now; None before its first walls stand, or while its events cannot be followed."""
    if view.deal is not None and view.raised:
        return RulingSituation(view.deal.n, view.deal.hand, view.concerned, frozenset(), _BEFOREHAND)
    hand = view.hand
    if hand is None:
        return None
    dead = frozenset(seat for seat in SEATS if hand.play is not None and hand.play.seat(seat).dead)
    return RulingSituation(hand.n, hand.number, view.concerned, dead, _offers(hand), hand.rules)


def past_situation(hand: HandSummary) -> RulingSituation:
    revoking = tuple(RulingOffer(RulingChoice.REVOKE, revoked=each) for each in revocable(hand))
    return RulingSituation(hand.n, hand.hand, None, frozenset(), (*_AFTERWARDS, *revoking), rule_set(hand.rules, hand.options))


def _offers(hand: HandView) -> tuple[RulingOffer, ...]:
    if hand.ended is not None:
        return _AFTERWARDS
    warning, penalty, average, adjusted, _ = _AFTERWARDS
    false_wins = tuple(RulingOffer(RulingChoice.FALSE_WIN, imp, points) for imp, points in _COSTS if _allowed(hand, imp, points))
    play_on, dead, annulled = RulingOffer(RulingChoice.PLAY_ON), RulingOffer(RulingChoice.DEAD_HAND), RulingOffer(RulingChoice.ANNULLED)
    entries = tuple(RulingOffer(RulingChoice.ENTRY, entry=entry) for entry in hand.entries)
    return *entries, play_on, warning, dead, *false_wins, penalty, average, annulled, adjusted


def _allowed(hand: HandView, imp: int, points: int) -> bool:
    """Whether the event's rules allow this price of a false win."""
    if hand.rules is None or hand.play is None:
        return False
    return hand.rules.illegal(hand.play, PenaltyRuled(hand.play.turn, Offence.FALSE_WIN, imp, points)) is None


def ruling_sent(form: Form, now: RulingSituation | None, by: str) -> Ruling:
    """The ruling of a form sent by this account; raises NotRuledError with the sentence to show, and OddRulingError for unusual numbers
    that the form does not confirm."""
    if now is None or form.get("n") != str(now.n):
        raise NotRuledError("rule.problem.moved")
    asked = read_form(form, now, by)
    odd = _odd(asked, now.rules)
    if odd and not form.get("sure"):
        raise OddRulingError(asked, odd)
    return ruling_of(asked, now.n, form.get("form", ""))


def _odd(asked: RulingForm, rules: RuleSet | None) -> tuple[Odd, ...]:
    if rules is None:
        return ()
    match asked.offer.choice:
        case RulingChoice.ADJUSTED if asked.scores is not None:
            return tuple(odd_scores(rules, asked.scores))
        case RulingChoice.PENALTY:
            return tuple(odd_penalty(rules, asked.imp, asked.points))
        case _:
            return ()


def odd_in_words(odd: Iterable[Odd], words: Words) -> tuple[str, ...]:
    """A sentence for each unusual number."""
    return tuple(words(f"odd.{each.what}", number=each.number if each.what is Oddity.IMP else signed(each.number)) for each in odd)


def read_form(form: Form, now: RulingSituation, by: str) -> RulingForm:
    """The request in a form sent by this account; raises NotRuledError with the sentence to show."""
    offer = now.offer(form.get("choice", ""))
    if offer is None:
        raise NotRuledError("rule.problem.choice")
    seat = next((seat for seat in SEATS if seat.value == form.get("seat")), None)
    if seat is None and offer.choice in (RulingChoice.REVOKE, RulingChoice.ENTRY):
        seat = Seat.EAST  # it is about no seat
    if seat is None:
        raise NotRuledError("rule.problem.seat")
    reason = " ".join(form.get("reason", "").split())
    if len(reason) > LONGEST_REASON or not reason.isprintable() or (offer.choice.needs_reason and not reason):
        raise NotRuledError("rule.problem.reason")
    asked = partial(RulingForm, offer, seat, by, reason=reason)
    match offer.choice:
        case RulingChoice.PENALTY:
            imp, points = _number(form, "imp", 0, MOST_IMP), _number(form, "points", 0, MOST_SCORE)
            if not imp and not points:
                raise NotRuledError("rule.problem.penalty")
            return asked(imp=imp, points=points)
        case RulingChoice.EXCHANGED:
            other = next((each for each in SEATS if each.value == form.get("other") and each is not seat), None)
            if other is None:
                raise NotRuledError("rule.problem.other")
            return asked(other=other)
        case RulingChoice.ENTRY:
            return asked(scores=None if offer.entry is None else offer.entry.payments)
        case RulingChoice.ADJUSTED:
            if not any(form.get(f"score-{each.value}", "").strip() for each in SEATS):
                raise NotRuledError("rule.problem.scores")
            scores = {each: _number(form, f"score-{each.value}", -MOST_SCORE, MOST_SCORE) for each in SEATS}
            return asked(scores=scores)
        case _:
            return asked(seat in now.dead, offer.imp, offer.points)


def _number(form: Form, key: str, least: int, most: int) -> int:
    value = whole_number(form.get(key, "").strip() or "0")
    if value is None or not least <= value <= most:
        raise NotRuledError("rule.problem.number")
    return value


def effects(asked: RulingForm) -> tuple[Effect, ...]:
    seat = asked.seat
    match asked.offer.choice:
        case RulingChoice.PLAY_ON | RulingChoice.WARNING | RulingChoice.REVOKE:
            return ()
        case RulingChoice.DEAD_HAND:
            return (HandRuledDead(seat),)
        case RulingChoice.FALSE_WIN:
            penalty = PenaltyRuled(seat, Offence.FALSE_WIN, asked.imp, asked.points)
            return (penalty,) if asked.dead else (penalty, HandRuledDead(seat))
        case RulingChoice.PENALTY:
            return (PenaltyRuled(seat, Offence.CONDUCT, asked.imp, asked.points),)
        case RulingChoice.AVERAGE:
            return (ResultExcluded(),)
        case RulingChoice.EXCHANGED:
            assert asked.other is not None
            return (SeatsExchanged(seat, asked.other),)
        case RulingChoice.ANNULLED:
            return (HandEnded(EndReason.ANNULLED, dict.fromkeys(SEATS, 0)),)
        case RulingChoice.ADJUSTED | RulingChoice.ENTRY:
            assert asked.scores is not None
            return (HandEnded(EndReason.RULED, asked.scores),)
        case _:
            assert_never(asked.offer.choice)


def announced(asked: RulingForm, words: Words) -> str:
    """The ruling's words in one language; the reason is as the referee typed it."""
    values: Values = {"seat": words.seat(asked.seat), "cost": price(asked, words, "cost")}
    if asked.other is not None:
        values["other"] = words.seat(asked.other)
    if asked.scores is not None:
        values["scores"] = scores_in_words(asked.scores, words)
    if asked.offer.entry is not None:
        values |= entry_words(asked.offer.entry, words)
    if asked.offer.revoked is not None:
        values["text"] = words.announced(asked.offer.revoked.ruling.texts)
    text = words(f"rule.{asked.offer.choice}", **values)
    return f"{text} {words('rule.reason.given', reason=asked.reason)}" if asked.reason else text


def texts_in_all(asked: RulingForm) -> tuple[tuple[str, str], ...]:
    """The ruling's words in every language of the pages."""
    return tuple((language, announced(asked, Words(language))) for language in LANGUAGES)


def price(asked: RulingForm, words: Words, form: str = "price") -> str:
    """The price of an offence: as a short ``price``, or as the ``cost`` in a sentence."""
    parts = [words(f"rule.{form}.imp", imp=asked.imp)] if asked.imp else []
    parts += [words(f"rule.{form}.points", points=asked.points)] if asked.points else []
    return words("rule.cost.and").join(parts)


def ruling_of(asked: RulingForm, n: int, form_id: str) -> Ruling:
    """The ruling for the table. Its id is a digest of the form's id and the content: a form sent twice makes one ruling, and two referees
    who send the same page make two."""
    texts = dict(texts_in_all(asked))
    ruled = effects(asked)
    revokes = "" if asked.offer.revoked is None else asked.offer.revoked.ruling.identity
    content = canonical_json({"form": form_id, "n": n, "by": asked.by, "texts": texts, "effects": effects_json(ruled)})
    return Ruling(hashlib.sha256(content).hexdigest()[:16], n, asked.by, texts, ruled, revokes)


def give_ruling(policy: AccessPolicy, by: Viewer, opened: TableScope, form: Form, send: Send) -> Ruling:
    """Record the form's ruling at a table that a referee has opened, and send it. Raises NotRuledError for a form without effect; ``key``
    says why; StoreError when it cannot be recorded."""
    past = past_hand(opened, form)
    now = situation(opened.play().view) if past is None else past_situation(past)
    ruling = ruling_sent(form, now, by.name)
    if opened.names_a_player(form.get("reason", "")):
        raise NotRuledError("rule.problem.name")
    if not opened.connected:
        raise NotRuledError("rule.problem.offline")
    table = opened.channel.table
    policy.note(RulingGiven(table, by.name, policy.now(), ruling_fields(ruling)))
    if not send(table, ruling):
        raise NotRuledError("rule.problem.offline")
    return ruling


def past_hand(opened: TableScope, form: Form) -> HandSummary | None:
    """The finished hand that a form rules on; None if it rules on the hand at the table."""
    n = plain_number(form.get("n"))
    return None if n is None else opened.earlier_hand(n)


def outcome_entered(entry: ResultEntered, words: Words) -> str:
    """Who wins, by a player's entry."""
    if entry.winner is None:
        return words("seat.result.entered") if any(entry.payments.values()) else words("confirm.drawn")
    if entry.source is None:
        return words("confirm.win.drawn", seat=words.seat(entry.winner))
    return words("confirm.win.discard", seat=words.seat(entry.winner), other=words.seat(entry.source))


def scores_in_words(scores: Mapping[Seat, int], words: Words) -> str:
    """Each seat's score, in one line."""
    return " · ".join(f"{words.seat(seat)} {signed(scores[seat])}" for seat in SEATS)


def entry_words(entry: ResultEntered, words: Words) -> dict[str, str]:
    """Who entered a result, its outcome and each seat's score, for a sentence."""
    outcome = f"{outcome_entered(entry, words)}{f' ({entry.total})' if entry.total else ''}"
    return {"entered": words.seat(entry.seat), "outcome": outcome, "scores": scores_in_words(entry.payments, words)}
