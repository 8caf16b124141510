"""The form of a replay: starting hands and steps, as JSON (``docs/reference/replay.md``).

Seats are their wind letters, tiles are in tile notation. The steps, applied in their order to the starting hands, give the table at
every moment and needs no rules.
"""

from msgspec import Struct, field

UNSEEN = "back"
"""What stands for a tile of which only the back was seen, in a hand that was recorded without its deal."""


class Ready(Struct, omit_defaults=True):
    """How far a hand is: ``away`` exchanges by the common forms, and what completes it, as tile notation."""

    away: int = 0
    waits: str = ""
    draws: str = ""
    """Waits that may only be won with by drawing them."""
    short: str = ""
    """Waits with which the hand is complete but worth too little."""


class Chance(Struct, omit_defaults=True):
    """Something that was legal and was not done, or for which a seat had the tiles, and which was not legal."""

    seat: str
    act: str
    """``chow``, ``pung``, ``kong``, ``win``, ``concealed_kong`` or ``added_kong``; ``discard`` is never legal here."""
    tiles: str = ""
    why: str = ""
    """Why it was not legal, in the rules' word."""
    rule: str = ""
    """Their sentence, in English, where they have more to say."""


class ReplayStep(Struct, omit_defaults=True, tag_field="do"):
    """One thing that was done; ``seat`` did it."""

    seat: str = ""
    ready: Ready | None = None
    """How the seat's hand stands after it; None where that did not change."""
    chances: list[Chance] = []
    barred: list[Chance] = []
    """What else was legal just after it, for others or for the seat itself."""


class ReplayDraw(ReplayStep, tag="draw"):
    """A tile was drawn."""

    tile: str = ""
    from_end: bool = False


class ReplayDiscard(ReplayStep, tag="discard"):
    """A tile was discarded into ``place`` of the river, from 0; ``drawn``: it was the tile drawn in the same turn."""

    tile: str = ""
    place: int = 0
    drawn: bool = False
    riichi: bool = False


class ReplayMeld(ReplayStep, tag="meld"):
    """A meld was laid; ``source`` is the seat whose last discard ``taken`` lies in it, ``own`` are the tiles that left the hand.

    The tiles of a concealed kong are known after release; ``down``: they were concealed at the table then.
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
    """The seat from whose river the tile was taken, where the rules take it."""


class FanLine(Struct, omit_defaults=True):
    """A fan of a won hand: its id, its name as the rules print it, and what it is worth in all."""

    id: str
    name: str
    worth: int = field(name="value")


class ReplayShow(ReplayStep, tag="show"):
    """A hand was laid open, by its winner or where the rules ask for it; ``total`` and ``fans`` where it wins."""

    tiles: str = ""
    winning: str = ""
    took: str = ""
    """As in ``ReplayWin``, where it is taken only now."""
    total: int = 0
    fans: list[FanLine] = []


class ReplayNote(ReplayStep, tag="note"):
    """A ruling, a refused win, a tile turned up, or an event that does not count; ``kind`` is its name in a record."""

    kind: str = ""
    text: str = ""
    tile: str = ""
    why: str = ""
    """Of an event that does not count, the rules' word for the reason."""


class ReplayEnd(ReplayStep, tag="end"):
    """The hand is over; there are no payments by the rules where a referee ended it."""

    reason: str = ""
    scores: dict[str, int] = {}
    payments: list[dict[str, str | int]] = []
    """``reason``, ``payer``, ``to`` and ``amount`` of each: points that one seat pays another; an empty seat is none."""


AnyStep = ReplayDraw | ReplayDiscard | ReplayMeld | ReplayWin | ReplayShow | ReplayNote | ReplayEnd


class Wall(Struct):
    """One seat's own tiles, how far its starting hand is, and its draws in draw order. Of a hand that was recorded without its deal the
    tiles are ``UNSEEN``, ``ready`` is None, and there are no draws."""

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
