"""Addresses in pieces that stand both in the served pages and in the pages of a club's own site (``dashboard.publishing``).

Templates know them as ``links``. An empty address means that there is no such page, and the text stands without a link. Within a site
addresses are relative, so that the files work from any folder and from disk; a language's pages stand in one folder, what all languages
share beside these folders.
"""

from collections.abc import Mapping
from urllib.parse import quote

from twinwall.values import frozen


@frozen
class ServedLinks:
    """The addresses of the dashboard; ``icons`` changes with the static files."""

    icons: str
    tiles: str = "/tiles.svg"
    plan: str = "/plan.json"
    start: str = "/start.json"
    trust: str = "/trust"

    def deal(self, n: int, group: str | None = None, number: int = 0) -> str:  # noqa: ARG002 - a group is named
        """A deal's page, or that of one group of it."""
        return f"/deal/{n}" + (f"?group={quote(group)}" if group else "")

    def slip(self, n: int) -> str:
        """A released deal's slip."""
        return f"/deal/{n}/slip.json"

    def deal_print(self, n: int) -> str:
        """A released deal on paper."""
        return f"/print/deal/{n}.pdf"

    def replay(self, n: int, group: int, table: str) -> str:  # noqa: ARG002 - a table names its group
        """The replay of a released deal by a group, that of ``table``."""
        return f"/deal/{n}/replay?table={quote(table)}"

    def moment(self, n: int, group: int, table: str, step: int, seat: str) -> str:
        """A moment of a replay, with a seat at the bottom."""
        return f"{self.replay(n, group, table)}&at={step}&view={seat}"

    def standings(self, session: int | None = None, group: str | None = None) -> str:
        """The standings of the event, of a session, or of one group of it."""
        return "/standings" if session is None else f"/standings?session={session}" + (f"&group={quote(group)}" if group else "")

    def entrant(self, name: str, number: str = "") -> str:  # noqa: ARG002 - players are found by number
        """The card of a player, by number; a team has no page."""
        return f"/player/{number}" if number else ""


FILES = "files"


@frozen
class SiteLinks:
    """The addresses as a page of a language's folder has them; drawings stand in each page that shows them."""

    entrants: Mapping[str, str]
    """The page of an entrant by the name that is shown."""
    groups: Mapping[int, tuple[str, ...]]
    """The groups of each session that has several."""
    tiles: str = ""
    icons: str = ""
    plan: str = f"../{FILES}/plan.json"
    start: str = f"../{FILES}/start.json"
    trust: str = "verification.html"

    def deal(self, n: int, group: str | None = None, number: int = 0) -> str:
        """A released deal's page, or that of one group of it, which is named by its number, from 1."""
        return f"deal-{n:04d}-{number}.html" if group else f"deal-{n:04d}.html"

    def slip(self, n: int) -> str:
        """A released deal's slip."""
        return f"../{FILES}/slip-{n:04d}.json"

    def deal_print(self, n: int) -> str:  # noqa: ARG002 - one file has all deals on paper
        """No file."""
        return ""

    def replay(self, n: int, group: int, table: str) -> str:  # noqa: ARG002 - the page names its tables
        """The replay of a released deal by a group, counted from 1."""
        return f"replay-{n:04d}-{group}.html"

    def moment(self, n: int, group: int, table: str, step: int, seat: str) -> str:
        """A moment of a replay, with a seat at the bottom."""
        return f"{self.replay(n, group, table)}?table={quote(table)}&at={step}&view={seat}"

    def standings(self, session: int | None = None, group: str | None = None) -> str:
        """The standings of the event, of a session, or of one group of it, which is named by its place in the session."""
        if session is None:
            return "index.html"
        names = self.groups.get(session, ())
        return f"session-{session}-{names.index(group) + 1}.html" if group in names else f"session-{session}.html"

    def entrant(self, name: str, number: str = "") -> str:  # noqa: ARG002 - its pages are found by name
        """The page of an entrant; empty where there is none."""
        return self.entrants.get(name, "")
