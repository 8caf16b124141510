"""A referee's ruling: deal, referee, announced texts and effects. Command and public event share this form. Effects are play events
(``EFFECT_TYPES``). In the hand in play they happen; in a finished hand they change what it counts for. Without effects, play goes on."""

import re
from collections.abc import Mapping
from typing import TypeGuard

from twinwall.game import play_json, typed_json
from twinwall.game.documents import DocumentError, Reading
from twinwall.game.play_events import RULED_ENDS, HandEnded, HandRuledDead, PenaltyRuled, PlayEvent, ResultExcluded, Ruled, SeatsExchanged
from twinwall.values import frozen

Effect = Ruled | HandEnded | SeatsExchanged
_EXCHANGED = "seats-exchanged"
EFFECT_TYPES = ("hand-ruled-dead", "penalty-ruled", "result-excluded", _EXCHANGED, "hand-ended")
MOST_EFFECTS = 8
LONGEST_TEXT = 1000
"""Characters of the text in one language."""
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", re.ASCII)


@frozen
class Ruling:
    """One ruling on deal ``n``: ``identity`` is unique, ``by`` is the referee, ``texts`` are announced, by language. ``revokes`` is an
    earlier ruling on this hand that no longer counts; such a ruling has no effects."""

    identity: str
    n: int
    by: str
    texts: Mapping[str, str]
    effects: tuple[Effect, ...] = ()
    revokes: str = ""


def effects_json(effects: tuple[Effect, ...]) -> list[object]:
    return [typed_json.tagged(effect) if isinstance(effect, SeatsExchanged) else play_json.to_json(effect) for effect in effects]


def effects_of(value: object) -> tuple[Effect, ...]:
    """Read effects; raises DocumentError, which names the effect that no ruling can have."""
    if not isinstance(value, list) or len(value) > MOST_EFFECTS:
        raise DocumentError(f"the effects of a ruling are a list of at most {MOST_EFFECTS}")
    read: list[Effect] = []
    for number, item in enumerate(value, 1):
        with Reading(f"effect {number} of the ruling"):
            event = _effect(item if isinstance(item, dict) else {})
        if not _can_be_ruled(event):
            raise DocumentError(f"effect {number} of the ruling: {item['type']!r} cannot be ruled; {', '.join(EFFECT_TYPES)} can")
        if read and isinstance(read[-1], HandEnded):
            raise DocumentError(f"effect {number} of the ruling comes after the end of the hand")
        read.append(event)
    return tuple(read)


def _effect(item: Mapping[str, object]) -> PlayEvent | SeatsExchanged:
    if item.get("type") != _EXCHANGED:
        return play_json.from_json(item)
    exchanged = typed_json.read_as({key: part for key, part in item.items() if key != "type"}, SeatsExchanged, _EXCHANGED)
    if exchanged.seat is exchanged.other:
        raise DocumentError("two different seats are exchanged")
    return exchanged


def texts_of(value: object) -> dict[str, str]:
    """Read the texts; raises DocumentError for an unknown language, or an empty or too long text."""
    if not isinstance(value, dict) or not value:
        raise DocumentError("the texts of a ruling are an object of texts by language")
    for language, text in value.items():
        if not isinstance(language, str) or not _LANGUAGE.fullmatch(language):
            raise DocumentError(f"{language!r} is not a language such as en, ja or zh-Hans")
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST_TEXT:
            raise DocumentError(f"the text in {language!r} must have 1 to {LONGEST_TEXT} characters")
    return dict(value)


def ruling_fields(ruling: Ruling) -> dict[str, object]:
    """A ruling's keys and values in a command and in an event."""
    revoking = {"revokes": ruling.revokes} if ruling.revokes else {}
    return {
        "ruling": ruling.identity,
        "n": ruling.n,
        "by": ruling.by,
        "texts": dict(ruling.texts),
        "effects": effects_json(ruling.effects),
        **revoking,
    }


def read_ruling(fields: Mapping[str, object]) -> Ruling:
    """Read the keys of ``ruling_fields``; raises DocumentError, which names what does not fit."""
    for key in ("ruling", "n", "by", "texts", "effects"):
        if key not in fields:
            raise DocumentError(f"the ruling lacks the key {key!r}")
    unknown = sorted(set(fields) - {"ruling", "n", "by", "texts", "effects", "revokes"})
    if unknown:
        raise DocumentError(f"key {unknown[0]!r} is not known")
    identity, n, by = fields["ruling"], fields["n"], fields["by"]
    if not isinstance(identity, str) or not identity or not isinstance(by, str) or not by.strip():
        raise DocumentError("a ruling has an id and names the referee")
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise DocumentError(f"n {n!r} is not the number of a deal")
    effects, revokes = effects_of(fields["effects"]), fields.get("revokes", "")
    if not isinstance(revokes, str) or ("revokes" in fields and (not revokes or revokes == identity)):
        raise DocumentError(f"revokes {revokes!r} does not name another ruling")
    if revokes and effects:
        raise DocumentError("a ruling that revokes another has no effects of its own: rule again as well")
    return Ruling(identity, n, by, texts_of(fields["texts"]), effects, revokes)


def _can_be_ruled(event: PlayEvent | SeatsExchanged) -> TypeGuard[Effect]:
    if isinstance(event, HandEnded):
        return event.reason in RULED_ENDS
    return isinstance(event, HandRuledDead | PenaltyRuled | ResultExcluded | SeatsExchanged)
