"""The texts that the script of a replay puts together, in one language."""

from collections.abc import Iterable

from dashboard.i18n.words import Values, Words
from twinwall.event.replay.replay_form import UNSEEN
from twinwall.game.play_events import Claim, EndReason, MeldType, PaymentReason
from twinwall.game.tiles import ALL_TILES, SEATS

_VALUES = ("seat", "tile", "source", "text", "tiles", "count", "at", "of", "turn", "table", "name", "seconds", "why")
_OPEN = {name: f"{{{name}}}" for name in _VALUES}
"""Values that the script puts in stand in a text as the catalogue writes them."""
_NOTES = ("win-refused", "hand-ruled-dead", "penalty-ruled", "result-excluded", "shared-tile-turned", "illegal", "other")
WHYS = (
    "below-minimum",
    "changed-waits",
    "impossible-tiles",
    "must-win",
    "not-a-win",
    "not-allowed",
    "not-held",
    "not-now",
    "not-ready",
    "not-the-drawn-tile",
    "not-your-turn",
    "passed-win",
    "ruled-already",
    "wins",
    "wrong-amount",
    "wrong-late",
    "wrong-reason",
    "wrong-scores",
    "wrong-source",
    "wrong-tiles",
)
"""The rules' words for why something is not legal."""
_ACTS = (*(claim.value for claim in Claim), MeldType.CONCEALED_KONG.value, MeldType.ADDED_KONG.value, "discard")
_ALONE = ("beginning", "away", "ready", "unseen", "nothing", "played", "unfinished", "count", "turn", "table", "speed", "copied")
_PLACES = ("hand", "wall", "river", "meld")


def script_words(words: Words, hand: int) -> Values:
    """The texts, for a replay of that hand of its session."""

    def text(key: str) -> str:
        return words(f"replay.{key}", **_OPEN)

    def texts(group: str, names: Iterable[str]) -> dict[str, str]:
        return {name: text(f"{group}.{name.replace('_', '-')}") for name in names}

    return {
        "hand_name": words.hand(hand),
        "order": [tile.text for tile in ALL_TILES],
        "tiles": {tile.text: words.tile(tile) for tile in ALL_TILES} | {UNSEEN: words.tile(None)},
        "seats": {seat.value: words.seat(seat) for seat in SEATS},
        "river": words("board.river", seat="{seat}"),
        "hand": words("board.hand", seat="{seat}"),
        "melds": texts("do", (kind.value for kind in MeldType)),
        "notes": texts("note", _NOTES),
        "again": texts("again", ("ask", "chose", "here", "leave", "next", "none", "note", "over", "same")),
        "whys": texts("why", WHYS),
        "barred": text("barred"),
        "ends": texts("end", (reason.value for reason in EndReason)),
        "places": texts("in", _PLACES),
        "acts": texts("chance", _ACTS),
        "reasons": texts("reason", (reason.value for reason in PaymentReason)),
        **texts("do", ("draw", "discard", "thrown", "riichi", "show")),
        "wins": text("do.win"),
        "selfdraw": text("do.self-draw"),
        "waits": text("waiting-for"),
        "only_drawn": text("only-drawn"),
        "too_little": text("too-little"),
        "nobody_ready": text("nobody-ready"),
        "open_here": text("open-here"),
        "open_table": text("open-table"),
        "copy_by_hand": text("copy-by-hand"),
        **{name: text(name) for name in _ALONE},
    }
