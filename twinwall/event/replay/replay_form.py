"""The form of a replay: starting hands and steps, as JSON (``docs/reference/replay.md``).

Seats are their wind letters, tiles are in tile notation. The steps, applied in order to the starting hands, give the table at every moment
without knowledge of the rules.
"""

from msgspec import Struct, field

UNSEEN = "back"
"""Stands for a tile seen only from the back, in a hand recorded without its deal."""


class Ready(Struct, omit_defaults=True):
    """How far a hand is: ``away`` exchanges by the common forms, and the tiles that complete it."""

    away: int = 0
    waits: str = ""
    draws: str = ""
    """Waits that win only when drawn."""
    short: str = ""
    """Waits with which the hand is complete but worth too little."""


class Chance(Struct, omit_defaults=True):
    """A legal move that was not made, or an illegal one for which the seat had the tiles."""

    seat: str
    act: str
    """``chow``, ``pung``, ``kong``, ``win``, ``concealed_kong`` or ``added_kong``; ``discard`` is never legal here."""
    tiles: str = ""
    why: str = ""
    """Why it was not legal, by the rules' word."""
    rule: str = ""
    """The rules' English sentence, if there is more to say."""


class ReplayStep(Struct, omit_defaults=True, tag_field="do"):
    """One step; ``seat`` acted."""

    seat: str = ""
    ready: Ready | None = None
    """How far the seat's hand is after it; None if unchanged."""
    chances: list[Chance] = []
    barred: list[Chance] = []
    """What else was legal just after it, for others or for the seat itself."""


class ReplayDraw(ReplayStep, tag="draw"):
    tile: str = ""
    from_end: bool = False


class ReplayDiscard(ReplayStep, tag="discard"):
    """A tile was discarded to ``place`` in the river, from 0; ``drawn``: it was drawn in the same turn."""

    tile: str = ""
    place: int = 0
    drawn: bool = False
    riichi: bool = False


class ReplayMeld(ReplayStep, tag="meld"):
    """A meld was made with ``taken``, the last discard of ``source``, and ``own`` tiles from the hand.

    A concealed kong's tiles are known after release; ``down``: they were concealed at the table.
    """

    meld: str = ""
    tiles: str = ""
    own: str = ""
    taken: str = ""
    source: str = ""
    down: bool = False


class ReplayWin(ReplayStep, tag="win"):
    """A win was declared, on a discard of ``source`` or self-drawn."""

    tile: str = ""
    source: str = ""
    took: str = ""
    """The seat whose river the tile was taken from, in rules that take it."""


class FanLine(Struct, omit_defaults=True):
    """A fan of a won hand: its id, its name as the rules print it, and its total value."""

    id: str
    name: str
    worth: int = field(name="value")


class ReplayShow(ReplayStep, tag="show"):
    """A hand was shown, by its winner or because the rules require it; ``total`` and ``fans`` if it wins."""

    tiles: str = ""
    winning: str = ""
    took: str = ""
    """As in ``ReplayWin``, if the tile is taken only now."""
    total: int = 0
    fans: list[FanLine] = []


class ReplayNote(ReplayStep, tag="note"):
    """A ruling, a refused win, a turned tile, or an event that does not count; ``kind`` is its name in a record."""

    kind: str = ""
    text: str = ""
    tile: str = ""
    why: str = ""
    """Of an event that does not count, the rules' word for the reason."""


class ReplayEnd(ReplayStep, tag="end"):
    """The hand is over; without payments by the rules if a referee ended it."""

    reason: str = ""
    scores: dict[str, int] = {}
    payments: list[dict[str, str | int]] = []
    """Each with ``reason``, ``payer``, ``to`` and ``amount``: points from seat to seat; an empty seat stands for no seat."""


AnyStep = ReplayDraw | ReplayDiscard | ReplayMeld | ReplayWin | ReplayShow | ReplayNote | ReplayEnd


class Wall(Struct):
    """One seat's starting hand, how far it is, and its draws in order. For a hand recorded without its deal the tiles are ``UNSEEN``,
    ``ready`` is None, and there are no draws."""

    hand: str
    ready: Ready | None
    draws: str


class ReplayedTable(Struct):
    """One table's play; ``players`` by seat."""

    table: str
    players: dict[str, str]
    steps: list[AnyStep]


class ReplayDocument(Struct, tag_field="format", tag="twinwall-replay-1"):
    """A released deal and how tables played it."""

    event: str
    session: int
    hand: int
    """Of the session, from 1."""
    n: int
    rules: str
    check: str
    walls: dict[str, Wall]
    tables: list[ReplayedTable]
