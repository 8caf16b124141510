"""History pages for staff: of a table, of a player, and the texts of rulings in all languages."""

from functools import partial
from typing import assert_never

from flask import Flask, abort, render_template
from flask.typing import ResponseReturnValue
from msgspec import structs

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import missing, reader_words, viewer
from dashboard.access.shown_history import HistoryEntry, RulingInHistory
from dashboard.actions.rulings import RulingChoice, RulingForm, RulingOffer, price, texts_in_all
from dashboard.i18n.words import NATIVE_NAMES, Values, Words
from dashboard.pages.hall.call_list import call_text
from twinwall.event.management.changes import EntrantAbsent, EntrantPresent, EntrantWithdrawn, SubstituteSeated
from twinwall.event.store.staff_calls import Call
from twinwall.event.store.store_contents import ManagementStep
from twinwall.game.documents import write_time
from twinwall.game.tiles import SEATS, Seat

_about_south = partial(RulingForm, seat=Seat.SOUTH, by="")
_EXAMPLES = (
    _about_south(RulingOffer(RulingChoice.PLAY_ON)),
    _about_south(RulingOffer(RulingChoice.WARNING)),
    _about_south(RulingOffer(RulingChoice.DEAD_HAND)),
    _about_south(RulingOffer(RulingChoice.FALSE_WIN, imp=4), imp=4),
    _about_south(RulingOffer(RulingChoice.FALSE_WIN, points=8), points=8),
    _about_south(RulingOffer(RulingChoice.PENALTY), imp=2),
    _about_south(RulingOffer(RulingChoice.AVERAGE)),
    _about_south(RulingOffer(RulingChoice.ANNULLED)),
    _about_south(RulingOffer(RulingChoice.EXCHANGED), other=Seat.WEST),
    _about_south(RulingOffer(RulingChoice.ADJUSTED), scores=dict(zip(SEATS, (24, -8, -8, -8), strict=True))),
)
"""Every ruling once, about South, with example numbers."""

_CHANGES = {
    SubstituteSeated: ("substitution", "substitution"),
    EntrantWithdrawn: ("withdrawal", "withdrawal"),
    EntrantAbsent: ("absence", "absence"),
    EntrantPresent: ("absence", "presence"),
}
"""The name of a director's change, and the end of its message key."""


def add_history(app: Flask, policy: AccessPolicy) -> None:
    """Add ``/table/<name>/history``, ``/player/<number>/history`` and ``/rulings``."""

    def page(title: str, back: str, entries: tuple[HistoryEntry, ...]) -> str:
        rows = [_history_row(entry, reader_words()) for entry in entries]
        return render_template("rulings/history.html", title=title, back=back, rows=rows)

    @app.get("/table/<path:name>/history")
    def table_history(name: str) -> ResponseReturnValue:
        history = policy.history(viewer())
        if history is None:
            abort(401)
        if policy.scope(viewer()).table(name) is None:
            return missing("error.table", name=name)
        opened = policy.open_table(viewer(), name) is not None
        return page(reader_words()("table", name=name), f"/table/{name}", history.of_table(name, opened=opened))

    @app.get("/player/<number>/history")
    def player_history(number: str) -> ResponseReturnValue:
        history, card = policy.history(viewer()), policy.results(viewer()).players.card(number)
        if history is None:
            abort(401)
        if card is None:
            return missing("refusal.unknown-player", name=number)
        return page(card.name, f"/player/{number}", history.of_player(number))

    @app.get("/rulings")
    def ruling_texts() -> str:
        words = reader_words()
        rulings = [(words(f"rule.label.{each.offer.choice}", price=price(each, words)), texts_in_all(each)) for each in _EXAMPLES]
        return render_template("rulings/texts.html", rulings=rulings, native=NATIVE_NAMES)


def _history_row(entry: HistoryEntry, words: Words) -> Values:
    """A line of a history; ``hand`` names a ruling's hand, ``path`` links to it."""
    row: Values = {"at": write_time(entry.at), "hand": "", "revoked": False}
    match entry:
        case RulingInHistory():
            ruling, hand = entry.given.ruling, f"{entry.session}·{words.hand(entry.hand)} · {words('table', name=entry.table)}"
            row |= {"kind": "ruling", "text": words.announced(ruling.texts), "by": ruling.by}
            return row | {"hand": hand, "path": f"/table/{entry.table}", "revoked": entry.revoked}
        case Call():
            taken = entry.acknowledged
            over = words("history.over", at=write_time(entry.over)[11:16]) if entry.over is not None else words("history.open")
            return row | {"kind": "call", "text": f"{call_text(entry, words)} {over}", "by": "" if taken is None else taken.by}
        case ManagementStep(SubstituteSeated() | EntrantWithdrawn() | EntrantAbsent() | EntrantPresent() as change):
            kind, key = _CHANGES[type(change)]
            return row | {"kind": kind, "text": words(f"history.{key}", **structs.asdict(change)), "by": entry.by}
        case ManagementStep():
            raise ValueError(f"{entry.change} is in no history")
        case _:
            assert_never(entry)
